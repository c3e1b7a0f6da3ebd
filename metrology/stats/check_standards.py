"""Check standard: one frozen agent, run again every period, watched for repeatability and level."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from metrology.stats.control_limits import SHORT_BASELINE
from metrology.stats.results import CheckStandard, status_of
from metrology.stats.vectors import Numbers, inside, is_constant, numeric_array


def check_standard(values: Numbers, *, level: float = 0.95) -> CheckStandard:
    """Repeatability and occasion-to-occasion limits of a check standard; `values[occasions, replicates]`.

    `repeatability_sd` s1 = pooled within-occasion sd, watched against s1 sqrt(F(level; J-1, K(J-1)));
    `occasion_sd` s2 = sd of the K occasion means, the next mean is expected within
    mean +- t(level, K-1) s2; `between_variance` = s2^2 - s1^2/J, raw (NEGATIVE_ESTIMATE below 0)
    (NIST/SEMATECH e-Handbook 2.2.2-2.2.3). Occasions with a missing replicate are left out (MISSING).
    One replicate or one occasion leaves the parts that need more as None.

    Raises:
        StatsInputError: not a table of finite numbers, `level` outside (0, 1).
    """
    table = numeric_array(values, "values", 2)
    level = inside(level, 0, 1, "level")
    whole = table[~np.isnan(table).any(axis=1)]
    occasions, replicates = len(whole), table.shape[1]
    n = {"occasions": occasions, "replicates": replicates, "dropped": len(table) - occasions}
    if whole.size == 0:
        return CheckStandard(
            mean=None, repeatability_sd=None, occasion_sd=None, repeatability_sd_limit=None, lower=None,
            upper=None, between_variance=None, n=n, status="undefined", codes=("NO_DATA",),
        )  # fmt: skip
    codes = []
    if replicates < 2:
        codes.append("TOO_FEW_TRIALS")
    if occasions < 2:
        codes.append("TOO_FEW_POINTS")
    if occasions < SHORT_BASELINE:
        codes.append("SHORT_BASELINE")
    if n["dropped"]:
        codes.append("MISSING")
    means = whole.mean(axis=1)
    mean, scale = float(means.mean()), float(np.abs(whole).max())
    repeatability = sd_limit = occasion_sd = lower = upper = between = None
    if replicates >= 2:
        repeatability = math.sqrt(float(whole.var(axis=1, ddof=1).mean()))
        if is_constant([0.0, repeatability], scale):
            repeatability = 0.0
        else:
            quantile = stats.f.ppf(level, replicates - 1, occasions * (replicates - 1))
            sd_limit = repeatability * math.sqrt(float(quantile))
    if occasions >= 2:
        occasion_sd = 0.0 if is_constant(means, scale) else float(means.std(ddof=1))
        if occasion_sd > 0:
            half = float(stats.t.ppf((1 + level) / 2, occasions - 1)) * occasion_sd
            lower, upper = mean - half, mean + half
    if repeatability is not None and occasion_sd is not None:
        between = occasion_sd**2 - repeatability**2 / replicates
    if repeatability == 0 or occasion_sd == 0:
        codes.append("ZERO_VARIANCE")
    if between is not None and between < 0:
        codes.append("NEGATIVE_ESTIMATE")
    return CheckStandard(
        mean=mean,
        repeatability_sd=repeatability,
        occasion_sd=occasion_sd,
        repeatability_sd_limit=sd_limit,
        lower=lower,
        upper=upper,
        between_variance=between,
        n=n,
        status=status_of(codes),
        codes=tuple(codes),
    )
