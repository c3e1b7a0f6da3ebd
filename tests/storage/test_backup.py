from __future__ import annotations

from pathlib import Path

import pytest

from metrology.errors import ConflictError, StorageError
from metrology.storage.backup import copy_database
from metrology.storage.store import open_store
from tests.storage.samples import a_campaign


def test_a_copy_is_whole_while_another_transaction_is_open(sqlite_path: Path, tmp_path: Path) -> None:
    with open_store(sqlite_path) as store:
        with store.write() as connection:
            a_campaign(connection)
        with store.write() as connection:
            a_campaign(connection, name="c2")
            copy = copy_database(store, tmp_path / "copy.db")
    with open_store(copy) as store, store.write() as connection:
        assert connection.exec_driver_sql("SELECT name FROM campaign").scalars().all() == ["c1"]


def test_a_copy_never_replaces_a_file_and_leaves_nothing_behind(sqlite_path: Path, tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    with open_store(sqlite_path, read_only=True) as store:
        with pytest.raises(ConflictError, match="exists already"):
            copy_database(store, sqlite_path)
        with pytest.raises(StorageError, match="no folder"):
            copy_database(store, tmp_path / "none" / "copy.db")
    with open_store(tmp_path / "missing.db", upgrade=False) as store, pytest.raises(StorageError, match="no database"):
        copy_database(store, tmp_path / "copy.db")
    assert {path for path in tmp_path.iterdir() if not path.name.endswith(("-wal", "-shm"))} == set(before)


def test_a_server_is_copied_by_its_own_tools(postgres_url: str, tmp_path: Path) -> None:
    with open_store(postgres_url, upgrade=False) as store, pytest.raises(StorageError, match="only SQLite") as error:
        copy_database(store, tmp_path / "copy.db")
    assert "pg_dump" in error.value.hint
