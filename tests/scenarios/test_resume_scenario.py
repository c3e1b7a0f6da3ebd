"""O16: a campaign was killed hard; the resume keeps what is finished, runs seven trials and mixes nothing."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from metrology.campaigns.coordinator import Coordinator
from metrology.campaigns.planning import plan_campaign
from metrology.campaigns.trial import TrialRunner
from metrology.domain.agent import AgentConfiguration, difference, split_volatile
from metrology.domain.status import Status
from metrology.domain.trial import Attempt, FinishedTrial, TrialKey, Usage
from metrology.domain.verdict import Verdict
from metrology.environments.base import Box
from metrology.errors import StorageError
from metrology.harnesses.base import Outcome, Task
from metrology.storage import campaigns as campaign_store
from metrology.storage import trials as trial_store
from metrology.storage.campaigns import StoredCampaign
from metrology.storage.counting import campaign_progress
from metrology.storage.store import Store
from tests.campaigns.samples import NOOP, ListedHarness, benchmark, item, registered, stored

FOLDER = Path(__file__).parents[1] / "data" / "scenarios" / "O16"
EXPECTED = json.loads((FOLDER / "expected.json").read_text())
KILLED_AT = datetime(2026, 5, 2, 20, 30, tzinfo=UTC)


class RecordingHarness(ListedHarness):
    """Answers right and remembers what it was asked; stops the store after ``stop_after`` trials."""

    def __init__(self, stop_after: int | None = None) -> None:
        super().__init__([])
        self.ran: list[str] = []
        self.stop_after = stop_after

    async def act(self, task: Task, box: Box | None, seed: int) -> Outcome:
        if self.stop_after is not None and len(self.ran) >= self.stop_after:
            raise KeyboardInterrupt
        self.ran.append(f"{task.item.name}/{task.number}")
        return Outcome(Status.COMPLETED, answer="yes")


def _agent(config: dict[str, Any]) -> AgentConfiguration:
    """The neutral shape of the scenario as an agent: host, port, folder and time are volatile."""
    identity = config["identity"]
    _, volatile = split_volatile(config["volatile"])
    return AgentConfiguration(
        config["agent"],
        {"requested": identity["model"]},
        {"kind": "scripted", "mode": "noop", "version": identity["harness"]},
        {"time_limit_seconds": float(identity["timeout_s"])},
        volatile,
    )


def _killed(store: Store) -> tuple[StoredCampaign, dict[str, int], int]:
    """Store the campaign as the killed process left it."""
    config = json.loads((FOLDER / "campaign.json").read_text())
    version = stored(store, benchmark([item(name) for name in config["items"]]))
    (agent,) = registered(store, _agent(config))
    campaign = plan_campaign(store, version, [agent], trials=config["trials"], seed=3)
    with store.write() as conn:
        plan = campaign_store.plan_ids(conn, campaign.id)
        revisions = dict(zip(config["items"], plan.revision_ids, strict=True))
        for folder in sorted((FOLDER / "journal").iterdir()):
            name, _, number = folder.name.partition("__")
            key = TrialKey(revisions[name], agent.id, int(number))
            trial_store.record_starts(conn, campaign.id, [(key, 0, KILLED_AT)])
            try:
                result = json.loads((folder / "result.json").read_text())
            except (FileNotFoundError, ValueError):
                continue
            status = Status(result["status"])
            score = result["score"]
            verdict = None if score is None else Verdict(float(score), score == 1, "sha256:0")
            ended = FinishedTrial(key, status, verdict, Attempt(0, status, KILLED_AT, KILLED_AT), 1.0, Usage())
            if verdict is None:
                trial_store.record_failed_attempts(conn, campaign.id, [ended])
            else:
                trial_store.record_finished(conn, campaign.id, [ended], "0.1.0")
    return campaign, revisions, agent.id


def _resume(
    store: Store, campaign: StoredCampaign, revisions: dict[str, int], agent: int, harness: ListedHarness
) -> None:
    items = {revision: item(name) for name, revision in revisions.items()}
    runner = TrialRunner({agent: NOOP}, items, seed=3, blobs=store.blobs)
    runner._harnesses = {agent: harness}
    Coordinator(store, campaign.id, runner, platform_version="test", concurrency=1).run()


def _state(store: Store, campaign: StoredCampaign) -> tuple[list[Any], int]:
    with store.read() as conn:
        trials = trial_store.list_trials(conn, campaign.id)
        attempts = campaign_progress(conn, campaign.id).attempts
    return [(trial.item, trial.key.number, trial.status, trial.score) for trial in trials], attempts


def test_finished_trials_are_kept_and_seven_run(store: Store) -> None:
    campaign, revisions, agent = _killed(store)
    kept, _ = _state(store, campaign)
    assert sorted(f"{name}/{number}" for name, number, *_ in kept) == EXPECTED["keep"]
    assert sum(score == 0 for *_, score in kept) == EXPECTED["kept_zero_scores"]

    harness = RecordingHarness()
    _resume(store, campaign, revisions, agent, harness)
    assert sorted(harness.ran) == sorted(EXPECTED["run_again"] + EXPECTED["run_first_time"])
    rows, attempts = _state(store, campaign)
    assert len(rows) == EXPECTED["trials_after_resume"]
    assert attempts == EXPECTED["attempts_after_resume_if_all_succeed"]
    assert [row for row in rows if f"{row[0]}/{row[1]}" in EXPECTED["keep"]] == kept


def test_a_resume_killed_half_way_ends_in_the_same_state(store: Store) -> None:
    campaign, revisions, agent = _killed(store)
    with pytest.raises((KeyboardInterrupt, BaseExceptionGroup)):
        _resume(store, campaign, revisions, agent, RecordingHarness(stop_after=3))
    harness = RecordingHarness()
    _resume(store, campaign, revisions, agent, harness)
    rows, _ = _state(store, campaign)
    assert len(rows) == EXPECTED["trials_after_resume"]
    assert len(harness.ran) == 7 - 3
    assert sum(score == 0 for *_, score in rows) == EXPECTED["kept_zero_scores"]


def test_only_host_port_folder_and_time_may_differ(store: Store) -> None:
    planned, resumed, other = (
        _agent(json.loads((FOLDER / f"{name}.json").read_text()))
        for name in ("campaign", "resume_config", "other_config")
    )
    assert resumed.identity == planned.identity
    assert resumed.volatile != planned.volatile
    assert other.identity != planned.identity
    assert difference(planned, other).parts == ("model",)
    campaign, _, _ = _killed(store)
    version = stored(store, benchmark([item(name) for name in ("it-01", "it-02", "it-03")]))
    again = plan_campaign(store, version, registered(store, resumed), trials=4, seed=3, name="again")
    different = plan_campaign(store, version, registered(store, other), trials=4, seed=3, name="different")
    assert again.identity == campaign.identity
    assert different.identity != campaign.identity


def test_a_finished_trial_is_stored_before_its_worker_begins_the_next(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign, revisions, agent = _killed(store)
    before, _ = _state(store, campaign)

    class Counting(RecordingHarness):
        async def act(self, task: Task, box: Box | None, seed: int) -> Outcome:
            with store.read() as conn:
                assert len(trial_store.finished_keys(conn, campaign.id)) == len(before) + len(self.ran)
            return await super().act(task, box, seed)

    _resume(store, campaign, revisions, agent, Counting())
    rows, _ = _state(store, campaign)
    assert {row[2] for row in rows} <= {Status.COMPLETED, Status.AGENT_TIMEOUT}

    def full(*arguments: object) -> None:
        raise StorageError("the disk is full")

    monkeypatch.setattr(trial_store, "record_finished", full)
    assert _state(store, campaign)[0] == rows
