"""The one way in: the workspace that METROLOGY_DB names, opened for reading only.

Answers are cached until the workspace changes: the key of every cached read holds ``data_version()``.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

import metrology as mt

if TYPE_CHECKING:
    from metrology.analysis.base import Analysis
    from metrology.workspace import Workspace

DEFAULT_DATABASE = "metrology.db"
# A figure is the same as long as the data are; the time limit only frees memory.
KEPT_SECONDS = 3600
KEPT_ANSWERS = 300


def address() -> str:
    """Return the address of the workspace: METROLOGY_DB, or the file ``metrology.db`` of the current folder."""
    return os.environ.get("METROLOGY_DB", "").strip() or DEFAULT_DATABASE


def display_address() -> str:
    """Return how the workspace is called on a page: never a user name, password or folder."""
    where = address()
    if "://" in where:
        scheme, _, rest = where.partition("://")
        return f"{scheme} database {rest.rpartition('/')[2].partition('?')[0]}"
    return Path(where).name


def workspace() -> Workspace:
    """Return the open read-only workspace; raises MetrologyError when there is none or it cannot be read."""
    where = address()
    return _opened(where, _file_mark(where))


def read(method: str, *arguments: Any, **options: Any) -> Any:
    """Return what ``workspace().method(...)`` returns, from memory while the data have not changed."""
    ws = workspace()
    where = address()
    return _read(where, _file_mark(where), str(ws.data_version()), method, arguments, tuple(sorted(options.items())))


def analysis(name: str, version: str, **options: Any) -> Analysis:
    """Return the answer to one question; options that are None are left to the analysis."""
    return read("analyze", name, version, **{key: value for key, value in options.items() if value is not None})


def _file_mark(where: str) -> int:
    # A database file that was deleted and made anew is another workspace under the same name.
    path = Path(where.removeprefix("sqlite:///"))
    return path.stat().st_ino if path.is_file() else 0


@st.cache_resource(show_spinner=False, max_entries=4, on_release=lambda ws: ws.close())
def _opened(where: str, mark: int) -> Workspace:  # noqa: ARG001 - part of the cache key
    return mt.open(where, read_only=True)


@st.cache_data(show_spinner="Computing", ttl=KEPT_SECONDS, max_entries=KEPT_ANSWERS)
def _read(
    where: str,
    file_mark: int,
    data_version: str,  # noqa: ARG001 - part of the cache key
    method: str,
    arguments: tuple[Any, ...],
    options: tuple[tuple[str, Any], ...],
) -> Any:
    return getattr(_opened(where, file_mark), method)(*arguments, **dict(options))
