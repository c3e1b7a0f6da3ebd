from __future__ import annotations

from datetime import date

import pytest
from sqlalchemy.exc import IntegrityError

from metrology.domain.observation import Observation
from metrology.storage.agents import add_agent
from metrology.storage.imports import add_batch, find_batch, list_batches, set_account
from metrology.storage.observations import add_observations, join_agent, measures, observations
from metrology.storage.store import Store
from metrology.storage.tables import ImportKind
from tests.storage.samples import NOW, an_agent

SOURCE = {"source_name": "results.csv", "content_digest": "sha256:c", "map_digest": "sha256:m", "target": "bench@1"}


def test_an_import_is_found_again_by_what_it_brought(store: Store) -> None:
    with store.write() as connection:
        import_id = add_batch(connection, ImportKind.RESULTS, **SOURCE, when=NOW)
        set_account(connection, import_id, {"lines": 3})
        found = find_batch(connection, ImportKind.RESULTS, "sha256:c", "sha256:m", "bench@1")
        assert find_batch(connection, ImportKind.OUTCOMES, "sha256:c", "sha256:m", "bench@1") is None
        assert find_batch(connection, ImportKind.RESULTS, "sha256:c", "sha256:m", "bench@2") is None
        assert list_batches(connection) == list_batches(connection, ImportKind.RESULTS) == (found,)
        assert list_batches(connection, ImportKind.OUTCOMES) == ()
    assert found is not None
    assert (found.id, found.source_name, found.account, found.created_at) == (
        import_id,
        "results.csv",
        {"lines": 3},
        NOW,
    )


def test_the_same_import_twice_is_refused_by_the_database(store: Store) -> None:
    with store.write() as connection:
        add_batch(connection, ImportKind.RESULTS, **SOURCE)
    with pytest.raises(IntegrityError), store.write() as connection:
        add_batch(connection, ImportKind.RESULTS, **SOURCE)
    with store.read() as connection:
        assert len(list_batches(connection)) == 1


def test_observations_are_joined_to_agents_by_name(store: Store) -> None:
    seen = [
        Observation("careful", date(2026, 1, 1), date(2026, 1, 31), "all", "resolved", 0.75, 120),
        Observation("stranger", None, None, "eu", "resolved", 0.5, None, censored=True),
        Observation("careful", None, None, "eu", "cost", 12.0),
    ]
    with store.write() as connection:
        add_agent(connection, an_agent())
        newest = add_agent(connection, an_agent(steps=20)).agent
        import_id = add_batch(connection, ImportKind.OUTCOMES, **SOURCE)
        assert add_observations(connection, import_id, iter(seen)) == 3
        assert add_observations(connection, import_id, ()) == 0
    with store.write() as connection:
        every = observations(connection)
        assert [one.observation for one in every] == seen
        assert [one.agent_id for one in every] == [newest.id, None, newest.id]
        assert [one.observation.value for one in observations(connection, measure="resolved")] == [0.75, 0.5]
        assert [one.observation.value for one in observations(connection, segment="eu", measure="cost")] == [12.0]
        assert len(observations(connection, agent_ids=[newest.id])) == 2
        assert [(one.measure, one.segment, one.figures, one.agents) for one in measures(connection)] == [
            ("cost", "eu", 1, 1),
            ("resolved", "all", 1, 1),
            ("resolved", "eu", 1, 1),
        ]
        assert join_agent(connection, newest.id, "stranger") == 1
        assert len(observations(connection, agent_ids=[newest.id])) == 3
