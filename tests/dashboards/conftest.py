"""The dashboard's own modules are found the way Streamlit finds them: beside app.py."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import metrology as mt
from metrology.resources import shipped_folder
from tests.dashboards.workspaces import build_demo, build_empty

DASHBOARDS = shipped_folder("dashboards")
if str(DASHBOARDS) not in sys.path:
    sys.path.insert(0, str(DASHBOARDS))

Opener = Callable[..., AppTest]


@pytest.fixture(scope="session")
def demo_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with results."""
    return build_demo(tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="session")
def empty_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace without anything."""
    return build_empty(tmp_path_factory.mktemp("empty") / "empty.db")


@pytest.fixture
def demo(demo_path: Path) -> Iterator[mt.Workspace]:
    """The workspace with results, open for reading."""
    with mt.open(demo_path, read_only=True) as ws:
        yield ws


@pytest.fixture
def open_page(monkeypatch: pytest.MonkeyPatch) -> Iterator[Opener]:
    """Open one page of the dashboard on a workspace, as a link with these query parameters would."""

    def opened(page: str, database: Path, **query: str) -> AppTest:
        monkeypatch.setenv("METROLOGY_DB", str(database))
        test = AppTest.from_file(str(DASHBOARDS / "app.py"), default_timeout=60)
        test.switch_page(f"pages/{page}.py")
        for key, value in query.items():
            test.query_params[key] = value
        return test.run()

    yield opened
    st.cache_data.clear()
    st.cache_resource.clear()
