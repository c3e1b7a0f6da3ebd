from __future__ import annotations

from dataclasses import replace

import pytest

from metrology.errors import NotFoundError
from metrology.storage.agents import add_agent, agents_by_id, find_agent, list_agents
from metrology.storage.store import Store
from tests.storage.samples import NOW, an_agent


def test_an_agent_comes_back_as_it_was_registered(store: Store) -> None:
    with store.write() as connection:
        added = add_agent(connection, an_agent(), when=NOW)
    with store.read() as connection:
        found = find_agent(connection, "careful")
        assert found == added.agent
        assert find_agent(connection, found.identity[:20]) == found
        assert agents_by_id(connection, [found.id, 999]) == {found.id: found}
    assert added.created
    assert found.configuration == an_agent()
    assert found.identity == an_agent().identity
    assert (found.moving_alias, found.created_at) == (None, NOW)


def test_the_same_configuration_is_one_agent_wherever_it_runs(store: Store) -> None:
    moved = replace(an_agent(), name="other name", volatile={"base_url": "http://elsewhere"})
    with store.write() as connection:
        first = add_agent(connection, an_agent())
        again = add_agent(connection, moved)
        assert (again.agent.id, again.created, again.agent.name) == (first.agent.id, False, "careful")
        assert again.agent.configuration.volatile == {"base_url": "http://elsewhere"}
        assert len(list_agents(connection)) == 1


def test_two_agents_may_share_a_name_and_the_newest_answers_to_it(store: Store) -> None:
    with store.write() as connection:
        old = add_agent(connection, an_agent()).agent
        new = add_agent(connection, an_agent(steps=20)).agent
        assert find_agent(connection, "careful").id == new.id
        assert find_agent(connection, old.identity).id == old.id
        assert [agent.id for agent in list_agents(connection)] == [old.id, new.id]
        with pytest.raises(NotFoundError, match="several"):
            find_agent(connection, "sha256:")


def test_a_moving_alias_is_kept(store: Store) -> None:
    with store.write() as connection:
        agent = add_agent(connection, replace(an_agent(), model={"requested": "vendor/model-latest"})).agent
        assert find_agent(connection, agent.name).moving_alias == "latest"


def test_an_unknown_agent_is_named_with_the_closest(store: Store) -> None:
    with store.write() as connection:
        add_agent(connection, an_agent())
        with pytest.raises(NotFoundError) as error:
            find_agent(connection, "carefull")
    assert error.value.hint == "did you mean careful?"
