"""Is A better than B? Paired on common items, with tie groups, and what a difference may be attributed to."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from metrology.analysis.assemble import assemble
from metrology.analysis.base import TASK_POPULATION, Analysis, Column, Table
from metrology.analysis.blocks import Block, complete_block
from metrology.analysis.isolation import Isolating, isolating
from metrology.analysis.measured import Measured, load
from metrology.analysis.pairs import Pair, compare_pair, pairs_table
from metrology.analysis.question import Option, Question
from metrology.analysis.ranking import ranking_table
from metrology.analysis.request import Request
from metrology.analysis.source import Source
from metrology.analysis.wording import Notices, count, limits, listed, percent, points
from metrology.domain.status import Status
from metrology.errors import InputError

NAME = "compare"
TEXT = "Is one agent better than another, and may the difference be put down to the model, the harness or operations?"
MOST_PAIRS = 300
SPOKEN_PAIRS = 5
ENDED_EARLY = (Status.LIMIT_REACHED, Status.AGENT_TIMEOUT, Status.AGENT_ERROR, Status.REFUSED)
MEANING = {
    Status.LIMIT_REACHED: "killed at a limit (memory, steps, tokens, cost, context)",
    Status.AGENT_TIMEOUT: "ran out of time",
    Status.AGENT_ERROR: "the agent crashed",
    Status.REFUSED: "the agent refused",
}


def analyse(source: Source, request: Request) -> Analysis:
    """Answer for ``baseline`` and ``candidate``, or for all pairs of the pool on the items common to all.

    Beyond ``MOST_PAIRS`` pairs every agent is compared with the best one only. Raises InputError when only one of
    the two is named or both are the same, NotFoundError for an agent that was not measured.
    """
    request.check_options(tuple(option.name for option in OPTIONS))
    measured = load(source, request)
    notices = Notices()
    alpha = request.option("alpha", float, 0.05)
    assert alpha is not None
    if not 0 < alpha < 1:
        raise InputError(f"alpha {alpha} is not between 0 and 1", field="alpha", hint="usual is 0.05")
    block = complete_block(measured.scores.select(agents=measured.pool))
    named = _named(measured, request)
    cells = measured.scores if named else block.cells
    chosen = (named,) if named else _all_pairs(block, notices)
    items = len(measured.counts.item_names)
    pairs = [compare_pair(cells, a, b, items=items, level=request.level, seed=request.seed) for a, b in chosen]
    _warn_common(measured, pairs[0] if named else None, block, notices)
    table = pairs_table(measured, pairs)
    steps = isolating(measured, tuple((pair.baseline, pair.candidate) for pair in pairs))
    ranking = ranking_table(measured, block, alpha=alpha, level=request.level, notices=notices)
    return assemble(
        NAME,
        TEXT,
        measured,
        request,
        estimand=TASK_POPULATION,
        answer=_sentences(table, ranking, steps, alpha),
        tables={
            "pairs": table,
            "ranking": ranking,
            "isolating": _isolating_table(steps),
            "limits": limits_table(measured),
        },
        notices=notices,
        methods=(*(pair.comparison.method for pair in pairs[:1]), *(pair.test for pair in pairs), "Holm adjustment"),
        facts={"pairs": len(pairs), "common_items": len(block.cells.items), "items": items, "alpha": alpha},
    )


def limits_table(measured: Measured) -> Table:
    """Return how many measured trials ended early and why: they count, and are not hidden among wrong answers."""
    columns = (
        Column("agent", "agent"),
        Column("status", "ended"),
        Column("meaning", "meaning"),
        Column("trials", "trials", "count", "trials"),
        Column("share", "share of measured trials", "score"),
        Column("note", "note"),
    )
    rows = []
    for label, agent, covered in zip(measured.labels, measured.agents, measured.coverage.agents, strict=True):
        for status in ENDED_EARLY:
            n = measured.statuses.get((agent.id, status), 0)
            if n:
                share = n / covered.measured if covered.measured else None
                note = "" if share is not None else "nothing measured on the items that count"
                rows.append((label, status.value, MEANING[status], n, share, note))
    return Table("Trials that count but ended early", columns, tuple(rows))


def _named(measured: Measured, request: Request) -> tuple[str, str] | None:
    baseline, candidate = request.option("baseline", str), request.option("candidate", str)
    if baseline is None and candidate is None:
        return None
    if baseline is None or candidate is None:
        raise InputError("baseline and candidate belong together", field="baseline", hint="name both or neither")
    pair = measured.find(baseline), measured.find(candidate)
    if pair[0] == pair[1]:
        raise InputError(
            f"{baseline} and {candidate} are the same agent configuration",
            field="candidate",
            hint="their runs are pooled; there is nothing to compare",
        )
    return pair


def _all_pairs(block: Block, notices: Notices) -> tuple[tuple[str, str], ...]:
    means = {label: float(row.mean()) if row.size else 0.0
             for label, row in zip(block.cells.agents, block.cells.mean, strict=True)}  # fmt: skip
    ordered = sorted(means, key=lambda label: -means[label])
    every = tuple((worse, better) for better, worse in combinations(ordered, 2))
    if len(every) <= MOST_PAIRS:
        return every
    notices.add(
        "TOO_MANY_PAIRS",
        f"{len(ordered)} agents make {len(every):,} pairs; each is compared with {ordered[0]} only. "
        "Name a baseline and a candidate, or choose agents, for others.",
    )
    return tuple((label, ordered[0]) for label in ordered[1:])


def _warn_common(measured: Measured, pair: Pair | None, block: Block, notices: Notices) -> None:
    total = len(measured.counts.item_names)
    if pair is not None:
        if pair.common < total:
            notices.add(
                "COMMON_ITEMS_ONLY",
                f"{pair.baseline} and {pair.candidate} are compared on the {count(pair.common, 'item')} measured for "
                f"both, of {total}; the missing ones need not be a random part, so the result speaks for these only.",
            )
    elif len(block.cells.items) < total or block.agents_left_out:
        left = f", without {listed(block.agents_left_out)}" if block.agents_left_out else ""
        notices.add(
            "COMMON_ITEMS_ONLY",
            f"Agents are compared on the {count(len(block.cells.items), 'common item')} of {total}{left}; the missing "
            "ones need not be a random part, so the result speaks for these only.",
        )


def _sentences(table: Table, ranking: Table, steps: Iterable[Isolating], alpha: float) -> tuple[str, ...]:
    lines = []
    records = list(table.records())
    for record in records[:SPOKEN_PAIRS]:
        baseline, candidate = record["baseline"], record["candidate"]
        common = f"{record['common_items']} of {record['items']} items in common"
        if record["difference"] is None:
            lines.append(f"{candidate} against {baseline}: not comparable, {record['note']} ({common}).")
            continue
        p = record["p_adjusted"]
        shown = p is not None and p <= alpha
        what = record["changes"] if len(record["parts"].split(", ")) == 1 else record["attribution"]
        verdict = ("is better than" if record["difference"] > 0 else "is worse than") if shown else (
            "is not shown to differ from"
        )  # fmt: skip
        lines.append(
            f"{candidate} {verdict} {baseline}: {points(record['difference'])} "
            f"{limits(record['low'], record['high'])} ({common}; {_p(p, len(records))}{what})."
        )
    if len(records) > SPOKEN_PAIRS:
        lines.append(f"{len(records) - SPOKEN_PAIRS} more pairs are in the table.")
    if not records:
        lines.append("Fewer than two agents were measured; there is nothing to compare.")
    leaders = [r for r in ranking.records() if r["rank_group"] == 1]
    if len(leaders) > 1:
        names = listed(f"{r['agent']} ({percent(r['score'])})" for r in leaders)
        lines.append(f"At the top {len(leaders)} agents are not separable: {names}.")
    offered = [f"{step.baseline} - {step.candidate} ({step.part})" for step in steps]
    if offered:
        lines.append(f"Comparisons that change one part only: {listed(offered, 8)}.")
    return tuple(lines)


def _p(p: float | None, pairs: int) -> str:
    if p is None:
        return ""
    text = "p < .001" if p < 0.001 else f"p {p:.3f}"
    return f"{text} after Holm over {pairs} pairs; " if pairs > 1 else f"{text}; "


def _isolating_table(steps: Iterable[Isolating]) -> Table:
    columns = (
        Column("part", "part that changes"),
        Column("baseline", "baseline"),
        Column("candidate", "candidate"),
        Column("change", "what changes"),
    )
    rows = tuple((step.part, step.baseline, step.candidate, step.change) for step in steps)
    return Table("Comparisons that isolate one part", columns, rows)


OPTIONS = (
    Option("baseline", "text", "", "the agent to compare with (with candidate; without both: all pairs)"),
    Option("candidate", "text", "", "the agent that is compared"),
    Option("alpha", "float", "0.05", "error rate over all pairs"),
)
QUESTION = Question(NAME, TEXT, OPTIONS, analyse)
