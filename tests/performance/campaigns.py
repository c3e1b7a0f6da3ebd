"""Prints what the platform costs per trial: in-process agents, one subprocess per trial, memory.

Run: python tests/performance/campaigns.py
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from metrology.campaigns.planning import plan_campaign, run_campaign
from metrology.domain.agent import AgentConfiguration
from metrology.domain.benchmark import BenchmarkVersion, Purpose
from metrology.domain.item import ItemRevision
from metrology.identity import file_digest
from metrology.storage import agents as agent_store
from metrology.storage import benchmarks as benchmark_store
from metrology.storage.store import Store, open_store
from metrology.storage.tables import Origin

CONCURRENCY = 64


def benchmark(items: int) -> BenchmarkVersion:
    """Items with an exact scorer and a one-word answer."""
    return BenchmarkVersion(
        name="overhead",
        version="1.0.0",
        purpose=Purpose.EVALUATION,
        title="overhead",
        construct="none",
        licence="CC0-1.0",
        owner="tests",
        items=tuple(
            ItemRevision(
                name=f"item-{number}",
                instruction=f"Say {number}.",
                environment={"kind": "process"},
                scorer={"kind": "exact", "expected": [str(number)]},
                reference={"answer": str(number)},
            )
            for number in range(items)
        ),
    )


def run(store: Store, agents: list[AgentConfiguration], items: int, trials: int, concurrency: int) -> float:
    """Return the seconds that one campaign takes."""
    with store.write() as conn:
        added = benchmark_store.add_version(conn, benchmark(items), origin=Origin.LIVE)
        stored = [agent_store.add_agent(conn, agent).agent for agent in agents]
        version = benchmark_store.version_by_id(conn, added.version_id)
    campaign = plan_campaign(store, version, stored, trials=trials, seed=1)
    begun = time.perf_counter()
    run_campaign(store, campaign, platform_version="performance", concurrency=concurrency, on_progress=None)
    return time.perf_counter() - begun


def in_process(trials: int) -> None:
    """Two scripted agents, 100 items."""
    agents = [
        AgentConfiguration("noop", {"requested": "none"}, {"kind": "scripted", "mode": "noop"}, {}),
        AgentConfiguration("reference", {"requested": "none"}, {"kind": "scripted", "mode": "reference"}, {}),
    ]
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "store.db")
        seconds = run(store, agents, 100, trials // 200, CONCURRENCY)
        store.close()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"in process: {trials} trials in {seconds:.1f} s = {trials / seconds:,.0f} trials/s, peak {peak:.0f} MiB")


def subprocesses(trials: int) -> None:
    """One small program per trial, against a bare loop of the same program; both one at a time."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "agent.py"
        program.write_text("import sys\nsys.stdin.read()\nprint(1)\n")
        command = [sys.executable, "-I", "-S", str(program)]
        begun = time.perf_counter()
        for _ in range(trials):
            subprocess.run(command, input=b"Say 1.", capture_output=True, check=True)
        bare = trials / (time.perf_counter() - begun)
        agent = AgentConfiguration(
            "program",
            {"requested": "none"},
            {
                "kind": "command",
                "program_digest": file_digest(program),
                "arguments": ["{python}", "-I", "-S", "{program}"],
            },
            {"time_limit_seconds": 30.0},
            {"program": str(program)},
        )
        for concurrency in (1, 2):
            store = open_store(Path(folder) / f"store{concurrency}.db")
            ours = trials / run(store, [agent], 20, trials // 20, concurrency)
            store.close()
            print(f"subprocess: bare loop {bare:.0f}/s, {concurrency} at a time {ours:.0f}/s, ratio {ours / bare:.2f}")


if __name__ == "__main__":
    in_process(10_000)
    in_process(100_000)
    subprocesses(400)
