"""Workspaces for the dashboard's tests: an empty one, and a real one with campaigns, drift points and outcomes."""

from __future__ import annotations

from pathlib import Path

import metrology as mt
from tests.dashboards.demo_benchmark import ABILITIES, TRIALS, write_agents, write_benchmark, write_outcomes

VERSION = "demo@1.0.0"
DRAFT = "demo@1.1.0"
CHECK_STANDARD = "middling"
CHECK_RUNS = 3


def build_empty(path: Path) -> Path:
    """Create a workspace without anything in it."""
    mt.open(path).close()
    return path


def build_demo(folder: Path) -> Path:
    """Create a workspace with two versions, five agents, a full campaign, check runs and production outcomes."""
    path = folder / "demo.db"
    agents = write_agents(folder / "agents")
    with mt.open(path) as ws:
        ws.register(write_benchmark(folder / "first"))
        ws.release(VERSION)
        ws.register(write_benchmark(folder / "second", version="1.1.0", changed_item="facts-00"))
        stored = {name: ws.agent(file) for name, file in agents.items()}
        ws.campaign(VERSION, agents=list(stored.values()), trials=TRIALS, seed=7, name="full").run()
        for number in range(CHECK_RUNS):
            ws.campaign(
                VERSION,
                agents=[stored[CHECK_STANDARD]],
                check_standards=[stored[CHECK_STANDARD]],
                trials=2,
                seed=number,
                name=f"check-{number}",
            ).run()
        ws.import_outcomes(write_outcomes(folder / "outcomes.csv"))
    assert set(ABILITIES) <= set(stored)
    return path
