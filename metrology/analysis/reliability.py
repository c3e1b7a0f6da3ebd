"""Would it repeat? Scores under both estimands, repeats, variance split, and what another plan would give."""

from __future__ import annotations

from metrology.analysis.assemble import assemble
from metrology.analysis.base import BOTH_ESTIMANDS, Analysis, Table
from metrology.analysis.blocks import items_where
from metrology.analysis.measured import Measured, load
from metrology.analysis.question import Option, Question
from metrology.analysis.repeats import CONVENTIONS, attempts_by_item, attempts_table
from metrology.analysis.request import Request
from metrology.analysis.scores import agents_table, missing_table, unmeasured_table
from metrology.analysis.source import Source
from metrology.analysis.variance import VarianceAnswer, parse_plans, split
from metrology.analysis.wording import Notices, count, listed, number, percent, share_limits
from metrology.errors import InputError
from metrology.stats.cells import Cells
from metrology.stats.generalizability import optimal_trials

NAME = "reliability"
TEXT = "Would the scores and the order of the agents come out again?"
SPOKEN_AGENTS = 5
WORTH_SAYING = 0.01


def analyse(source: Source, request: Request) -> Analysis:
    """Answer with scores under both estimands, pass@k and pass^k, the variance split and plans.

    The pool of the variance split leaves out controls and unmeasured items and agents. ANOVA when balanced, else REML.
    """
    request.check_options(tuple(option.name for option in OPTIONS))
    measured = load(source, request)
    notices = Notices()
    plans = parse_plans(request.options.get("plans"))
    tables = {
        "agents": agents_table(measured, request.level),
        "attempts": attempts_table(measured, request.level, notices),
        "missing": missing_table(measured),
        "unmeasured": unmeasured_table(measured),
    }
    variance = split(_pool_cells(measured), plans, request.level, notices)
    tables |= variance.tables
    k = request.option("k", int)
    if k is not None:
        if k < 1:
            raise InputError(f"k = {k} is not 1 or more", field="k")
        tables["attempts_by_item"] = attempts_by_item(measured, k)
    _warn_unmeasured(tables["unmeasured"], notices)
    components = variance.components
    cheapest, spoken = _cheapest(request, variance)
    answer = (*_score_sentences(tables), *variance.sentences, *_plan_sentence(tables["plans"]), *spoken)
    return assemble(
        NAME,
        TEXT,
        measured,
        request,
        estimand=BOTH_ESTIMANDS,
        answer=answer,
        tables=tables,
        notices=notices,
        methods=(
            "agent score: mean of item means, CR2 t over families (items where families are unknown)",
            CONVENTIONS,
            components.method if components else "",
            components.generalizability.method if components else "",
        ),
        facts={
            "generalizability": components.generalizability.value if components else None,
            "dependability": components.dependability.value if components else None,
            "trials_per_cell": variance.trials,
            "balanced": variance.balanced,
            "method": components.method if components else None,
            "refusal": variance.refusal,
            "optimal_trials": cheapest,
        },
    )


def _pool_cells(measured: Measured) -> Cells:
    cells = measured.scores.select(agents=measured.pool)
    return items_where(cells, (cells.n > 0).any(axis=0))


def _warn_unmeasured(table: Table, notices: Notices) -> None:
    if table.rows:
        names = listed(f"{record['item']} ({record['agent']})" for record in table.records())
        notices.add(
            "ITEMS_UNMEASURED",
            f"{count(len(table.rows), 'planned cell')} never measured, still in the denominator: {names}.",
        )


def _score_sentences(tables: dict[str, Table]) -> list[str]:
    lines = []
    records = list(tables["agents"].records())
    for record in sorted(records, key=lambda r: -(r["score"] if r["score"] is not None else -1))[:SPOKEN_AGENTS]:
        agent = record["agent"]
        if record["score"] is None:
            lines.append(f"{agent}: planned on {count(record['planned'], 'trial')}, none measured.")
            continue
        text = (
            f"{agent}: {percent(record['score'])} "
            f"{share_limits(record['low_population'], record['high_population'])} for tasks like these, "
            f"{share_limits(record['low_fixed'], record['high_fixed'])} on these very items "
            f"({count(record['items'], 'item')}, {record['measured']} of {record['planned']} trials measured"
        )
        if record["measured"] < record["planned"]:
            text += (
                f"; between {percent(record['lowest_possible'])} and {percent(record['highest_possible'])} whatever "
                "the missing trials had given"
            )
        lines.append(f"{text}). {_repeat_sentence(tables['attempts'], agent, record['trials'])}")
    if len(records) > SPOKEN_AGENTS:
        lines.append(f"{len(records) - SPOKEN_AGENTS} more agents are in the table.")
    return lines


def _repeat_sentence(attempts: Table, agent: str, trials: int) -> str:
    if trials <= 1:
        return "Whether it would repeat is not estimable with one trial."
    row = attempts.find(agent=agent, k=trials)
    return (
        f"Of {trials} tries at least one passes: {percent(row['pass_at_k'])}, all pass: {percent(row['pass_hat_k'])} "
        f"({row['items_used']} of {row['items_planned']} items)."
    )


def _plan_sentence(plans: Table) -> list[str]:
    known = [r for r in plans.records() if r["universe"] == "items" and r["generalizability"] is not None]
    if len(known) < 2:
        return []
    now, best = known[0], max(known, key=lambda r: r["generalizability"])
    if best["generalizability"] < now["generalizability"] + WORTH_SAYING:
        return []
    return [
        f"{best['items']} items x {count(best['trials'], 'trial')} would reach {number(best['generalizability'])}, "
        f"against {number(now['generalizability'])} with {now['items']} x {now['trials']}."
    ]


def _cheapest(request: Request, variance: VarianceAnswer) -> tuple[float | None, list[str]]:
    item, run = request.option("cost_per_item", float), request.option("cost_per_run", float)
    if item is None or run is None or variance.components is None:
        return None, []
    if item <= 0 or run <= 0:
        raise InputError("costs must be positive", field="cost_per_item" if item <= 0 else "cost_per_run")
    best = optimal_trials(variance.components, cost_per_item=item, cost_per_run=run)
    if best.value is None:
        return None, ["The cheapest number of trials is not estimable from these data."]
    return best.value, [f"At {item:g} per new item and {run:g} per run, {best.value:.1f} trials per item are cheapest."]


OPTIONS = (
    Option("k", "int", "", "adds pass@k and pass^k of every item at this k"),
    Option("plans", "list", "", "plans to look at, ITEMSxTRIALS: 12x4,24x2"),
    Option("cost_per_item", "float", "", "cost of one more item (with cost_per_run: the cheapest trials per item)"),
    Option("cost_per_run", "float", "", "cost of one more run"),
)
QUESTION = Question(NAME, TEXT, OPTIONS, analyse)
