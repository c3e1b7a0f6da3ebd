from __future__ import annotations

from datetime import timedelta

import pytest

from metrology.errors import ConflictError, NotFoundError
from metrology.storage.campaigns import (
    campaign_by_id,
    extend_plan,
    find_campaign,
    list_campaigns,
    plan_ids,
    set_state,
)
from metrology.storage.store import Store
from metrology.storage.tables import CampaignState, Origin
from tests.storage.samples import NOW, a_campaign, a_version


def test_a_campaign_comes_back_as_it_was_planned(store: Store) -> None:
    with store.write() as connection:
        planned = a_campaign(connection, check_standards=("hasty",))
    with store.read() as connection:
        found = find_campaign(connection, "c1")
        plan = plan_ids(connection, found.id)
        assert campaign_by_id(connection, planned.campaign_id) == found
    assert (found.version_id, found.origin, found.state) == (planned.version_id, Origin.LIVE, CampaignState.PLANNED)
    assert (found.seed, found.trials, found.document) == (2**40, 2, {"max_attempts": 3})
    assert (found.created_at, found.started_at, found.finished_at) == (NOW, None, None)
    assert plan.revision_ids == tuple(sorted(planned.revision_ids))
    assert plan.agent_ids == tuple(sorted(planned.agent_ids))
    assert plan.check_standards == {planned.agent_ids[1]}


def test_a_name_is_given_once(store: Store) -> None:
    with store.write() as connection:
        a_campaign(connection)
        with pytest.raises(ConflictError, match="'c1'"):
            a_campaign(connection)


def test_states_carry_their_times(store: Store) -> None:
    later = NOW + timedelta(hours=1)
    with store.write() as connection:
        campaign_id = a_campaign(connection).campaign_id
        set_state(connection, campaign_id, CampaignState.RUNNING, NOW)
        set_state(connection, campaign_id, CampaignState.FINISHED, later)
        assert campaign_by_id(connection, campaign_id).finished_at == later
        # A resume goes on: the start stays the first one.
        set_state(connection, campaign_id, CampaignState.RUNNING, later)
        again = campaign_by_id(connection, campaign_id)
        with pytest.raises(NotFoundError):
            set_state(connection, 999, CampaignState.RUNNING, NOW)
    assert (again.state, again.started_at, again.finished_at) == (CampaignState.RUNNING, NOW, None)


def test_campaigns_are_listed_by_version(store: Store) -> None:
    with store.write() as connection:
        first = a_campaign(connection, name="c1")
        second = a_campaign(connection, name="c2", version=a_version("other", label="2.0.0"))
        assert [one.id for one in list_campaigns(connection)] == [first.campaign_id, second.campaign_id]
        assert [one.id for one in list_campaigns(connection, second.version_id)] == [second.campaign_id]
        with pytest.raises(NotFoundError) as error:
            find_campaign(connection, "c3")
    assert "c1" in error.value.hint


def test_a_recorded_campaign_grows_without_losing(store: Store) -> None:
    with store.write() as connection:
        first = a_campaign(connection, name="c1", agents=("careful",))
        other = a_campaign(connection, name="c2", agents=("hasty",))
        extend_plan(connection, first.campaign_id, first.revision_ids, (*first.agent_ids, *other.agent_ids))
        plan = plan_ids(connection, first.campaign_id)
    assert plan.agent_ids == (*first.agent_ids, *other.agent_ids)
    assert plan.revision_ids == first.revision_ids
