"""Engines for the two databases: how a connection is opened and how a transaction begins.

SQLite gets three kinds of connection. Readers open the file ``mode=ro`` and see one consistent snapshot. Writers
take the write lock at once (BEGIN IMMEDIATE), so that no transaction fails half-way for want of it. Migrations run
with foreign keys off, because a table that SQLite can only change by copying would otherwise take its children along.
"""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import NullPool

from metrology.errors import InputError, StorageError
from metrology.settings import Settings

_CACHE_KIBIBYTES = 65_536
_KEPT_WAL_BYTES = 67_108_864


def parse_url(address: str) -> URL:
    """Return the URL of a database given as a path, ``sqlite:///path`` or ``postgresql://...``.

    Raises:
        InputError: for another database or an address that cannot be read.
    """
    if "://" not in address:
        return URL.create("sqlite", database=address)
    try:
        url = make_url(address)
    except ArgumentError as error:
        raise InputError(
            "the address of the database cannot be read", hint="give a path or postgresql://..."
        ) from error
    backend = url.drivername.split("+")[0]
    if backend == "sqlite" and url.database:
        return URL.create("sqlite", database=url.database)
    if backend in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    raise InputError(
        f"{url.render_as_string()!r} is no database that metrology can use",
        hint="give the path of a SQLite file, or postgresql://user@host/name",
    )


def reader_engine(url: URL, settings: Settings) -> Engine:
    """Return an engine whose connections cannot write and see one snapshot per transaction."""
    if url.drivername != "sqlite":
        return _postgresql(
            url, settings, isolation_level="REPEATABLE READ", execution_options={"postgresql_readonly": True}
        )
    path = _path(url)

    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(
            _uri(path, _read_mode(path)),
            uri=True,
            timeout=settings.timeout_seconds,
            isolation_level=None,
            check_same_thread=False,
        )
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIBIBYTES}")
        return connection

    return _sqlite(url, connect, "BEGIN")


def writer_engine(url: URL, settings: Settings) -> Engine:
    """Return an engine whose transactions hold the write lock from their beginning."""
    if url.drivername != "sqlite":
        return _postgresql(url, settings)
    path = _path(url)

    def connect() -> sqlite3.Connection:
        connection = _connect_for_writing(path, settings)
        _use_wal(connection, settings.timeout_seconds)
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(f"PRAGMA synchronous = {settings.synchronous}")
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIBIBYTES}")
        connection.execute(f"PRAGMA journal_size_limit = {_KEPT_WAL_BYTES}")
        return connection

    return _sqlite(url, connect, "BEGIN IMMEDIATE")


def migration_engine(url: URL, settings: Settings) -> Engine:
    """Return an engine for schema changes: one connection, the write lock, no foreign keys, durable."""
    if url.drivername != "sqlite":
        return _postgresql(url, settings, poolclass=NullPool)
    path = _path(url)

    def connect() -> sqlite3.Connection:
        connection = _connect_for_writing(path, settings)
        _use_wal(connection, settings.timeout_seconds)
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("PRAGMA synchronous = FULL")
        return connection

    return _sqlite(url, connect, "BEGIN IMMEDIATE", poolclass=NullPool)


def _sqlite(url: URL, connect: Any, begin: str, **options: Any) -> Engine:
    engine = create_engine(url, creator=connect, **options)

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def _postgresql(url: URL, settings: Settings, **options: Any) -> Engine:
    arguments: dict[str, Any] = {"connect_timeout": max(2, round(settings.timeout_seconds))}
    if "options" not in url.query:
        # Like SQLite's busy time-out: a writer waits for another one, but not for ever. 0 would mean for ever.
        arguments["options"] = f"-c lock_timeout={max(1, round(settings.timeout_seconds * 1000))}"
    return create_engine(url, connect_args=arguments, pool_pre_ping=True, **options)


def _path(url: URL) -> Path:
    return Path(str(url.database))


def _uri(path: Path, mode: str) -> str:
    return f"file:{quote(str(path.absolute()))}?{mode}"


def _read_mode(path: Path) -> str:
    # A WAL database needs its -shm file beside it. Where that can neither be found nor made, nobody can be
    # writing either, so the file may be read as it stands.
    makes_files = os.access(path.absolute().parent, os.W_OK) or Path(f"{path}-shm").exists()
    return "mode=ro" if makes_files else "mode=ro&immutable=1"


def _connect_for_writing(path: Path, settings: Settings) -> sqlite3.Connection:
    if not path.absolute().parent.is_dir():
        raise StorageError(
            f"the folder of the database {path} does not exist", hint=f"create it: mkdir -p {path.parent}"
        )
    return sqlite3.connect(
        _uri(path, "mode=rwc"),
        uri=True,
        timeout=settings.timeout_seconds,
        isolation_level=None,
        check_same_thread=False,
    )


def _use_wal(connection: sqlite3.Connection, timeout: float) -> None:
    # The file remembers the mode, but a copy made by other tools may have lost it. SQLite does not wait for locks
    # while it changes the mode, so several processes that open a fresh database at once have to be patient here.
    deadline = time.monotonic() + timeout
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return
