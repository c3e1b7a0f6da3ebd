"""The executor of one machine: a fixed number of asyncio workers that draw from one ordered stream of trials."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

from metrology.domain.trial import TrialKey

Work = Callable[[Iterator[TrialKey]], Coroutine[Any, Any, None]]


class LocalExecutor:
    """Runs ``work`` over a stream of trials with at most ``concurrency`` at a time.

    The stream is drawn lazily, so memory does not grow with the number of trials. The first exception of a worker
    ends all of them and is raised; a trial that fails is not an exception but a result.
    """

    def __init__(self, concurrency: int) -> None:
        self.concurrency = concurrency

    async def run(
        self, keys: Iterator[TrialKey], work: Callable[[Iterator[TrialKey]], Coroutine[Any, Any, None]]
    ) -> None:
        """Start the workers, each with the shared stream, and return when the stream is drained."""
        async with asyncio.TaskGroup() as group:
            for _ in range(self.concurrency):
                group.create_task(work(keys))
