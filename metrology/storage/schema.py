"""Which schema a database has, and how it is brought up to date.

The head is read off the names of the migration files and compared with the one row of ``alembic_version``, so that
opening an up-to-date database imports nothing of alembic, which is slow to start.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, text

from metrology.errors import StorageError
from metrology.resources import shipped_folder
from metrology.storage.backup import copy_file
from metrology.storage.engine import migration_engine
from metrology.storage.failures import translated

if TYPE_CHECKING:
    from metrology.storage.store import Store

_REVISION_FILE = re.compile(r"(\d{4})_\w+\.py")
# Any constant will do, as long as every metrology process takes the same one.
_POSTGRESQL_LOCK = 0x6D6574726F


class SchemaState(StrEnum):
    """How the schema of a database stands to this release."""

    EMPTY = "empty"
    BEHIND = "behind"
    CURRENT = "current"
    NEWER = "newer"
    FOREIGN = "foreign"


@dataclass(frozen=True)
class SchemaStatus:
    """The revision of a database (None before the first), the head of this release, and how they compare."""

    database: str
    dialect: str
    current: str | None
    head: str
    state: SchemaState
    backups: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Upgraded:
    """What an upgrade did: the revisions before and after, and the copy that was kept (None for a new database)."""

    before: str | None
    after: str
    backup: Path | None


@cache
def known_revisions() -> tuple[str, ...]:
    """Return the revisions of this release, oldest first: the numbers that the migration files begin with."""
    folder = shipped_folder("migrations") / "versions"
    found = (_REVISION_FILE.fullmatch(path.name) for path in folder.iterdir())
    return tuple(sorted(match.group(1) for match in found if match))


def head_revision() -> str:
    """Return the newest revision of this release."""
    return known_revisions()[-1]


def current_revision(store: Store) -> str | None:
    """Return the revision that the database has, None when it is empty."""
    return status(store).current


def status(store: Store) -> SchemaStatus:
    """Return how the schema of the store stands; changes nothing and creates no file."""
    backups: tuple[Path, ...] = ()
    current: str | None = None
    empty = True
    if store.path is None or (store.path.exists() and store.path.stat().st_size > 0):
        with translated(store.shown), store.reader.connect() as connection:
            current, empty = _inspect(connection)
    if store.path is not None:
        backups = tuple(sorted(store.path.absolute().parent.glob(f"{store.path.name}.backup-*")))
    return SchemaStatus(store.shown, store.dialect, current, head_revision(), _compare(current, empty), backups)


def require_current(store: Store) -> None:
    """Return when the store may be written to.

    Raises:
        StorageError: when the schema is older or newer than this release, or not one of metrology.
    """
    found = status(store)
    if found.state is not SchemaState.CURRENT:
        raise _refusal(found)


def require_readable(store: Store) -> None:
    """Return when the store may be read: it is current, or newer, which readers are let try.

    Raises:
        StorageError: when there is no database, an older one, or one of another program.
    """
    if store.path is not None and not store.path.exists():
        raise StorageError(
            f"there is no database {store.shown}", hint="create it with `metrology init`, or set METROLOGY_DB to yours"
        )
    found = status(store)
    if found.state not in (SchemaState.CURRENT, SchemaState.NEWER):
        raise _refusal(found)


def upgrade(store: Store, backup: bool = True) -> Upgraded:
    """Bring the schema to the head of this release and return what was done; a no-op when it is there already.

    An existing SQLite database is copied beside itself first (``<name>.backup-<revision>-<time>``). All steps run in
    one transaction, so a failure leaves the database as it was.

    Raises:
        StorageError: for a newer or foreign database, a read-only store, or trouble of the surroundings.
    """
    if store.read_only:
        raise StorageError(f"the database {store.shown} is opened read-only", hint="open it for writing to upgrade it")
    before = status(store)
    if before.state in (SchemaState.NEWER, SchemaState.FOREIGN):
        raise _refusal(before)
    if before.state is SchemaState.CURRENT:
        return Upgraded(before.current, before.head, None)
    copy = None
    if backup and store.path is not None and before.state is SchemaState.BEHIND:
        with translated(store.shown):
            copy = _backup(store.path, str(before.current))
    migrate(store, before.head)
    return Upgraded(before.current, before.head, copy)


def migrate(store: Store, target: str) -> None:
    """Run the migrations up or down to revision ``target`` ("base" for none).

    Downgrades drop what newer releases stored: they exist for tests and for a maintainer with a backup.
    """
    engine = migration_engine(store.address, store.settings)
    try:
        with translated(store.shown), engine.begin() as connection:
            if store.path is None:
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _POSTGRESQL_LOCK})
            _run(connection, target)
            if store.path is not None:
                _require_whole(connection, store.shown)
    finally:
        engine.dispose()


def migration_configuration(connection: Connection) -> Any:
    """Return the alembic configuration that runs on ``connection`` with the shipped migrations."""
    from alembic.config import Config

    configuration = Config()
    # A percent sign in a path would be read as an interpolation.
    configuration.set_main_option("script_location", str(shipped_folder("migrations")).replace("%", "%%"))
    configuration.set_main_option("path_separator", "os")
    configuration.attributes["connection"] = connection
    return configuration


def _run(connection: Connection, target: str) -> None:
    from alembic import command

    # Another process may have done the work while this one waited for the lock.
    current, _ = _inspect(connection)
    if current == target:
        return
    configuration = migration_configuration(connection)
    if target == "base" or (current is not None and target < current):
        command.downgrade(configuration, target)
    else:
        command.upgrade(configuration, target)


def _inspect(connection: Connection) -> tuple[str | None, bool]:
    """Return (revision, whether the database has no table at all)."""
    if connection.dialect.name == "sqlite":
        names = "SELECT name FROM sqlite_master WHERE type = 'table'"
    else:
        names = "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()"
    tables = set(connection.exec_driver_sql(names).scalars())
    if "alembic_version" not in tables:
        return None, not tables
    row = connection.exec_driver_sql("SELECT version_num FROM alembic_version").first()
    return (None, tables == {"alembic_version"}) if row is None else (str(row[0]), False)


def _compare(current: str | None, empty: bool) -> SchemaState:
    if current is None:
        return SchemaState.EMPTY if empty else SchemaState.FOREIGN
    if current == head_revision():
        return SchemaState.CURRENT
    if current in known_revisions():
        return SchemaState.BEHIND
    newer = re.fullmatch(r"\d{4}", current) is not None and current > head_revision()
    return SchemaState.NEWER if newer else SchemaState.FOREIGN


def _refusal(found: SchemaStatus) -> StorageError:
    where = f"the database {found.database}"
    if found.state is SchemaState.NEWER:
        return StorageError(
            f"{where} was written by a newer metrology (schema {found.current}, this release knows {found.head})",
            hint="install the newer release, or open a copy from before the upgrade",
        )
    if found.state is SchemaState.FOREIGN:
        return StorageError(
            f"{where} does not belong to metrology", hint="give the path of a metrology database, or a new name"
        )
    held = "is empty" if found.current is None else f"has schema {found.current}"
    return StorageError(f"{where} {held}, this release needs {found.head}", hint="run `metrology db upgrade`")


def _backup(path: Path, revision: str) -> Path:
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    target = path.with_name(f"{path.name}.backup-{revision}-{stamp}")
    copy_file(path, target)
    return target


def _require_whole(connection: Connection, shown: str) -> None:
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
    if broken is not None:
        raise StorageError(
            f"the upgrade of {shown} would leave rows without their parent in {broken[0]}; nothing was changed",
            hint="report this with the output of `metrology db status`",
        )
