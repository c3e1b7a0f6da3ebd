"""Robust trend over time: Theil-Sen line and Mann-Kendall test."""

from __future__ import annotations

import math

import numpy as np
import scipy.stats

from metrology.stats.results import Estimate, MannKendall, Trend, ordered_codes, status_of
from metrology.stats.vectors import (
    Numbers,
    Vector,
    inside,
    is_constant,
    numeric_vector,
    same_length,
)


def _series(x: Numbers, y: Numbers, names: tuple[str, str]) -> tuple[Vector, Vector, dict[str, int]]:
    first, second = numeric_vector(x, names[0]), numeric_vector(y, names[1])
    same_length(**{names[0]: first, names[1]: second})
    present = ~(np.isnan(first) | np.isnan(second))
    n = {"points": int(present.sum()), "dropped": int((~present).sum())}
    return first[present], second[present], n


def _tie_sizes(values: Vector) -> Vector:
    return np.asarray(np.unique(values, return_counts=True)[1], dtype=np.float64)


def _tie_term(sizes: Vector) -> float:
    return float((sizes * (sizes - 1) * (2 * sizes + 5)).sum())


def theil_sen(x: Numbers, y: Numbers, *, level: float = 0.95) -> Trend:
    """Median of all pairwise slopes with Sen's interval; intercept = median(y - slope x).

    The limits are the ordered slopes at the rounded ranks (N -+ z sd(S))/2, with sd(S) corrected for ties
    (Sen 1968). So few points that a rank falls outside the slopes: no interval, TOO_FEW_POINTS; all slopes
    equal: no interval, ZERO_ERROR; both limits on one slope (many ties): no interval, DEGENERATE_CI. A single
    x: undefined ZERO_VARIANCE. Resists outliers; assumes independent points, so not for best-so-far records.

    Raises:
        StatsInputError: unequal lengths, values that are no finite numbers, `level` outside (0, 1).
    """
    level = inside(level, 0, 1, "level")
    times, values, n = _series(x, y, ("x", "y"))
    codes = ["MISSING"] if n["dropped"] else []
    method = "Theil-Sen slope, Sen interval"
    code = "TOO_FEW_POINTS" if len(times) < 2 else "ZERO_VARIANCE" if is_constant(times) else ""
    if not code:
        slopes = _pairwise_slopes(times, values)
        with np.errstate(over="ignore"):
            reached = slopes is not None and bool(np.all(np.isfinite(np.median(slopes) * times)))
        code = "" if reached else "NOT_IDENTIFIED"
    if code or slopes is None:
        slope = Estimate.without_value("undefined", (code, *codes), level=level, method=method, n=n)
        return Trend(slope=slope, intercept=None, n=n, status="undefined", codes=slope.codes)
    value = float(np.median(slopes))
    intercept = float(np.median(values - value * times))
    low = high = None
    if is_constant(values - value * times, scale=float(np.abs(values).max() + np.abs(value * times).max())):
        codes.append("ZERO_ERROR")
    else:
        points = len(times)
        ties = sum(_tie_term(_tie_sizes(v)) for v in (times, values))
        variance = (points * (points - 1) * (2 * points + 5) - ties) / 18
        reach = float(scipy.stats.norm.ppf((1 + level) / 2)) * math.sqrt(max(variance, 0.0))
        below, above = round((len(slopes) - reach) / 2) - 1, round((len(slopes) + reach) / 2)
        if below < 0 or above >= len(slopes):
            codes.append("TOO_FEW_POINTS")
        elif slopes[below] == slopes[above]:
            codes.append("DEGENERATE_CI")
        else:
            low, high = float(slopes[below]), float(slopes[above])
    slope = Estimate.of(value, low=low, high=high, level=level, method=method, n=n, codes=codes)
    return Trend(slope=slope, intercept=intercept, n=n, status=slope.status, codes=slope.codes)


def _pairwise_slopes(times: Vector, values: Vector) -> Vector | None:
    """All slopes of pairs at different times in rising order; None when one is beyond double precision."""
    first, second = np.triu_indices(len(times), 1)
    run = times[second] - times[first]
    apart = run != 0
    with np.errstate(over="ignore"):
        slopes = (values[second][apart] - values[first][apart]) / run[apart]
    return np.sort(slopes) if np.all(np.isfinite(slopes)) else None


def mann_kendall(time: Numbers, score: Numbers) -> MannKendall:
    """Test for a monotone trend: S = sum of sign(time difference) sign(score difference) over all pairs.

    `variance` of S is corrected for ties among the scores (ties in time leave it on the safe side), `z` =
    (S - sign S)/sqrt(variance), p two-sided normal (rough below about 10 points), `tau` is tau-b (Mann 1945;
    Kendall 1975). Assumes independent points. Nothing varies: undefined ZERO_VARIANCE; fewer than 3 points:
    TOO_FEW_POINTS.

    Raises:
        StatsInputError: unequal lengths, values that are no finite numbers.
    """
    times, scores, n = _series(time, score, ("time", "score"))
    codes = ["MISSING"] if n["dropped"] else []
    points = len(times)
    code = "TOO_FEW_POINTS" if points < 3 else ""
    if not code and (is_constant(times) or is_constant(scores)):
        code = "ZERO_VARIANCE"
    if code:
        return MannKendall(
            s=None, variance=None, z=None, p=None, tau=None, n=n, status="undefined",
            codes=ordered_codes([code, *codes]),
        )  # fmt: skip
    s = 0.0
    for position in range(points - 1):  # row by row: the full pair matrix of a long series would not fit
        later = np.sign(times[position + 1 :] - times[position])
        s += float(later @ np.sign(scores[position + 1 :] - scores[position]))
    pairs = points * (points - 1)
    variance = (pairs * (2 * points + 5) - _tie_term(_tie_sizes(scores))) / 18
    untied = [pairs - float((k * (k - 1)).sum()) for k in map(_tie_sizes, (times, scores))]
    z = (s - math.copysign(1, s)) / math.sqrt(variance) if s else 0.0
    return MannKendall(
        s=s,
        variance=variance,
        z=z,
        p=min(1.0, 2 * float(scipy.stats.norm.sf(abs(z)))),
        tau=2 * s / math.sqrt(untied[0] * untied[1]),
        n=n,
        status=status_of(codes),
        codes=ordered_codes(codes),
    )
