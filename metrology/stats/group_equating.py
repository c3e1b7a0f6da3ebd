"""Equating without anchor items: the same agents on both versions, or two equivalent groups of agents."""

from __future__ import annotations

import math

import numpy as np
import scipy.stats

from metrology.stats.arguments import one_of, whole_number
from metrology.stats.equating_points import FEWEST_AGENTS, Line, Request, outside, points_to_convert
from metrology.stats.equipercentile import Distribution, equipercentile
from metrology.stats.errorbars import clustered_mean
from metrology.stats.results import Equating, Estimate, StatsInputError
from metrology.stats.vectors import Numbers, Vector, inside, is_constant, numeric_vector, same_length


def equate_single_group(
    x_scores: Numbers,
    y_scores: Numbers,
    *,
    method: str = "mean",
    at: Numbers | None = None,
    allow_small_n: bool = False,
    level: float = 0.95,
) -> Equating:
    """Scores on version X expressed on version Y when the same agents took both (the default design for agents).

    "mean": y = x + `shift`, the mean of y - x with its paired t interval; "linear": equal means and standard
    deviations, se = sqrt(s_y^2 (1-r)/n (2 + (1+r) z^2)), refused below 30 agents unless `allow_small_n`;
    "identity": y = x. Scores in points. Re-run the agents in random order with fresh trials; if `shift` is
    within two of its standard errors, identity may be the better choice. A pair with a missing score is left
    out (MISSING); fewer than 2 agents: undefined; scores without spread (linear): ZERO_VARIANCE.

    Source: Kolen and Brennan 2014, chapter 7.

    Raises:
        StatsInputError: unequal lengths, values that are no finite numbers, unknown `method`.
    """
    one_of(method, ("mean", "linear", "identity"), "method")
    level = inside(level, 0, 1, "level")
    x, y = numeric_vector(x_scores, "x_scores"), numeric_vector(y_scores, "y_scores")
    same_length(x_scores=x, y_scores=y)
    known = ~(np.isnan(x) | np.isnan(y))
    x, y = x[known], y[known]
    n = {"agents": len(x), "dropped": int((~known).sum())}
    points = points_to_convert(at, x)
    codes = (*(("MISSING",) if n["dropped"] else ()), *outside(points, x))
    request = Request("single group", method, points, n, codes)
    if len(x) < 2:
        return request.without_value("undefined", "TOO_FEW_AGENTS")
    if method == "identity":
        return request.converted(points, None, line=Line(1.0, 0.0))
    if method == "mean":
        return _shifted(request, clustered_mean(y - x, level=level), n)
    if len(x) < FEWEST_AGENTS and not allow_small_n:
        return request.without_value("refused", "TOO_FEW_AGENTS")
    small = ("TOO_FEW_AGENTS",) if len(x) < FEWEST_AGENTS else ()
    if is_constant(x) or is_constant(y):
        return request.without_value("undefined", "ZERO_VARIANCE")
    r = float(np.corrcoef(x / np.abs(x).max(), y / np.abs(y).max())[0, 1])
    line = _linear(x, y)
    z = (points - x.mean()) / x.std(ddof=1)
    error = 1 - r if 1 - r > 1e-12 else 0.0
    se = y.std(ddof=1) * np.sqrt(error / len(x) * (2 + (1 + r) * np.square(z)))
    if error == 0:
        return request.converted(line(points), None, line=line, codes=(*small, "ZERO_ERROR"))
    return request.converted(line(points), se, line=line, codes=small)


def equate_equivalent_groups(
    x_scores: Numbers,
    y_scores: Numbers,
    *,
    method: str = "mean",
    max_score: int | None = None,
    at: Numbers | None = None,
    allow_small_n: bool = False,
    level: float = 0.95,
) -> Equating:
    """Scores on version X expressed on version Y when two equivalent (randomly formed) groups took one each.

    "mean": `shift` = difference of the group means, Welch t interval; "linear": se = s_y sqrt((1/nx + 1/ny)(1 +
    z^2/2)); "equipercentile": equal percentile ranks of whole-number scores 0..`max_score` (default: highest
    observed), unsmoothed, with Lord's (1982) standard error. Linear and equipercentile are refused with fewer
    than 30 agents in a group unless `allow_small_n`. With few agents groups are never equivalent by chance:
    re-run the same agents (`equate_single_group`). Fewer than 2 agents in a group: undefined.

    Raises:
        StatsInputError: values that are no finite numbers, unknown `method`, scores outside 0..`max_score`.
    """
    one_of(method, ("mean", "linear", "equipercentile"), "method")
    level = inside(level, 0, 1, "level")
    x, y = numeric_vector(x_scores, "x_scores"), numeric_vector(y_scores, "y_scores")
    missing = bool(np.isnan(x).any() or np.isnan(y).any())
    x, y = x[~np.isnan(x)], y[~np.isnan(y)]
    n = {"x": len(x), "y": len(y)}
    default = x
    if method == "equipercentile":
        highest = _highest(x, y, max_score)
        default = np.arange(highest + 1, dtype=np.float64)
    points = points_to_convert(at, default)
    codes = (*(("MISSING",) if missing else ()), *outside(points, x))
    request = Request("equivalent groups", method, points, n, codes)
    smallest = min(len(x), len(y))
    if smallest < 2:
        return request.without_value("undefined", "TOO_FEW_AGENTS")
    if method == "mean":
        return _shifted(request, _welch(x, y, level, n), n)
    if smallest < FEWEST_AGENTS and not allow_small_n:
        return request.without_value("refused", "TOO_FEW_AGENTS")
    small = ("TOO_FEW_AGENTS",) if smallest < FEWEST_AGENTS else ()
    if method == "equipercentile":
        converted = equipercentile(points, Distribution(x, highest), Distribution(y, highest))
        return request.converted(converted.y, converted.se, codes=small)
    if is_constant(x) or is_constant(y):
        return request.without_value("undefined", "ZERO_VARIANCE")
    line = _linear(x, y)
    z = (points - x.mean()) / x.std(ddof=1)
    se = y.std(ddof=1) * np.sqrt((1 / len(x) + 1 / len(y)) * (1 + np.square(z) / 2))
    return request.converted(line(points), se, line=line, codes=small)


def _highest(x: Vector, y: Vector, max_score: int | None) -> int:
    """The highest possible score; raises StatsInputError unless all scores are whole numbers from 0 up to it."""
    scores = np.concatenate([x, y])
    highest = int(scores.max(initial=0)) if max_score is None else whole_number(max_score, "max_score", 1)
    if highest > 10**6:
        msg = f"`max_score` must not exceed 1000000 points, got {highest}"
        raise StatsInputError(msg)
    if np.any(scores != np.floor(scores)) or np.any(scores < 0) or np.any(scores > highest):
        msg = f"equipercentile equating needs whole-number scores from 0 to `max_score` ({highest})"
        raise StatsInputError(msg)
    return highest


def _linear(x: Vector, y: Vector) -> Line:
    slope = float(y.std(ddof=1) / x.std(ddof=1))
    return Line(slope, float(y.mean() - slope * x.mean()))


def _shifted(request: Request, mean: Estimate, n: dict[str, int]) -> Equating:
    """y = x + shift, every converted score with the standard error of the shift."""
    if mean.value is None:
        return request.without_value("undefined", "TOO_FEW_AGENTS")
    shift = Estimate.of(
        mean.value, se=mean.se, low=mean.low, high=mean.high, level=mean.level, df=mean.df, n=n, codes=mean.codes,
        method="mean shift, t interval",
    )  # fmt: skip
    se = None if mean.se is None else np.full(len(request.x), mean.se)
    return request.converted(request.x + mean.value, se, line=Line(1.0, mean.value), shift=shift, codes=mean.codes)


def _welch(x: Vector, y: Vector, level: float, n: dict[str, int]) -> Estimate:
    method = "difference of group means, Welch t interval"
    value = float(y.mean() - x.mean())
    parts = [0.0 if is_constant(v) else float(v.var(ddof=1)) / len(v) for v in (x, y)]
    total = sum(parts)
    if is_constant([0.0, math.sqrt(total)], max(abs(value), float(np.abs(x).max()))):
        return Estimate.of(value, level=level, method=method, n=n, codes=("ZERO_VARIANCE",))
    df = 1 / sum((part / total) ** 2 / (len(v) - 1) for part, v in zip(parts, (x, y), strict=True))
    half = float(scipy.stats.t.ppf((1 + level) / 2, df)) * math.sqrt(total)
    return Estimate.of(
        value, se=math.sqrt(total), low=value - half, high=value + half, level=level, df=df, method=method, n=n
    )
