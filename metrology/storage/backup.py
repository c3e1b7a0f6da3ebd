"""Consistent copies of an SQLite database, also while others write to it."""

from __future__ import annotations

import sqlite3
import uuid
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from metrology.errors import ConflictError, StorageError
from metrology.storage.failures import translated

if TYPE_CHECKING:
    from metrology.storage.store import Store


def copy_file(source: Path, target: Path) -> None:
    """Copy the database ``source`` to ``target``, which appears whole or not at all."""
    partial = target.with_name(f"{target.name}.partial-{uuid.uuid4().hex}")
    try:
        with closing(sqlite3.connect(source)) as opened, closing(sqlite3.connect(partial)) as copy:
            opened.backup(copy)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def copy_database(store: Store, target: Path) -> Path:
    """Write a copy of an SQLite store and return its path. Blobs are not part of it.

    Raises:
        StorageError: for PostgreSQL, whose own tools do this, or trouble of the disk.
        ConflictError: when the target exists.
    """
    if store.path is None:
        raise StorageError("only SQLite databases are copied here", hint="use pg_dump for PostgreSQL")
    if not store.path.exists():
        raise StorageError(f"there is no database {store.shown}", hint="metrology init creates it")
    if target.exists():
        raise ConflictError(f"{target} exists already", hint="name a file that does not exist")
    if not target.absolute().parent.is_dir():
        raise StorageError(f"there is no folder {target.absolute().parent}", hint="create it first")
    with translated(str(target)):
        copy_file(store.path, target)
    return target
