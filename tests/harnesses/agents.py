"""Agent configurations, tasks and runs for tests of harnesses."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from metrology.domain.agent import AgentConfiguration
from metrology.domain.item import ItemRevision
from metrology.environments.base import build_environment
from metrology.harnesses.base import Harness, Outcome, Reference, Task, build_harness
from metrology.identity import file_digest


def task(
    instruction: str = "What is 6 * 7?", *, number: int = 0, reference: Reference | None = None, **item: Any
) -> Task:
    """One trial's task."""
    revision = ItemRevision("t-01", instruction, {"kind": "process"}, {"kind": "exact"}, {"answer": "42"}, **item)
    return Task(revision, number, reference)


def program_agent(path: Path, source: str, **operations: Any) -> AgentConfiguration:
    """A command agent whose program has this source."""
    path.write_text(source)
    return AgentConfiguration(
        "a",
        {},
        {"kind": "command", "program_digest": file_digest(path)},
        {"time_limit_seconds": 120.0, **operations},
        {"program": str(path), "folder": str(path.parent)},
    )


def act(
    configuration: AgentConfiguration, the_task: Task, *, seed: int = 7, files: dict[str, bytes] | None = None
) -> Outcome:
    """Run one attempt as a campaign does."""

    async def main() -> Outcome:
        harness = build_harness(configuration)
        await harness.start()
        try:
            return await _act(harness, the_task, seed, files or {})
        finally:
            await harness.close()

    return asyncio.run(main())


async def _act(harness: Harness, the_task: Task, seed: int, files: dict[str, bytes]) -> Outcome:
    if not harness.needs_box:
        return await harness.act(the_task, None, seed)
    box = await build_environment("process").open(the_task.item.environment, harness.limits)
    async with box:
        await box.put(files)
        return await harness.act(the_task, box, seed)
