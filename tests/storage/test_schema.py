from __future__ import annotations

import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import CheckConstraint, Engine, inspect
from sqlmodel import SQLModel

import metrology.storage.tables  # noqa: F401 - fills the metadata
from metrology.errors import StorageError
from metrology.resources import shipped_folder
from metrology.settings import Settings
from metrology.storage import schema
from metrology.storage.engine import migration_engine
from metrology.storage.schema import SchemaState
from metrology.storage.store import Store, open_store
from tests.storage.samples import a_campaign

SECOND = """
import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    recreate = "always" if op.get_bind().dialect.name == "sqlite" else "never"
    with op.batch_alter_table("campaign", recreate=recreate) as batch:
        batch.add_column(sa.Column("colour", sa.String(), nullable=True))
    {step}


def downgrade() -> None:
    with op.batch_alter_table("campaign") as batch:
        batch.drop_column("colour")
"""


@pytest.fixture(params=["sqlite", "postgresql"])
def fresh(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """A store on an empty database."""
    url = str(tmp_path / "fresh.db") if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    with open_store(url, upgrade=False) as store:
        yield store


def _release(monkeypatch: pytest.MonkeyPatch, folder: Path, step: str) -> None:
    """Pretend to be the next release, whose second migration does ``step`` at its end."""
    shutil.copytree(shipped_folder("migrations"), folder / "migrations")
    (folder / "migrations" / "versions" / "0002_add_colour.py").write_text(SECOND.format(step=step))
    monkeypatch.setattr(schema, "shipped_folder", lambda name: folder / name)
    schema.known_revisions.cache_clear()


@pytest.fixture(autouse=True)
def _forget_releases() -> Iterator[None]:
    yield
    schema.known_revisions.cache_clear()


def _structure(engine: Engine) -> dict[str, object]:
    found = inspect(engine)
    structure: dict[str, object] = {}
    for table in sorted(set(found.get_table_names()) - {"alembic_version"}):
        structure[table] = (
            [(column["name"], str(column["type"]), column["nullable"]) for column in found.get_columns(table)],
            sorted(str(check["name"]) for check in found.get_check_constraints(table)),
            sorted(str(key["name"]) for key in found.get_foreign_keys(table)),
            sorted(str(key["name"]) for key in found.get_unique_constraints(table)),
            sorted(str(index["name"]) for index in found.get_indexes(table)),
            found.get_pk_constraint(table)["name"],
        )
    return structure


def test_up_down_up_gives_the_same_schema(fresh: Store) -> None:
    schema.migrate(fresh, "0001")
    engine = migration_engine(fresh.address, Settings())
    before = _structure(engine)
    schema.migrate(fresh, "base")
    assert _structure(engine) == {}
    assert schema.status(fresh).state is SchemaState.EMPTY
    schema.migrate(fresh, "0001")
    assert _structure(engine) == before
    engine.dispose()
    with fresh.write() as connection:
        assert a_campaign(connection).campaign_id == 1


def test_the_migrations_make_what_the_tables_say(store: Store) -> None:
    engine = migration_engine(store.address, Settings())
    with engine.begin() as connection:
        # Raises when autogenerate would change anything.
        command.check(schema.migration_configuration(connection))
    found = inspect(engine)
    for table in SQLModel.metadata.tables.values():
        # Autogenerate does not look at CHECK constraints.
        declared = {
            str(one.name): _words(str(one.sqltext)) for one in table.constraints if isinstance(one, CheckConstraint)
        }
        stored = {str(one["name"]): _words(one["sqltext"]) for one in found.get_check_constraints(table.name)}
        assert stored == declared
    engine.dispose()


def _words(text: str) -> list[str]:
    return re.findall(r"'(\w+)'", text)


def test_a_store_is_created_by_its_migrations_and_opened_without_them(tmp_path: Path) -> None:
    path = tmp_path / "metrology.db"
    open_store(path).close()
    program = (
        "import sys\n"
        "from metrology.storage.store import open_store\n"
        f"for read_only in (False, True):\n    open_store({str(path)!r}, read_only=read_only).close()\n"
        f"with open_store({str(path)!r}) as store, store.write() as c: c.exec_driver_sql('SELECT 1')\n"
        "print(sorted({'alembic', 'sqlmodel', 'pydantic', 'numpy'} & set(sys.modules)))\n"
    )
    found = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert found.stdout.strip() == "[]"


def test_the_head_is_read_off_the_names_of_the_files() -> None:
    assert schema.head_revision() == schema.known_revisions()[-1]
    assert "0001" in schema.known_revisions()
    for path in (shipped_folder("migrations") / "versions").glob("*.py"):
        assert f'revision = "{path.name[:4]}"' in path.read_text()


def test_a_server_is_never_upgraded_unasked(postgres_url: str) -> None:
    with pytest.raises(StorageError, match="is empty") as error:
        open_store(postgres_url)
    assert error.value.hint == "run `metrology db upgrade`"
    with open_store(postgres_url, upgrade=False) as store:
        assert schema.status(store).state is SchemaState.EMPTY
        with pytest.raises(StorageError, match="is empty"), store.write():
            pass
        assert schema.upgrade(store).after == schema.head_revision()
        assert schema.upgrade(store).before == schema.head_revision()
    open_store(postgres_url).close()


def test_an_older_file_is_upgraded_after_a_copy_was_made(
    sqlite_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(sqlite_path) as store, store.write() as connection:
        planned = a_campaign(connection)
    _release(monkeypatch, tmp_path, "")
    with pytest.raises(StorageError, match="needs 0002") as error:
        open_store(sqlite_path, read_only=True)
    assert "metrology db upgrade" in error.value.hint
    with open_store(sqlite_path) as store:
        found = schema.status(store)
        assert (found.current, found.state, len(found.backups)) == ("0002", SchemaState.CURRENT, 1)
        with store.read() as connection:
            # The children of the table that was copied are still there.
            assert connection.exec_driver_sql("SELECT count(*) FROM campaign_item").scalar() == 3
            assert connection.exec_driver_sql("SELECT id, colour FROM campaign").all() == [(planned.campaign_id, None)]
    with closing(sqlite3.connect(found.backups[0])) as copy:
        assert copy.execute("SELECT version_num FROM alembic_version").fetchone() == ("0001",)
        assert copy.execute("SELECT count(*) FROM campaign").fetchone() == (1,)


def test_an_older_server_is_refused_until_it_is_upgraded(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(postgres_url, upgrade=False) as store:
        schema.upgrade(store)
        with store.write() as connection:
            a_campaign(connection)
    _release(monkeypatch, tmp_path, "")
    with pytest.raises(StorageError, match="has schema 0001") as error:
        open_store(postgres_url)
    assert "metrology db upgrade" in error.value.hint
    with open_store(postgres_url, upgrade=False) as store:
        done = schema.upgrade(store)
        assert (done.before, done.after, done.backup) == ("0001", "0002", None)
        with store.write() as connection:
            assert connection.exec_driver_sql("SELECT count(*) FROM campaign_item").scalar() == 3


@pytest.mark.parametrize("step", ["raise StorageError", "op.execute('UPDATE campaign SET version_id = 999')"])
def test_an_upgrade_that_fails_leaves_the_database_as_it_was(
    sqlite_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    with open_store(sqlite_path) as store, store.write() as connection:
        a_campaign(connection)
    _release(monkeypatch, tmp_path, step.replace("StorageError", "RuntimeError('broken')"))
    with pytest.raises((StorageError, RuntimeError), match=r"broken|without their parent"):
        open_store(sqlite_path)
    monkeypatch.undo()
    schema.known_revisions.cache_clear()
    with open_store(sqlite_path) as store, store.read() as connection:
        assert schema.status(store).current == "0001"
        assert not hasattr(connection.exec_driver_sql("SELECT * FROM campaign").one(), "colour")
        assert connection.exec_driver_sql("SELECT count(*) FROM campaign").scalar() == 1


def test_a_newer_database_is_read_but_never_written(store: Store) -> None:
    url = str(store.path) if store.path else store.address.render_as_string(hide_password=False)
    try:
        with store.write() as connection:
            connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
        with pytest.raises(StorageError, match=r"newer metrology \(schema 9999") as error:
            open_store(url)
        assert "newer release" in error.value.hint
        with open_store(url, upgrade=False) as careless:
            with pytest.raises(StorageError, match="newer"), careless.write():
                pass
            with pytest.raises(StorageError, match="newer"):
                schema.upgrade(careless)
        with open_store(url, read_only=True) as reader, reader.read() as connection:
            assert connection.exec_driver_sql("SELECT count(*) FROM trial").scalar() == 0
    finally:
        with store.write() as connection:
            connection.exec_driver_sql(f"UPDATE alembic_version SET version_num = '{schema.head_revision()}'")


def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE song (title TEXT)")
    with pytest.raises(StorageError, match="does not belong to metrology"):
        open_store(path)
    with pytest.raises(StorageError, match="does not belong to metrology"):
        open_store(path, read_only=True)
    with closing(sqlite3.connect(path)) as other:
        assert [name for (name,) in other.execute("SELECT name FROM sqlite_master")] == ["song"]


def test_looking_at_a_missing_database_creates_nothing(tmp_path: Path) -> None:
    with open_store(tmp_path / "none.db", upgrade=False) as store:
        assert schema.status(store).state is SchemaState.EMPTY
        assert schema.current_revision(store) is None
    assert list(tmp_path.iterdir()) == []


def test_a_read_only_store_is_not_upgraded(sqlite_path: Path) -> None:
    with open_store(sqlite_path, read_only=True) as store, pytest.raises(StorageError, match="read-only"):
        schema.upgrade(store)
