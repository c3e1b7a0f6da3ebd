"""The recorded campaign of a language model: whole, small, free of machine paths, and graded as gauge grades today."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from metrology.domain.status import Status
from metrology.registry.agent_file import load_agent
from metrology.registry.manifest import load_benchmark
from metrology.scoring.base import Submission, build_scorer
from metrology.workspace import Workspace

ROOT = Path(__file__).parents[2] / "benchmarks"
RECORD = ROOT / "records" / "gauge-smollm2"
MACHINE_PATH = re.compile(rb"(?<![\w.])/(?:root|home|work|tmp|usr|var)/")


@cache
def _lines(name: str) -> list[dict[str, Any]]:
    with gzip.open(RECORD / name, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def test_it_is_the_whole_plan_and_small() -> None:
    document = json.loads((RECORD / "campaign.json").read_text())
    trials = _lines("trials.jsonl.gz")
    plan = Counter((row["item"], row["agent"]) for row in trials)
    assert len(document["agents"]) == 8
    assert len(plan) == 8 * len(document["items"])
    assert set(plan.values()) == {10}
    assert sum(path.stat().st_size for path in RECORD.iterdir()) < 2_000_000


def test_the_agents_are_two_by_two_by_two() -> None:
    agents = json.loads((RECORD / "campaign.json").read_text())["agents"]
    design = {
        ("messages" in agent["harness"], agent["model"]["parameters"]["temperature"], agent["operations"]["votes"])
        for agent in agents
    }
    assert len(design) == 8
    assert {agent["model"]["requested"] for agent in agents} == {"SmolLM2-135M-Instruct-Q4_1"}
    assert {row["model_served"] for row in _lines("trials.jsonl.gz") if "model_served" in row} == {
        "SmolLM2-135M-Instruct-Q4_1"
    }


def test_the_agents_are_those_of_the_shipped_files() -> None:
    agents = json.loads((RECORD / "campaign.json").read_text())["agents"]
    shipped = {load_agent(path).identity for path in (ROOT / "gauge" / "agents").glob("smollm2-*.toml")}
    assert {agent["identity"] for agent in agents} == shipped


@pytest.mark.parametrize("name", ["trials.jsonl.gz", "transcripts.jsonl.gz"])
def test_nothing_of_the_machine_is_in_it(name: str) -> None:
    with gzip.open(RECORD / name, "rb") as data:
        found = [line for line in data if MACHINE_PATH.search(line) and b"127.0.0.1" not in line]
    assert found == []


def test_every_recorded_score_is_what_the_scorers_say_today() -> None:
    loaded = load_benchmark(ROOT / "gauge")
    scorers = {item.name: build_scorer(item, loaded.blobs.__getitem__) for item in loaded.version.items}
    judged = 0
    for row in _lines("trials.jsonl.gz"):
        scorer = scorers[row["item"]]
        if scorer.needs_process or not Status(row["status"]).has_verdict:
            continue
        assert scorer.score(Submission(row.get("answer", ""))).score == row["score"], row
        judged += 1
    assert judged > 12_000


def test_it_joins_the_shipped_instrument(tmp_path: Path) -> None:
    with Workspace.open(tmp_path / "store.db") as ws:
        ws.register(ROOT / "gauge")
        report = ws.import_results(RECORD, format_name="campaign")
        assert report.account.lines == len(_lines("trials.jsonl.gz"))
        assert ws.import_results(RECORD, format_name="campaign").changed is False
        answer = ws.analyze("reliability", "gauge")
    scores = {row["agent"]: row["score"] for row in answer.table("agents").records()}
    assert len(scores) == 8
    assert all(0 < score < 1 for score in scores.values())
