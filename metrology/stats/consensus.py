"""The common value of several laboratories, harnesses or epochs, and whether one result fits a reference."""

from __future__ import annotations

import math

import numpy as np
import scipy.optimize
import scipy.stats

from metrology.stats.arguments import one_of
from metrology.stats.results import Consensus, Estimate, StatsInputError, ordered_codes
from metrology.stats.vectors import Numbers, Vector, inside, is_constant, numeric_vector, same_length


def random_effects(
    values: Numbers,
    standard_errors: Numbers,
    *,
    method: str = "REML",
    interval: str = "hksj",
    level: float = 0.95,
) -> Consensus:
    """Mean of results that differ by more than their own errors, with the variance between them.

    Weights 1/(between + se^2); `between_variance` by "DL" (DerSimonian & Laird), "PM" (Paule & Mandel) or "REML",
    never below 0. `mean.se` and limits by "hksj" (Hartung-Knapp-Sidik-Jonkman, t on k - 1, not floored: the
    default for few results) or "z" (normal, too short below about 20 results). `q`, `p_q` test homogeneity; `i2`
    = 100 between/(between + typical se^2) percent (Higgins & Thompson 2002). Results without value or error
    are left out (MISSING); fewer than two: undefined TOO_FEW_UNITS.

    Raises:
        StatsInputError: unequal lengths, standard errors not positive, unknown `method` or `interval`.
    """
    one_of(method, ("DL", "PM", "REML"), "method")
    one_of(interval, ("z", "hksj"), "interval")
    level = inside(level, 0, 1, "level")
    y, errors = numeric_vector(values, "values"), numeric_vector(standard_errors, "standard_errors")
    same_length(values=y, standard_errors=errors)
    if np.any(errors <= 0):
        msg = "`standard_errors` must be positive"
        raise StatsInputError(msg)
    known = ~(np.isnan(y) | np.isnan(errors))
    y, errors = y[known], errors[known]
    n = {"results": len(y), "dropped": int((~known).sum())}
    codes = ["MISSING"] if n["dropped"] else []
    name = f"random effects, {method}, {'Hartung-Knapp t' if interval == 'hksj' else 'normal'} interval"
    if len(y) < 2:
        mean = Estimate.without_value("undefined", ["TOO_FEW_UNITS", *codes], level=level, method=name, n=n)
        return Consensus(
            mean=mean, between_variance=None, q=None, p_q=None, i2=None, method=name, n=n, status="undefined",
            codes=mean.codes,
        )  # fmt: skip
    # one unit for all: squares of the given ones may leave double precision
    unit = float(max(np.ptp(y), errors.max()))
    if errors.min() / unit < 1e-70:
        msg = "`standard_errors` are too small beside the spread of `values` to be weighed"
        raise StatsInputError(msg)
    shift = float(np.median(y))
    z, variances = (y - shift) / unit, np.square(errors / unit)
    between = {"DL": _dersimonian_laird, "PM": _paule_mandel, "REML": _restricted}[method](z, variances)
    weights = 1 / (between + variances)
    center = float(weights @ z / weights.sum())
    q, df = _homogeneity(z, variances), len(z) - 1
    if interval == "z":
        se, quantile = 1 / math.sqrt(weights.sum()), float(scipy.stats.norm.ppf((1 + level) / 2))
    else:
        se = math.sqrt(float(weights @ np.square(z - center)) / df / float(weights.sum()))
        quantile = float(scipy.stats.t.ppf((1 + level) / 2, df))
    value = shift + unit * center
    if is_constant([0.0, unit * se], abs(value)):
        codes.append("ZERO_VARIANCE")
        mean = Estimate.of(value, level=level, method=name, n=n, codes=codes)
    else:
        half = quantile * unit * se
        mean = Estimate.of(
            value, se=unit * se, low=value - half, high=value + half, level=level, method=name, n=n, codes=codes,
            df=df if interval == "hksj" else None,
        )  # fmt: skip
    fixed = 1 / variances
    typical = df * fixed.sum() / _cross_products(fixed)
    return Consensus(
        mean=mean,
        between_variance=between * unit * unit,
        q=q,
        p_q=float(scipy.stats.chi2.sf(q, df)),
        i2=100 * float(between / (between + typical)),
        method=name,
        n=n,
        status=mean.status,
        codes=ordered_codes(codes),
    )


def _weighted_mean(z: Vector, weights: Vector) -> float:
    return float(weights @ z / weights.sum())


def _homogeneity(z: Vector, variances: Vector) -> float:
    """Q = sum w (z - mean)^2 with w = 1/variance."""
    weights = 1 / variances
    return float(weights @ np.square(z - _weighted_mean(z, weights)))


def _cross_products(weights: Vector) -> float:
    """(sum w)^2 - sum w^2, summed so that one overwhelming weight does not swallow the others."""
    before = np.concatenate([[0.0], weights.cumsum()[:-1]])
    return float(2 * weights @ before)


def _dersimonian_laird(z: Vector, variances: Vector) -> float:
    weights = 1 / variances
    scale = _cross_products(weights) / float(weights.sum())
    return max(0.0, (_homogeneity(z, variances) - (len(z) - 1)) / scale)


def _paule_mandel(z: Vector, variances: Vector) -> float:
    """The between variance at which Q equals its expectation k - 1."""

    def excess(between: float) -> float:
        return _homogeneity(z, variances + between) - (len(z) - 1)

    if excess(0.0) <= 0:
        return 0.0
    # in units of the spread Q falls below k - 1 once the variance exceeds the sum of squares
    return float(
        scipy.optimize.brentq(excess, 0.0, float(np.square(z - z.mean()).sum()) + 1.0, xtol=1e-300, rtol=1e-13)
    )


def _restricted(z: Vector, variances: Vector) -> float:
    """Maximum of the restricted likelihood over a grid, refined between its neighbours."""

    def deviance(between: float) -> float:
        total = variances + between
        weights = 1 / total
        return float(np.log(total).sum()) + math.log(weights.sum()) + _homogeneity(z, total)

    smallest = min(float(variances.min()), 1.0)
    grid = np.concatenate([[0.0], np.geomspace(smallest * 1e-6, 10.0 * len(z), 400)])
    best = int(np.argmin([deviance(between) for between in grid.tolist()]))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    found = scipy.optimize.minimize_scalar(
        deviance, bounds=(float(low), float(high)), method="bounded", options={"xatol": 1e-12 * float(high)}
    )
    refined = float(found.x)
    return refined if deviance(refined) < deviance(float(grid[best])) else float(grid[best])


def normalized_error(
    value: float, expanded_uncertainty: float, reference: float, reference_expanded_uncertainty: float
) -> Estimate:
    """E_n = (value - reference)/sqrt(U^2 + U_ref^2) with expanded uncertainties; |E_n| <= 1: they agree.

    ISO 13528. Holds for independent results. Both uncertainties 0: undefined ZERO_DENOMINATOR; a missing value:
    NO_DATA.

    Raises:
        StatsInputError: infinite values, negative uncertainties.
    """
    given = numeric_vector(
        [value, expanded_uncertainty, reference, reference_expanded_uncertainty], "value, uncertainty and reference"
    )
    method = "normalized error E_n"
    if np.isnan(given).any():
        return Estimate.without_value("undefined", ("NO_DATA",), method=method, n={})
    if given[1] < 0 or given[3] < 0:
        msg = "`expanded_uncertainty` and `reference_expanded_uncertainty` must not be negative"
        raise StatsInputError(msg)
    uncertainty = math.hypot(given[1], given[3])
    ratio = (given[0] - given[2]) / uncertainty if uncertainty > 1e-200 else math.inf
    if not math.isfinite(ratio):
        return Estimate.without_value("undefined", ("ZERO_DENOMINATOR",), method=method, n={})
    return Estimate.of(float(ratio), method=method, n={})
