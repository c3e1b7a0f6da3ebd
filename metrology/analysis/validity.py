"""Does the score predict production? Correlation with outcomes, its interval, its influence points, its ceiling."""

from __future__ import annotations

from typing import Any

from metrology.analysis.assemble import assemble
from metrology.analysis.base import TASK_POPULATION, Analysis, Column, Table
from metrology.analysis.blocks import complete_block
from metrology.analysis.figures import population_score
from metrology.analysis.measured import Measured, load
from metrology.analysis.outcomes import OutcomeGroup, group_outcomes, vendor
from metrology.analysis.question import Option, Question
from metrology.analysis.relation import Relation, relate
from metrology.analysis.request import Request
from metrology.analysis.source import Source
from metrology.analysis.wording import Notices, bracket, count, listed, note_of, number, reasons
from metrology.domain.agent import AgentConfiguration
from metrology.errors import NotFoundError
from metrology.stats.cells import Cells
from metrology.stats.results import Estimate

NAME = "validity"
TEXT = "Do the scores say something about production?"

CORRELATION_COLUMNS = (
    Column("measure", "measure"),
    Column("segment", "segment"),
    Column("method", "method"),
    Column("value", "correlation", "number"),
    Column("low", "low", "number"),
    Column("high", "high", "number"),
    Column("p", "p", "probability"),
    Column("p_permutation", "p, permutation", "probability"),
    Column("agents", "agents", "count", "agents"),
    Column("families", "vendors", "count", "vendors"),
    Column("loo_low", "lowest without one agent", "number"),
    Column("loo_high", "highest without one agent", "number"),
    Column("carrier", "agent with most influence"),
    Column("ceiling", "ceiling set by reliability", "number"),
    Column("corrected", "corrected for unreliability", "number"),
    Column("note", "note"),
)
PAIR_COLUMNS = (
    Column("measure", "measure"),
    Column("segment", "segment"),
    Column("agent", "agent"),
    Column("family", "vendor"),
    Column("score", "score", "number"),
    Column("score_low", "low", "number"),
    Column("score_high", "high", "number"),
    Column("outcome", "outcome", "number"),
    Column("outcome_n", "cases", "count", "cases"),
    Column("censored", "cases still open", "flag"),
    Column("joined_by", "joined by"),
    Column("note", "note"),
)


def analyse(source: Source, request: Request) -> Analysis:
    """Answer for every outcome measure and segment, or those named.

    ``predictor`` replaces the benchmark's score by another recorded measure. Raises NotFoundError when there is no
    outcome, or none of that name.
    """
    request.check_options(tuple(option.name for option in OPTIONS))
    measured = load(source, request)
    notices = Notices()
    measure, segment = request.option("measure", str), request.option("segment", str)
    outcomes = source.outcomes(measure, segment)
    if not outcomes:
        wanted = " ".join(text for text in (measure, segment) if text)
        raise NotFoundError(
            f"no production outcome {wanted}".rstrip(), hint="import one: metrology outcomes import FILE"
        )
    predictor = request.option("predictor", str)
    scores, cells = _scores(source, measured, request, predictor, notices)
    relations = [
        relate(group, scores, cells, measured, level=request.level, seed=request.seed)
        for group in group_outcomes(outcomes, measured)
        if group.measure != predictor
    ]
    _warn(measured, relations, notices)
    return assemble(
        NAME,
        TEXT,
        measured,
        request,
        estimand=f"{TASK_POPULATION}; agents: those with both a score and an outcome",
        answer=tuple(line for relation in relations for line in _sentences(relation)),
        tables={
            "correlations": _correlations_table(relations),
            "pairs": _pairs_table(relations, scores, measured),
            "left_out": _left_out([relation.group for relation in relations]),
        },
        notices=notices,
        methods=tuple(correlation.method for relation in relations for correlation in relation.correlations),
        facts={"measures": len(relations), "predictor": predictor, "item": request.options.get("item")},
    )


def _scores(
    source: Source, measured: Measured, request: Request, predictor: str | None, notices: Notices
) -> tuple[dict[str, Estimate], Cells | None]:
    if predictor is not None:
        groups = group_outcomes(source.outcomes(predictor, None), measured)
        if not groups:
            raise NotFoundError(f"no recorded measure {predictor!r}", hint="metrology outcomes lists measures")
        values = {
            row.label: Estimate.of(row.value, method=predictor, n={"cases": row.n or 0}, codes=())
            for row in groups[0].joined
        }
        return values, None
    cells = measured.scores.select(agents=measured.pool)
    item = request.option("item", str)
    if item is not None:
        if item not in cells.items:
            raise NotFoundError(f"{measured.version.benchmark} has no counted item {item!r}", hint="see analyze items")
        cells = cells.select(items=[item])
        measured_on = [agent for agent, n in zip(cells.agents, cells.n[:, 0], strict=True) if n]
        cells = cells.select(agents=measured_on)
    block = complete_block(cells)
    if block.agents_left_out:
        notices.add(
            "DIFFERENT_ITEMS",
            "Agents were measured on different items with too few in common; each score is over the agent's own items.",
        )
    elif len(block.cells.items) < block.items_total:
        cells = block.cells
        notices.add(
            "COMMON_ITEMS_ONLY",
            f"Scores are over the {count(len(cells.items), 'item')} of {block.items_total} common to all agents.",
        )
    return {label: population_score(cells, label, level=request.level) for label in cells.agents}, cells


def _correlations_table(relations: list[Relation]) -> Table:
    rows = []
    for relation in relations:
        group = relation.group
        for correlation, left in zip(relation.correlations, relation.leave_one_out, strict=True):
            estimate = correlation.estimate
            pearson = correlation is relation.correlations[0]
            notes = [note_of(estimate), relation.ceiling_note if pearson else ""]
            if left.low is None:
                notes.append(f"without one agent: {reasons(left.codes) or 'undefined'}")
            if correlation.p is None or correlation.p_permutation is None:
                notes.append("a p value is not defined")
            if not pearson:
                notes.append("ceiling and correction: see Pearson")
            rows.append(
                (
                    group.measure,
                    group.segment,
                    "Pearson" if pearson else "Spearman",
                    estimate.value,
                    estimate.low,
                    estimate.high,
                    correlation.p,
                    correlation.p_permutation,
                    len(group.joined),
                    relation.vendors,
                    left.low,
                    left.high,
                    relation.carrier if pearson else "",
                    relation.ceiling if pearson else None,
                    relation.corrected if pearson else None,
                    "; ".join(note for note in notes if note) or "corrected: no reliability known",
                )
            )
    return Table("Correlation of scores with outcomes", CORRELATION_COLUMNS, tuple(rows))


def _pairs_table(relations: list[Relation], scores: dict[str, Estimate], measured: Measured) -> Table:
    rows: list[tuple[Any, ...]] = []
    for relation in relations:
        group = relation.group
        for row in group.joined:
            score = scores.get(row.label)
            notes = [note_of(score) if score else "no score"]
            notes.append("" if row.n else "number of cases not given")
            notes.append("cases still open: may yet move" if row.censored else "")
            rows.append(
                (
                    group.measure,
                    group.segment,
                    row.label,
                    vendor(measured, row.label),
                    score.value if score else None,
                    score.low if score else None,
                    score.high if score else None,
                    row.value,
                    row.n,
                    row.censored,
                    row.joined_by,
                    "; ".join(note for note in notes if note),
                )
            )
    return Table("Agents with a score and an outcome", PAIR_COLUMNS, tuple(rows))


def _left_out(groups: list[OutcomeGroup]) -> Table:
    columns = (
        Column("measure", "measure"),
        Column("segment", "segment"),
        Column("agent", "agent"),
        Column("reason", "reason"),
    )
    rows = tuple((group.measure, group.segment, agent, reason) for group in groups for agent, reason in group.left_out)
    return Table("Left out", columns, rows)


def _warn(measured: Measured, relations: list[Relation], notices: Notices) -> None:
    joined = {row.label for relation in relations for row in relation.group.joined}
    if joined:
        configurations = [measured.reference(label).configuration for label in sorted(joined)]
        harnesses = sorted({_harness(c) for c in configurations})
        notices.add(
            "PRODUCTION_CONFIGURATION_UNKNOWN",
            f"Outcomes name an agent, not harness and operations; the scores were measured with {listed(harnesses)}. "
            "If production runs another harness or other limits, the relation mixes that in.",
        )
        if len(harnesses) > 1:
            notices.add(
                "SEVERAL_HARNESSES",
                f"The agents were measured with {count(len(harnesses), 'harness', 'harnesses')}; the relation mixes "
                "models and harnesses.",
            )
    for relation in relations:
        agents = len(relation.group.joined)
        if relation.vendors is not None and relation.vendors < agents:
            notices.add(
                "CLUSTERED_AGENTS",
                f"{relation.group.measure}: {agents} agents come from {count(relation.vendors, 'vendor')}; agents of "
                "one vendor are related, so the interval is narrower than it should be.",
            )
        if agents < 12:
            notices.add(
                "FEW_AGENTS",
                f"{relation.group.measure}: {count(agents, 'agent')} with both figures; at 12 agents an interval is "
                "still about 0.8 wide, 30 or more settle it.",
            )


def _harness(configuration: AgentConfiguration) -> str:
    harness = configuration.harness
    return next((str(harness[key]) for key in ("name", "program", "kind") if harness.get(key)), "an unnamed harness")


def _p(p: float | None) -> str:
    if p is None:
        return "no permutation p"
    return "permutation p < .001" if p < 0.001 else f"permutation p {p:.3f}"


def _sentences(relation: Relation) -> list[str]:
    group, (pearson, spearman) = relation.group, relation.correlations
    name = f"{group.measure}{f' ({group.segment})' if group.segment else ''}"
    agents = len(group.joined)
    left = listed(f"{agent}: {reason}" for agent, reason in group.left_out)
    tail = f" Left out: {left}." if left else ""
    value = pearson.estimate
    if value.value is None:
        return [f"{name}: no correlation from {count(agents, 'agent')}: {note_of(value)}.{tail}"]
    lines = [
        f"{name}: Pearson {number(value.value)} {bracket(value.low, value.high)}, Spearman "
        f"{number(spearman.estimate.value)} {bracket(spearman.estimate.low, spearman.estimate.high)} over "
        f"{count(agents, 'agent')}; {_p(pearson.p_permutation)}.{tail}"
    ]
    influence = relation.leave_one_out[0]
    if influence.low is not None and influence.high is not None:
        lines.append(
            f"Without any one agent Pearson lies between {number(influence.low)} and {number(influence.high)}."
        )
    if relation.carrier and relation.carried:
        without = relation.without_carrier
        lines.append(
            f"{relation.carrier} carries the relation: without it Pearson is {number(without.value)} "
            f"{bracket(without.low, without.high)}, and the others do not show one."
        )
    elif value.low is not None and value.high is not None and value.low <= 0 <= value.high:
        lines.append("These agents do not show a relation; that is not the same as showing that there is none.")
    if relation.ceiling is not None:
        lines.append(
            f"Unreliability alone keeps the correlation below {number(relation.ceiling)} ({relation.ceiling_note})."
        )
    return lines


OPTIONS = (
    Option("measure", "text", "", "only this outcome measure"),
    Option("segment", "text", "", "only this segment"),
    Option("item", "text", "", "the score on this item only"),
    Option("predictor", "text", "", "a recorded measure to use in place of the benchmark's score"),
)
QUESTION = Question(NAME, TEXT, OPTIONS, analyse)
