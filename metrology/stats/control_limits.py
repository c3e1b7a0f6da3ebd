"""What every control chart shares: its baseline, range constants, signals and the chart record."""

from __future__ import annotations

from functools import lru_cache
from numbers import Integral

import numpy as np
from scipy import integrate, special

from metrology.stats.results import ControlChart, StatsInputError, ordered_codes, status_of
from metrology.stats.vectors import Vector, optional_tuple, or_none

RUN_LENGTH = 7  # points on one side of the centre that make a signal
SHORT_BASELINE = 20  # fewer baseline points give provisional limits


@lru_cache(maxsize=256)
def range_constant(size: int) -> float:
    """d2: expected range of `size` standard normal values, to the three decimals of the published tables.

    d2 = integral of 1 - Phi(x)^n - (1 - Phi(x))^n (Tippett 1925).
    """

    def integrand(x: float) -> float:
        return float(1 - special.ndtr(x) ** size - special.ndtr(-x) ** size)

    return round(2 * float(integrate.quad(integrand, 0, 12, limit=200)[0]), 3)


MOVING_RANGE_CONSTANT = 1.128  # range_constant(2)


def baseline_length(baseline: int | None, points: int) -> int:
    """Number of first points that set the limits; raises StatsInputError unless 1 <= baseline <= points."""
    if baseline is None:
        return points
    if not isinstance(baseline, Integral) or not 1 <= baseline <= max(points, 1):
        msg = f"`baseline` must be a whole number from 1 to {points}, got {baseline!r}"
        raise StatsInputError(msg)
    return min(int(baseline), points)


def mean_moving_range(values: Vector) -> float:
    """Mean absolute difference of neighbouring points that both exist; NaN when there is no such pair."""
    ranges = np.abs(np.diff(values))
    ranges = ranges[~np.isnan(ranges)]
    return float(ranges.mean()) if ranges.size else float("nan")


def run_signals(points: Vector, center: float) -> tuple[int, ...]:
    """Positions of the 7th and later points of a run on one side; a point on the line or missing ends a run."""
    signals, length, side = [], 0, 0.0
    for position, sign in enumerate(np.sign(points - center)):
        if np.isnan(sign) or sign == 0:
            length, side = 0, 0.0
            continue
        length = length + 1 if sign == side else 1
        side = float(sign)
        if length >= RUN_LENGTH:
            signals.append(position)
    return tuple(signals)


def undefined_chart(method: str, n: dict[str, int], *codes: str) -> ControlChart:
    """A chart without limits, because the data do not set any."""
    return ControlChart(
        method=method, center=None, sigma=None, points=(), lower=(), upper=(), beyond=(), runs=(),
        dispersion_ratio=None, n=n, status="undefined", codes=ordered_codes(codes),
    )  # fmt: skip


def control_chart(
    method: str,
    points: Vector,
    center: float,
    sigma: float,
    half_width: Vector,
    *,
    n: dict[str, int],
    codes: tuple[str, ...],
    bounds: tuple[float, float] | None = None,
    runs: bool = True,
    dispersion_ratio: float | None = None,
) -> ControlChart:
    """The chart with limits `center +- half_width`, clipped to `bounds` where given.

    Limits of no width (no variation in the baseline) signal nothing: they are kept only where `bounds` pin
    them to a possible value, and the chart says ZERO_VARIANCE.
    """
    collapsed = "ZERO_VARIANCE" in codes
    lower, upper = center - half_width, center + half_width
    if bounds is not None:
        lower, upper = np.clip(lower, *bounds), np.clip(upper, *bounds)
    elif collapsed:
        lower, upper = np.full_like(points, np.nan), np.full_like(points, np.nan)
    with np.errstate(invalid="ignore"):
        outside = (points < lower) | (points > upper)
    beyond = () if collapsed else tuple(np.flatnonzero(outside).tolist())
    return ControlChart(
        method=method,
        center=float(center),
        sigma=or_none(sigma),
        points=optional_tuple(points),
        lower=optional_tuple(lower),
        upper=optional_tuple(upper),
        beyond=beyond,
        runs=run_signals(points, center) if runs else (),
        dispersion_ratio=dispersion_ratio,
        n=n,
        status=status_of(codes),
        codes=codes,
    )
