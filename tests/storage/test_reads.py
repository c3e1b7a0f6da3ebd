from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from metrology.domain.lifecycle import ItemState
from metrology.domain.status import Status
from metrology.errors import NotFoundError
from metrology.storage.benchmarks import add_lifecycle_event, item_summaries
from metrology.storage.reads import campaign_progress, cell_table, occasion_cells, periods, status_counts
from metrology.storage.store import Store
from metrology.storage.trials import record_finished
from tests.storage.samples import NOW, a_campaign, a_version, over

EARLIER = datetime(2026, 2, 1, tzinfo=UTC)


def test_cells_of_several_campaigns_are_pooled(store: Store) -> None:
    with store.write() as connection:
        one = a_campaign(connection, name="c1", check_standards=("hasty",))
        two = a_campaign(connection, name="c2", agents=("hasty", "new"), check_standards=("hasty",), trials=3)
        revisions, (careful, hasty), (_, new) = one.revision_ids, one.agent_ids, two.agent_ids
        record_finished(
            connection,
            one.campaign_id,
            [over(revisions[0], careful, 0), over(revisions[0], hasty, 0, 0.5), over(revisions[1], hasty, 0, 0.0)],
            "0.1.0",
        )
        record_finished(connection, two.campaign_id, [over(revisions[0], hasty, 0, 0.25)], "0.1.0")
    with store.read() as connection:
        table = cell_table(connection, one.version_id)
        only = cell_table(connection, one.version_id, campaign_ids=[two.campaign_id], agent_ids=[new, careful])
    assert table.agent_names == ("careful", "hasty", "new")
    assert table.agent_ids == (careful, hasty, new)
    assert table.item_names == ("a-1", "a-2", "b-1")
    assert table.families == ("a", "a", "b")
    assert table.campaign_ids == (one.campaign_id, two.campaign_id)
    assert table.check_standards == {hasty}
    assert table.n.tolist() == [[1, 0, 0], [2, 1, 0], [0, 0, 0]]
    assert table.passed.tolist() == [[1, 0, 0], [1, 0, 0], [0, 0, 0]]
    assert table.total.tolist() == [[1, 0, 0], [0.75, 0, 0], [0, 0, 0]]
    assert table.total_squares.tolist() == [[1, 0, 0], [0.3125, 0, 0], [0, 0, 0]]
    # What was planned stays in the denominator, measured or not.
    assert table.planned.tolist() == [[2] * 3, [5] * 3, [3] * 3]
    assert (only.agent_names, only.planned.tolist(), only.n.sum()) == (("new",), [[3] * 3], 0)


def test_quarantined_items_do_not_count_unless_asked_for(store: Store) -> None:
    with store.write() as connection:
        planned = a_campaign(connection)
        item = item_summaries(connection, planned.version_id)[1]
        record_finished(connection, planned.campaign_id, [over(item.revision_id, planned.agent_ids[0], 0)], "0.1.0")
        add_lifecycle_event(connection, item.item_id, ItemState.QUARANTINED, "ann", "broken", {}, NOW)
        counted = cell_table(connection, planned.version_id)
        every = cell_table(connection, planned.version_id, counted_only=False)
    assert (counted.item_names, counted.n.sum()) == (("a-1", "b-1"), 0)
    assert (every.item_names, every.n.sum()) == (("a-1", "a-2", "b-1"), 1)


def test_a_version_without_campaigns_has_empty_cells(store: Store) -> None:
    with store.read() as connection:
        table = cell_table(connection, 999)
        assert occasion_cells(connection, 999, 1) == ()
        assert status_counts(connection, 999) == {}
        assert periods(connection, 999) == ()
        with pytest.raises(NotFoundError):
            campaign_progress(connection, 999)
    assert (table.n.shape, table.agent_ids, table.item_names) == ((0, 0), (), ())


def test_a_campaign_of_another_version_is_not_read(store: Store) -> None:
    with store.write() as connection:
        one = a_campaign(connection, name="c1")
        two = a_campaign(connection, name="c2", version=a_version("a-1", "new", label="2.0.0"))
        record_finished(connection, two.campaign_id, [over(two.revision_ids[0], two.agent_ids[0], 0)], "0.1.0")
        assert cell_table(connection, one.version_id).n.sum() == 0
        assert cell_table(connection, one.version_id, campaign_ids=[two.campaign_id]).n.size == 0
        assert cell_table(connection, two.version_id).n.sum() == 1


def test_occasions_are_the_campaigns_of_an_agent_oldest_first(store: Store) -> None:
    with store.write() as connection:
        late = a_campaign(connection, name="late", started_at=NOW)
        early = a_campaign(connection, name="early", started_at=EARLIER, trials=1)
        a_campaign(connection, name="others", agents=("hasty",))
        revision, agent = late.revision_ids[0], late.agent_ids[0]
        record_finished(connection, late.campaign_id, [over(revision, agent, 0, 0.5)], "0.1.0")
        first, second = occasion_cells(connection, late.version_id, agent)
    assert (first.campaign, first.campaign_id, first.started_at) == ("early", early.campaign_id, EARLIER)
    assert (first.n.tolist(), first.planned.tolist()) == ([0, 0, 0], [1, 1, 1])
    assert (second.campaign, second.started_at) == ("late", NOW)
    assert second.revision_ids[0] == revision
    assert (second.n.tolist(), second.passed.tolist(), second.total.tolist()) == ([1, 0, 0], [1, 0, 0], [0.5, 0, 0])


def test_statuses_are_counted_by_agent(store: Store) -> None:
    with store.write() as connection:
        planned = a_campaign(connection)
        careful, hasty = planned.agent_ids
        first, second, _ = planned.revision_ids
        ended = [
            over(first, careful, 0),
            over(first, careful, 1),
            over(second, careful, 0, None, status=Status.JUDGE_ERROR),
            over(first, hasty, 0, 0.0, status=Status.AGENT_TIMEOUT),
        ]
        record_finished(connection, planned.campaign_id, ended, "0.1.0")
        counts = status_counts(connection, planned.version_id)
        assert status_counts(connection, planned.version_id, [999]) == {}
    assert counts == {
        (careful, Status.COMPLETED): 2,
        (careful, Status.JUDGE_ERROR): 1,
        (hasty, Status.AGENT_TIMEOUT): 1,
    }


def test_periods_are_utc_months_of_trials_with_a_verdict(store: Store) -> None:
    with store.write() as connection:
        planned = a_campaign(connection, trials=9)
        revision, agent = planned.revision_ids[0], planned.agent_ids[0]
        last_second = datetime(2025, 12, 31, 23, 59, 59, tzinfo=UTC)
        ended = [
            over(revision, agent, 0, 0.5, at=last_second),
            over(revision, agent, 1, 1.0, at=datetime(2026, 1, 1, tzinfo=UTC)),
            over(revision, agent, 2, 0.25, at=datetime(2026, 1, 31, 23, 59, 59, tzinfo=UTC)),
            over(revision, agent, 3, None, status=Status.SCORER_ERROR, at=NOW),
            over(revision, agent, 4, 1.0, status=Status.HELD, at=NOW),
        ]
        record_finished(connection, planned.campaign_id, ended, "0.1.0")
    with store.read() as connection:
        if store.dialect == "postgresql":
            connection.exec_driver_sql("SET LOCAL TIME ZONE 'Asia/Tokyo'")
        found = periods(connection, planned.version_id)
    assert [(one.day, one.n, one.total, one.passed) for one in found] == [
        (date(2025, 12, 1), 1, 0.5, 1),
        (date(2026, 1, 1), 2, 1.25, 1),
    ]


def test_progress_says_how_far_a_campaign_has_come(store: Store) -> None:
    with store.write() as connection:
        planned = a_campaign(connection, started_at=NOW)
        empty = campaign_progress(connection, planned.campaign_id)
        revision, agent = planned.revision_ids[0], planned.agent_ids[0]
        ended = [over(revision, agent, 0), over(revision, agent, 1, None, status=Status.RATE_LIMITED, attempt=2)]
        record_finished(connection, planned.campaign_id, ended, "0.1.0")
        progress = campaign_progress(connection, planned.campaign_id)
    assert (empty.planned, empty.finished, empty.by_status, empty.attempts) == (12, 0, {}, 0)
    assert (empty.cost_usd, empty.input_tokens, empty.last_finished_at) == (None, None, None)
    assert (progress.planned, progress.finished, progress.attempts) == (12, 2, 4)
    assert progress.by_status == {Status.COMPLETED: 1, Status.RATE_LIMITED: 1}
    assert (progress.cost_usd, progress.input_tokens, progress.output_tokens) == (0.5, 2**34, 14)
    assert (progress.cached_input_tokens, progress.started_at) == (None, NOW)
    assert progress.last_finished_at is not None


def test_a_reader_sees_one_snapshot(store: Store) -> None:
    with store.write() as connection:
        planned = a_campaign(connection)
    with store.read() as reader:
        assert cell_table(reader, planned.version_id).n.sum() == 0
        with store.write() as writer:
            record_finished(
                writer, planned.campaign_id, [over(planned.revision_ids[0], planned.agent_ids[0], 0)], "0.1.0"
            )
        assert cell_table(reader, planned.version_id).n.sum() == 0
        assert status_counts(reader, planned.version_id) == {}
    with store.read() as reader:
        assert cell_table(reader, planned.version_id).n.sum() == 1
