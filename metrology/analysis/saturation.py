"""How much life is left? Headroom, items that separate nobody, the gap at the top, and how scores grew."""

from __future__ import annotations

import math
from typing import Any

from metrology.analysis.assemble import assemble
from metrology.analysis.base import FIXED_SUITE, TASK_POPULATION, Analysis, Column, Table
from metrology.analysis.blocks import Block, complete_block
from metrology.analysis.figures import population_score
from metrology.analysis.growth import growth_tables
from metrology.analysis.measured import Measured, load
from metrology.analysis.question import Option, Question
from metrology.analysis.request import Request
from metrology.analysis.source import Source
from metrology.analysis.wording import Notices, count, limits, listed, note_of, number, percent, points, reasons
from metrology.errors import InputError
from metrology.stats.cells import Cells
from metrology.stats.reliability import cronbach_alpha, standard_error_of_measurement
from metrology.stats.results import Comparison, SaturationIndex
from metrology.stats.saturation import distinguishable_strata, headroom, saturation_index, top_gap

NAME = "saturation"
TEXT = "How much room is left before the best agents can no longer be told apart?"

SUMMARY_COLUMNS = (
    Column("figure", "figure"),
    Column("label", "what it is"),
    Column("value", "value", "number"),
    Column("low", "low", "number"),
    Column("high", "high", "number"),
    Column("n", "out of", "count"),
    Column("unit", "counted in"),
    Column("note", "note"),
)
SCORE_COLUMNS = (
    Column("agent", "agent"),
    Column("score", "score", "score"),
    Column("low", "low", "score"),
    Column("high", "high", "score"),
    Column("items", "items", "count", "items"),
    Column("coverage", "coverage", "score"),
    Column("control", "control", "flag"),
    Column("note", "note"),
)
DESCRIPTIVE = "descriptive: a count or share of what was measured, no interval"


def analyse(source: Source, request: Request) -> Analysis:
    """Answer from the pool of agents on the items common to them; ``rank`` is the agent the S index compares with."""
    request.check_options(tuple(option.name for option in OPTIONS))
    rank = request.option("rank", int, 5)
    assert rank is not None
    if rank < 2:
        raise InputError(f"rank {rank} is not 2 or more", field="rank", hint="5 is the published choice")
    measured = load(source, request)
    notices = Notices()
    pool = measured.scores.select(agents=measured.pool)
    block = complete_block(pool)
    summary, gap, index = _summary(measured, block, rank, request.level, notices)
    months, growth, spoken = growth_tables(
        source.periods(measured.version.id, measured.chosen_ids), measured, request.level, notices
    )
    _warn(block, notices)
    return assemble(
        NAME,
        TEXT,
        measured,
        request,
        estimand=f"headroom and shares: {FIXED_SUITE}; gap at the top: {TASK_POPULATION}",
        answer=(*_sentences(summary, gap, block), *spoken),
        tables={
            "summary": summary,
            "scores": _scores_table(measured, request.level),
            "months": months,
            "growth": growth,
        },
        notices=notices,
        methods=(gap.method if gap else "", index.method if index else "", "headroom: 1 - best mean of item means"),
        facts={record["figure"]: record["value"] for record in summary.records()},
    )


def _summary(
    measured: Measured, block: Block, rank: int, level: float, notices: Notices
) -> tuple[Table, Comparison | None, SaturationIndex | None]:
    cells = block.cells
    items, agents = len(cells.items), len(cells.agents)
    rows = [_saturated_cells(measured)]
    if not agents or not items:
        notices.add("NOT_ESTIMABLE", "No agent was measured on common items; run a campaign with at least two agents.")
        return Table("Room left", SUMMARY_COLUMNS, tuple(rows)), None, None
    room = headroom(cells)
    why = reasons(room.codes) or DESCRIPTIVE
    described = (
        ("headroom", "room above the best agent", room.headroom, agents, "agents"),
        ("top_score", "score of the best agent", room.top_score, agents, "agents"),
        ("all_pass", "items that every agent always passes", room.all_pass, items, "items"),
        ("all_fail", "items that no agent ever passes", room.all_fail, items, "items"),
        ("ceiling_share", "items with a mean of 90 % or more", room.ceiling_share, items, "items"),
        ("mean_item_variance", "mean p(1-p) of the items (0.25 at most)", room.mean_item_variance, items, "items"),
        ("pairs_separated", "agent pairs that one item separates, on average", room.pairs_separated, items, "items"),
    )
    rows += [(key, label, value, None, None, n, unit, why) for key, label, value, n, unit in described]
    if agents < 2:
        notices.add("TOO_FEW_AGENTS", "One agent: whether agents can be told apart needs at least two.")
        return Table("Room left", SUMMARY_COLUMNS, tuple(rows)), None, None
    gap = top_gap(cells, rank=2, level=level)
    effect = gap.effect
    rows.append(("top_gap", "best minus second agent, paired", effect.value, effect.low, effect.high,
                 items, "items", note_of(effect)))  # fmt: skip
    used = min(rank, agents)
    index = saturation_index(cells, rank=used)
    label = f"S index, best against rank {used}: 1 = not separable (assumes {index.method})"
    note = reasons(index.codes) or "an index without interval; read the gap"
    rows.append(("saturation_index", label, index.index, None, None, items, "items", note))
    rows.append(_strata(cells))
    return Table("Room left", SUMMARY_COLUMNS, tuple(rows)), gap, index


def _saturated_cells(measured: Measured) -> tuple[Any, ...]:
    pool = [measured.labels.index(label) for label in measured.pool]
    n, passed = measured.counts.n[pool], measured.counts.passed[pool]
    label = "agent-item cells in which every trial passed"
    return ("saturated_cells", label, int(((n > 0) & (passed == n)).sum()), None, None,
            int((n > 0).sum()), "cells", DESCRIPTIVE)  # fmt: skip


def _strata(cells: Cells) -> tuple[Any, ...]:
    # Separation G = true sd / standard error = sqrt(alpha / (1 - alpha)), on the scale of the mean score.
    label = "levels of agents that can be told apart"
    alpha, error = cronbach_alpha(cells), standard_error_of_measurement(cells)
    note = reasons((*alpha.codes, *error.codes)) or "no interval; true spread of agents over standard error"
    value = None
    if alpha.value is not None and error.value and 0 < alpha.value < 1:
        true_sd = error.value * math.sqrt(alpha.value / (1 - alpha.value))
        value = distinguishable_strata(true_sd, error.value).value
    elif alpha.value is not None and alpha.value <= 0:
        note = "reliability is not positive: no level is told apart"
    return ("strata", label, value, None, None, len(cells.agents), "agents", note)


def _scores_table(measured: Measured, level: float) -> Table:
    rows = []
    for label, control in zip(measured.labels, measured.controls, strict=True):
        score, coverage = population_score(measured.scores, label, level=level), measured.coverage.of(label)
        note = "planned, not measured" if score.value is None else note_of(score)
        values = (score.value, score.low, score.high, coverage.items_measured, coverage.share)
        rows.append((label, *values, control, note))
    rows.sort(key=lambda row: -(row[1] if row[1] is not None else -1.0))
    return Table("Scores", SCORE_COLUMNS, tuple(rows))


def _warn(block: Block, notices: Notices) -> None:
    common = len(block.cells.items)
    if common < block.items_total or block.agents_left_out:
        left = f", without {listed(block.agents_left_out)}" if block.agents_left_out else ""
        notices.add(
            "COMMON_ITEMS_ONLY",
            f"Headroom and gap use the {count(common, 'common item')} of {block.items_total}{left}.",
        )
    notices.add(
        "LEAKAGE_LOOKS_ALIKE",
        "Items known from training look like saturation; whether high scores are earned is another question.",
    )


def _sentences(summary: Table, gap: Comparison | None, block: Block) -> list[str]:
    if gap is None and not block.cells.agents:
        return ["Nothing was measured that could be saturated."]
    facts = {record["figure"]: record for record in summary.records()}
    items, agents = len(block.cells.items), len(block.cells.agents)
    cells = facts["saturated_cells"]
    lines = []
    if "top_score" in facts and facts["top_score"]["value"] is not None:
        lines.append(
            f"The best agent scores {percent(facts['top_score']['value'])}; {percent(facts['headroom']['value'])} is "
            f"left ({count(agents, 'agent')}, {count(items, 'item')})."
        )
        lines.append(
            f"{facts['all_pass']['value']} of {items} items are always passed by all and {facts['all_fail']['value']} "
            f"never by any; {cells['value']:,} of {count(cells['n'], 'agent-item cell')} are saturated "
            "(every trial passed)."
        )
    if gap is not None:
        effect = gap.effect
        if effect.value is None:
            lines.append(f"The gap between the two best agents is undefined: {note_of(effect)}.")
        else:
            apart = effect.low is not None and effect.low > 0
            verdict = "can be told apart" if apart else "cannot be told apart with these items and trials"
            lines.append(
                f"The two best agents {verdict}: gap {points(effect.value)} {limits(effect.low, effect.high)} "
                f"(paired over {count(items, 'item')})."
            )
        strata = facts.get("strata")
        if strata is not None and strata["value"] is not None:
            lines.append(f"The items separate about {number(strata['value'], 1)} levels of agents.")
    return lines


OPTIONS = (Option("rank", "int", "5", "the S index compares the best agent with the one of this rank"),)
QUESTION = Question(NAME, TEXT, OPTIONS, analyse)
