"""One attempt of one trial: open a box, let the agent act, collect, destroy the box, score what crossed.

Whatever an agent, a box or a scorer does ends in a :class:`FinishedTrial` with a status; nothing escapes as an
exception, because one broken trial must not stop a campaign. What is unexpected keeps its traceback in the detail.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from types import TracebackType

from metrology.domain.agent import AgentConfiguration
from metrology.domain.campaign import trial_seed
from metrology.domain.item import ItemRevision
from metrology.domain.status import Status
from metrology.domain.trial import Attempt, FinishedTrial, TrialKey, Usage
from metrology.domain.verdict import Verdict
from metrology.environments.base import BoxError, Environment, build_environment
from metrology.harnesses.base import ConfigurationError, Harness, Outcome, Reference, Task, build_harness
from metrology.scoring.base import Scorer, ScoringError, Submission, build_scorer
from metrology.storage.blobs import BlobStore

DETAIL_LIMIT = 4_000
ANSWER_LIMIT = 20_000


@dataclass(frozen=True)
class _Left:
    """What an agent left behind: its outcome, what crossed from its box, and how long it took."""

    outcome: Outcome
    artifacts: Mapping[str, bytes]
    refused: tuple[str, ...]
    seconds: float


class TrialRunner:
    """Runs attempts. Use as an asynchronous context manager: harnesses and environments live as long as it is open."""

    def __init__(
        self,
        agents: Mapping[int, AgentConfiguration],
        items: Mapping[int, ItemRevision],
        *,
        seed: int,
        blobs: BlobStore,
    ) -> None:
        """``agents`` and ``items`` are keyed by the ids that trial keys carry.

        Raises:
            InputError: a configuration or a scorer is wrong.
            PluginError: a harness, environment or scorer is not installed.
        """
        self._agents = agents
        self._items = items
        self._seed = seed
        self._blobs = blobs
        self._identities = {key: agent.identity for key, agent in agents.items()}
        self._revisions = {key: item.identity for key, item in items.items()}
        self._harnesses: dict[int, Harness] = {key: build_harness(agent) for key, agent in agents.items()}
        self._scorers: dict[int, Scorer] = {key: build_scorer(item, blobs.get) for key, item in items.items()}
        kinds = {str(item.environment.get("kind", "process")) for item in items.values()}
        self._environments: dict[str, Environment] = {kind: build_environment(kind) for kind in kinds}

    async def __aenter__(self) -> TrialRunner:
        for harness in self._harnesses.values():
            await harness.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for harness in self._harnesses.values():
            await harness.close()
        for environment in self._environments.values():
            await environment.close()

    async def attempt(self, key: TrialKey, number: int) -> FinishedTrial:
        """Run one attempt and return how it ended; never raises for what agent, box or scorer do."""
        started = datetime.now(UTC)
        verdict: Verdict | None = None
        left: _Left | None = None
        try:
            left = await self._act(key)
            status, detail = left.outcome.status, left.outcome.detail
        except BoxError as fault:
            status, detail = fault.status, fault.message
        except ConfigurationError as fault:
            status, detail = Status.CONFIG_ERROR, fault.message
        except Exception:  # noqa: BLE001 - a defect of a plug-in: kept with its traceback, listed for triage
            status, detail = Status.UNKNOWN_ERROR, traceback.format_exc()
        if left is not None and left.refused:
            detail = "\n".join(filter(None, [detail, *(f"did not cross: {what}" for what in left.refused)]))
        if left is not None and status.has_verdict:
            try:
                verdict = await self._judge(key, left)
            except ScoringError as error:
                status, detail = error.status, "\n".join(filter(None, [error.message, error.evidence]))
            except Exception:  # noqa: BLE001 - a scorer that crashes gives no verdict; the traceback is the evidence
                status, detail = Status.SCORER_ERROR, traceback.format_exc()
        outcome = left.outcome if left is not None else Outcome(status)
        detail = _storable(detail, DETAIL_LIMIT)
        return FinishedTrial(
            key=key,
            status=status,
            verdict=verdict,
            attempt=Attempt(number, status, started, datetime.now(UTC), detail),
            duration_seconds=left.seconds if left is not None else 0.0,
            usage=outcome.usage if left is not None else Usage(),
            answer=_storable(outcome.answer, ANSWER_LIMIT),
            transcript=None if outcome.transcript is None else self._blobs.put(outcome.transcript),
            model_served=outcome.model_served,
        )

    async def _act(self, key: TrialKey) -> _Left:
        harness, item = self._harnesses[key.agent_id], self._items[key.revision_id]
        task = Task(item, key.number, self._reference(item) if harness.needs_reference else None)
        seed = trial_seed(self._seed, self._revisions[key.revision_id], self._identities[key.agent_id], key.number)
        if not harness.needs_box:
            begun = time.monotonic()
            outcome = await harness.act(task, None, seed)
            return _Left(outcome, outcome.artifacts, (), time.monotonic() - begun)
        environment = self._environments[str(item.environment.get("kind", "process"))]
        box = await environment.open(item.environment, harness.limits)
        async with box:
            files = item.files.get("environment", {})
            if files:
                await box.put({path: self._blobs.get(digest) for path, digest in files.items()})
            begun = time.monotonic()
            outcome = await harness.act(task, box, seed)
            seconds = time.monotonic() - begun
            if not item.artifacts:
                return _Left(outcome, {}, (), seconds)
            collected = await box.collect(item.artifacts)
        return _Left(outcome, collected.files, collected.refused, seconds)

    async def _judge(self, key: TrialKey, left: _Left) -> Verdict:
        scorer = self._scorers[key.revision_id]
        submission = Submission(left.outcome.answer, left.artifacts)
        return await scorer.judge(submission) if scorer.needs_process else scorer.score(submission)

    def _reference(self, item: ItemRevision) -> Reference:
        files = {path: self._blobs.get(digest) for path, digest in item.files.get("reference", {}).items()}
        return Reference(str(item.reference.get("answer") or ""), files)


def _storable(text: str, limit: int) -> str:
    """Return text that both databases take: well-formed, without NUL, at most ``limit`` characters."""
    cut = text[:limit].replace("\0", "\u2400").encode("utf-8", "backslashreplace").decode()
    return cut if len(text) <= limit else f"{cut}[... {len(text) - limit} characters more]"
