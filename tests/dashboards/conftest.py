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
PATIENCE_SECONDS = 200


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
        test = AppTest.from_file(str(DASHBOARDS / "app.py"), default_timeout=PATIENCE_SECONDS)
        test.switch_page(f"pages/{page}.py")
        for key, value in query.items():
            test.query_params[key] = value
        return test.run()

    yield opened
    st.cache_data.clear()
    st.cache_resource.clear()


@pytest.fixture(scope="session")
def opened_pages() -> dict[str, AppTest]:
    """Pages that were opened on the workspace with results, to be looked at by several tests."""
    return {}


@pytest.fixture
def demo_page(demo_path: Path, open_page: Opener, opened_pages: dict[str, AppTest]) -> Callable[[str], AppTest]:
    """Return a page on the workspace with results, opened once; only to be read."""

    def page(address: str) -> AppTest:
        if address not in opened_pages:
            opened_pages[address] = open_page(address, demo_path, campaign="full")
        return opened_pages[address]

    return page
