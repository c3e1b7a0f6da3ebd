"""Fixtures that every test may use: the shared folder, a PostgreSQL of our own, and an open store."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from metrology.settings import Settings
from metrology.storage.schema import upgrade
from metrology.storage.store import Store, open_store
from tests.postgres_cluster import Cluster, missing_reason

ROOT = Path(__file__).resolve().parent.parent
IN_CI = bool(os.environ.get("CI"))

# No deadline, because shared machines stall. In CI the examples are the same each time, so that a run can be repeated;
# elsewhere they are new ones, which is where defects are found.
settings.register_profile("metrology", deadline=None, max_examples=40, derandomize=IN_CI)
settings.load_profile("metrology")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Iterator[None]:
    """In CI everything is there, so a test that skips itself is a check that did not happen: it fails."""
    report = yield
    if IN_CI and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped in CI, where nothing may be missing: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    """The same for whole files that skip themselves."""
    report = yield
    if IN_CI and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"skipped in CI, where nothing may be missing: {report.longrepr}"
    return report


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference data: METROLOGY_SHARED, or ``shared`` beside the checkout."""
    named = os.environ.get("METROLOGY_SHARED")
    folder = Path(named) if named else ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("the shared folder is absent: set METROLOGY_SHARED")
    return folder.resolve()


@pytest.fixture(scope="session")
def postgres_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """One PostgreSQL cluster per session and xdist worker, on a free port of 127.0.0.1."""
    reason = missing_reason()
    if reason:
        pytest.skip(reason)
    cluster = Cluster.start()
    try:
        yield cluster
    finally:
        cluster.stop()


@pytest.fixture(scope="session")
def postgres_store_url(postgres_cluster: Cluster) -> str:
    """The URL of a migrated database that the tests of the session use one after another."""
    url = postgres_cluster.create("migrated")
    with open_store(url, upgrade=False) as store:
        upgrade(store)
    return url


@pytest.fixture
def postgres_url(postgres_cluster: Cluster) -> str:
    """The URL of a fresh, empty database."""
    return postgres_cluster.create()


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite file that others are copied from."""
    path = tmp_path_factory.mktemp("template") / "metrology.db"
    open_store(path, settings=Settings()).close()
    return path


@pytest.fixture
def sqlite_path(tmp_path: Path, sqlite_template: Path) -> Path:
    """A migrated SQLite file of the test's own."""
    return Path(shutil.copy(sqlite_template, tmp_path / "metrology.db"))


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An open, migrated, empty store, once on SQLite and once on PostgreSQL."""
    settings = Settings(blobs=str(tmp_path / "metrology.blobs"))
    if request.param == "sqlite":
        url = str(request.getfixturevalue("sqlite_path"))
    else:
        # Emptied, not made anew: a database of the server's own costs a second and seven megabytes.
        url = request.getfixturevalue("postgres_store_url")
        request.getfixturevalue("postgres_cluster").empty(url)
    with open_store(url, settings=settings) as opened:
        yield opened
