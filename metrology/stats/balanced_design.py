"""Balanced random-effects designs: which components make up each expected mean square, and REML from mean squares.

In a balanced design every expected mean square is a sum of components, each times the number of scores that share
one level of it. ANOVA estimates solve these equations; where none is negative they are the REML estimates too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy.optimize

from metrology.stats.vectors import Vector


@dataclass(frozen=True)
class BalancedDesign:
    """Components by the facets they depend on (the last is the residual) and the number of levels of each facet."""

    name: str
    facets: Mapping[str, frozenset[str]]
    levels: Mapping[str, int]

    @property
    def components(self) -> tuple[str, ...]:
        """Names in the order of all vectors below."""
        return tuple(self.facets)

    @property
    def scores(self) -> int:
        """Number of scores."""
        return math.prod(self.levels.values())

    def expected_mean_squares(self) -> Vector:
        """Return the matrix [mean square, component] of the expected mean squares."""
        rows = [
            [self._sharing(own) if effect <= own else 0.0 for own in self.facets.values()]
            for effect in self.facets.values()
        ]
        return np.array(rows, dtype=np.float64)

    def mean_variance_weights(self) -> Vector:
        """Return the factor with which each component enters the variance of the grand mean."""
        return np.array([self._sharing(own) / self.scores for own in self.facets.values()], dtype=np.float64)

    def _sharing(self, own: frozenset[str]) -> float:
        return float(math.prod(count for facet, count in self.levels.items() if facet not in own))


@dataclass(frozen=True)
class Components:
    """Raw estimates in the order of the design, standard errors (NaN where none) and -2 restricted log-likelihood."""

    raw: Vector
    se: Vector
    criterion: float | None
    converged: bool = True


def solve_mean_squares(design: BalancedDesign, mean_squares: Vector, df: Vector) -> Components:
    """Return ANOVA estimates; normal-theory ``se = sqrt(sum c^2 2 MS^2 / (df + 2))`` (Searle)."""
    coefficients = np.linalg.inv(design.expected_mean_squares())
    raw = coefficients @ mean_squares
    raw[np.abs(raw) <= 1e-13 * np.abs(coefficients) @ mean_squares] = 0.0  # differences of equal mean squares
    # the scale keeps the squares of very large or small mean squares inside double precision
    scale = float(mean_squares.max()) or 1.0
    variance = np.square(coefficients) @ (2 * np.square(mean_squares / scale) / (df + 2))
    return Components(raw, np.sqrt(variance) * scale, None)


def restricted_likelihood(design: BalancedDesign, mean_squares: Vector, df: Vector) -> Components:
    """Return REML estimates, all >= 0; ``se`` from the expected information of the positive ones.

    A residual of exactly 0 makes the likelihood unbounded: then the truncated ANOVA estimates, without criterion.
    """
    expected = design.expected_mean_squares()
    raw = solve_mean_squares(design, mean_squares, df).raw
    nothing = np.full(len(raw), np.nan)
    if mean_squares[-1] == 0:
        return Components(np.maximum(raw, 0.0), nothing, None)
    converged = True
    if raw.min() < 0:
        scale = float(mean_squares.max())
        fit = _minimise(expected, mean_squares / scale, df, np.maximum(raw / scale, 0.0))
        raw, converged = np.asarray(fit.x) * scale, bool(fit.success)
        raw[raw < 1e-9 * raw.sum()] = 0.0
    variances = expected @ raw
    criterion = (
        (design.scores - 1) * math.log(2 * math.pi)
        + math.log(design.scores)
        + float((df * (np.log(variances) + mean_squares / variances)).sum())
    )
    free = np.flatnonzero(raw > 0)
    scaled = expected[:, free] / variances[:, None] * raw[free]
    se = nothing.copy()
    se[free] = raw[free] * np.sqrt(np.diag(np.linalg.inv(scaled.T @ (df[:, None] * scaled) / 2)))
    return Components(raw, se, criterion, converged)


def _minimise(expected: Vector, mean_squares: Vector, df: Vector, start: Vector) -> scipy.optimize.OptimizeResult:
    weight = df / df.sum()

    def criterion(components: Vector) -> tuple[float, Vector]:
        variances = expected @ components
        ratio = mean_squares / variances
        return float((weight * (np.log(variances) + ratio)).sum()), expected.T @ (weight * (1 - ratio) / variances)

    smallest = 1e-6 * mean_squares[-1]  # the residual cannot vanish while its mean square is positive
    bounds = [(0.0, None)] * (len(start) - 1) + [(smallest, None)]
    start[-1] = max(start[-1], mean_squares[-1])
    return scipy.optimize.minimize(
        criterion,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 2000, "maxfun": 20000},
    )
