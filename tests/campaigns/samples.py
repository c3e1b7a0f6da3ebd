"""Small benchmarks and agents that campaigns are tested with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from metrology.domain.agent import AgentConfiguration
from metrology.domain.benchmark import BenchmarkVersion, Purpose
from metrology.domain.item import ItemRevision
from metrology.environments.base import Box
from metrology.harnesses.base import Harness, Outcome, Task
from metrology.harnesses.scripted import ScriptedModel, ScriptedTable
from metrology.identity import file_digest
from metrology.storage import agents as agent_store
from metrology.storage import benchmarks as benchmark_store
from metrology.storage.agents import StoredAgent
from metrology.storage.benchmarks import StoredVersion
from metrology.storage.store import Store
from metrology.storage.tables import Origin

NOOP = AgentConfiguration("noop", {"requested": "none"}, {"kind": "scripted", "mode": "noop"}, {})
REFERENCE = AgentConfiguration("reference", {"requested": "none"}, {"kind": "scripted", "mode": "reference"}, {})
COIN = """import os, sys, time
sys.stdin.read()
time.sleep(0.004)
print("yes" if int(os.environ["METROLOGY_SEED"]) % 3 else "no")
"""


def item(name: str, **changes: Any) -> ItemRevision:
    """An item whose right answer is "yes"."""
    values: dict[str, Any] = {
        "name": name,
        "instruction": f"Say yes to {name}.",
        "environment": {"kind": "process"},
        "scorer": {"kind": "exact", "expected": ["yes"]},
        "reference": {"answer": "yes"},
        "family": name[:1],
    }
    return ItemRevision(**{**values, **changes})


def benchmark(items: Sequence[ItemRevision], name: str = "small") -> BenchmarkVersion:
    """A benchmark of these items."""
    return BenchmarkVersion(name, "1.0.0", Purpose.EVALUATION, name, "none", "CC0-1.0", "tests", tuple(items))


def stored(store: Store, version: BenchmarkVersion) -> StoredVersion:
    """Store a version and return it."""
    with store.write() as conn:
        added = benchmark_store.add_version(conn, version, origin=Origin.LIVE)
        return benchmark_store.version_by_id(conn, added.version_id)


def registered(store: Store, *agents: AgentConfiguration) -> list[StoredAgent]:
    """Store agents and return them."""
    with store.write() as conn:
        return [agent_store.add_agent(conn, agent).agent for agent in agents]


def program_agent(folder: Path, text: str, name: str = "program", **operations: Any) -> AgentConfiguration:
    """An agent that is a Python program; its standard output is the answer."""
    program = folder / f"{name}.py"
    program.write_text(text)
    return AgentConfiguration(
        name,
        {"requested": name},
        {
            "kind": "command",
            "version": "1",
            "program_digest": file_digest(program),
            "arguments": ["{python}", "-I", "-S", "{program}"],
        },
        {"time_limit_seconds": 30.0, **operations},
        {"program": str(program)},
    )


class ListedHarness(Harness):
    """Plays a list of outcomes, one per attempt; the last one is repeated. Tests put it in place of a real one."""

    ModelTable = ScriptedModel
    HarnessTable = ScriptedTable

    def __init__(self, outcomes: Sequence[Outcome | Exception]) -> None:
        super().__init__(NOOP)
        self.outcomes = list(outcomes)
        self.acted = 0

    async def act(self, task: Task, box: Box | None, seed: int) -> Outcome:
        """Return (or raise) the next of the list."""
        outcome = self.outcomes[min(self.acted, len(self.outcomes) - 1)]
        self.acted += 1
        if isinstance(outcome, Exception):
            raise outcome
        return outcome
