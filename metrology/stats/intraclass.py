"""Intraclass correlation: agreement or consistency of repeated ratings of the same targets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.stats

from metrology.stats.arguments import one_of
from metrology.stats.results import Estimate, negative_estimate
from metrology.stats.vectors import Vector, inside, numeric_array

FORMS = ("1,1", "2,1", "3,1", "1,k", "2,k", "3,k")
_ROUNDING = 1e-24  # a sum of squared deviations below this share of the raw squares is rounding noise


@dataclass(frozen=True)
class _MeanSquares:
    """Mean squares of targets x raters: between targets, between raters, error, within targets."""

    targets: float
    raters: float
    error: float
    within: float
    n: int
    k: int


@dataclass(frozen=True)
class _Limits:
    low: float | None
    high: float | None


def intraclass_correlation(ratings: npt.ArrayLike, *, form: str = "2,1", level: float = 0.95) -> Estimate:
    """Return the intraclass correlation of ``ratings[targets, raters]`` in the Shrout-Fleiss ``form``.

    Targets are agents; raters are trials, seeds, judges or harness versions. ``1,x``: raters differ from target to
    target; ``2,x``: agreement, raters are a sample (use it for absolute scores); ``3,x``: consistency, these raters
    only (use it for rankings). ``x,1`` is one rating, ``x,k`` the mean of all. Always say which form was used.
    Identical ratings: 1 without an interval (ZERO_ERROR). Incomplete ratings are ``refused``: use REML variance
    components (:func:`metrology.stats.generalizability.variance_components`).

    Source: Shrout and Fleiss 1979; McGraw and Wong 1996.

    Raises:
        StatsInputError: not a table of finite numbers, unknown form.
    """
    one_of(form, FORMS, "form")
    level = inside(level, 0, 1, "level")
    table = numeric_array(ratings, "ratings", 2)
    counted = {"targets": table.shape[0], "raters": table.shape[1]}
    name = f"intraclass correlation ICC({form}), F interval"
    too_few = [code for code, size in zip(("TOO_FEW_AGENTS", "TOO_FEW_TRIALS"), table.shape, strict=True) if size < 2]
    if too_few:
        return Estimate.without_value("undefined", too_few, method=name, n=counted, level=level)
    if np.isnan(table).any():
        return Estimate.without_value("refused", ["MISSING"], method=name, n=counted, level=level)
    ms = _mean_squares(table)
    if ms.targets == 0 and ms.error == 0:
        return Estimate.without_value("undefined", ["ZERO_VARIANCE"], method=name, n=counted, level=level)
    if (ms.within if form[0] in "12" else ms.error) == 0:
        return Estimate.of(1.0, method=name, n=counted, codes=["ZERO_ERROR"], level=level)
    value = _coefficient(ms, form)
    if value is None:
        return Estimate.without_value("undefined", ["ZERO_DENOMINATOR"], method=name, n=counted, level=level)
    # without variance between the targets the F limits have no width
    limits = _limits(ms, form, level) if ms.targets > 0 else _Limits(None, None)
    return Estimate.of(
        value,
        method=name,
        n=counted,
        codes=negative_estimate(value),
        low=limits.low,
        high=limits.high,
        level=level,
    )


def _mean_squares(table: Vector) -> _MeanSquares:
    n, k = table.shape
    grand = table.mean()
    rows = table.mean(1) - grand
    columns = table.mean(0) - grand
    residuals = table - grand - rows[:, None] - columns[None, :]
    sums = np.array([k * np.square(rows).sum(), n * np.square(columns).sum(), np.square(residuals).sum()])
    sums[sums <= _ROUNDING * np.square(table).sum()] = 0.0
    targets, raters, error = (float(s) for s in sums)
    return _MeanSquares(
        targets=targets / (n - 1),
        raters=raters / (k - 1),
        error=error / ((n - 1) * (k - 1)),
        within=(raters + error) / (n * (k - 1)),
        n=n,
        k=k,
    )


def _coefficient(ms: _MeanSquares, form: str) -> float | None:
    model, average = form[0], form[2] == "k"
    noise = ms.within if model == "1" else ms.error
    shift = (ms.raters - ms.error) / ms.n if model == "2" else 0.0  # raters' own differences count as error
    denominator = ms.targets + shift if average else ms.targets + (ms.k - 1) * noise + ms.k * shift
    if denominator <= 0:
        return None
    return (ms.targets - noise) / denominator


def _limits(ms: _MeanSquares, form: str, level: float) -> _Limits:
    upper_tail = (1 + level) / 2
    n, k = ms.n, ms.k
    quantile = scipy.stats.f.ppf
    if form[0] == "2":
        return _agreement_limits(ms, upper_tail, average=form[2] == "k")
    noise, df = (ms.within, n * (k - 1)) if form[0] == "1" else (ms.error, (n - 1) * (k - 1))
    ratio = ms.targets / noise
    low = ratio / float(quantile(upper_tail, n - 1, df))
    high = ratio * float(quantile(upper_tail, df, n - 1))
    if form[2] == "k":
        return _Limits(1 - 1 / low, 1 - 1 / high)
    return _Limits((low - 1) / (low + k - 1), (high - 1) / (high + k - 1))


def _agreement_limits(ms: _MeanSquares, upper_tail: float, *, average: bool) -> _Limits:
    n, k = ms.n, ms.k
    single = _coefficient(ms, "2,1")
    if single is None:
        return _Limits(None, None)
    # Satterthwaite df of the weighted sum of the mean squares of raters and error
    raters = k * single * ms.raters
    error = (n * (1 + (k - 1) * single) - k * single) * ms.error
    df = (k - 1) * (n - 1) * (raters + error) ** 2 / ((n - 1) * raters**2 + error**2)
    if not df > 0:
        return _Limits(None, None)
    f_low = float(scipy.stats.f.ppf(upper_tail, n - 1, df))
    f_high = float(scipy.stats.f.ppf(upper_tail, df, n - 1))
    spread = k * ms.raters + (k * n - k - n) * ms.error
    low = n * (ms.targets - f_low * ms.error) / (f_low * spread + n * ms.targets)
    high = n * (f_high * ms.targets - ms.error) / (spread + n * f_high * ms.targets)
    if average:
        if 1 + low * (k - 1) <= 0:  # the mean of k ratings has no lower limit here
            return _Limits(None, None)
        low, high = low * k / (1 + low * (k - 1)), high * k / (1 + high * (k - 1))
    return _Limits(low, high) if low < high else _Limits(None, None)
