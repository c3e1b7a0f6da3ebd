"""Settings from the environment: where the store and its blobs are, and how careful the store is.

Nothing is read at import time, so that a test or a notebook may change the environment and ask again.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from metrology.errors import InputError

DEFAULT_DATABASE = "metrology.db"
SYNCHRONOUS = ("full", "normal")


@dataclass(frozen=True)
class Settings:
    """Where the store is and how it behaves.

    ``database`` is a path or a URL. ``blobs`` is the folder of the blobs, None for the default beside the database.
    ``synchronous`` is how SQLite writes: "full" waits for the disk at every commit, so that a power cut loses
    nothing; "normal" survives the death of the process, but a power cut may lose the last commits.
    ``timeout_seconds`` is how long a writer waits for another one.
    """

    database: str = DEFAULT_DATABASE
    blobs: str | None = None
    synchronous: str = "full"
    timeout_seconds: float = 30.0


def read_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """Return the settings that METROLOGY_DB, METROLOGY_BLOBS, METROLOGY_SYNCHRONOUS and METROLOGY_DB_TIMEOUT give.

    Raises:
        InputError: for a value that means nothing; names the variable.
    """
    values = os.environ if environment is None else environment
    synchronous = values.get("METROLOGY_SYNCHRONOUS", "full").strip().lower()
    if synchronous not in SYNCHRONOUS:
        raise InputError(
            f"METROLOGY_SYNCHRONOUS is {synchronous!r}, not one of {', '.join(SYNCHRONOUS)}",
            hint="unset METROLOGY_SYNCHRONOUS or set it to full or normal",
        )
    return Settings(
        database=values.get("METROLOGY_DB", "").strip() or DEFAULT_DATABASE,
        blobs=values.get("METROLOGY_BLOBS", "").strip() or None,
        synchronous=synchronous,
        timeout_seconds=_seconds(values.get("METROLOGY_DB_TIMEOUT", "30")),
    )


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 86_400:
        raise InputError(
            f"METROLOGY_DB_TIMEOUT is {text!r}, not a number of seconds between 0 and 86400",
            hint="unset METROLOGY_DB_TIMEOUT or give seconds, such as 30",
        )
    return seconds
