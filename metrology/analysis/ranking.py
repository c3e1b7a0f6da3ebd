"""Order of the agents in tie groups: inside a group nobody is shown to be better."""

from __future__ import annotations

from typing import Any

from metrology.analysis.base import Column, Table
from metrology.analysis.blocks import Block
from metrology.analysis.figures import population_score
from metrology.analysis.measured import Measured
from metrology.analysis.wording import Notices, note_of
from metrology.stats.compare import tie_groups

MOST_AGENTS = 40

COLUMNS = (
    Column("rank_group", "tie group", "count"),
    Column("agent", "agent"),
    Column("score", "score", "score"),
    Column("low", "low", "score"),
    Column("high", "high", "score"),
    Column("items", "items", "count", "items"),
    Column("coverage", "coverage", "score"),
    Column("eligible", "may be ranked", "flag"),
    Column("note", "note"),
)


def ranking_table(measured: Measured, block: Block, *, alpha: float, level: float, notices: Notices) -> Table:
    """Return the agents by tie group on the items common to all of them; those with low coverage have no group.

    With more than ``MOST_AGENTS`` agents no groups are formed (all pairs would have to be tested) and it is said.
    """
    eligible = [label for label in block.cells.agents if measured.eligible(label)]
    groups: dict[str, int] = {}
    reason = ""
    if len(eligible) > MOST_AGENTS:
        pairs = len(eligible) * (len(eligible) - 1) // 2
        reason = f"no tie groups: {len(eligible)} agents make {pairs:,} pairs; choose at most {MOST_AGENTS} agents"
        notices.add("TOO_MANY_PAIRS", f"Agents are ordered by score only, {reason}.")
    elif len(block.cells.items) and len(eligible) > 1:
        for position, members in enumerate(tie_groups(block.cells.select(agents=eligible), alpha=alpha), start=1):
            groups |= dict.fromkeys(members, position)
    rows = []
    for label in measured.labels:
        inside = label in block.cells.agents
        score = population_score(block.cells if inside else measured.scores, label, level=level)
        notes = [_reason(measured, label, inside) or ("" if label in groups else reason or "a single agent: no group")]
        notes.append(note_of(score))
        items = int(score.n.get("items", 0))
        values = (score.value, score.low, score.high, items, measured.coverage.of(label).share)
        note = "; ".join(text for text in notes if text)
        rows.append((groups.get(label), label, *values, label in groups, note))
    return Table("Order, with tie groups", COLUMNS, tuple(sorted(rows, key=_order)))


def _reason(measured: Measured, label: str, inside: bool) -> str:
    if measured.controls[measured.labels.index(label)]:
        return "not ranked: checks the instrument"
    if not measured.eligible(label):
        return "not ranked: low coverage"
    return "" if inside else "not ranked: too few items in common with the others"


def _order(row: tuple[Any, ...]) -> tuple[bool, float, str]:
    unranked = row[0] is None and not str(row[-1]).startswith("no tie groups")
    return unranked, -(row[2] if row[2] is not None else -1.0), row[1]
