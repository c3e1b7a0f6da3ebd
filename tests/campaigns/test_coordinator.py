"""The coordinator: order, retries, statuses, leases, an orderly stop, and what each of them leaves in the store."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from metrology.campaigns import coordinator as coordinator_module
from metrology.campaigns.coordinator import Coordinator
from metrology.campaigns.planning import plan_campaign, run_campaign
from metrology.campaigns.trial import TrialRunner
from metrology.domain.campaign import trial_order, trial_seed
from metrology.domain.status import Status
from metrology.errors import ConflictError, InputError, NotFoundError, StoppedError, StorageError
from metrology.harnesses.base import Outcome
from metrology.scoring.base import ScoringError
from metrology.storage import campaigns as campaign_store
from metrology.storage import trials as trial_store
from metrology.storage.counting import campaign_progress
from metrology.storage.recount import miscounted_cells
from metrology.storage.store import Store
from metrology.storage.tables import CampaignState
from tests.campaigns.samples import NOOP, REFERENCE, ListedHarness, benchmark, item, program_agent, registered, stored

YES = Outcome(Status.COMPLETED, answer="yes")


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coordinator_module, "RETRY_BASE_SECONDS", 0.0)


def _run(store: Store, campaign: Any, **options: Any) -> None:
    options = {"platform_version": "test", "concurrency": 3, "on_progress": None, **options}
    run_campaign(store, campaign, **options)


def _listed(store: Store, outcomes: list[Any], *, max_attempts: int = 3) -> tuple[Any, ListedHarness, Coordinator]:
    """A campaign of one item, one trial, whose agent plays ``outcomes``."""
    campaign = plan_campaign(
        store,
        stored(store, benchmark([item("a")])),
        registered(store, NOOP),
        trials=1,
        seed=1,
        max_attempts=max_attempts,
    )
    with store.read() as conn:
        ids = campaign_store.plan_ids(conn, campaign.id)
    runner = TrialRunner({ids.agent_ids[0]: NOOP}, {ids.revision_ids[0]: item("a")}, seed=1, blobs=store.blobs)
    harness = ListedHarness(outcomes)
    runner._harnesses = {ids.agent_ids[0]: harness}
    return campaign, harness, Coordinator(store, campaign.id, runner, platform_version="test", concurrency=1)


def _only_trial(store: Store, campaign: Any) -> Any:
    with store.read() as conn:
        (listed,) = trial_store.list_trials(conn, campaign.id)
        return trial_store.trial(conn, listed.id)


def test_a_campaign_measures_every_planned_trial_once(store: Store) -> None:
    version = stored(store, benchmark([item("a"), item("b"), item("c")]))
    campaign = plan_campaign(store, version, registered(store, NOOP, REFERENCE), trials=4, seed=7)
    _run(store, campaign)
    with store.read() as conn:
        progress = campaign_progress(conn, campaign.id)
        trials = trial_store.list_trials(conn, campaign.id)
        assert campaign_store.campaign_by_id(conn, campaign.id).state is CampaignState.FINISHED
        assert miscounted_cells(conn) == ()
        assert campaign_store.held_by(conn, campaign.id) is None
    assert (progress.planned, progress.finished, progress.running) == (24, 24, 0)
    assert Counter((trial.agent, trial.score) for trial in trials) == {("noop", 0.0): 12, ("reference", 1.0): 12}
    assert len({trial.key for trial in trials}) == 24


def test_infrastructure_trouble_is_retried_and_then_missing(store: Store) -> None:
    campaign, harness, coordinator = _listed(store, [Outcome(Status.RATE_LIMITED), Outcome(Status.PROVIDER_ERROR), YES])
    coordinator.run()
    record = _only_trial(store, campaign)
    assert harness.acted == 3
    assert [attempt.status for attempt in record.attempts] == ["rate_limited", "provider_error", "completed"]
    assert (record.trial.status, record.trial.score, record.trial.attempts) == (Status.COMPLETED, 1.0, 3)

    campaign, harness, coordinator = _listed(store, [Outcome(Status.SANDBOX_ERROR)], max_attempts=2)
    coordinator.run()
    record = _only_trial(store, campaign)
    assert (harness.acted, record.trial.status, record.trial.score, record.verdicts) == (
        2,
        Status.SANDBOX_ERROR,
        None,
        (),
    )


@pytest.mark.parametrize("status", [Status.AGENT_TIMEOUT, Status.AGENT_ERROR, Status.LIMIT_REACHED, Status.REFUSED])
def test_what_the_agent_did_is_scored_and_never_run_again(store: Store, status: Status) -> None:
    campaign, harness, coordinator = _listed(store, [Outcome(status, answer="yes")])
    coordinator.run()
    trial = _only_trial(store, campaign).trial
    assert (harness.acted, trial.status, trial.score) == (1, status, 1.0)


def test_a_broken_scorer_is_missing_and_not_a_zero(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: object, submission: object) -> None:
        raise ScoringError("the grader fell over", evidence="traceback text")

    campaign, _, coordinator = _listed(store, [YES])
    monkeypatch.setattr("metrology.scoring.exact.ExactScorer.score", broken)
    coordinator.run()
    record = _only_trial(store, campaign)
    assert (record.trial.status, record.trial.score) == (Status.SCORER_ERROR, None)
    assert "traceback text" in record.trial.detail


def test_a_defect_of_a_plugin_is_listed_for_triage_with_its_traceback(store: Store) -> None:
    campaign, harness, coordinator = _listed(store, [KeyError("surprise")])
    coordinator.run()
    record = _only_trial(store, campaign)
    assert (harness.acted, record.trial.status, record.trial.score) == (1, Status.UNKNOWN_ERROR, None)
    assert "KeyError: 'surprise'" in record.trial.detail
    assert "in act" in record.trial.detail


def test_a_second_coordinator_is_refused_and_told_who_holds_the_campaign(store: Store) -> None:
    campaign = plan_campaign(store, stored(store, benchmark([item("a")])), registered(store, NOOP), trials=1, seed=0)
    with store.write() as conn:
        campaign_store.acquire(
            conn,
            campaign.id,
            holder="somebody",
            host="elsewhere",
            pid=42,
            now=datetime.now(UTC),
            stale_after=timedelta(60),
        )
    with pytest.raises(ConflictError, match="process 42 on elsewhere"):
        _run(store, campaign)
    with store.read() as conn:
        assert trial_store.finished_keys(conn, campaign.id) == set()


def test_a_cancelled_campaign_is_not_run(store: Store) -> None:
    campaign = plan_campaign(store, stored(store, benchmark([item("a")])), registered(store, NOOP), trials=1, seed=0)
    with store.write() as conn:
        campaign_store.set_state(conn, campaign.id, CampaignState.CANCELLED, datetime.now(UTC))
    with pytest.raises(ConflictError, match="cancelled"):
        _run(store, campaign)


def test_cancelling_from_elsewhere_stops_a_running_campaign(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coordinator_module, "HEARTBEAT_SECONDS", 0.05)
    slow = program_agent(tmp_path, "import time\ntime.sleep(30)\n", "slow")
    campaign = plan_campaign(store, stored(store, benchmark([item("a")])), registered(store, slow), trials=5, seed=0)

    def cancel() -> None:
        time.sleep(0.5)
        with store.write() as conn:
            campaign_store.set_state(conn, campaign.id, CampaignState.CANCELLED, datetime.now(UTC))

    other = threading.Thread(target=cancel)
    other.start()
    begun = time.monotonic()
    with pytest.raises(StoppedError):
        _run(store, campaign)
    other.join()
    assert time.monotonic() - begun < 20
    with store.read() as conn:
        assert campaign_store.campaign_by_id(conn, campaign.id).state is CampaignState.CANCELLED
        assert campaign_store.held_by(conn, campaign.id) is None


def test_a_signal_stops_in_order_and_a_resume_finishes(store: Store, tmp_path: Path) -> None:
    quick = program_agent(tmp_path, "import time\ntime.sleep(0.05)\nprint('yes')\n", "quick")
    campaign = plan_campaign(store, stored(store, benchmark([item("a")])), registered(store, quick), trials=40, seed=0)
    timer = threading.Timer(0.6, os.kill, (os.getpid(), signal.SIGTERM))
    timer.start()
    try:
        with pytest.raises(StoppedError, match="of 40 trials are stored") as stopped:
            _run(store, campaign)
    finally:
        timer.cancel()
    assert campaign.name in stopped.value.hint
    _run(store, campaign)
    with store.read() as conn:
        progress = campaign_progress(conn, campaign.id)
        assert (progress.finished, progress.running) == (40, 0)
        assert miscounted_cells(conn) == ()


def test_a_resume_takes_up_what_the_infrastructure_kept_from_a_verdict(store: Store) -> None:
    campaign, _, coordinator = _listed(store, [Outcome(Status.SANDBOX_ERROR)], max_attempts=1)
    coordinator.run()
    assert _only_trial(store, campaign).trial.status is Status.SANDBOX_ERROR
    _run(store, campaign)
    record = _only_trial(store, campaign)
    assert (record.trial.status, record.trial.score) == (Status.COMPLETED, 0.0)
    assert [attempt.status for attempt in record.attempts] == ["sandbox_error", "completed"]


def test_a_store_that_refuses_ends_the_campaign_with_its_own_error(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = plan_campaign(store, stored(store, benchmark([item("a")])), registered(store, NOOP), trials=3, seed=0)

    def full(*arguments: object) -> None:
        raise StorageError("the disk is full", hint="free some space")

    monkeypatch.setattr(trial_store, "record_finished", full)
    with pytest.raises(StorageError, match="disk is full"):
        _run(store, campaign)
    monkeypatch.undo()
    _run(store, campaign)
    with store.read() as conn:
        assert campaign_progress(conn, campaign.id).finished == 3


def test_progress_counts_up_to_the_plan_and_estimates_the_end(store: Store) -> None:
    seen: list[Any] = []
    version = stored(store, benchmark([item("a"), item("b")]))
    campaign = plan_campaign(store, version, registered(store, NOOP, REFERENCE), trials=3, seed=0)
    _run(store, campaign, on_progress=seen.append)
    assert (seen[-1].planned, seen[-1].finished, seen[-1].by_status) == (12, 12, {"completed": 12})
    assert seen[-1].eta_seconds in (None, 0.0)


def test_the_order_is_seeded_and_agents_interleave_within_items() -> None:
    first = list(trial_order((1, 2, 3), (10, 20), 2, seed=5))
    assert first == list(trial_order((3, 1, 2), (20, 10), 2, seed=5))
    assert first != list(trial_order((1, 2, 3), (10, 20), 2, seed=6))
    assert len(set(first)) == 12
    for start in range(0, 12, 2):
        block = first[start : start + 2]
        assert block[0].revision_id == block[1].revision_id
        assert {key.agent_id for key in block} == {10, 20}
    assert trial_seed(1, "a", "b", 0) != trial_seed(1, "a", "b", 1)
    assert 0 <= trial_seed(1, "a", "b", 0) < 2**31


def test_a_plan_is_checked_before_anything_runs(store: Store) -> None:
    version = stored(store, benchmark([item("a")]))
    agents = registered(store, NOOP)
    with pytest.raises(InputError, match="at least one agent"):
        plan_campaign(store, version, [], trials=1, seed=0)
    with pytest.raises(InputError, match="at least one trial"):
        plan_campaign(store, version, agents, trials=0, seed=0)
    with pytest.raises(NotFoundError, match="no item 'z'"):
        plan_campaign(store, version, agents, trials=1, seed=0, items=["z"])
    with pytest.raises(NotFoundError, match="no family 'z'"):
        plan_campaign(store, version, agents, trials=1, seed=0, families=["z"])
    plan_campaign(store, version, agents, trials=1, seed=0, name="mine")
    with pytest.raises(ConflictError, match="'mine' already"):
        plan_campaign(store, version, agents, trials=1, seed=0, name="mine")


def test_stopping_leaves_no_process_behind(store: Store, tmp_path: Path) -> None:
    marker = tmp_path / "alive"
    text = f"import time\nfor _ in range(600):\n    open({str(marker)!r}, 'w').write('x'); time.sleep(0.02)\n"
    campaign = plan_campaign(
        store,
        stored(store, benchmark([item("a")])),
        registered(store, program_agent(tmp_path, text, "endless")),
        trials=1,
        seed=0,
    )
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(StoppedError):
            _run(store, campaign)
    finally:
        timer.cancel()
    marker.unlink(missing_ok=True)
    time.sleep(0.3)
    assert not marker.exists()


def test_the_event_loop_is_not_shared_state(store: Store) -> None:
    """Two campaigns one after the other in one process, the second from inside a thread without signal handlers."""
    version = stored(store, benchmark([item("a")]))
    agents = registered(store, NOOP)
    _run(store, plan_campaign(store, version, agents, trials=2, seed=0))
    second = plan_campaign(store, version, agents, trials=2, seed=1)
    thread = threading.Thread(target=_run, args=(store, second))
    thread.start()
    thread.join()
    with store.read() as conn:
        assert campaign_progress(conn, second.id).finished == 2
    with pytest.raises(RuntimeError):
        asyncio.get_running_loop()
