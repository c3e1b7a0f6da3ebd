"""A database of every release that was made is opened by this one and gives what was put in."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from metrology.domain.benchmark import VersionState
from metrology.domain.lifecycle import ItemState
from metrology.domain.status import Status
from metrology.storage import schema
from metrology.storage.agents import find_agent
from metrology.storage.benchmarks import find_version, lifecycle_events, version_items
from metrology.storage.campaigns import find_campaign, held_by, plan_ids
from metrology.storage.observations import observations
from metrology.storage.reads import campaign_progress, cell_table, status_counts
from metrology.storage.store import open_store
from metrology.storage.trials import close_interrupted, list_trials, trial
from tests.storage.keep_release import FOLDER
from tests.storage.samples import NOW, a_version, an_agent

RELEASES = sorted(path.stem for path in FOLDER.glob("*.sql"))


def test_every_schema_is_kept() -> None:
    assert list(schema.known_revisions()) == RELEASES


@pytest.mark.parametrize("revision", RELEASES)
def test_a_stored_release_is_upgraded_and_read(revision: str, tmp_path: Path) -> None:
    path = tmp_path / "metrology.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((FOLDER / f"{revision}.sql").read_text())
    with open_store(path) as store:
        found = schema.status(store)
        assert found.state is schema.SchemaState.CURRENT
        assert len(found.backups) == (revision != schema.head_revision())
        with store.read() as connection:
            version = find_version(connection, "bench")
            assert (version.identity, version.state) == (a_version().identity, VersionState.RELEASED)
            items = version_items(connection, version.id)
            assert tuple(item.revision for item in items) == a_version().items
            assert items[2].state is ItemState.QUARANTINED
            assert lifecycle_events(connection, "bench")[0].evidence == {"trial": 1}
            assert find_agent(connection, "careful").configuration == an_agent()
            campaign = find_campaign(connection, "c1")
            assert len(plan_ids(connection, campaign.id).check_standards) == 1
            holder = held_by(connection, campaign.id)
            assert holder is not None
            assert (holder.holder, holder.acquired_at) == ("gone", NOW)
            table = cell_table(connection, version.id)
            assert (table.n.tolist(), table.missing.tolist()) == ([[2, 0], [1, 0]], [[0, 1], [0, 0]])
            assert table.total.tolist() == [[1.0, 0.0], [0.0, 0.0]]
            assert sum(status_counts(connection, version.id).values()) == 4
            progress = campaign_progress(connection, campaign.id)
            assert (progress.planned, progress.finished, progress.running) == (12, 4, 1)
            first = list_trials(connection, campaign.id)[0]
            assert [one.score for one in trial(connection, first.id).verdicts] == [1.0, 0.75]
            assert list_trials(connection, campaign.id, status=Status.JUDGE_ERROR)[0].score is None
            assert observations(connection)[0].observation.value == 0.5
        with store.write() as connection:
            assert close_interrupted(connection, campaign.id, NOW) == 1
