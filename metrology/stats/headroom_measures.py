"""Room left in a benchmark: counts of items at the ceiling, the gap at the top, separable levels."""

from __future__ import annotations

import math

import numpy as np

from metrology.stats.arguments import one_of, whole_number
from metrology.stats.cells import Cells
from metrology.stats.item_analysis import FEW_AGENTS, item_rest_correlations
from metrology.stats.paired_comparisons import agent_means, paired_difference, ranked_agents
from metrology.stats.results import (
    Comparison,
    Estimate,
    Saturation,
    SaturationIndex,
    ordered_codes,
    status_of,
)
from metrology.stats.vectors import ROUNDING, inside

CEILING_SHARE = 0.9  # mean score from which an item counts as near its ceiling


def headroom(cells: Cells) -> Saturation:
    """How much room the items leave: counts at ceiling and floor, top score, what the items still separate.

    All on 0..1. `all_pass`/`all_fail` count items every agent always passes/fails; `ceiling_share` = share of
    items with mean score p >= .9; `headroom` = 1 - `top_score`; `mean_item_variance` = mean of p(1 - p);
    `pairs_separated` = mean over items of 2p(1-p) n/(n-1), for 0/1 verdicts the share of agent pairs an item
    tells apart; `negative_discrimination` = items with item-rest r below 0, noise-ridden at 30 agents or fewer
    (FEW_AGENTS) and None where r cannot be computed. Descriptive: a forecast needs `logistic_growth`.

    Raises:
        StatsInputError: scores outside 0..1.
    """
    agents, items = cells.n.shape
    scored = cells.n > 0
    means = np.where(scored, cells.mean, 0.0)
    inside(float(means.min(initial=0.0)), -1e-9, 1 + 1e-9, "scores")
    inside(float(means.max(initial=0.0)), -1e-9, 1 + 1e-9, "scores")
    counts = scored.sum(axis=0)
    used = counts > 0
    n = {"agents": agents, "items": items, "items_used": int(used.sum())}
    codes = ["MISSING"] if cells.incomplete else []
    if not used.any():
        return Saturation(
            n_items=items, all_pass=None, all_fail=None, ceiling_share=None, top_score=None, headroom=None,
            mean_item_variance=None, pairs_separated=None, negative_discrimination=None, n=n,
            status="undefined", codes=ordered_codes(["NO_DATA", *codes]),
        )  # fmt: skip
    p = means.sum(axis=0)[used] / counts[used]
    variance = p * (1 - p)
    several = counts[used] > 1
    separated = 2 * variance[several] * counts[used][several] / (counts[used][several] - 1)
    negative = None
    if agents < 3:
        codes.append("TOO_FEW_AGENTS")
    elif items < 2:
        codes.append("TOO_FEW_ITEMS")
    elif cells.full:
        with np.errstate(invalid="ignore"):
            negative = int((item_rest_correlations(cells.mean) < -1e-12).sum())
    if 3 <= agents <= FEW_AGENTS:
        codes.append("FEW_AGENTS")
    top = float(np.nanmax(agent_means(cells)))
    return Saturation(
        n_items=items,
        all_pass=int(np.all(~scored | (means == 1), axis=0)[used].sum()),
        all_fail=int(np.all(~scored | (means == 0), axis=0)[used].sum()),
        ceiling_share=float((p >= CEILING_SHARE - ROUNDING).mean()),
        top_score=top,
        headroom=1 - top,
        mean_item_variance=float(variance.mean()),
        pairs_separated=float(separated.mean()) if several.any() else None,
        negative_discrimination=negative,
        n=n,
        status=status_of(codes),
        codes=ordered_codes(codes),
    )


def top_gap(cells: Cells, *, rank: int = 2, level: float = 0.95) -> Comparison:
    """The best agent (candidate) minus the one on `rank` (baseline), paired over items: is the top still apart?

    As `compare.paired_difference`, clustered by family where families are known. The two agents were picked
    by their scores, so the gap leans upward and its p is not a test of a pair named beforehand. Fewer agents
    than `rank`: undefined TOO_FEW_AGENTS.

    Raises:
        StatsInputError: `rank` not a whole number above 1; `level` outside (0, 1).
    """
    rank, level = whole_number(rank, "rank", 2), inside(level, 0, 1, "level")
    ranked = ranked_agents(cells)
    if len(ranked) < rank:
        method = "paired difference of item means, CR2, Satterthwaite t"
        n = {"agents": len(ranked)}
        effect = Estimate.without_value("undefined", ("TOO_FEW_AGENTS",), level=level, method=method, n=n)
        return Comparison(
            effect=effect, statistic=None, df=None, p=None, method=method, baseline=None, candidate=None,
            correlation=None, n=n, status="undefined", codes=effect.codes,
        )  # fmt: skip
    return paired_difference(cells, ranked[rank - 1], ranked[0], level=level)


def saturation_index(
    cells: Cells, *, rank: int = 5, standard_error: str = "paired", exponent: float = 1.0
) -> SaturationIndex:
    """S = exp(-R^2), R = (best score - score on `rank`)/standard error: near 1 = the top cannot be told apart.

    `standard_error` "paired" (default) is that of the item-paired difference, by families where known;
    "independent" is sqrt((s1(1-s1) + sr(1-sr))/k^exponent) as published (Akhtar et al. 2026, exponent 1/2),
    which ignores that both agents took the same items. The exponent rules the result: report it, and prefer
    `top_gap`. Fewer agents than `rank`: undefined TOO_FEW_AGENTS; no error: undefined ZERO_VARIANCE.

    Raises:
        StatsInputError: `rank` not a whole number above 1, unknown `standard_error`, `exponent` outside (0, 10).
    """
    one_of(standard_error, ("paired", "independent"), "standard_error")
    exponent = inside(exponent, 0, 10, "exponent")
    gap = top_gap(cells, rank=rank)
    scores = dict(zip(cells.agents, agent_means(cells).tolist(), strict=True))
    ranked = ranked_agents(cells)
    method = f"exp(-R^2), {standard_error} standard error"
    codes = list(gap.codes)
    top = other = difference = error = size = None
    if len(ranked) >= rank:
        top, other = scores[ranked[0]], scores[ranked[rank - 1]]
        difference, size = top - other, float(gap.n["items"])
        error = gap.effect.se
    if standard_error == "independent" and top is not None and other is not None:
        inside(max(top, 1 - other), -1e-9, 1 + 1e-9, "scores")
        codes = ["MISSING"] if cells.incomplete else []
        size = float(np.sum(np.any(cells.n > 0, axis=0))) ** exponent
        error = math.sqrt(max(top * (1 - top) + other * (1 - other), 0.0) / size)
    elif difference is not None and gap.effect.value is not None:
        difference = gap.effect.value
    if difference is None or not error:
        if difference is not None and (gap.effect.value is not None or standard_error == "independent"):
            codes.append("ZERO_VARIANCE")
        return SaturationIndex(
            index=None, normalized_gap=None, gap=difference, standard_error=None, top=top, other=other,
            effective_n=size, method=method, n=gap.n, status="undefined", codes=ordered_codes(codes),
        )  # fmt: skip
    ratio = difference / error
    return SaturationIndex(
        index=math.exp(-(ratio**2)),
        normalized_gap=ratio,
        gap=difference,
        standard_error=error,
        top=top,
        other=other,
        effective_n=size,
        method=method,
        n=gap.n,
        status=status_of(codes),
        codes=ordered_codes(codes),
    )


def distinguishable_strata(true_sd: float, sem: float) -> Estimate:
    """Number of levels of ability the benchmark can keep apart: (4G + 1)/3 with G = true_sd/sem.

    `true_sd` = sd of the agents' true scores, `sem` = standard error of measurement, both on one scale; strata
    are three standard errors apart (Wright & Masters 1982). Holds for agents spread as widely as these.

    Raises:
        StatsInputError: negative or infinite values.
    """
    if true_sd != 0:
        true_sd = inside(true_sd, 0, 1e100, "true_sd")
    method = "strata (4 G + 1)/3"
    if sem == 0:
        return Estimate.without_value("undefined", ("ZERO_DENOMINATOR",), method=method, n={})
    sem = inside(sem, 0, 1e100, "sem")
    separation = true_sd / sem
    if not math.isfinite(separation):
        return Estimate.without_value("undefined", ("ZERO_DENOMINATOR",), method=method, n={})
    return Estimate.of((4 * separation + 1) / 3, method=method, n={})
