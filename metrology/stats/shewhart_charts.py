"""Shewhart charts of measured values: x-bar for subgroups, individuals for single runs."""

from __future__ import annotations

import numpy as np

from metrology.stats.control_limits import (
    MOVING_RANGE_CONSTANT,
    SHORT_BASELINE,
    baseline_length,
    control_chart,
    mean_moving_range,
    range_constant,
    undefined_chart,
)
from metrology.stats.results import ControlChart
from metrology.stats.vectors import Numbers, inside, is_constant, numeric_array, numeric_vector


def xbar_chart(subgroups: Numbers, *, baseline: int | None = None, limit: float = 3.0) -> ControlChart:
    """Chart of subgroup means, in the units of the values; `subgroups[points, size]`.

    `center` = mean of the baseline means, `sigma` of a single value = mean range/d2, limits
    `center +- limit sigma/sqrt(size)` (Shewhart; NIST/SEMATECH e-Handbook 6.3.2). A subgroup with missing
    values gets the d2 and the limits of its own size. Not for subgroups of one value (`individuals_chart`),
    nor for agents or items as subgroup members: the range must hold repeatability only.

    Raises:
        StatsInputError: not a table of finite numbers, `baseline` out of range, `limit` not positive.
    """
    table = numeric_array(subgroups, "subgroups", 2)
    limit = inside(limit, 0, 1e6, "limit")
    method = "x-bar chart, mean range/d2"
    sizes = (~np.isnan(table)).sum(axis=1)
    first = baseline_length(baseline, len(table))
    n = {"points": len(table), "baseline": int((sizes[:first] > 0).sum()), "size": table.shape[1]}
    if n["baseline"] == 0:
        return undefined_chart(method, n, "NO_DATA")
    if sizes[:first].max() < 2:
        return undefined_chart(method, n, "TOO_FEW_UNITS")
    filled = sizes > 0
    means, ranges = np.full(len(table), np.nan), np.full(len(table), np.nan)
    means[filled] = np.nanmean(table[filled], axis=1)
    several = sizes > 1
    ranges[several] = np.nanmax(table[several], axis=1) - np.nanmin(table[several], axis=1)
    ranges[several] /= [range_constant(int(size)) for size in sizes[several]]
    center, sigma = float(np.nanmean(means[:first])), float(np.nanmean(ranges[:first]))
    codes: tuple[str, ...] = ("SHORT_BASELINE",) if n["baseline"] < SHORT_BASELINE else ()
    codes += ("MISSING",) if np.isnan(table).any() else ()
    codes += ("ZERO_VARIANCE",) if is_constant([0.0, sigma], abs(center)) else ()
    half_width = limit * sigma / np.sqrt(np.where(filled, sizes, np.nan))
    return control_chart(method, means, center, sigma, half_width, n=n, codes=codes)


def individuals_chart(values: Numbers, *, baseline: int | None = None, limit: float = 3.0) -> ControlChart:
    """Chart of single runs, in the units of the values; the default for a benchmark repeated over time.

    `center` = baseline mean, `sigma` = mean moving range/1.128, limits `center +- limit sigma`
    (NIST/SEMATECH e-Handbook 6.3.2.2). Fewer than 20 baseline runs: SHORT_BASELINE, the limits are
    provisional. Not for strongly autocorrelated series: the moving range then understates sigma.

    Raises:
        StatsInputError: not a vector of finite numbers, `baseline` out of range, `limit` not positive.
    """
    points = numeric_vector(values, "values")
    limit = inside(limit, 0, 1e6, "limit")
    method = "individuals chart, mean moving range/1.128"
    first = baseline_length(baseline, len(points))
    n = {"points": len(points), "baseline": int((~np.isnan(points[:first])).sum())}
    if n["baseline"] == 0:
        return undefined_chart(method, n, "NO_DATA")
    sigma = mean_moving_range(points[:first]) / MOVING_RANGE_CONSTANT
    if np.isnan(sigma):
        return undefined_chart(method, n, "TOO_FEW_POINTS")
    center = float(np.nanmean(points[:first]))
    codes: tuple[str, ...] = ("SHORT_BASELINE",) if n["baseline"] < SHORT_BASELINE else ()
    codes += ("MISSING",) if np.isnan(points).any() else ()
    codes += ("ZERO_VARIANCE",) if is_constant([0.0, sigma], abs(center)) else ()
    half_width = np.full(len(points), limit * sigma)
    return control_chart(method, points, center, sigma, half_width, n=n, codes=codes)
