from __future__ import annotations

import os
import sqlite3
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy.exc import IntegrityError

from metrology.domain.lifecycle import ItemState
from metrology.errors import InputError, StorageError
from metrology.settings import Settings
from metrology.storage.benchmarks import add_lifecycle_event, item_summaries, set_released
from metrology.storage.campaigns import set_state
from metrology.storage.store import Store, open_store
from metrology.storage.tables import CampaignState
from metrology.storage.trials import Regraded, list_trials, record_finished, record_verdicts
from tests.storage.samples import NOW, a_campaign, over

AGENT = (
    "INSERT INTO agent (name, identity, model, harness, operations, volatile, created_at) "
    "VALUES ('x', '{}', '{{}}', '{{}}', '{{}}', '{{}}', '2026-01-01 00:00:00.000000')"
)


def test_a_block_that_raises_stores_nothing(store: Store) -> None:
    def fail() -> None:
        with store.write() as connection:
            a_campaign(connection)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    with store.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM agent").scalar() == 0


def test_a_reading_connection_cannot_write(store: Store) -> None:
    with pytest.raises(StorageError, match="read-only") as error, store.read() as connection:
        connection.exec_driver_sql(AGENT.format("1"))
    assert "open it for writing" in error.value.hint


def test_a_read_only_store_reads_and_refuses_to_write(store: Store) -> None:
    with store.write() as connection:
        planned = a_campaign(connection)
    url = str(store.path) if store.path else store.address.render_as_string(hide_password=False)
    with open_store(url, read_only=True) as reader:
        with pytest.raises(StorageError, match="opened read-only"), reader.write():
            pass
        with reader.read() as connection:
            assert item_summaries(connection, planned.version_id)[0].name == "a-1"


def test_a_read_only_store_needs_no_right_to_write(tmp_path: Path, sqlite_path: Path) -> None:
    with open_store(sqlite_path) as store, store.write() as connection:
        planned = a_campaign(connection)
    folder = tmp_path / "frozen"
    folder.mkdir()
    frozen = folder / "metrology.db"
    frozen.write_bytes(sqlite_path.read_bytes())
    frozen.chmod(0o444)
    folder.chmod(0o555)
    try:
        with open_store(frozen, read_only=True) as reader, reader.read() as connection:
            assert len(item_summaries(connection, planned.version_id)) == 3
    finally:
        folder.chmod(0o755)


def test_a_missing_database_is_not_created_by_a_reader(tmp_path: Path) -> None:
    with pytest.raises(StorageError) as error:
        open_store(tmp_path / "none.db", read_only=True)
    assert "metrology init" in error.value.hint
    assert list(tmp_path.iterdir()) == []


def test_the_settings_say_where_the_store_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("METROLOGY_DB", str(tmp_path / "named.db"))
    monkeypatch.delenv("METROLOGY_BLOBS", raising=False)
    with open_store() as store:
        assert store.url == str(tmp_path / "named.db")
        assert store.blobs.root == tmp_path / "named.blobs"
    monkeypatch.setenv("METROLOGY_BLOBS", str(tmp_path / "elsewhere"))
    with open_store(f"sqlite:///{tmp_path / 'named.db'}") as store:
        assert store.blobs.root == tmp_path / "elsewhere"


def test_odd_names_are_only_names(tmp_path: Path) -> None:
    path = tmp_path / "a b%20?x=1#é.db"
    with open_store(path) as store, store.write() as connection:
        a_campaign(connection)
    with open_store(path, read_only=True) as store, store.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM campaign").scalar() == 1
    assert path.exists()


@pytest.mark.parametrize("url", ["mysql://host/name", "sqlite://", "http://", "://"])
def test_other_addresses_are_refused(url: str) -> None:
    with pytest.raises(InputError):
        open_store(url)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="does not exist") as error:
        open_store(tmp_path / "no" / "such.db")
    assert "mkdir" in error.value.hint


def test_a_file_that_is_no_database_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database at all " * 100)
    with pytest.raises(StorageError, match="is not a SQLite database"):
        open_store(path)
    assert path.read_text().startswith("not a database")


def test_a_password_is_never_shown() -> None:
    with pytest.raises(StorageError, match="cannot be reached") as error:
        open_store("postgresql://someone:secret@127.0.0.1:1/none")
    assert "secret" not in str(error.value)
    assert "secret" not in error.value.hint


def test_a_missing_database_of_a_server_is_named(postgres_url: str) -> None:
    with pytest.raises(StorageError, match=r"cannot be reached|does not exist"):
        open_store(postgres_url + "_missing")


def test_the_data_version_moves_with_everything_that_counts(store: Store) -> None:
    seen = [store.data_version()]

    def moved() -> bool:
        seen.append(store.data_version())
        return len(set(seen)) == len(seen)

    with store.write() as connection:
        planned = a_campaign(connection)
    assert moved()
    with store.write() as connection:
        key = planned.revision_ids[0], planned.agent_ids[0], 0
        record_finished(connection, planned.campaign_id, [over(*key)], "0.1.0")
        trial_id = list_trials(connection, planned.campaign_id)[0].id
    assert moved()
    with store.write() as connection:
        verdict = over(*key, 0.0).verdict
        assert verdict is not None
        record_verdicts(connection, [Regraded(trial_id, verdict)], "0.1.0", NOW + timedelta(days=1))
    assert moved()
    with store.write() as connection:
        item = item_summaries(connection, planned.version_id)[0]
        add_lifecycle_event(connection, item.item_id, ItemState.RETIRED, "ann", "old", {}, NOW)
    assert moved()
    with store.write() as connection:
        set_state(connection, planned.campaign_id, CampaignState.RUNNING, NOW)
    assert moved()
    with store.write() as connection:
        set_released(connection, planned.version_id, NOW)
    assert moved()
    assert store.data_version() == seen[-1]


@pytest.mark.parametrize(("name", "level"), [("full", 2), ("normal", 1)])
def test_the_writer_is_as_careful_as_the_settings_say(sqlite_path: Path, name: str, level: int) -> None:
    with open_store(sqlite_path, settings=Settings(synchronous=name)) as store, store.write() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == level
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"


def test_a_locked_database_is_an_error_with_a_hint(sqlite_path: Path) -> None:
    holder = sqlite3.connect(sqlite_path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        with (
            open_store(sqlite_path, settings=Settings(timeout_seconds=0.1)) as store,
            pytest.raises(StorageError, match="locked by another writer") as error,
            store.write(),
        ):
            pass
    finally:
        holder.close()
    assert "METROLOGY_DB_TIMEOUT" in error.value.hint


def test_a_locked_row_of_a_server_is_an_error_with_a_hint(postgres_store_url: str) -> None:
    with (
        open_store(postgres_store_url) as holder,
        open_store(postgres_store_url, settings=Settings(timeout_seconds=0.1)) as store,
        holder.write() as held,
    ):
        held.exec_driver_sql("LOCK TABLE agent IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(StorageError, match="locked by another writer"), store.write() as connection:
            connection.exec_driver_sql(AGENT.format("1"))


def test_a_full_disk_is_an_error_and_nothing_is_half_done(sqlite_path: Path) -> None:
    with open_store(sqlite_path) as store:
        with store.write() as connection:
            planned = a_campaign(connection, trials=100_000)
        revision, agent = planned.revision_ids[0], planned.agent_ids[0]
        done = []

        def fill() -> None:
            for number in range(100_000):
                with store.write() as connection:
                    if number == 0:
                        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
                        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 4}")
                    record_finished(connection, planned.campaign_id, [over(revision, agent, number)], "0.1.0")
                done.append(number)

        with pytest.raises(StorageError, match="disk is full") as error:
            fill()
    assert "free some space" in error.value.hint
    assert done
    with open_store(sqlite_path) as store, store.write() as connection:
        for table in ("trial", "verdict", "attempt"):
            assert connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar() == len(done)
        assert connection.exec_driver_sql("SELECT sum(n) FROM cell").scalar() == len(done)
        record_finished(connection, planned.campaign_id, [over(revision, agent, len(done))], "0.1.0")


def test_broken_rules_of_the_schema_keep_their_traceback(store: Store) -> None:
    with store.write() as connection:
        connection.exec_driver_sql(AGENT.format("1"))
    with pytest.raises(IntegrityError, match=r"(?i)unique"), store.write() as connection:
        connection.exec_driver_sql(AGENT.format("1"))


def test_a_blob_folder_that_cannot_be_written_is_an_error(tmp_path: Path, sqlite_path: Path) -> None:
    (tmp_path / "blobs").write_text("a file in the way")
    with (
        open_store(sqlite_path, settings=Settings(blobs=str(tmp_path / "blobs"))) as store,
        pytest.raises(StorageError, match="blob folder"),
    ):
        store.blobs.put(os.urandom(10))
