"""Vectors and tables of numbers as callers hand them in: None and NaN are missing, all else must be finite."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from metrology.stats.results import StatsInputError

Vector = npt.NDArray[np.float64]
Numbers = npt.ArrayLike | Sequence[float | None] | Sequence[Sequence[float | None]]  # None, NaN = missing

LARGEST_MAGNITUDE = 1e100  # squares of larger values, summed, leave the range of double precision
ROUNDING = 64 * float(np.finfo(float).eps)  # spread below this share of the magnitude is rounding noise


def numeric_array(values: Numbers, name: str, dimensions: int) -> Vector:
    """A float array with NaN where a value is missing.

    Raises:
        StatsInputError: text or ragged input, another number of dimensions, infinite or overlarge values.
    """
    try:
        raw = np.asarray(values)
        if raw.dtype.kind in "USmM":
            msg = f"`{name}` must hold numbers"
            raise StatsInputError(msg)
        array = raw.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, StatsInputError):
            raise
        msg = f"`{name}` must hold numbers in a regular table: {error}"
        raise StatsInputError(msg) from error
    if array.size == 0 and array.ndim < dimensions:
        array = array.reshape((0,) * dimensions)
    if array.ndim != dimensions:
        msg = f"`{name}` must have {dimensions} dimension(s), got {array.ndim}"
        raise StatsInputError(msg)
    if np.any(np.abs(array[~np.isnan(array)]) > LARGEST_MAGNITUDE):
        msg = f"`{name}` holds an infinite value or one beyond {LARGEST_MAGNITUDE:g}"
        raise StatsInputError(msg)
    return array


def numeric_vector(values: Numbers, name: str) -> Vector:
    """A one-dimensional float array with NaN where a value is missing; raises as :func:`numeric_array`."""
    return numeric_array(values, name, 1)


def count_vector(values: Numbers, name: str) -> Vector:
    """Non-negative whole numbers as floats, NaN where missing; raises :class:`StatsInputError` on others."""
    counts = numeric_vector(values, name)
    given = counts[~np.isnan(counts)]
    if np.any(given < 0) or np.any(given != np.floor(given)):
        msg = f"`{name}` must hold whole numbers, 0 or more"
        raise StatsInputError(msg)
    return counts


def same_length(**vectors: npt.NDArray[np.generic]) -> int:
    """The common length of the named vectors; raises :class:`StatsInputError` where they differ."""
    lengths = {name: len(vector) for name, vector in vectors.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"`{name}` {length}" for name, length in lengths.items())
        msg = f"lengths differ: {listed}"
        raise StatsInputError(msg)
    return next(iter(lengths.values()))


def inside(value: float, low: float, high: float, name: str) -> float:
    """`value` if it lies strictly between the two bounds, else :class:`StatsInputError`."""
    if not (isinstance(value, int | float | np.number) and low < value < high):
        msg = f"`{name}` must lie between {low:g} and {high:g}, got {value!r}"
        raise StatsInputError(msg)
    return float(value)


def is_constant(values: npt.ArrayLike, scale: float = 0.0) -> bool:
    """Whether the values differ by no more than rounding noise; `scale` = size of what they were computed from."""
    array = np.asarray(values, dtype=np.float64)
    if array.size == 0:
        return True
    spread = float(array.max() - array.min())
    # spreads whose squares vanish cannot be divided by, so they count as none
    return spread <= ROUNDING * max(scale, float(np.abs(array).max())) or spread < 1e-150


def or_none(value: float) -> float | None:
    """`value` as a plain float, None where it is not finite."""
    return float(value) if math.isfinite(value) else None


def optional_tuple(values: Vector | Sequence[float]) -> tuple[float | None, ...]:
    """The values as plain floats, None where they are not finite."""
    return tuple(value if math.isfinite(value) else None for value in np.asarray(values, dtype=float).tolist())
