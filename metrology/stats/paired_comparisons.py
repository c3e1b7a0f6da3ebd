"""Two agents on the same items: the paired difference, and which agents of a ranking are not separable."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.stats

from metrology.stats.arguments import one_of
from metrology.stats.cells import Cells
from metrology.stats.correlation_pairs import product_moment
from metrology.stats.errorbars import agent_score, clustered_mean
from metrology.stats.labels import positions
from metrology.stats.multiplicity import ADJUSTMENTS, adjust_p_values
from metrology.stats.results import Comparison, Estimate, ordered_codes, status_of
from metrology.stats.sign_flips import sign_flip_test
from metrology.stats.vectors import Vector, inside, is_constant


def paired_difference(cells: Cells, baseline: Any, candidate: Any, *, level: float = 0.95) -> Comparison:
    """The score of the candidate minus that of the baseline over the items both have tried.

    Trials are averaged within items first; `effect` is the mean item difference with CR2 standard error and
    Satterthwaite t interval, clustered by family where families are known (positive = candidate better).
    `statistic` = effect/se, p two-sided. `baseline` and `candidate` are the scores on the shared items,
    `correlation` that of the item means: what pairing gains. No shared item: undefined NO_OVERLAP; all item
    differences equal: the effect without error bar or p (ZERO_VARIANCE). Below 10 families (FEW_CLUSTERS)
    look at `sign_flip_test` too; for one 0/1 trial per item `mcnemar` uses the counts directly.

    Raises:
        StatsInputError: an unknown agent, or the same one twice; `level` outside (0, 1).
    """
    level = inside(level, 0, 1, "level")
    pair = cells.select(agents=[baseline, candidate])
    shared = np.all(pair.n > 0, axis=0)
    method = "paired difference of item means, CR2, Satterthwaite t"
    n = {
        "items": int(shared.sum()),
        "dropped": int((~shared).sum()),
        "trials": int(pair.n.max(initial=0)),
    }
    missing = ("MISSING",) if pair.incomplete else ()
    if not shared.any():
        effect = Estimate.without_value("undefined", ("NO_OVERLAP", *missing), level=level, method=method, n=n)
        return Comparison(
            effect=effect, statistic=None, df=None, p=None, method=method, baseline=None, candidate=None,
            correlation=None, n=n, status="undefined", codes=effect.codes,
        )  # fmt: skip
    both = pair.select(items=[label for label, kept in zip(pair.items, shared, strict=True) if kept])
    first, second = both.mean
    effect = clustered_mean(second - first, both.families, level=level)
    n["clusters"] = effect.n["clusters"]
    constant = is_constant(first) or is_constant(second)
    statistic = p = None
    if effect.value is not None and effect.se is not None and effect.df is not None:
        statistic = effect.value / effect.se
        p = 2 * float(scipy.stats.t.sf(abs(statistic), effect.df))
    codes = ordered_codes((*effect.codes, *missing))
    return Comparison(
        effect=effect,
        statistic=statistic,
        df=effect.df,
        p=p,
        method=method,
        baseline=agent_score(both, pair.agents[0], level=level),
        candidate=agent_score(both, pair.agents[1], level=level),
        correlation=None if constant else product_moment(first, second),
        n=n,
        status=effect.status if effect.value is None else status_of(codes),
        codes=codes,
    )


def ranked_agents(cells: Cells) -> tuple[str, ...]:
    """Agents with at least one verdict, best mean of item means first; equal scores in the order of the cells."""
    scores = agent_means(cells)
    # equal scores summed in another order differ in their last bits, which must not decide a rank
    order = np.argsort(-np.round(scores, 12), kind="stable")
    return tuple(cells.agents[position] for position in order.tolist() if not math.isnan(scores[position]))


def agent_means(cells: Cells) -> Vector:
    """Mean over items of the mean over trials of every agent, NaN without a verdict."""
    tried = cells.n > 0
    items = tried.sum(axis=1)
    totals = np.where(tried, cells.mean, 0.0).sum(axis=1)
    return np.asarray(np.divide(totals, items, out=np.full(len(items), np.nan), where=items > 0))


def tie_groups(cells: Cells, *, alpha: float = 0.05, method: str = "holm") -> tuple[tuple[str, ...], ...]:
    """Groups of agent labels, best first: each is its leader and those next in rank not separable from it.

    Agents are ranked by mean score; all pairs are compared by `paired_difference` (by `sign_flip_test` where
    the item differences are all equal and not 0) and the p values adjusted over all pairs by `method`. A
    group ends before the first agent whose adjusted p against the group's leader is at most `alpha`; a pair
    without common items or without a p counts as not separable. Agents without a verdict are left out.

    Raises:
        StatsInputError: `alpha` outside (0, 1), unknown `method`.
    """
    alpha = inside(alpha, 0, 1, "alpha")
    one_of(method, ADJUSTMENTS, "method")
    ranked = ranked_agents(cells)
    pairs = [(high, low) for high in range(len(ranked)) for low in range(high + 1, len(ranked))]
    raw = [_separation_p(cells, ranked[low], ranked[high]) for high, low in pairs]
    adjusted = dict(zip(pairs, adjust_p_values(raw, method=method), strict=True))
    groups: list[list[str]] = []
    leader = 0
    for rank, label in enumerate(ranked):
        p = adjusted.get((leader, rank))
        if groups and (p is None or p > alpha):
            groups[-1].append(label)
        else:
            groups.append([label])
            leader = rank
    return tuple(tuple(group) for group in groups)


def _separation_p(cells: Cells, baseline: str, candidate: str) -> float | None:
    comparison = paired_difference(cells, baseline, candidate)
    effect = comparison.effect.value
    if comparison.p is not None or effect is None or effect == 0:
        return comparison.p
    rows = positions(cells.agents, [baseline, candidate], "agents")
    shared = np.all(cells.n[rows] > 0, axis=0)
    families = None if cells.families is None else [f for f, kept in zip(cells.families, shared, strict=True) if kept]
    first, second = cells.mean[rows][:, shared]
    return sign_flip_test(second - first, families).p
