"""``metrology analyze``: one question about one benchmark, answered in words, tables or JSON."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from metrology.cli.output import JsonOption, console, emit, table, workspace
from metrology.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from metrology.analysis.base import Analysis


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("analyze")(analyze)


def analyze(
    name: Annotated[str | None, typer.Argument(help="Which question; without it, all questions are listed.")] = None,
    benchmark: Annotated[str | None, typer.Argument(help="BENCHMARK or BENCHMARK@VERSION.")] = None,
    agent: Annotated[list[str] | None, typer.Option(help="Only these agents (repeat).")] = None,
    campaign: Annotated[list[str] | None, typer.Option(help="Only these campaigns (repeat).")] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", "-o", help="NAME=VALUE, an option of the question (repeat).")
    ] = None,
    level: Annotated[float, typer.Option(help="Confidence level of every interval.")] = 0.95,
    rows: Annotated[int, typer.Option(help="Rows shown of each table.")] = 20,
    as_json: JsonOption = False,
) -> None:
    """Answer a question about a benchmark: reliability, items, saturation, drift, validity, compare."""
    with workspace(read_only=True) as ws:
        if name is None or benchmark is None:
            questions = ws.questions()
            emit(
                {question.name: {"question": question.text} for question in questions},
                as_json,
                lambda out: table(
                    "metrology analyze QUESTION BENCHMARK",
                    ("question", "asks", "options"),
                    [(q.name, q.text, ", ".join(o.name for o in q.options)) for q in questions],
                    out=out,
                ),
            )
            return
        options = dict(_pair(text) for text in option or [])
        result = ws.analyze(
            name, benchmark, agents=tuple(agent or ()), campaigns=tuple(campaign or ()), level=level, **options
        )
    if as_json:
        sys.stdout.write(result.to_json() + "\n")
        return
    print_analysis(result, console(), rows=rows)


def print_analysis(result: Analysis, out: Console, *, rows: int = 20, tables: tuple[str, ...] | None = None) -> None:
    """Print an analysis for people: the answer in words, warnings, then its tables."""
    from metrology.report.text import print_blocks

    print_blocks(result, out, rows=rows, tables=tables)


def _pair(text: str) -> tuple[str, Any]:
    key, separator, value = text.partition("=")
    if not separator or not key:
        raise InputError(f"--option {text!r} is not NAME=VALUE", hint="for example --option k=4")
    return key.replace("-", "_"), value
