from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from metrology.domain.status import Status
from metrology.domain.trial import TrialKey, Usage
from metrology.domain.verdict import Verdict
from metrology.errors import ConflictError, NotFoundError
from metrology.storage.bulk import recount_cells
from metrology.storage.reads import campaign_progress, cell_table
from metrology.storage.store import Store
from metrology.storage.trials import (
    Regraded,
    attempt_counts,
    close_interrupted,
    count_trials,
    finished_keys,
    list_trials,
    record_failed_attempts,
    record_finished,
    record_starts,
    record_verdicts,
    reopen_missing,
    trial,
)
from tests.storage.samples import NOW, Planned, a_campaign, over


def _cells(store: Store, planned: Planned) -> dict[str, list[list[float]]]:
    with store.read() as connection:
        table = cell_table(connection, planned.version_id)
    return {
        name: getattr(table, name).tolist() for name in ("n", "passed", "total", "total_squares", "missing", "planned")
    }


def test_a_finished_trial_is_stored_whole(store: Store) -> None:
    with store.write() as connection:
        planned = a_campaign(connection)
        revision, agent = planned.revision_ids[0], planned.agent_ids[0]
        record_starts(connection, planned.campaign_id, [(TrialKey(revision, agent, 0), 0, NOW)])
    with store.write() as connection:
        record_finished(connection, planned.campaign_id, [over(revision, agent, 0, 0.75)], "0.1.0")
    with store.read() as connection:
        (listed,) = list_trials(connection, planned.campaign_id)
        record = trial(connection, listed.id)
    assert record.trial == listed
    assert (listed.key, listed.item, listed.agent) == (TrialKey(revision, agent, 0), "a-1", "careful")
    assert (listed.status, listed.score, listed.passed, listed.attempts) == (Status.COMPLETED, 0.75, True, 1)
    assert (listed.started_at, listed.duration_seconds, listed.answer) == (NOW, 2.5, "42")
    assert listed.usage == Usage(input_tokens=2**33, output_tokens=7, cost_usd=0.25)
    (attempt,) = record.attempts
    assert (attempt.status, attempt.started_at) == (Status.COMPLETED, NOW)
    assert attempt.finished_at == NOW + timedelta(seconds=3)
    (verdict,) = record.verdicts
    assert (verdict.score, verdict.passed, verdict.scorer) == (0.75, True, "sha256:scorer")
    assert (verdict.criteria, verdict.evidence, verdict.platform_version) == ({"right": 0.75}, "looked at it", "0.1.0")


@pytest.mark.parametrize("batch", [1, 3, 49, 50, 101])
def test_cells_are_the_sums_of_their_trials(store: Store, batch: int) -> None:
    scores = [(number * 7 % 11) / 10 for number in range(batch)]
    with store.write() as connection:
        planned = a_campaign(connection, trials=batch)
        first, second, third = planned.revision_ids
        careful, hasty = planned.agent_ids
        ended = [over(first, careful, number, score) for number, score in enumerate(scores)]
        ended.append(over(second, careful, 0, None, status=Status.SCORER_ERROR))
        ended.append(over(second, hasty, 0, 0.0, status=Status.AGENT_TIMEOUT))
        ended.append(over(third, hasty, 0, 1.0, status=Status.HELD))
        record_finished(connection, planned.campaign_id, ended, "0.1.0")
    found = _cells(store, planned)
    passed = sum(score >= 0.5 for score in scores)
    assert found["n"] == [[batch, 0, 0], [0, 1, 0]]
    assert found["passed"] == [[passed, 0, 0], [0, 0, 0]]
    assert found["total"][0][0] == pytest.approx(sum(scores))
    assert found["total_squares"][0][0] == pytest.approx(sum(score**2 for score in scores))
    # No verdict, or one that is set aside, is missing: never 0, never out of the denominator.
    assert found["missing"] == [[0, 1, 0], [0, 0, 1]]
    assert found["planned"] == [[batch] * 3] * 2
    with store.write() as connection:
        recount_cells(connection, planned.campaign_id)
    again = _cells(store, planned)
    assert {name: again[name] for name in ("n", "passed", "missing", "planned")} == {
        name: found[name] for name in ("n", "passed", "missing", "planned")
    }
    assert again["total"][0] == pytest.approx(found["total"][0])


def test_a_trial_is_stored_once(store: Store) -> None:
    with store.write() as connection:
        planned = a_campaign(connection)
        key = planned.revision_ids[0], planned.agent_ids[0], 0
        record_finished(connection, planned.campaign_id, [over(*key)], "0.1.0")
    with pytest.raises(ConflictError, match="stored already"), store.write() as connection:
        record_finished(connection, planned.campaign_id, [over(*key, 0.0)], "0.1.0")
    with store.read() as connection:
        assert count_trials(connection, planned.campaign_id) == 1
        assert list_trials(connection, planned.campaign_id)[0].score == 1.0
    assert _cells(store, planned)["n"][0][0] == 1


def test_a_trial_of_an_unknown_item_is_a_defect_not_a_conflict(store: Store) -> None:
    with store.write() as connection:
        planned = a_campaign(connection)
    with pytest.raises(Exception, match=r"(?i)foreign key"), store.write() as connection:
        record_finished(connection, planned.campaign_id, [over(999, planned.agent_ids[0], 0)], "0.1.0")


def test_attempts_are_counted_until_the_trial_is_over(store: Store) -> None:
    with store.write() as connection:
        planned = a_campaign(connection)
        revision, agent = planned.revision_ids[0], planned.agent_ids[0]
        key, campaign = TrialKey(revision, agent, 0), planned.campaign_id
        record_starts(connection, campaign, [(key, 0, NOW)])
        failed = over(revision, agent, 0, None, status=Status.SANDBOX_ERROR)
        record_failed_attempts(connection, campaign, [failed])
        record_starts(connection, campaign, [(key, 1, NOW), (TrialKey(revision, agent, 1), 0, NOW)])
        assert attempt_counts(connection, campaign) == {key: 2, TrialKey(revision, agent, 1): 1}
        assert finished_keys(connection, campaign) == set()
        record_finished(connection, campaign, [over(revision, agent, 0, attempt=1)], "0.1.0")
        assert attempt_counts(connection, campaign) == {TrialKey(revision, agent, 1): 1}
        assert finished_keys(connection, campaign) == {key}
        (listed,) = list_trials(connection, campaign)
        attempts = trial(connection, listed.id).attempts
    assert listed.attempts == 2
    assert [attempt.status for attempt in attempts] == [Status.SANDBOX_ERROR, Status.COMPLETED]


def test_attempts_of_a_dead_coordinator_are_closed_as_interrupted(store: Store) -> None:
    with store.write() as connection:
        planned = a_campaign(connection)
        key = TrialKey(planned.revision_ids[0], planned.agent_ids[0], 0)
        record_starts(connection, planned.campaign_id, [(key, 0, NOW)])
        assert campaign_progress(connection, planned.campaign_id).running == 1
        assert close_interrupted(connection, planned.campaign_id, NOW) == 1
        assert close_interrupted(connection, planned.campaign_id, NOW) == 0
        progress = campaign_progress(connection, planned.campaign_id)
        assert attempt_counts(connection, planned.campaign_id) == {key: 1}
    assert (progress.running, progress.attempts, progress.finished) == (0, 1, 0)


def test_a_resume_takes_back_what_the_infrastructure_kept(store: Store) -> None:
    with store.write() as connection:
        planned = a_campaign(connection)
        first, second, _ = planned.revision_ids
        agent, campaign = planned.agent_ids[0], planned.campaign_id
        record_finished(
            connection,
            campaign,
            [
                over(first, agent, 0, None, status=Status.PROVIDER_ERROR, attempt=2),
                over(first, agent, 1, None, status=Status.PROVIDER_ERROR),
                over(second, agent, 0, None, status=Status.SCORER_ERROR),
                over(second, agent, 1, 1.0),
            ],
            "0.1.0",
        )
        assert reopen_missing(connection, campaign) == 2
        assert reopen_missing(connection, campaign) == 0
        assert attempt_counts(connection, campaign) == {TrialKey(first, agent, 0): 3, TrialKey(first, agent, 1): 1}
        record_finished(connection, campaign, [over(first, agent, 0, 1.0, attempt=3)], "0.1.0")
    found = _cells(store, planned)
    assert found["n"][0] == [1, 1, 0]
    assert found["missing"][0] == [0, 1, 0]


def test_regrading_adds_a_verdict_and_puts_it_in_force(store: Store) -> None:
    later = NOW + timedelta(days=1)
    with store.write() as connection:
        planned = a_campaign(connection)
        revision, agent = planned.revision_ids[0], planned.agent_ids[0]
        ended = [over(revision, agent, 0, 1.0), over(revision, agent, 1, None, status=Status.SCORER_ERROR)]
        record_finished(connection, planned.campaign_id, ended, "0.1.0")
        first, second = list_trials(connection, planned.campaign_id)
        verdict = Verdict(0.25, False, "sha256:new", {}, "stricter")
        record_verdicts(connection, [Regraded(first.id, verdict), Regraded(second.id, verdict)], "0.2.0", later)
        with pytest.raises(NotFoundError):
            record_verdicts(connection, [Regraded(999, verdict)], "0.2.0", later)
        record = trial(connection, first.id)
    assert [(one.score, one.platform_version) for one in record.verdicts] == [(1.0, "0.1.0"), (0.25, "0.2.0")]
    assert (record.trial.score, record.trial.passed, record.verdicts[1].created_at) == (0.25, False, later)
    found = _cells(store, planned)
    assert (found["n"][0][0], found["passed"][0][0], found["total"][0][0], found["missing"][0][0]) == (2, 0, 0.5, 0)


def test_trials_are_listed_page_by_page(store: Store) -> None:
    with store.write() as connection:
        planned = a_campaign(connection, trials=4)
        careful, hasty = planned.agent_ids
        ended = [over(revision, careful, number) for number in range(4) for revision in planned.revision_ids]
        ended.append(over(planned.revision_ids[0], hasty, 0, 0.0, status=Status.REFUSED))
        record_finished(connection, planned.campaign_id, ended, "0.1.0")
        pages = [list_trials(connection, planned.campaign_id, offset=offset, limit=5) for offset in (0, 5, 10, 15)]
        refused = list_trials(connection, planned.campaign_id, status=Status.REFUSED)
        assert count_trials(connection, planned.campaign_id, agent_id=careful) == 12
        assert count_trials(connection, planned.campaign_id, revision_id=planned.revision_ids[0]) == 5
        with pytest.raises(NotFoundError):
            trial(connection, 999)
    assert [len(page) for page in pages] == [5, 5, 3, 0]
    assert len({one.id for page in pages for one in page}) == 13
    assert [one.agent for one in refused] == ["hasty"]


def test_nothing_is_recorded_of_an_empty_batch(store: Store) -> None:
    with store.write() as connection:
        planned = a_campaign(connection)
        record_finished(connection, planned.campaign_id, [], "0.1.0")
        record_starts(connection, planned.campaign_id, [])
        assert count_trials(connection, planned.campaign_id) == 0


def test_a_naive_time_is_refused(store: Store) -> None:
    with store.write() as connection:
        planned = a_campaign(connection)
        key = TrialKey(planned.revision_ids[0], planned.agent_ids[0], 0)
        with pytest.raises(ValueError, match="naive"):
            record_starts(connection, planned.campaign_id, [(key, 0, datetime(2026, 1, 1))])  # noqa: DTZ001
