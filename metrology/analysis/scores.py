"""Score of each agent under both estimands, with coverage and the bracket that missing trials leave open."""

from __future__ import annotations

from collections import Counter

from metrology.analysis.base import Column, Table
from metrology.analysis.blocks import items_where
from metrology.analysis.figures import population_score
from metrology.analysis.measured import Measured
from metrology.analysis.wording import note_of
from metrology.domain.status import WITH_VERDICT
from metrology.stats.attempts import task_variation
from metrology.stats.errorbars import agent_score

ONE_TRIAL = "trial noise: not estimable with one trial"

AGENT_COLUMNS = (
    Column("agent", "agent"),
    Column("control", "control", "flag"),
    Column("score", "score", "score"),
    Column("low_population", "low, task population", "score"),
    Column("high_population", "high, task population", "score"),
    Column("low_fixed", "low, fixed suite", "score"),
    Column("high_fixed", "high, fixed suite", "score"),
    Column("items", "items", "count", "items"),
    Column("trials", "most trials per item", "count", "trials"),
    Column("measured", "measured", "count", "trials"),
    Column("planned", "planned", "count", "trials"),
    Column("coverage", "coverage", "score"),
    Column("lowest_possible", "lowest possible", "score"),
    Column("highest_possible", "highest possible", "score"),
    Column("pass_rate_pooled", "pass rate over all trials", "score"),
    Column("trial_noise", "variance between trials of one item", "number"),
    Column("flaky_share", "repeated items that pass sometimes", "score"),
    Column("eligible", "may be ranked", "flag"),
    Column("note", "note"),
)


def agents_table(measured: Measured, level: float) -> Table:
    """Return one row per agent.

    ``lowest_possible`` and ``highest_possible`` are the pooled score over planned trials if every missing trial had
    scored 0 or 1. ``flaky_share`` is a lower bound that grows with the number of trials.
    """
    counts = measured.counts
    rows = []
    for i, label in enumerate(measured.labels):
        coverage = measured.coverage.of(label)
        n, total = int(counts.n[i].sum()), float(counts.total[i].sum())
        planned, trials = coverage.planned, int(counts.n[i].max(initial=0))
        population = population_score(measured.scores, label, level=level)
        fixed = agent_score(measured.scores, label, universe="fixed", level=level) if trials > 1 else None
        repeated = items_where(measured.passes.select(agents=[label]), counts.n[i] > 1)
        variation = task_variation(repeated, label) if trials > 1 else None
        notes = [f"task population: {note_of(population)}" if note_of(population) else ""]
        if trials <= 1:
            notes.append(ONE_TRIAL if n else "")
        else:
            notes.append(f"fixed suite: {note_of(fixed)}" if fixed and note_of(fixed) else "")
        if not n:
            notes = ["planned, not measured"]
        rows.append(
            (
                label,
                measured.controls[i],
                population.value,
                population.low,
                population.high,
                fixed.low if fixed else None,
                fixed.high if fixed else None,
                coverage.items_measured,
                trials,
                n,
                planned,
                coverage.share,
                total / planned if planned else None,
                (total + planned - n) / planned if planned else None,
                float(counts.passed[i].sum()) / n if n else None,
                variation.within if variation else None,
                variation.flaky_share if variation else None,
                measured.eligible(label) and not measured.controls[i],
                "; ".join(note for note in notes if note),
            )
        )
    return Table("Scores, with what the missing trials leave open", AGENT_COLUMNS, tuple(rows))


def missing_table(measured: Measured) -> Table:
    """Return trials without a verdict, by agent and kind; trials not yet finished are a kind of their own."""
    columns = (Column("agent", "agent"), Column("status", "kind"), Column("trials", "trials", "count", "trials"))
    rows = []
    for label, agent, row in zip(measured.labels, measured.agents, measured.coverage.agents, strict=True):
        kinds = Counter(
            {
                status.value: n
                for (agent_id, status), n in measured.statuses.items()
                if agent_id == agent.id and status not in WITH_VERDICT and n
            }
        )
        rows += [(label, kind, n) for kind, n in sorted(kinds.items())]
        pending = row.planned - row.measured - sum(kinds.values())
        if pending > 0:
            rows.append((label, "no result stored", pending))
    return Table("Trials without a verdict", columns, tuple(rows))


def unmeasured_table(measured: Measured) -> Table:
    """Return items that were planned for an agent and never measured: they stay in the denominator."""
    columns = (
        Column("agent", "agent"),
        Column("item", "item"),
        Column("planned", "planned", "count", "trials"),
        Column("note", "note"),
    )
    counts = measured.counts
    rows = [
        (label, counts.item_names[j], int(counts.planned[i, j]), "planned, not measured")
        for i, label in enumerate(measured.labels)
        for j in ((counts.planned[i] > 0) & (counts.n[i] == 0)).nonzero()[0]
    ]
    return Table("Items planned but not measured", columns, tuple(rows))
