"""A small benchmark on disk with agents that answer from recorded answers: real campaigns in a second, without a model.

Ability and difficulty are drawn from a seeded generator, so that every analysis has something to say.
"""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

HOSTILE_ITEM = "<script>alert(1)</script> **bold** $x$"
HOSTILE_ANSWER = (
    "<img src=x onerror=alert(1)> **bold** $\\frac{1}{2}$ [link](javascript:alert(1)) \x1b[31mred\x1b[0m \u202etxt.exe"
)
FAMILIES = ("facts", "dates", "units", "words")
ITEMS_PER_FAMILY = 6
TRIALS = 4
ABILITIES = {"careful": 1.6, "shallow": -0.6, "middling": 0.4}


def item_names() -> list[str]:
    """Names of the items in order; the last one is hostile."""
    names = [f"{family}-{number:02d}" for family in FAMILIES for number in range(ITEMS_PER_FAMILY)]
    return [*names[:-1], HOSTILE_ITEM]


def write_benchmark(folder: Path, *, version: str = "1.0.0", changed_item: str | None = None) -> Path:
    """Write benchmark.toml and items; ``changed_item`` gets another instruction."""
    (folder / "items").mkdir(parents=True, exist_ok=True)
    (folder / "benchmark.toml").write_text(
        "\n".join(
            (
                "schema_version = 1",
                'name = "demo"',
                f'version = "{version}"',
                'purpose = "evaluation"',
                'title = "Demo: short questions"',
                'construct = "How often a short question is answered right."',
                'licence = "CC0-1.0"',
                'owner = "tests"',
                "[scorer]",
                'kind = "exact"',
                'fold = ["case", "space"]',
            )
        )
        + "\n",
        encoding="utf-8",
    )
    records = []
    for position, name in enumerate(item_names()):
        instruction = f"Question {position}: answer with the word right{position}."
        if name == changed_item:
            instruction += " In lower case."
        records.append(
            {
                "name": name,
                "instruction": instruction,
                "family": FAMILIES[position // ITEMS_PER_FAMILY],
                "human_minutes": 0.1,
                "source": "written for the tests",
                "visibility": "public",
                "scorer": {"kind": "exact", "expected": [f"right{position}"]},
                "reference": {"answer": f"right{position}"},
            }
        )
    lines = "".join(json.dumps(record) + "\n" for record in records)
    (folder / "items" / "all.jsonl").write_text(lines, encoding="utf-8")
    return folder


def write_agents(folder: Path) -> dict[str, Path]:
    """Write one agent file per ability with its recorded answers, and the reference and noop agents."""
    folder.mkdir(parents=True, exist_ok=True)
    names = item_names()
    for agent, ability in ABILITIES.items():
        generator = random.Random(f"answers of {agent}")
        lines = []
        for position, name in enumerate(names):
            difficulty = 2.5 * math.sin(position * 1.7)
            chance = 1 / (1 + math.exp(difficulty - ability))
            for trial in range(TRIALS):
                right = generator.random() < chance
                answer = f"right{position}" if right else HOSTILE_ANSWER if name == HOSTILE_ITEM else "wrong"
                lines.append(json.dumps({"item": name, "trial": trial, "answer": answer}) + "\n")
        (folder / f"{agent}.jsonl").write_text("".join(lines), encoding="utf-8")
        (folder / f"{agent}.toml").write_text(
            _agent_text(agent, f'kind = "scripted"\nmode = "replay"\nanswers = "{agent}.jsonl"'), "utf-8"
        )
    for agent in ("reference", "noop"):
        (folder / f"{agent}.toml").write_text(_agent_text(agent, f'kind = "scripted"\nmode = "{agent}"'), "utf-8")
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def write_outcomes(path: Path) -> Path:
    """Write production outcomes of the agents: agent, period, segment, measure, value, n."""
    rows = [f"{agent},2026-03,all,resolved,{0.5 + 0.1 * ability:.3f},400" for agent, ability in ABILITIES.items()]
    path.write_text("agent,period,segment,measure,value,n\n" + "\n".join(rows) + "\n", "utf-8")
    return path


def _agent_text(name: str, harness: str) -> str:
    return f'schema_version = 1\nname = "{name}"\n[model]\nrequested = "none"\n[harness]\n{harness}\n[operations]\n'
