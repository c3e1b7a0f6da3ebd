"""The one coordinator of a campaign: lease, resume, retries, durable results, progress, an orderly end.

A campaign can be killed at any moment. What was finished is in the store; what was running is found there as an
attempt without an end, is closed as interrupted, and the trial is run again. A trial that ended for reasons of the
infrastructure is retried as a whole, up to the plan's number of attempts, and a later resume takes it up again.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from metrology.campaigns.executors.local import LocalExecutor
from metrology.campaigns.group_commit import AttemptStart, GroupCommit, Step
from metrology.campaigns.progress import LiveProgress, ProgressMeter
from metrology.campaigns.trial import TrialRunner
from metrology.domain.campaign import trial_order
from metrology.domain.trial import FinishedTrial, TrialKey
from metrology.errors import ConflictError, MetrologyError, StoppedError
from metrology.storage import campaigns as campaign_store
from metrology.storage import trials as trial_store
from metrology.storage.store import Connection, Store
from metrology.storage.tables import CampaignState

HEARTBEAT_SECONDS = 5.0
STALE_AFTER = timedelta(seconds=60)
PROGRESS_SECONDS = 0.5
RETRY_BASE_SECONDS = 1.0
RETRY_CAP_SECONDS = 30.0


class Coordinator:
    """Runs one stored campaign to its end. Create it, then call :meth:`run` once."""

    def __init__(
        self,
        store: Store,
        campaign_id: int,
        runner: TrialRunner,
        *,
        platform_version: str,
        concurrency: int = 4,
        on_progress: Callable[[LiveProgress], None] | None = None,
    ) -> None:
        self._store = store
        self._campaign_id = campaign_id
        self._runner = runner
        self._platform_version = platform_version
        self._executor = LocalExecutor(concurrency)
        self._on_progress = on_progress
        self._holder = uuid.uuid4().hex
        self._stopping = False

    def run(self) -> None:
        """Take the lease, finish the campaign, give the lease back.

        Raises:
            ConflictError: another coordinator holds the campaign, or it was cancelled.
            StoppedError: the operator stopped it (SIGINT or SIGTERM).
            StorageError: the store refused a write; what was finished before is safe.
        """
        with self._store.write() as conn:
            self._acquire(conn)
        try:
            asyncio.run(self._run())
        except* MetrologyError as group:
            # Workers fail together when the store refuses; the first says it all.
            raise _first(group) from group
        finally:
            with self._store.write() as conn:
                campaign_store.release(conn, self._campaign_id, self._holder)

    def _acquire(self, conn: Connection) -> None:
        campaign = campaign_store.campaign_by_id(conn, self._campaign_id)
        if campaign.state == CampaignState.CANCELLED:
            raise ConflictError(
                f"campaign {campaign.name} was cancelled", hint="plan a new campaign; what it measured is kept"
            )
        campaign_store.acquire(
            conn,
            self._campaign_id,
            holder=self._holder,
            host=socket.gethostname(),
            pid=os.getpid(),
            now=datetime.now(UTC),
            stale_after=STALE_AFTER,
        )

    async def _run(self) -> None:
        now = datetime.now(UTC)
        with self._store.write() as conn:
            trial_store.close_interrupted(conn, self._campaign_id, now)
            trial_store.reopen_missing(conn, self._campaign_id)
            campaign_store.set_state(conn, self._campaign_id, CampaignState.RUNNING, now)
            campaign = campaign_store.campaign_by_id(conn, self._campaign_id)
            plan = campaign_store.plan_ids(conn, self._campaign_id)
            done = trial_store.finished_keys(conn, self._campaign_id)
            self._attempts = trial_store.attempt_counts(conn, self._campaign_id)
        trials, seed = campaign.trials, campaign.seed
        assert trials is not None, "a live campaign has a plan"
        assert seed is not None, "a live campaign has a plan"
        self._max_attempts = int(campaign.document["max_attempts"])
        self._meter = ProgressMeter(planned=len(plan.revision_ids) * len(plan.agent_ids) * trials)
        self._meter.finished = len(done)
        keys = (key for key in trial_order(plan.revision_ids, plan.agent_ids, trials, seed) if key not in done)
        async with GroupCommit(self._store, self._campaign_id, self._platform_version) as commits:
            self._commits = commits
            main = asyncio.current_task()
            loop = asyncio.get_running_loop()
            for number in (signal.SIGINT, signal.SIGTERM):
                # Only the main thread may hold signal handlers; elsewhere the caller stops us.
                with suppress(RuntimeError, ValueError, NotImplementedError):
                    loop.add_signal_handler(number, self._stop, main)
            beside = [asyncio.create_task(self._heartbeat(main)), asyncio.create_task(self._report())]
            try:
                async with self._runner:
                    await self._executor.run(keys, self._work)
            except asyncio.CancelledError:
                if self._stopping:
                    message = f"stopped; {self._meter.finished} of {self._meter.planned} trials are stored"
                    raise StoppedError(message, hint=f"metrology campaign resume {campaign.name}") from None
                raise
            finally:
                for task in beside:
                    task.cancel()
                await asyncio.gather(*beside, return_exceptions=True)
        with self._store.write() as conn:
            campaign_store.set_state(conn, self._campaign_id, CampaignState.FINISHED, datetime.now(UTC))
        if self._on_progress:
            self._on_progress(self._meter.snapshot())

    async def _work(self, keys: Iterator[TrialKey]) -> None:
        """One worker: draw a trial, run it, hand over its end together with the next one's start."""
        pending: FinishedTrial | None = None
        for key in keys:
            number = self._attempts.pop(key, 0)
            await self._commits.advance(Step(finished=pending, start=AttemptStart(key, number, datetime.now(UTC))))
            pending = await self._finish(key, number)
            self._meter.trial_finished(pending.status, pending.usage.cost_usd)
        if pending is not None:
            await self._commits.advance(Step(finished=pending))

    async def _finish(self, key: TrialKey, first: int) -> FinishedTrial:
        """Run attempts until the trial ended for its own reasons or the attempts are used up."""
        for tries in range(1, self._max_attempts + 1):
            ended = await self._runner.attempt(key, first + tries - 1)
            if not ended.status.is_retried or tries == self._max_attempts:
                return ended
            self._meter.retries += 1
            await asyncio.sleep(min(RETRY_CAP_SECONDS, RETRY_BASE_SECONDS * 2 ** (tries - 1)))
            start = AttemptStart(key, first + tries, datetime.now(UTC))
            await self._commits.advance(Step(failed=ended, start=start))
        message = "a campaign needs at least one attempt per trial"
        raise AssertionError(message)

    def _stop(self, main: asyncio.Task[None] | None) -> None:
        self._stopping = True
        if main is not None:
            main.cancel()

    async def _heartbeat(self, main: asyncio.Task[None] | None) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_SECONDS)
            if not await asyncio.to_thread(self._beat):
                self._stop(main)
                return

    def _beat(self) -> bool:
        """Renew the lease; False when it was lost or the campaign was cancelled meanwhile."""
        with self._store.write() as conn:
            held = campaign_store.heartbeat(conn, self._campaign_id, self._holder, datetime.now(UTC))
            state = campaign_store.campaign_by_id(conn, self._campaign_id).state
        return held and state != CampaignState.CANCELLED

    async def _report(self) -> None:
        while self._on_progress:
            self._on_progress(self._meter.snapshot())
            await asyncio.sleep(PROGRESS_SECONDS)


def _first(group: BaseExceptionGroup[MetrologyError]) -> MetrologyError:
    error: BaseException = group.exceptions[0]
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    assert isinstance(error, MetrologyError)
    return error
