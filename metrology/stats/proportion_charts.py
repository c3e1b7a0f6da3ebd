"""Control charts of failure shares: the plain p chart, Laney's p' chart and the test that tells them apart."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from metrology.stats.control_limits import (
    MOVING_RANGE_CONSTANT,
    SHORT_BASELINE,
    baseline_length,
    control_chart,
    mean_moving_range,
    undefined_chart,
)
from metrology.stats.results import ControlChart, StatsInputError, Test
from metrology.stats.vectors import Numbers, Vector, count_vector, inside, is_constant, same_length


def _counts(failures: Numbers, sizes: Numbers) -> tuple[Vector, Vector]:
    failed, tried = count_vector(failures, "failures"), count_vector(sizes, "sizes")
    same_length(failures=failed, sizes=tried)
    if np.any(failed > tried):
        msg = "`failures` must not exceed `sizes`"
        raise StatsInputError(msg)
    missing = np.isnan(failed) | np.isnan(tried) | (tried == 0)
    return np.where(missing, np.nan, failed), np.where(missing, np.nan, tried)


def _chart(failures: Numbers, sizes: Numbers, baseline: int | None, limit: float, *, laney: bool) -> ControlChart:
    failed, tried = _counts(failures, sizes)
    limit = inside(limit, 0, 1e6, "limit")
    method = "Laney p' chart" if laney else "p chart"
    first = baseline_length(baseline, len(failed))
    n = {"points": len(failed), "baseline": int((~np.isnan(failed[:first])).sum())}
    if n["baseline"] == 0:
        return undefined_chart(method, n, "NO_DATA")
    center = float(np.nansum(failed[:first]) / np.nansum(tried[:first]))
    sigma = math.sqrt(center * (1 - center))
    points, standard_errors = failed / tried, sigma / np.sqrt(tried)
    codes: tuple[str, ...] = ("SHORT_BASELINE",) if n["baseline"] < SHORT_BASELINE else ()
    codes += ("MISSING",) if np.isnan(failed).any() else ()
    ratio = None
    half_width = limit * standard_errors
    if sigma == 0:
        codes += ("ZERO_VARIANCE",)
    elif laney:
        z = (points - center) / standard_errors
        ratio = mean_moving_range(z[:first]) / MOVING_RANGE_CONSTANT
        if math.isnan(ratio):
            return undefined_chart(method, n, "TOO_FEW_POINTS")
        if is_constant([0.0, ratio], 1.0):
            codes += ("ZERO_VARIANCE",)
        half_width = half_width * ratio
    return control_chart(
        method, points, center, sigma, half_width, n=n, codes=codes, bounds=(0.0, 1.0), dispersion_ratio=ratio
    )


def p_chart(failures: Numbers, sizes: Numbers, *, baseline: int | None = None, limit: float = 3.0) -> ControlChart:
    """Chart of failure shares on 0..1 under pure binomial noise, limits `p +- limit sqrt(p(1-p)/size)`.

    `sigma` is that of one trial. Runs of a benchmark vary more than binomially (items are shared, runs
    differ), so this chart alarms too often: use it only where `overdispersion` finds nothing, else
    `laney_p_chart`. p = 0 or 1 leaves no limits to judge by: ZERO_VARIANCE and no signal.

    Raises:
        StatsInputError: counts that are not whole or exceed `sizes`, unequal lengths, bad `baseline`.
    """
    return _chart(failures, sizes, baseline, limit, laney=False)


def laney_p_chart(
    failures: Numbers, sizes: Numbers, *, baseline: int | None = None, limit: float = 3.0
) -> ControlChart:
    """Chart of failure shares on 0..1 whose limits also carry the run-to-run variation (Laney 2002).

    Half width `limit sqrt(p(1-p)/size) dispersion_ratio`, with `dispersion_ratio` = mean absolute difference
    of neighbouring z values/1.128: 1 under pure binomial noise, above 1 when runs differ.

    Raises:
        StatsInputError: counts that are not whole or exceed `sizes`, unequal lengths, bad `baseline`.
    """
    return _chart(failures, sizes, baseline, limit, laney=True)


def overdispersion(failures: Numbers, sizes: Numbers) -> Test:
    """Homogeneity chi-square of the failure shares: small p = they vary more than binomial noise allows.

    statistic = sum (failures - size p)^2/(size p (1-p)) on points - 1 degrees of freedom. Unreliable where
    the expected failures (or passes) of a point fall below about 5.

    Raises:
        StatsInputError: counts that are not whole or exceed `sizes`, unequal lengths.
    """
    failed, tried = _counts(failures, sizes)
    method = "homogeneity chi-square of proportions"
    missing: tuple[str, ...] = ("MISSING",) if np.isnan(failed).any() else ()
    failed, tried = failed[~np.isnan(failed)], tried[~np.isnan(tried)]
    n = {"points": len(failed)}
    share = float(failed.sum() / tried.sum()) if len(failed) else 0.0
    code = "TOO_FEW_POINTS" if len(failed) < 2 else "ZERO_VARIANCE" if share in (0.0, 1.0) else ""
    if code:
        return Test(statistic=None, df=None, p=None, method=method, n=n, status="undefined", codes=(code, *missing))
    chi2 = float(((failed - tried * share) ** 2 / (tried * share * (1 - share))).sum())
    df = len(failed) - 1
    p = float(stats.chi2.sf(chi2, df))
    return Test(statistic=chi2, df=float(df), p=p, method=method, n=n, status="ok", codes=missing)
