"""What commands print: strict JSON for programs, tables for people, both from the same plain values.

Stored text is hostile until shown otherwise: it is printed without markup and with control characters made
visible, so that an item's name cannot colour, move or clear the terminal.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from datetime import date, datetime
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from metrology.workspace import Workspace

JsonOption = Annotated[bool, typer.Option("--json", help="Print strict JSON instead of tables.")]

PIPE_WIDTH = 120

EXIT_USER_ERROR = 2
EXIT_GATE_FAILED = 3
EXIT_INTERRUPTED = 130


@contextmanager
def workspace(*, read_only: bool = False) -> Iterator[Workspace]:
    """Open the workspace that ``--db``, METROLOGY_DB or the default names."""
    from metrology.workspace import Workspace

    opened = Workspace.open(os.environ.get("METROLOGY_DB"), read_only=read_only)
    try:
        yield opened
    finally:
        opened.close()


def plain(value: Any) -> Any:
    """Return ``value`` as JSON-ready lists, tables, text, numbers and None."""
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(inner) for inner in value]
    if hasattr(value, "item") and not isinstance(value, str | bytes):
        return value.item()
    return value


def emit(payload: Any, as_json: bool, human: Callable[[Console], None]) -> None:
    """Print ``payload`` as JSON, or let ``human`` print it for people."""
    if as_json:
        sys.stdout.write(json.dumps(plain(payload), indent=2, allow_nan=False, ensure_ascii=False) + "\n")
        return
    human(console())


def console(*, stderr: bool = False) -> Console:
    """Return a console that prints text as it is: no markup, no highlighting."""
    from rich.console import Console

    made = Console(markup=False, highlight=False, emoji=False, stderr=stderr, soft_wrap=True)
    # A file or pipe has no width of its own; tables of figures need more than the customary 80.
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made.width = PIPE_WIDTH
    return made


def shown(value: Any) -> str:
    """Return one cell's text: undefined is a dash, numbers are short, control characters are visible."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S")
    return "".join(character if character.isprintable() else f"\\x{ord(character):02x}" for character in str(value))


def shown_lines(text: str) -> str:
    """Return text of several lines with its control characters visible."""
    return "\n".join(shown(line) for line in text.splitlines())


def table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], *, out: Console, limit: int | None = None
) -> None:
    """Print rows as a table; ``limit`` says how many to show before naming the rest."""
    from rich.table import Table
    from rich.text import Text

    listed = list(rows)
    grid = Table(title=title or None, title_justify="left", header_style="bold", box=None, pad_edge=False)
    numeric = [all(isinstance(row[i], int | float | None) for row in listed) for i in range(len(columns))]
    for name, right in zip(columns, numeric, strict=True):
        grid.add_column(name, justify="right" if right else "left", overflow="fold")
    for row in listed[:limit]:
        grid.add_row(*(Text(shown(cell)) for cell in row))
    out.print(grid)
    if limit is not None and len(listed) > limit:
        out.print(f"... and {len(listed) - limit} more (--json lists all)")


def print_error(message: str, hint: str, as_json: bool) -> None:
    """Print what went wrong and what to do about it on standard error."""
    if as_json:
        sys.stderr.write(json.dumps({"error": message, "hint": hint}, ensure_ascii=False) + "\n")
        return
    sys.stderr.write(f"error: {message}\n")
    if hint:
        sys.stderr.write(f"hint: {hint}\n")
