"""Equating through anchor items: two groups of agents took one version each and share a set of items."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from metrology.stats.arguments import one_of, whole_number
from metrology.stats.equating_points import FEWEST_AGENTS, Line, Request, outside, points_to_convert
from metrology.stats.results import Equating, Estimate, StatsInputError
from metrology.stats.vectors import Numbers, Vector, inside, is_constant, numeric_vector, same_length

MEAN_METHODS = ("chained_mean", "nominal_weights_mean", "tucker_mean")
CIRCLE_METHODS = ("circle_arc_chained", "circle_arc_nominal_weights")
LINEAR_METHODS = ("tucker", "levine", "chained_linear")


@dataclass(frozen=True)
class _Moments:
    """Means, variances and covariance of total and anchor scores in one group."""

    mean: float
    anchor_mean: float
    variance: float
    anchor_variance: float
    covariance: float

    @classmethod
    def of(cls, total: Vector, anchor: Vector) -> _Moments:
        matrix = np.cov(total, anchor, ddof=1)
        return cls(
            float(total.mean()), float(anchor.mean()), float(matrix[0, 0]), float(matrix[1, 1]), float(matrix[0, 1])
        )


@dataclass(frozen=True)
class _Recipe:
    method: str
    weight_x: float
    items: float
    ratio: float  # items per anchor item


def equate_anchor_design(
    x_total: Numbers,
    x_anchor: Numbers,
    y_total: Numbers,
    y_anchor: Numbers,
    *,
    method: str = "chained_mean",
    weight_x: float = 0.5,
    items: int | None = None,
    anchor_items: int | None = None,
    at: Numbers | None = None,
    bootstrap: int = 0,
    seed: int = 0,
    allow_small_n: bool = False,
    level: float = 0.95,
) -> Equating:
    """Scores on version X expressed on version Y for groups that differ, corrected by their anchor scores.

    Any number of agents: "chained_mean", "nominal_weights_mean" (gamma = items/anchor_items), "tucker_mean",
    "circle_arc_chained" and "circle_arc_nominal_weights" (simplified circle arc through (0, 0), the mean point
    and (items, items)). From 30 agents per group, otherwise refused: "tucker", "levine" (observed score, internal
    anchor), "chained_linear". `weight_x` = weight of the X group in the synthetic population. `se` by a seeded
    bootstrap of agents when `bootstrap` > 0, else None. Anchors must represent the test and must not drift. An
    anchor score constant in a group: undefined ZERO_VARIANCE; a mean point no arc can reach: NOT_IDENTIFIED.

    Source: Kolen and Brennan 2014; Babcock, Albano and Raymond 2012; Livingston and Kim 2009.

    Raises:
        StatsInputError: unequal lengths within a group, values that are no finite numbers, unknown `method`,
            missing `items` or `anchor_items` where the method needs them, `weight_x` outside 0..1.
    """
    one_of(method, MEAN_METHODS + CIRCLE_METHODS + LINEAR_METHODS, "method")
    level = inside(level, 0, 1, "level")
    bootstrap, seed = whole_number(bootstrap, "bootstrap"), whole_number(seed, "seed")
    recipe = _recipe(method, weight_x, items, anchor_items)
    x, xv, x_dropped = _group(x_total, x_anchor, "x")
    y, yv, y_dropped = _group(y_total, y_anchor, "y")
    if recipe.items and len(x) + len(y) and max(x.max(initial=0), y.max(initial=0)) > recipe.items:
        msg = f"`items` ({items}) is smaller than a total score"
        raise StatsInputError(msg)
    n = {"x": len(x), "y": len(y), "dropped": x_dropped + y_dropped}
    points = points_to_convert(at, x)
    codes = (*(("MISSING",) if n["dropped"] else ()), *outside(points, x))
    request = Request("anchor", method, points, n, codes)
    smallest = min(len(x), len(y))
    if smallest < 2:
        return request.without_value("undefined", "TOO_FEW_AGENTS")
    small = method in LINEAR_METHODS and smallest < FEWEST_AGENTS
    if small and not allow_small_n:
        return request.without_value("refused", "TOO_FEW_AGENTS")
    if is_constant(xv) or is_constant(yv):
        return request.without_value("undefined", "ZERO_VARIANCE")
    found = _conversion(recipe, _Moments.of(x, xv), _Moments.of(y, yv))
    if found is None:
        return request.without_value("undefined", "NOT_IDENTIFIED" if method in CIRCLE_METHODS else "ZERO_VARIANCE")
    se = _bootstrap_se(recipe, points, (x, xv, y, yv), bootstrap, seed) if bootstrap else None
    notes = ("TOO_FEW_AGENTS",) if small else ()
    if isinstance(found, _CircleArc):
        return request.converted(found(points), se, codes=notes)
    shift = None
    if method in MEAN_METHODS:
        error = None if se is None or not len(se) or not math.isfinite(se[0]) else float(se[0])
        shift = Estimate.of(found.intercept, se=error, level=level, method=f"mean shift, {method}", n=n)
    return request.converted(found(points), se, line=found, shift=shift, codes=notes)


def _recipe(method: str, weight_x: float, items: int | None, anchor_items: int | None) -> _Recipe:
    if not 0 <= weight_x <= 1:
        msg = f"`weight_x` must lie on 0..1, got {weight_x!r}"
        raise StatsInputError(msg)
    size = ratio = 0.0
    if method in CIRCLE_METHODS or "nominal" in method:
        if items is None:
            msg = f"`items` is needed for {method}"
            raise StatsInputError(msg)
        size = float(whole_number(items, "items", 1))
    if "nominal" in method:
        if anchor_items is None:
            msg = f"`anchor_items` is needed for {method}"
            raise StatsInputError(msg)
        ratio = size / whole_number(anchor_items, "anchor_items", 1)
    return _Recipe(method, float(weight_x), size, ratio)


def _group(total: Numbers, anchor: Numbers, name: str) -> tuple[Vector, Vector, int]:
    scores, anchors = numeric_vector(total, f"{name}_total"), numeric_vector(anchor, f"{name}_anchor")
    same_length(**{f"{name}_total": scores, f"{name}_anchor": anchors})
    known = ~(np.isnan(scores) | np.isnan(anchors))
    return scores[known], anchors[known], int((~known).sum())


@dataclass(frozen=True)
class _CircleArc:
    """Identity plus a circle arc that is 0 at both ends of the scale and meets the mean point."""

    items: float
    middle_x: float
    middle_y: float

    @property
    def exists(self) -> bool:
        """Whether an arc over the scale can pass through the mean point at all."""
        half, rise = self.items / 2, self.middle_y - self.middle_x
        return 0 < self.middle_x < self.items and (self.middle_x - half) ** 2 + rise**2 <= half**2

    def __call__(self, x: Vector) -> Vector:
        half, rise = self.items / 2, self.middle_y - self.middle_x
        bulge = np.zeros(len(x))
        if abs(rise) > 1e-9 * self.items:
            center = ((self.middle_x - half) ** 2 + rise**2 - half**2) / (2 * rise)
            square = half**2 + center**2 - np.square(x - half)
            bulge = center + math.copysign(1, rise) * np.sqrt(np.maximum(square, 0.0))
        return np.where((x >= 0) & (x <= self.items), x + bulge, np.nan)


def _conversion(recipe: _Recipe, x: _Moments, y: _Moments) -> Line | _CircleArc | None:
    """The conversion of the recipe; None where a spread it divides by is 0 or negative, or no arc exists."""
    chained_shift = (y.mean - y.anchor_mean) - (x.mean - x.anchor_mean)
    if recipe.method == "chained_mean":
        return Line(1.0, chained_shift)
    if recipe.method == "circle_arc_chained":
        return _existing(_CircleArc(recipe.items, x.mean, x.mean + chained_shift))
    if recipe.method == "chained_linear":
        if min(x.variance, y.anchor_variance) <= 0:
            return None
        first = math.sqrt(x.anchor_variance / x.variance)
        second = math.sqrt(y.variance / y.anchor_variance)
        intercept = y.mean + second * (x.anchor_mean - first * x.mean - y.anchor_mean)
        return Line(first * second, intercept)
    gammas = _gammas(recipe, x, y)
    if gammas is None:
        return None
    gamma_x, gamma_y = gammas
    weight_x, weight_y = recipe.weight_x, 1 - recipe.weight_x
    apart, spread = x.anchor_mean - y.anchor_mean, x.anchor_variance - y.anchor_variance
    mean_x, mean_y = x.mean - weight_y * gamma_x * apart, y.mean + weight_x * gamma_y * apart
    if recipe.method == "circle_arc_nominal_weights":
        return _existing(_CircleArc(recipe.items, mean_x, mean_y))
    if recipe.method in MEAN_METHODS:
        return Line(1.0, mean_y - mean_x)
    mixed = weight_x * weight_y * apart**2
    variance_x = x.variance + gamma_x**2 * (mixed - weight_y * spread)
    variance_y = y.variance + gamma_y**2 * (mixed + weight_x * spread)
    if min(variance_x, variance_y) <= 0:
        return None
    slope = math.sqrt(variance_y / variance_x)
    return Line(slope, mean_y - slope * mean_x)


def _existing(arc: _CircleArc) -> _CircleArc | None:
    return arc if arc.exists else None


def _gammas(recipe: _Recipe, x: _Moments, y: _Moments) -> tuple[float, float] | None:
    """Points of total score per point of anchor score in each group."""
    if "nominal" in recipe.method:
        return recipe.ratio, recipe.ratio
    if recipe.method == "levine":
        if min(abs(x.covariance), abs(y.covariance)) == 0:
            return None
        return x.variance / x.covariance, y.variance / y.covariance
    if min(x.anchor_variance, y.anchor_variance) <= 0:
        return None
    return x.covariance / x.anchor_variance, y.covariance / y.anchor_variance


def _bootstrap_se(
    recipe: _Recipe, points: Vector, groups: tuple[Vector, Vector, Vector, Vector], draws: int, seed: int
) -> Vector | None:
    """Standard deviation of the converted scores over resampled agents; None with fewer than two usable draws."""
    x, xv, y, yv = groups
    generator = np.random.default_rng(seed)
    converted = []
    for _ in range(draws):
        first, second = generator.integers(0, len(x), len(x)), generator.integers(0, len(y), len(y))
        found = _conversion(recipe, _Moments.of(x[first], xv[first]), _Moments.of(y[second], yv[second]))
        if found is not None:
            converted.append(found(points))
    if len(converted) < 2:
        return None
    return np.asarray(np.std(np.array(converted), axis=0, ddof=1))
