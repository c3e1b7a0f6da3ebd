"""Turns what a database driver reports into an error a person can act on.

Only troubles of the surroundings are translated: locks, full disks, missing rights, unreachable servers. A broken
constraint or wrong SQL is a defect of the platform and keeps its traceback.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError

from metrology.errors import StorageError

_SQLITE: dict[str, tuple[str, str]] = {
    "SQLITE_BUSY": ("is locked by another writer", "wait for the other command to end, or raise METROLOGY_DB_TIMEOUT"),
    "SQLITE_LOCKED": ("is locked by another writer", "wait for the other command to end, then try again"),
    "SQLITE_READONLY": ("is read-only", "open it for writing, or check the rights of the file and its folder"),
    "SQLITE_FULL": ("cannot grow: the disk is full", "free some space and try again; nothing was half-written"),
    "SQLITE_IOERR": ("cannot be read or written", "check the disk and its free space; nothing was half-written"),
    "SQLITE_CANTOPEN": ("cannot be opened", "check that the folder exists and that you may write in it"),
    "SQLITE_NOTADB": ("is not a SQLite database", "give the path of a metrology database, or another name"),
    "SQLITE_CORRUPT": ("is damaged", "restore a backup; `metrology db status` names where backups are"),
    "SQLITE_PERM": ("may not be used by this user", "check the rights of the file and its folder"),
}
_POSTGRESQL: dict[str, tuple[str, str]] = {
    "53100": ("cannot grow: the disk of the server is full", "free some space and try again; nothing was half-written"),
    "53300": ("has no connection left", "close other programs that use it, or raise max_connections"),
    "25006": ("is read-only", "open it for writing, or use another role"),
    "55P03": ("is locked by another writer", "wait for the other command to end, then try again"),
    "57014": ("took too long to answer", "wait for other commands to end, then try again"),
    "42501": ("may not be used by this role", "ask the owner of the database to grant the rights"),
    "3D000": ("does not exist on the server", "create the database, then run `metrology db upgrade`"),
    "40": ("was changed by another writer at the same moment", "try again; nothing was half-written"),
    "28": ("refuses the login", "check user and password in METROLOGY_DB"),
    "08": ("cannot be reached", "check that the server runs and that host and port in METROLOGY_DB are right"),
    "57P": ("went away", "check that the server runs, then try again"),
}


@contextmanager
def translated(shown: str) -> Iterator[None]:
    """Raise :class:`StorageError` naming ``shown`` (the database, without password) for trouble of the surroundings."""
    try:
        yield
    except (DBAPIError, sqlite3.Error) as error:
        found = explanation(error)
        if found is None:
            raise
        what, hint = found
        raise StorageError(f"the database {shown} {what}", hint=hint) from error


def explanation(error: DBAPIError | sqlite3.Error) -> tuple[str, str] | None:
    """Return (what is wrong, hint), or None when the error is not one of the surroundings."""
    original = error.orig if isinstance(error, DBAPIError) else error
    name = getattr(original, "sqlite_errorname", None)
    if name is not None:
        return next((_SQLITE[key] for key in _SQLITE if name == key or name.startswith(f"{key}_")), None)
    state = getattr(original, "sqlstate", None)
    if state is not None:
        return next((_POSTGRESQL[key] for key in _POSTGRESQL if state.startswith(key)), None)
    if type(original).__name__ == "OperationalError" and not isinstance(original, sqlite3.Error):
        # psycopg gives no state when there is no connection.
        return _POSTGRESQL["08"]
    return None
