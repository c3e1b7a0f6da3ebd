"""Which items measure? Difficulty, discrimination with its interval, suspects and constant items."""

from __future__ import annotations

from metrology.analysis.assemble import assemble
from metrology.analysis.base import TASK_POPULATION, Analysis, Column, Table
from metrology.analysis.blocks import Block, complete_block
from metrology.analysis.measured import Measured, load
from metrology.analysis.question import Question
from metrology.analysis.request import Request
from metrology.analysis.source import Source
from metrology.analysis.wording import Notices, bracket, count, listed, note_of, number
from metrology.stats.items import item_table
from metrology.stats.results import ItemRow, ItemTable

NAME = "items"
TEXT = "Which items tell better agents from worse ones, and which should be looked at?"
FEW_AGENTS = 30

COLUMNS = (
    Column("item", "item"),
    Column("family", "family"),
    Column("difficulty", "mean score", "score"),
    Column("difficulty_low", "low", "score"),
    Column("difficulty_high", "high", "score"),
    Column("item_rest", "item-rest r", "number"),
    Column("item_rest_low", "low", "number"),
    Column("item_rest_high", "high", "number"),
    Column("alpha_if_deleted", "alpha without it", "number"),
    Column("agents", "agents", "count", "agents"),
    Column("trials", "trials", "count", "trials"),
    Column("class", "class"),
    Column("note", "note"),
)


def analyse(source: Source, request: Request) -> Analysis:
    """Answer from the pool of agents (controls left out).

    Difficulty uses every agent measured on the item; discrimination and alpha use the complete block of agents and
    items, because both need the full matrix.
    """
    request.check_options(())
    measured = load(source, request)
    notices = Notices()
    cells = measured.scores.select(agents=measured.pool)
    block = complete_block(cells)
    whole = item_table(cells, level=request.level)
    ranked = whole if cells.full else item_table(block.cells, level=request.level)
    table = _items_table(measured, whole, ranked)
    by_class = {
        name: [record for record in table.records() if record["class"] == name] for name in ("suspect", "constant")
    }
    _warn(block, len(measured.pool), notices)
    alpha = ranked.alpha
    return assemble(
        NAME,
        TEXT,
        measured,
        request,
        estimand=TASK_POPULATION,
        answer=_sentences(block, ranked, by_class),
        tables={
            "items": table,
            "suspects": Table(
                "Suspects: stronger agents do worse on them; look at key, scorer and wording",
                table.columns,
                tuple(row for row in table.rows if row[table.keys.index("class")] == "suspect"),
            ),
            "left_out": _left_out(measured),
        },
        notices=notices,
        methods=("difficulty: mean score over agents", "item-rest r, Fisher z interval", alpha.method),
        facts={
            "alpha": alpha.value,
            "alpha_low": alpha.low,
            "alpha_high": alpha.high,
            "constant_items": len(by_class["constant"]),
            "suspects": len(by_class["suspect"]),
            "agents_used": len(block.cells.agents),
            "items_used": len(block.cells.items),
        },
    )


def _items_table(measured: Measured, whole: ItemTable, ranked: ItemTable) -> Table:
    families = dict(zip(measured.counts.item_names, measured.counts.families, strict=True))
    pool = [measured.labels.index(label) for label in measured.pool]
    trials = dict(zip(measured.counts.item_names, measured.counts.n[pool].sum(axis=0).tolist(), strict=True))
    rests = {row.item: row for row in ranked.items}
    rows = []
    for row in whole.items:
        rest = rests.get(row.item)
        difficulty, relation = row.difficulty, rest.item_rest if rest else None
        kind, note = _judged(row, rest)
        if rest is not None and rest.alpha_if_deleted is None and not note:
            note = "alpha without it: undefined for these data"
        rows.append(
            (
                row.item,
                families[row.item],
                difficulty.value,
                difficulty.low,
                difficulty.high,
                relation.value if relation else None,
                relation.low if relation else None,
                relation.high if relation else None,
                rest.alpha_if_deleted if rest else None,
                int(difficulty.n.get("agents", 0)),
                int(trials[row.item]),
                kind,
                note,
            )
        )
    return Table("Items", COLUMNS, tuple(rows))


def _judged(row: ItemRow, rest: ItemRow | None) -> tuple[str, str]:
    if row.difficulty.value is None:
        return "unmeasured", "planned, not measured"
    if rest is None:
        return "not ranked", "not measured by all agents of the block; no discrimination"
    relation = rest.item_rest
    notes = [text for text in (note_of(row.difficulty, relation),) if text]
    if "CONSTANT_ITEM" in relation.codes:
        return "constant", "; ".join(notes)
    if relation.value is not None and relation.value < 0:
        sure = relation.high is not None and relation.high < 0
        notes.append("the interval excludes 0" if sure else "the interval includes 0: may be chance")
        return "suspect", "; ".join(notes)
    return ("ok" if relation.value is not None else "not ranked"), "; ".join(notes)


def _left_out(measured: Measured) -> Table:
    columns = (Column("item", "item"), Column("state", "state"))
    rows = tuple((item.name, str(item.state)) for item in measured.items_left_out)
    return Table("Items that do not count", columns, rows)


def _warn(block: Block, pool: int, notices: Notices) -> None:
    if pool <= FEW_AGENTS:
        notices.add(
            "FEW_AGENTS",
            f"{count(pool, 'agent')}: order the items by discrimination, but cut none by it; with {FEW_AGENTS} agents "
            "or fewer good items show a negative value by chance. More than 100 agents would settle it.",
        )
    if block.agents_left_out or len(block.cells.items) < block.items_total:
        left = f" without {listed(block.agents_left_out)}" if block.agents_left_out else ""
        notices.add(
            "INCOMPLETE_MATRIX",
            f"Discrimination uses the {count(len(block.cells.items), 'item')} of {block.items_total} that all "
            f"{count(len(block.cells.agents), 'agent')} of the block were measured on{left}; it speaks for these only.",
        )


def _sentences(block: Block, ranked: ItemTable, by_class: dict[str, list[dict[str, object]]]) -> tuple[str, ...]:
    agents, items = len(block.cells.agents), len(block.cells.items)
    constant, suspects = by_class["constant"], by_class["suspect"]
    lines = []
    if ranked.alpha.value is None:
        lines.append(f"Internal consistency is undefined: {note_of(ranked.alpha)}.")
    else:
        lines.append(
            f"Together the items order these agents with a consistency (alpha) of {number(ranked.alpha.value)} "
            f"{bracket(ranked.alpha.low, ranked.alpha.high)} ({count(agents, 'agent')}, {count(items, 'item')})."
        )
    known = [record for record in by_class["suspect"] if "excludes" in str(record["note"])]
    lines.append(
        f"Of {count(items, 'item')} {len(constant)} gave every agent the same result and separate nobody."
        if constant
        else "No item gave every agent the same result."
    )
    if suspects:
        names = listed(str(record["item"]) for record in sorted(suspects, key=lambda r: float(str(r["item_rest"]))))
        lines.append(
            f"{count(len(suspects), 'suspect')}, where stronger agents do worse ({len(known)} beyond chance): {names}. "
            "Look at key, scorer and wording before anything else."
        )
    else:
        lines.append("No item points the wrong way.")
    return tuple(lines)


QUESTION = Question(NAME, TEXT, (), analyse)
