"""Two agents on the items both were measured on: difference, test, flipped items, what the difference is due to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrology.analysis.base import Column, Table
from metrology.analysis.blocks import items_where
from metrology.analysis.isolation import differs
from metrology.analysis.measured import Measured
from metrology.analysis.wording import note_of
from metrology.stats.cells import Cells
from metrology.stats.compare import adjust_p_values, mcnemar, paired_difference, sign_flip_test
from metrology.stats.results import Comparison

FEW_FAMILIES = 10

COLUMNS = (
    Column("baseline", "baseline"),
    Column("candidate", "candidate"),
    Column("baseline_score", "baseline score", "score"),
    Column("candidate_score", "candidate score", "score"),
    Column("difference", "candidate - baseline", "difference"),
    Column("low", "low", "difference"),
    Column("high", "high", "difference"),
    Column("p", "p", "probability"),
    Column("p_adjusted", "p, Holm over all pairs", "probability"),
    Column("test", "test of p"),
    Column("common_items", "common items", "count", "items"),
    Column("items", "items", "count", "items"),
    Column("only_baseline_better", "items where the baseline is better", "count", "items"),
    Column("only_candidate_better", "items where the candidate is better", "count", "items"),
    Column("parts", "parts that differ"),
    Column("attribution", "shows"),
    Column("changes", "what differs"),
    Column("note", "note"),
)


@dataclass(frozen=True)
class Pair:
    """One comparison; ``common`` of ``items`` items were measured for both."""

    baseline: str
    candidate: str
    comparison: Comparison
    p: float | None
    test: str
    common: int
    items: int
    baseline_better: int
    candidate_better: int


def compare_pair(cells: Cells, baseline: str, candidate: str, *, items: int, level: float, seed: int) -> Pair:
    """Return the paired comparison on the common items of ``cells``.

    p by McNemar mid-p for one verdict per item without families, by sign flips of whole families below
    ``FEW_FAMILIES``, else from the CR2 t.
    """
    both = cells.select(agents=[baseline, candidate])
    common = items_where(both, (both.n > 0).all(axis=0))
    comparison = paired_difference(common, baseline, candidate, level=level)
    gaps = common.mean[1] - common.mean[0]
    first, second = int((gaps < 0).sum()), int((gaps > 0).sum())
    families = common.families
    p, test = comparison.p, comparison.method
    if len(common.items) and families is None and common.binary and common.n.max() == 1:
        exact = mcnemar(first, second, level=level)
        p, test = exact.p, exact.method
    elif families is not None and 1 < len(set(families)) < FEW_FAMILIES:
        flipped = sign_flip_test(gaps, np.array(families), seed=seed)
        p, test = flipped.p, flipped.method
    return Pair(baseline, candidate, comparison, p, test, len(common.items), items, first, second)


def pairs_table(measured: Measured, pairs: list[Pair]) -> Table:
    """Return the comparisons with p adjusted over all of them (Holm)."""
    adjusted = adjust_p_values([pair.p for pair in pairs]) if pairs else ()
    rows = []
    for pair, p_adjusted in zip(pairs, adjusted, strict=True):
        comparison, effect = pair.comparison, pair.comparison.effect
        due = differs(measured, pair.baseline, pair.candidate)
        note = note_of(effect)
        if not pair.common:
            note = "no common items"
        rows.append(
            (
                pair.baseline,
                pair.candidate,
                comparison.baseline.value if comparison.baseline else None,
                comparison.candidate.value if comparison.candidate else None,
                effect.value,
                effect.low,
                effect.high,
                pair.p,
                p_adjusted,
                pair.test,
                pair.common,
                pair.items,
                pair.baseline_better,
                pair.candidate_better,
                ", ".join(due.parts),
                due.attribution,
                due.describe(),
                note or ("no test is defined for these data" if pair.p is None else ""),
            )
        )
    return Table("Differences on the items measured for both", COLUMNS, tuple(rows))
