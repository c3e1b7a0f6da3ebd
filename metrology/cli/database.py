"""``metrology db``: the state of the store, its upgrade and its backup."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metrology.cli.output import JsonOption, emit

if TYPE_CHECKING:
    from metrology.storage.store import Store

app = typer.Typer(help="Show, upgrade and back up the database.", no_args_is_help=True)


@contextmanager
def _store(*, read_only: bool) -> Iterator[Store]:
    """Open the store as it is: these commands look at its schema or change it."""
    from metrology.storage.store import open_store

    opened = open_store(read_only=read_only, upgrade=False)
    try:
        yield opened
    finally:
        opened.close()


@app.command()
def status(as_json: JsonOption = False) -> None:
    """Show which database is used and whether its schema is that of this program."""
    from metrology.storage import schema

    with _store(read_only=True) as store:
        found = schema.status(store)

    def lines() -> str:
        copies = "".join(f"\nbackup {path}" for path in found.backups)
        revisions = f"revision {found.current or 'none'}, this program has {found.head}"
        return f"{found.database}\n{found.state}: {revisions}{copies}"

    emit(found, as_json, lambda out: out.print(lines()))


@app.command()
def upgrade(as_json: JsonOption = False) -> None:
    """Bring the schema up to this program's; an SQLite file is copied first."""
    from metrology.storage import schema

    with _store(read_only=False) as store:
        done = schema.upgrade(store)

    def lines() -> str:
        kept = f", the old file is kept as {done.backup}" if done.backup else ""
        return f"revision {done.before or 'none'} -> {done.after}{kept}"

    emit(done, as_json, lambda out: out.print(lines()))


@app.command()
def backup(
    target: Annotated[Path, typer.Argument(help="File to write; it must not exist.")], as_json: JsonOption = False
) -> None:
    """Write a consistent copy of an SQLite database, also while it is in use."""
    from metrology.storage.backup import copy_database

    with _store(read_only=True) as store:
        written = copy_database(store, target)
    emit({"written": written}, as_json, lambda out: out.print(f"written: {written}"))
