"""A store of one database, for what does not depend on which."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from metrology.settings import Settings
from metrology.storage.store import Store, open_store


@pytest.fixture
def lite(sqlite_path: Path, tmp_path: Path) -> Iterator[Store]:
    """An open, migrated, empty SQLite store."""
    with open_store(sqlite_path, settings=Settings(blobs=str(tmp_path / "blobs"), synchronous="normal")) as opened:
        yield opened


def count(store: Store, table: str) -> int:
    """Return the number of rows of a table."""
    with store.read() as connection:
        return int(connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one())
