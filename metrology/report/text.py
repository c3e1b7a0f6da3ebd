"""An analysis as plain text: blocks that a terminal prints or a document takes over as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metrology.analysis.base import NOTE, NUMERIC_KINDS, Analysis, Column, Table
from metrology.report.values import cell, interval, safe

if TYPE_CHECKING:
    from rich.console import Console

LOW, HIGH = re.compile(r"^low(_|$)|_low$"), re.compile(r"^high(_|$)|_high$")

# Columns worth a terminal's width; a table that is not named here is shown whole.
BRIEF: dict[tuple[str, str], tuple[str, ...]] = {
    ("reliability", "agents"): (
        "agent", "score", "low_population", "high_population", "low_fixed", "high_fixed", "items", "measured",
        "planned", "lowest_possible", "highest_possible", "eligible", NOTE,
    ),
    ("reliability", "attempts"): (
        "agent", "k", "pass_at_k", "pass_at_k_low", "pass_at_k_high", "pass_hat_k", "pass_hat_k_low",
        "pass_hat_k_high", "items_used", "items_planned", "pass_hat_k_infrastructure_as_failure", NOTE,
    ),
    ("reliability", "components"): ("label", "variance", "se", "share", NOTE),
    ("reliability", "coefficients"): ("name", "value", "low", "high", "agents", "items", "trials", NOTE),
    ("reliability", "plans"): (
        "items", "trials", "runs_per_agent", "universe", "generalizability", "dependability", "sem_absolute", NOTE,
    ),
    ("items", "items"): (
        "item", "family", "difficulty", "difficulty_low", "difficulty_high", "item_rest", "item_rest_low",
        "item_rest_high", "agents", "class",
    ),
    ("items", "suspects"): ("item", "family", "difficulty", "item_rest", "item_rest_low", "item_rest_high", NOTE),
    ("saturation", "summary"): ("label", "value", "low", "high", "n", "unit", NOTE),
    ("drift", "points"): (
        "agent", "campaign", "score", "difference", "low", "high", "common_items", "coverage", "beyond", "run", NOTE,
    ),
    ("validity", "correlations"): (
        "measure", "segment", "method", "value", "low", "high", "p_permutation", "agents", "ceiling", NOTE,
    ),
    ("compare", "pairs"): (
        "baseline", "candidate", "difference", "low", "high", "p_adjusted", "common_items", "items", "attribution",
        NOTE,
    ),
}  # fmt: skip


@dataclass(frozen=True)
class TextTable:
    """A table as strings; ``more`` rows were cut off.

    Notes are long and rare: a row carries a mark, ``notes`` explains each mark once.
    """

    name: str
    title: str
    header: tuple[str, ...]
    alignment: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[tuple[str, str], ...]
    more: int


@dataclass(frozen=True)
class Block:
    """One piece of the text: heading, line, sentence, warning or table."""

    kind: str
    text: str = ""
    table: TextTable | None = None


def blocks(analysis: Analysis, *, rows: int = 20, tables: tuple[str, ...] | None = None) -> tuple[Block, ...]:
    """Return the analysis piece by piece: question, what was measured, answer, warnings, tables that hold rows.

    ``rows`` limits each table; ``tables`` names those wanted. Text from outside is made harmless.
    """
    coverage = analysis.coverage
    share = "" if coverage.share is None else f" ({100 * coverage.share:.1f} %)"
    found = [
        Block("heading", safe(analysis.question)),
        Block("line", safe(f"{analysis.benchmark} {analysis.version} ({analysis.identity[:19]})")),
        Block("line", f"estimand: {safe(analysis.estimand)}"),
        Block("line", f"coverage: {coverage.measured:,} of {coverage.planned:,} planned trials{share}"),
    ]
    found += [Block("sentence", safe(sentence)) for sentence in analysis.answer]
    found += [Block("warning", safe(f"{notice.code}: {notice.sentence}")) for notice in analysis.warnings]
    for name, table in analysis.tables.items():
        if table.rows and (tables is None or name in tables):
            found.append(Block("table", table=text_table(analysis.name, name, table, rows=rows)))
    return tuple(found)


def text_table(analysis: str, name: str, table: Table, *, rows: int = 20) -> TextTable:
    """Return one table as strings, each interval joined to its figure and columns chosen for a terminal's width."""
    keys = tuple(key for key in BRIEF.get((analysis, name), table.keys) if key != NOTE)
    parts = list(_parts(table, keys))
    shown = table.rows[: rows if rows > 0 else None]
    lines = [tuple(_written(table, part, row) for part in parts) for row in shown]
    header = tuple(_heading(part) for part in parts)
    alignment = tuple("right" if part[0].kind in NUMERIC_KINDS else "left" for part in parts)
    notes = _notes(table, shown)
    if notes:
        place = table.keys.index(NOTE)
        lines = [(*line, notes.get(safe(row[place] or ""), "")) for line, row in zip(lines, shown, strict=True)]
        header, alignment = (*header, ""), (*alignment, "left")
    return TextTable(
        name=name,
        title=safe(table.title),
        header=header,
        alignment=alignment,
        rows=tuple(lines),
        notes=tuple((mark, note) for note, mark in notes.items()),
        more=len(table.rows) - len(lines),
    )


def _notes(table: Table, rows: Sequence[tuple[Any, ...]]) -> dict[str, str]:
    """The distinct notes of ``rows``, each with its mark: a, b, ... z, aa, ab, ..."""
    if NOTE not in table.keys:
        return {}
    place = table.keys.index(NOTE)
    distinct = dict.fromkeys(safe(row[place]) for row in rows if row[place])
    return {note: _mark(number) for number, note in enumerate(distinct)}


def _mark(number: int) -> str:
    letter = chr(ord("a") + number % 26)
    return letter if number < 26 else _mark(number // 26 - 1) + letter


def markdown(analysis: Analysis, *, rows: int = 20, tables: tuple[str, ...] | None = None) -> str:
    """Return the analysis as Markdown; text from outside can neither open tags nor break a table."""
    lines: list[str] = []
    for block in blocks(analysis, rows=rows, tables=tables):
        text = _escaped(block.text)
        if block.kind == "heading":
            lines += [f"## {text}", ""]
        elif block.kind == "table" and block.table is not None:
            lines += ["", *_markdown_table(block.table), ""]
        else:
            prefix = "- **" + text.replace(":", ":**", 1) if block.kind == "warning" else f"- {text}"
            lines.append(prefix)
    return "\n".join(lines).rstrip() + "\n"


def print_blocks(analysis: Analysis, out: Console, *, rows: int = 20, tables: tuple[str, ...] | None = None) -> None:
    """Print the analysis on a rich console; nothing in it is read as markup."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text

    for block in blocks(analysis, rows=rows, tables=tables):
        if block.kind == "heading":
            out.print(Text(block.text, style="bold"))
        elif block.kind == "warning":
            out.print(Text(f"! {block.text}", style="yellow"))
        elif block.table is None:
            out.print(Text(block.text))
        else:
            drawn = RichTable(
                title=Text(block.table.title, style="bold"), title_justify="left", box=SIMPLE_HEAD, pad_edge=False
            )
            for header, side in zip(block.table.header, block.table.alignment, strict=True):
                drawn.add_column(Text(header), justify="right" if side == "right" else "left", overflow="fold")
            for row in block.table.rows:
                drawn.add_row(*(Text(value) for value in row))
            out.print()
            out.print(drawn)
            for mark, note in block.table.notes:
                out.print(Text(f"  {mark}: {note}", style="dim"))
            if block.table.more:
                out.print(Text(f"{block.table.more:,} more rows (--rows, --json)", style="dim"))


Part = tuple[Column, str | None, str | None]


def _parts(table: Table, keys: tuple[str, ...]) -> Iterator[Part]:
    i = 0
    while i < len(keys):
        bounded = i + 2 < len(keys) and LOW.search(keys[i + 1]) and HIGH.search(keys[i + 2])
        if LOW.search(keys[i]) and i + 1 < len(keys) and HIGH.search(keys[i + 1]):
            yield table.column(keys[i]), keys[i], keys[i + 1]
            i += 2
        elif bounded and table.column(keys[i]).kind in NUMERIC_KINDS:
            yield table.column(keys[i]), keys[i + 1], keys[i + 2]
            i += 3
        else:
            yield table.column(keys[i]), None, None
            i += 1


def _heading(part: Part) -> str:
    column, low, _ = part
    if low == column.key:
        return f"interval{column.label.removeprefix('low')}"
    return safe(f"{column.label} [interval]" if low else column.label)


def _written(table: Table, part: Part, row: tuple[Any, ...]) -> str:
    column, low, high = part
    value = row[table.keys.index(column.key)]
    if low is None or high is None:
        return cell(column, value)
    limits = interval(column, row[table.keys.index(low)], row[table.keys.index(high)])
    if low == column.key:
        return limits or "-"
    return f"{cell(column, value)} {limits}".rstrip()


def _escaped(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>|#])", r"\\\1", text)


def _markdown_table(table: TextTable) -> list[str]:
    lines = [f"**{_escaped(table.title)}**", ""]
    lines.append("| " + " | ".join(_escaped(header) for header in table.header) + " |")
    lines.append("| " + " | ".join("---:" if side == "right" else "---" for side in table.alignment) + " |")
    lines += ["| " + " | ".join(_escaped(value) for value in row) + " |" for row in table.rows]
    lines += ["", *(f"{mark}: {_escaped(note)}  " for mark, note in table.notes)] if table.notes else []
    if table.more:
        lines += ["", f"{table.more:,} more rows."]
    return lines
