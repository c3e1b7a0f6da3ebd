"""Logistic growth of scores over time: has the benchmark's plateau come into sight?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy.optimize
import scipy.special
import scipy.stats

from metrology.stats.results import Estimate, Growth, ordered_codes, status_of
from metrology.stats.vectors import Numbers, Vector, inside, is_constant, numeric_vector, same_length

METHOD = "logistic growth, least squares, t interval"
PARAMETERS = 3
SEEN_SHARE = 0.6  # the last fitted point must reach this share of the asymptote
LARGEST_RELATIVE_SE = 0.25  # of the asymptote, for a date to be given
STARTS = 5  # scales from which the search starts, to reach the best of several local optima
FLAT = 1e-6  # a curve that explains less of the variance than this is a flat line
LARGEST_ASYMPTOTE = 1e6  # in units of the largest score: beyond, the curve is an exponential
NINETY_FIVE = math.log(19)  # scales from the midpoint to 95 % of the asymptote


@dataclass(frozen=True)
class _Fit:
    """Least-squares curve on unit time: asymptote, midpoint, log scale, covariance per unit variance."""

    asymptote: float
    midpoint: float
    scale: float
    unexplained: float
    inverse_information: Vector | None


def logistic_growth(time: Numbers, score: Numbers, *, level: float = 0.95) -> Growth:
    """score = A/(1 + exp((m - t)/s)) by least squares: `asymptote` A, `midpoint` m and `scale` s in time units.

    `t95` = m + s ln 19, the time at 95 % of the asymptote, with delta-method error, is given only where the
    curve has been seen to bend: last fitted point at 60 % of the asymptote or more, midpoint not after the last
    point, asymptote se within 25 %. Otherwise `warn` NOT_IDENTIFIED and no date; flat or falling series, or a
    curve that runs away: undefined NOT_IDENTIFIED. The AIC counts the residual sd; compare with `aic_linear`.
    A perfect fit has no error bars and no likelihood (ZERO_ERROR). Assumes independent points: fit agents by
    release date, not best-so-far records. Fewer than 4 points in time: undefined TOO_FEW_POINTS.

    Raises:
        StatsInputError: unequal lengths, values that are no finite numbers, `level` outside (0, 1).
    """
    level = inside(level, 0, 1, "level")
    times, scores = numeric_vector(time, "time"), numeric_vector(score, "score")
    same_length(time=times, score=scores)
    present = ~(np.isnan(times) | np.isnan(scores))
    n = {"points": int(present.sum()), "dropped": int((~present).sum())}
    codes = ["MISSING"] if n["dropped"] else []
    times, scores = times[present], scores[present]
    if len(np.unique(times)) <= PARAMETERS:
        return _undefined(["TOO_FEW_POINTS", *codes], level, n)
    origin, span = float(times.min()), float(np.ptp(times))
    size = float(np.abs(scores).max())
    if is_constant(scores) or is_constant(times) or size < 1e-100:
        return _undefined(["NOT_IDENTIFIED", *codes], level, n)
    unit = (times - origin) / span
    fit = _least_squares(unit, scores / size)
    if fit is None:
        return _undefined(["NOT_IDENTIFIED", *codes], level, n)
    return _growth(fit, unit, scores / size, (origin, span, size), codes, n, level)


def _undefined(codes: list[str], level: float, n: dict[str, int]) -> Growth:
    nothing = Estimate.without_value("undefined", codes, level=level, method=METHOD, n=n)
    return Growth(
        asymptote=nothing, midpoint=nothing, scale=nothing, t95=nothing, residual_sd=None, log_likelihood=None,
        aic_logistic=None, aic_linear=None, n=n, status="undefined", codes=nothing.codes,
    )  # fmt: skip


def _curve(unit: Vector, midpoint: float, scale: float) -> Vector:
    return np.asarray(scipy.special.expit((unit - midpoint) / scale))


def _starts(unit: Vector, scores: Vector) -> list[list[float]]:
    """Asymptote, midpoint and log scale to start from: best of a grid for the most promising scales."""
    midpoints, scales = np.linspace(-0.5, 1.5, 21), np.geomspace(0.01, 1, 13)
    shapes = scipy.special.expit((unit - midpoints[:, None]) / scales[:, None, None])
    asymptotes = shapes @ scores / np.maximum(np.square(shapes).sum(axis=2), 1e-300)
    unexplained = np.square(scores - asymptotes[:, :, None] * shapes).sum(axis=2)
    unexplained[(asymptotes <= 0) | (asymptotes >= LARGEST_ASYMPTOTE)] = np.inf
    best = unexplained.argmin(axis=1)
    rows = np.argsort(unexplained.min(axis=1), kind="stable")[:STARTS]
    return [
        [float(asymptotes[row, best[row]]), float(midpoints[best[row]]), math.log(scales[row])]
        for row in rows.tolist()
        if math.isfinite(unexplained[row, best[row]])
    ]


def _least_squares(unit: Vector, scores: Vector) -> _Fit | None:
    """The curve of least squares that does not run away; None when every one does or explains nothing."""

    def scale_of(log_scale: float) -> float:
        return math.exp(min(max(log_scale, -12.0), 12.0))  # a runaway search must not leave double precision

    def residuals(parameters: Vector) -> Vector:
        asymptote, midpoint, log_scale = parameters
        return np.asarray(asymptote * _curve(unit, midpoint, scale_of(log_scale)) - scores)

    def jacobian(parameters: Vector) -> Vector:
        asymptote, midpoint, log_scale = parameters
        scale = scale_of(log_scale)
        shape = _curve(unit, midpoint, scale)
        slope = asymptote * shape * (1 - shape) / scale
        return np.column_stack([shape, -slope, -slope * (unit - midpoint)])

    best, unexplained = None, (1 - FLAT) * float(np.square(scores - scores.mean()).sum())
    for start in _starts(unit, scores):
        found = scipy.optimize.least_squares(
            residuals, start, jac=jacobian, method="lm", xtol=1e-13, ftol=1e-14, gtol=1e-14, max_nfev=400
        )  # fmt: skip
        asymptote, midpoint, log_scale = found.x.tolist()
        # steeper than the data or flatter than a line is a runaway fit
        settled = 0 < asymptote < LARGEST_ASYMPTOTE / 2 and -40 < midpoint < 40 and -9 < log_scale < 4
        if settled and float(found.fun @ found.fun) < unexplained:
            best, unexplained = found.x, float(found.fun @ found.fun)
    if best is None:
        return None
    asymptote, midpoint, log_scale = best.tolist()
    scale = math.exp(log_scale)
    at = jacobian(best)
    at[:, 2] /= scale  # from log scale to scale
    lengths = np.linalg.norm(at, axis=0)
    inverse = None
    if lengths.min() > 1e-100 and np.linalg.svd(at / lengths, compute_uv=False)[-1] > 1e-7:
        inverse = np.asarray(np.linalg.inv(at.T @ at), dtype=np.float64)
    return _Fit(asymptote, midpoint, scale, unexplained, inverse)


def _log_likelihood(unexplained: float, points: int, size: float) -> float:
    return -points / 2 * (math.log(2 * math.pi * unexplained / points) + 1) - points * math.log(size)


def _growth(
    fit: _Fit,
    unit: Vector,
    scores: Vector,
    units: tuple[float, float, float],
    codes: list[str],
    n: dict[str, int],
    level: float,
) -> Growth:
    origin, span, size = units
    points, df = len(unit), len(unit) - PARAMETERS
    perfect = fit.unexplained <= 1e-24 * points
    variance = fit.unexplained / df
    covariance = None if perfect or fit.inverse_information is None else fit.inverse_information * variance
    quantile = float(scipy.stats.t.ppf((1 + level) / 2, df))
    if perfect:
        codes.append("ZERO_ERROR")
    last = float(_curve(np.array([unit.max()]), fit.midpoint, fit.scale)[0])
    asymptote_se = None if covariance is None else math.sqrt(covariance[0, 0])
    seen = last >= SEEN_SHARE and fit.midpoint <= unit.max()
    if asymptote_se is None:
        seen = seen and perfect
    else:
        seen = seen and asymptote_se <= LARGEST_RELATIVE_SE * abs(fit.asymptote)
    if not seen:
        codes.append("NOT_IDENTIFIED")

    def estimate(value: float, gradient: list[float], factor: float) -> Estimate:
        weights = np.array(gradient)
        se = None if covariance is None else factor * math.sqrt(float(weights @ covariance @ weights))
        half = None if se is None else quantile * se
        return Estimate.of(
            value, se=se, low=None if half is None else value - half, high=None if half is None else value + half,
            level=level, method=METHOD, n=n, codes=codes, df=None if se is None else df,
        )  # fmt: skip

    t95_method = "midpoint + scale ln 19, delta method"
    date = fit.midpoint + fit.scale * NINETY_FIVE
    design = np.column_stack([np.ones(points), unit - unit.mean()])
    line_rest = scores - design @ np.linalg.lstsq(design, scores, rcond=None)[0]
    line_unexplained = float(line_rest @ line_rest)
    likelihood = None if perfect else _log_likelihood(fit.unexplained, points, size)
    line = _log_likelihood(line_unexplained, points, size) if line_unexplained > 1e-24 * points else None
    return Growth(
        asymptote=estimate(size * fit.asymptote, [1, 0, 0], size),
        midpoint=estimate(origin + span * fit.midpoint, [0, 1, 0], span),
        scale=estimate(span * fit.scale, [0, 0, 1], span),
        t95=estimate(origin + span * date, [0, 1, NINETY_FIVE], span)
        if seen
        else Estimate.without_value("undefined", codes, level=level, method=t95_method, n=n),
        residual_sd=None if perfect else size * math.sqrt(variance),
        log_likelihood=likelihood,
        aic_logistic=None if likelihood is None else 2 * (PARAMETERS + 1) - 2 * likelihood,
        aic_linear=None if line is None else 2 * PARAMETERS - 2 * line,
        n=n,
        status=status_of(codes),
        codes=ordered_codes(codes),
    )
