"""Correlations that share variables: partial correlation and Williams' test of two predictors."""

from __future__ import annotations

import math
from numbers import Integral

import numpy as np
from scipy import stats

from metrology.stats.correlation_pairs import (
    correlation_estimate,
    product_moment,
    t_of_correlation,
)
from metrology.stats.results import Correlation, Estimate, StatsInputError, Test
from metrology.stats.vectors import Numbers, Vector, inside, is_constant, numeric_array, numeric_vector, same_length

UNEXPLAINED = 1e-9  # residuals below this share of the spread are rounding noise


def partial_correlation(x: Numbers, y: Numbers, controls: Numbers, *, level: float = 0.95) -> Correlation:
    """Correlation of what is left of x and y after linear regression on the controls (cost, size, ...).

    `controls[agents]` or `[agents, controls]`. With q linearly independent controls: t on n - 2 - q degrees
    of freedom, Fisher limits with se 1/sqrt(n - q - 3). `p_permutation` is None: permuting raw values does
    not keep the controls. Each control costs an agent, so use one or two at most.

    Raises:
        StatsInputError: unequal lengths, values that are no finite numbers, `level` outside (0, 1).
    """
    first, second, level = numeric_vector(x, "x"), numeric_vector(y, "y"), inside(level, 0, 1, "level")
    dimensions = 1 if np.ndim(np.asarray(controls, dtype=object)) == 1 else 2
    table = numeric_array(controls, "controls", dimensions)
    table = table[:, None] if dimensions == 1 else table
    same_length(x=first, y=second, controls=table)
    present = ~(np.isnan(first) | np.isnan(second) | np.isnan(table).any(axis=1))
    first, second, table = first[present], second[present], table[present]
    design = _independent(table)
    agents, used = len(first), design.shape[1]
    n = {"agents": agents, "dropped": int((~present).sum()), "controls": used}
    missing: tuple[str, ...] = ("MISSING",) if n["dropped"] else ()
    method = "partial Pearson r, Fisher z interval"
    code = ""
    if agents - used < 3:
        code = "TOO_FEW_AGENTS"
    else:
        x_rest, y_rest = _residuals(first, design), _residuals(second, design)
        code = "ZERO_VARIANCE" if x_rest is None or y_rest is None else ""
    if code or x_rest is None or y_rest is None:
        estimate = Estimate.without_value("undefined", (code, *missing), level=level, method=method, n=n)
        statistic = p = None
    else:
        r = product_moment(x_rest, y_rest)
        se_z = 1 / math.sqrt(agents - used - 3) if agents - used > 3 else None
        estimate = correlation_estimate(r, se_z, level, method, n, missing)
        statistic, p = t_of_correlation(r, agents - 2 - used)
    return Correlation(
        estimate=estimate, statistic=statistic, p=p, p_permutation=None, method=method, n=n,
        status=estimate.status, codes=estimate.codes,
    )  # fmt: skip


def _independent(table: Vector) -> Vector:
    """Orthonormal directions of the centred controls; constant and redundant columns drop out."""
    varying = [column / np.ptp(column) for column in table.T if not is_constant(column)]
    if not varying or len(table) < 2:
        return np.empty((len(table), 0))
    centred = np.column_stack(varying)
    centred = centred - centred.mean(axis=0)
    left, singular, _ = np.linalg.svd(centred, full_matrices=False)
    return np.asarray(left[:, singular > UNEXPLAINED * singular[0]])


def _residuals(values: Vector, design: Vector) -> Vector | None:
    """What the controls leave unexplained, None when that is nothing."""
    if is_constant(values):
        return None
    centred = (values - values.mean()) / np.ptp(values)
    rest = centred - design @ (design.T @ centred)
    return None if np.abs(rest).max() < UNEXPLAINED else rest


def williams_test(r_xy: float, r_zy: float, r_xz: float, n: int) -> Test:
    """Williams' t test whether predictors x and z correlate differently with the same outcome y.

    t = (r_xy - r_zy) sqrt((n-1)(1+r_xz)/(2(n-1)/(n-3) |R| + rbar^2 (1-r_xz)^3)) on n - 3 degrees of freedom,
    |R| the determinant of the three correlations (Williams 1959; Steiger 1980). `n` = agents; fewer than 4:
    undefined. Positive t: x predicts better.

    Raises:
        StatsInputError: a correlation outside [-1, 1], three that cannot occur together, `n` no whole number.
    """
    for name, r in (("r_xy", r_xy), ("r_zy", r_zy), ("r_xz", r_xz)):
        if not (isinstance(r, int | float | np.number) and -1 <= r <= 1):
            msg = f"`{name}` must be a correlation in [-1, 1], got {r!r}"
            raise StatsInputError(msg)
    if not isinstance(n, Integral) or not 0 <= n < 2**53:
        msg = f"`n` must be a whole number of agents, got {n!r}"
        raise StatsInputError(msg)
    agents = int(n)
    determinant = 1 - r_xy**2 - r_zy**2 - r_xz**2 + 2 * r_xy * r_zy * r_xz
    if determinant < -1e-9:
        msg = f"correlations {r_xy:g}, {r_zy:g} and {r_xz:g} cannot occur together"
        raise StatsInputError(msg)
    method, counted = "Williams test of dependent correlations", {"agents": agents}
    code, t = "", 0.0
    if agents < 4:
        code = "TOO_FEW_AGENTS"
    else:
        spread = 2 * (agents - 1) / (agents - 3) * max(determinant, 0.0)
        spread += ((r_xy + r_zy) / 2) ** 2 * (1 - r_xz) ** 3
        if spread <= 1e-14:
            code = "ZERO_DENOMINATOR"
        else:
            t = float((r_xy - r_zy) * math.sqrt((agents - 1) * (1 + r_xz) / spread))
    if code:
        return Test(statistic=None, df=None, p=None, method=method, n=counted, status="undefined", codes=(code,))
    df = agents - 3
    p = min(1.0, 2 * float(stats.t.sf(abs(t), df)))
    return Test(statistic=t, df=float(df), p=p, method=method, n=counted, status="ok", codes=())
