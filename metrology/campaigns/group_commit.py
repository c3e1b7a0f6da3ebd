"""Durable results at speed: what waits is committed together, and nobody goes on before it is on disk.

A worker hands over what it finished and what it begins next, and waits. One thread commits all that waits in one
transaction. So a finished trial is durable before its worker begins the next, a running attempt is known to the
store, and the number of transactions falls as the number of workers rises.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType

from metrology.domain.trial import FinishedTrial, TrialKey
from metrology.storage import trials as trial_store
from metrology.storage.store import Store


@dataclass(frozen=True)
class AttemptStart:
    """An attempt that is about to run."""

    key: TrialKey
    number: int
    started_at: datetime


@dataclass(frozen=True)
class Step:
    """What one worker has to say: a trial that is over, an attempt that failed, an attempt that begins."""

    finished: FinishedTrial | None = None
    failed: FinishedTrial | None = None
    start: AttemptStart | None = None


class GroupCommit:
    """The only writer of a running campaign. Use as an asynchronous context manager."""

    def __init__(self, store: Store, campaign_id: int, platform_version: str) -> None:
        self._store = store
        self._campaign_id = campaign_id
        self._platform_version = platform_version
        self._waiting: list[tuple[Step, asyncio.Future[None]]] = []
        self._wake = asyncio.Event()
        # One thread: the store sees one writer, and a slow disk never stops the event loop.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="metrology-writer")
        self._pump: asyncio.Task[None] | None = None

    async def __aenter__(self) -> GroupCommit:
        self._pump = asyncio.create_task(self._commit_forever())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pump is not None:
            self._pump.cancel()
            await asyncio.gather(self._pump, return_exceptions=True)
        self._thread.shutdown(wait=True)

    async def advance(self, step: Step) -> None:
        """Return once ``step`` is durable.

        Raises:
            StorageError: when the store refuses (disk full, locked beyond its time-out, connection lost).
        """
        durable: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((step, durable))
        self._wake.set()
        await durable

    async def _commit_forever(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._wake.wait()
            self._wake.clear()
            batch, self._waiting = self._waiting, []
            try:
                await loop.run_in_executor(self._thread, self._commit, [step for step, _ in batch])
            except Exception as error:  # noqa: BLE001 - handed to each worker that waits, which raises it
                for _, durable in batch:
                    if not durable.done():
                        durable.set_exception(error)
            else:
                for _, durable in batch:
                    if not durable.done():
                        durable.set_result(None)

    def _commit(self, steps: list[Step]) -> None:
        finished = [step.finished for step in steps if step.finished is not None]
        failed = [step.failed for step in steps if step.failed is not None]
        starts = [(step.start.key, step.start.number, step.start.started_at) for step in steps if step.start]
        with self._store.write() as conn:
            if finished:
                trial_store.record_finished(conn, self._campaign_id, finished, self._platform_version)
            if failed:
                trial_store.record_failed_attempts(conn, self._campaign_id, failed)
            if starts:
                trial_store.record_starts(conn, self._campaign_id, starts)
