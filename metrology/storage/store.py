"""The store: one database with its blobs, opened once and shared by the threads of a process.

All SQL outside this package goes through :meth:`Store.read` and :meth:`Store.write`. A store must not be carried
over a fork; open another one in the child.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from types import TracebackType

from sqlalchemy import Connection, Engine
from sqlalchemy.engine import URL

from metrology.errors import StorageError
from metrology.settings import Settings, read_settings
from metrology.storage import schema
from metrology.storage.blobs import BlobStore
from metrology.storage.engine import parse_url, reader_engine, writer_engine
from metrology.storage.failures import translated

__all__ = ["Connection", "Store", "open_store"]

# Each number only grows while what it counts may change a figure or a page.
_MARKS = (
    "max(id) FROM trial",
    "max(id) FROM attempt",
    "max(id) FROM verdict",
    "max(id) FROM lifecycle_event",
    "max(id) FROM item_revision",
    "max(id) FROM agent",
    "max(id) FROM import_batch",
    "max(id) FROM observation",
    "max(id) FROM campaign",
    "count(*) FROM campaign WHERE state = 'running'",
    "count(*) FROM campaign WHERE state = 'finished'",
    "count(*) FROM campaign WHERE state = 'cancelled'",
    "max(id) FROM benchmark_version",
    "count(*) FROM benchmark_version WHERE state = 'released'",
    "count(*) FROM benchmark_version WHERE state = 'superseded'",
)


class Store:
    """One open database.

    ``url`` is its address without password, ``dialect`` "sqlite" or "postgresql", ``path`` the file (None on
    PostgreSQL), ``blobs`` where transcripts and files are.
    """

    def __init__(self, address: URL, settings: Settings, *, read_only: bool) -> None:
        self.address = address
        self.settings = settings
        self.read_only = read_only
        self.dialect = address.drivername.split("+")[0]
        self.path = Path(str(address.database)) if self.dialect == "sqlite" else None
        self.shown = str(self.path) if self.path is not None else address.render_as_string()
        self.url = self.shown
        self.blobs = BlobStore(_blob_folder(self.path, settings))
        self.reader = reader_engine(address, settings)
        self._writer: Engine | None = None
        self._lock = Lock()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Yield a connection that cannot write and sees one snapshot of the store.

        Raises:
            StorageError: when the database is locked, damaged or unreachable.
        """
        with translated(self.shown), self.reader.begin() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Yield a connection in one transaction, committed at the end and rolled back when the block raises.

        On SQLite the transaction holds the write lock, so keep it short.

        Raises:
            StorageError: when the store is read-only, its schema is not current, or the database is locked for
                longer than the timeout, full, damaged or unreachable. Nothing of the block is stored then.
        """
        with translated(self.shown), self._write_engine().begin() as connection:
            yield connection

    def data_version(self) -> int:
        """Return a number that changes when results, items, agents, campaigns or imports do: the key of caches.

        It says nothing about order; compare it for equality only.
        """
        query = "SELECT " + ", ".join(f"(SELECT {mark})" for mark in _MARKS)
        with self.read() as connection:
            return hash(tuple(value or 0 for value in connection.exec_driver_sql(query).one()))

    def close(self) -> None:
        """Close all connections; the store may not be used afterwards."""
        self.reader.dispose()
        if self._writer is not None:
            self._writer.dispose()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _write_engine(self) -> Engine:
        if self.read_only:
            raise StorageError(f"the database {self.shown} is opened read-only", hint="open it for writing")
        with self._lock:
            if self._writer is None:
                schema.require_current(self)
                self._writer = writer_engine(self.address, self.settings)
            return self._writer


def open_store(
    url: str | Path | None = None,
    *,
    read_only: bool = False,
    upgrade: bool = True,
    settings: Settings | None = None,
) -> Store:
    """Return the store at ``url``: a path, ``sqlite:///path`` or ``postgresql://...``; None asks the settings.

    A missing SQLite database is created and an older one upgraded after a copy was made; PostgreSQL is never changed
    here. With ``upgrade=False`` the schema is left alone and unchecked until the first write: for commands that look
    at it or change it. ``read_only`` neither creates nor upgrades.

    Raises:
        StorageError: when the database is missing (read-only), older (PostgreSQL, read-only), newer than this
            release (for writing), of another program, or out of reach.
        InputError: for an address or a setting that cannot be read.
    """
    chosen = read_settings() if settings is None else settings
    store = Store(parse_url(chosen.database if url is None else str(url)), chosen, read_only=read_only)
    try:
        if upgrade and read_only:
            schema.require_readable(store)
        elif upgrade and store.path is not None:
            schema.upgrade(store)
        elif upgrade:
            schema.require_current(store)
    except BaseException:
        store.close()
        raise
    return store


def _blob_folder(path: Path | None, settings: Settings) -> Path:
    if settings.blobs is not None:
        return Path(settings.blobs)
    return Path("metrology.blobs") if path is None else path.with_suffix(".blobs")
