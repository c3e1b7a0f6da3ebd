"""Correlations of agent scores with an outcome, each with an interval that holds at few agents."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from numbers import Integral

import numpy as np
from scipy import stats

from metrology.stats.correlation_pairs import (
    Pairs,
    complete_pairs,
    correlation_estimate,
    permutation_p,
    product_moment,
    t_of_correlation,
)
from metrology.stats.results import Correlation, Estimate, LeaveOneOut, StatsInputError, ordered_codes, status_of
from metrology.stats.vectors import Numbers, Vector, inside

EXACT_KENDALL = 170  # agents up to which the null distribution of S is enumerated


def _undefined(pairs: Pairs, level: float, method: str) -> Correlation | None:
    code = "TOO_FEW_AGENTS" if pairs.n["agents"] < 3 else "ZERO_VARIANCE" if pairs.constant else ""
    if not code:
        return None
    codes = (code, *pairs.codes)
    estimate = Estimate.without_value("undefined", codes, level=level, method=method, n=pairs.n)
    return Correlation(
        estimate=estimate, statistic=None, p=None, p_permutation=None, method=method, n=pairs.n,
        status="undefined", codes=estimate.codes,
    )  # fmt: skip


def _draws(draws: int) -> int:
    if not isinstance(draws, Integral) or draws < 1:
        msg = f"`draws` must be a whole number, 1 or more, got {draws!r}"
        raise StatsInputError(msg)
    return int(draws)


def _moment_correlation(
    pairs: Pairs, x: Vector, y: Vector, spread: float, level: float, method: str, draws: int, seed: int
) -> Correlation:
    """Correlation of x and y; `spread` is the share of r^2 added to the variance of Fisher's z."""
    agents = pairs.n["agents"]
    r = product_moment(x, y)
    se_z = math.sqrt((1 + spread * r * r) / (agents - 3)) if agents > 3 else None
    estimate = correlation_estimate(r, se_z, level, method, pairs.n, pairs.codes)
    statistic, p = t_of_correlation(r, agents - 2)
    return Correlation(
        estimate=estimate,
        statistic=statistic,
        p=p,
        p_permutation=permutation_p(x, y, draws, seed),
        method=method,
        n=pairs.n,
        status=estimate.status,
        codes=estimate.codes,
    )


def pearson(
    x: Numbers,
    y: Numbers,
    *,
    families: Sequence[Hashable] | None = None,
    level: float = 0.95,
    draws: int = 9999,
    seed: int = 0,
) -> Correlation:
    """Pearson's r over agents with Fisher z interval, t test and permutation p.

    Limits tanh(atanh r +- z/sqrt(n - 3)) cover well from 5 agents on (their width at n = 8 is about 1).
    `families` (vendor of each agent) only warns, CLUSTERED_AGENTS: agents of one vendor are not independent
    and no interval here allows for that. r = +-1: t and its p are None, the interval is [r, r]
    (DEGENERATE_CI). Not for the claim "validated" from p < .05 at a handful of agents.

    Raises:
        StatsInputError: unequal lengths, values that are no finite numbers, `level` outside (0, 1).
    """
    pairs, level, draws = complete_pairs(x, y, families), inside(level, 0, 1, "level"), _draws(draws)
    method = "Pearson r, Fisher z interval"
    return _undefined(pairs, level, method) or _moment_correlation(
        pairs, pairs.x, pairs.y, 0.0, level, method, draws, seed
    )


def spearman(
    x: Numbers,
    y: Numbers,
    *,
    families: Sequence[Hashable] | None = None,
    level: float = 0.95,
    draws: int = 9999,
    seed: int = 0,
) -> Correlation:
    """Spearman's rho (mid-ranks) with Bonett-Wright interval, t approximation and permutation p.

    Limits tanh(atanh rho +- z sqrt((1 + rho^2/2)/(n - 3))) (Bonett & Wright 2000). Codes as in `pearson`.

    Raises:
        StatsInputError: unequal lengths, values that are no finite numbers, `level` outside (0, 1).
    """
    pairs, level, draws = complete_pairs(x, y, families), inside(level, 0, 1, "level"), _draws(draws)
    method = "Spearman rho, Bonett-Wright interval"
    undefined = _undefined(pairs, level, method)
    if undefined:
        return undefined
    x_ranks, y_ranks = stats.rankdata(pairs.x), stats.rankdata(pairs.y)
    return _moment_correlation(pairs, x_ranks, y_ranks, 0.5, level, method, draws, seed)


def kendall(
    x: Numbers,
    y: Numbers,
    *,
    families: Sequence[Hashable] | None = None,
    level: float = 0.95,
) -> Correlation:
    """Kendall's tau-b with the interval of Fieller, Hartley & Pearson (1957), se of z = sqrt(.437/(n - 4)).

    `statistic` is S = concordant - discordant pairs. p is exact without ties (up to 170 agents), otherwise
    normal with the tie-corrected variance of S. Fewer than 5 agents: no interval (TOO_FEW_AGENTS).

    Raises:
        StatsInputError: unequal lengths, values that are no finite numbers, `level` outside (0, 1).
    """
    pairs, level = complete_pairs(x, y, families), inside(level, 0, 1, "level")
    method = "Kendall tau-b, Fieller interval"
    undefined = _undefined(pairs, level, method)
    if undefined:
        return undefined
    agents = pairs.n["agents"]
    x_ranks, y_ranks = stats.rankdata(pairs.x), stats.rankdata(pairs.y)
    tied = len(np.unique(x_ranks)) < agents or len(np.unique(y_ranks)) < agents
    test = stats.kendalltau(x_ranks, y_ranks, method="asymptotic" if tied or agents > EXACT_KENDALL else "exact")
    tau = float(test.statistic)
    tau = math.copysign(1.0, tau) if 1 - abs(tau) <= 1e-12 else tau
    se_z = math.sqrt(0.437 / (agents - 4)) if agents > 4 else None
    estimate = correlation_estimate(tau, se_z, level, method, pairs.n, pairs.codes)
    all_pairs = agents * (agents - 1) / 2
    untied = [all_pairs - sum(k * (k - 1) / 2 for k in np.unique(r, return_counts=True)[1].tolist())
              for r in (x_ranks, y_ranks)]  # fmt: skip
    return Correlation(
        estimate=estimate,
        statistic=float(round(tau * math.sqrt(untied[0] * untied[1]))),
        p=float(test.pvalue),
        p_permutation=None,
        method=method,
        n=pairs.n,
        status=estimate.status,
        codes=estimate.codes,
    )


def leave_one_out(x: Numbers, y: Numbers, *, method: str = "pearson") -> LeaveOneOut:
    """The correlation without each agent in turn (in the given order) and the range of these values.

    A wide range means one agent carries the correlation. `method` is "pearson", "spearman" or "kendall".
    Fewer than 4 agents: undefined; an agent without whose values nothing varies gets None (ZERO_VARIANCE).

    Raises:
        StatsInputError: unequal lengths, values that are no finite numbers, unknown `method`.
    """
    if method not in ("pearson", "spearman", "kendall"):
        msg = f"`method` must be pearson, spearman or kendall, got {method!r}"
        raise StatsInputError(msg)
    pairs = complete_pairs(x, y)
    first, second = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    present = np.flatnonzero(~(np.isnan(first) | np.isnan(second)))
    first, second = first[present], second[present]
    codes, values = list(pairs.codes), []
    if len(present) < 4:
        codes.insert(0, "TOO_FEW_AGENTS")
    else:
        for position in range(len(present)):
            rest = complete_pairs(np.delete(first, position), np.delete(second, position))
            values.append(None if rest.constant else _coefficient(rest, method))
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        codes.append("ZERO_VARIANCE")
    return LeaveOneOut(
        low=min(known, default=None), high=max(known, default=None), values=tuple(values), n=pairs.n,
        status=status_of(codes) if known else "undefined", codes=ordered_codes(codes),
    )  # fmt: skip


def _coefficient(pairs: Pairs, method: str) -> float:
    if method == "pearson":
        return product_moment(pairs.x, pairs.y)
    x_ranks, y_ranks = stats.rankdata(pairs.x), stats.rankdata(pairs.y)
    if method == "spearman":
        return product_moment(x_ranks, y_ranks)
    return float(stats.kendalltau(x_ranks, y_ranks, method="asymptotic").statistic)
