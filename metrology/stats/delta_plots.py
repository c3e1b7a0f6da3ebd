"""Angoff's delta plot: which items changed their difficulty between two groups, usable with few agents."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy import stats

from metrology.stats.results import DeltaPlot, StatsInputError, ordered_codes, status_of
from metrology.stats.vectors import Numbers, inside, is_constant, numeric_vector, optional_tuple, same_length


def delta_plot(p_reference: Numbers, p_focal: Numbers, *, threshold: float = 1.5) -> DeltaPlot:
    """Signed distance of every item from the major axis of the two groups' difficulties (Angoff & Ford 1973).

    delta = 4 z(1 - p) + 13 for the pass shares p of each item; `distance` = (slope d_ref + intercept - d_focal)/
    sqrt(slope^2 + 1), negative = harder for the focal group than the axis says; `flagged` = 0-based positions
    beyond `threshold`. Shares of 0 or 1 have no delta: distance None, CONSTANT_ITEMS. Fewer than 3 usable items:
    undefined TOO_FEW_ITEMS; no axis (no spread, or none preferred): NOT_IDENTIFIED.

    Raises:
        StatsInputError: unequal lengths, shares outside 0..1, `threshold` not positive.
    """
    reference, focal = numeric_vector(p_reference, "p_reference"), numeric_vector(p_focal, "p_focal")
    same_length(p_reference=reference, p_focal=focal)
    threshold = inside(threshold, 0, 1e6, "threshold")
    if np.any((reference < 0) | (reference > 1) | (focal < 0) | (focal > 1)):
        msg = "`p_reference` and `p_focal` must lie on 0..1"
        raise StatsInputError(msg)
    x, y = 4 * stats.norm.isf(reference) + 13, 4 * stats.norm.isf(focal) + 13
    usable = np.isfinite(x) & np.isfinite(y)
    n = {"items": len(x), "items_used": int(usable.sum())}
    codes = []
    if np.any(np.isinf(x) | np.isinf(y)):
        codes.append("CONSTANT_ITEMS")
    if np.any(np.isnan(x) | np.isnan(y)):
        codes.append("MISSING")
    axis = None if n["items_used"] < 3 else _major_axis(x[usable], y[usable])
    if axis is None:
        codes.append("TOO_FEW_ITEMS" if n["items_used"] < 3 else "NOT_IDENTIFIED")
        return DeltaPlot(
            slope=None, intercept=None, distance=(None,) * len(x), flagged=(), n=n, status="undefined",
            codes=ordered_codes(codes),
        )  # fmt: skip
    slope = axis
    if slope < 0:
        codes.append("WRONG_SIGN")
    intercept = float(y[usable].mean() - slope * x[usable].mean())
    distance = np.full(len(x), np.nan)
    distance[usable] = (slope * x[usable] + intercept - y[usable]) / math.hypot(slope, 1)
    with np.errstate(invalid="ignore"):
        flagged = tuple(np.flatnonzero(np.abs(distance) > threshold).tolist())
    return DeltaPlot(
        slope=slope,
        intercept=intercept,
        distance=optional_tuple(distance),
        flagged=flagged,
        n=n,
        status=status_of(codes),
        codes=ordered_codes(codes),
    )


def _major_axis(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> float | None:
    """Slope of the first principal axis; None when it is vertical or no direction stands out."""
    if is_constant(x):
        return None
    difference = float(y.var(ddof=1) - x.var(ddof=1))
    twice = 2 * float(((x - x.mean()) * (y - y.mean())).sum() / (len(x) - 1))
    if is_constant([0.0, twice], float(x.var() + y.var())):
        # the axis lies along the wider of two unrelated spreads
        return 0.0 if difference < 0 else None
    root = math.hypot(difference, twice)
    return (difference + root) / twice if difference > 0 else twice / (root - difference)
