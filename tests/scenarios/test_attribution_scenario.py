"""O20: an operations change is not a model change; memory kills stand beside the pass rate."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from metrology.analysis.compare import analyse
from metrology.analysis.request import Request
from metrology.domain.agent import AgentConfiguration, difference
from metrology.domain.status import Status
from metrology.errors import InputError
from tests.analysis.fake_source import FakeSource, Row

FOLDER = Path(__file__).parents[1] / "data" / "scenarios" / "O20"


@pytest.fixture(scope="module")
def configurations():
    found = {}
    for name in "ABCDE":
        parts = json.loads((FOLDER / f"config-{name}.json").read_text())
        found[name] = AgentConfiguration(name, parts["model"], parts["harness"], parts["ops"], parts["volatile"])
    return found


@pytest.fixture(scope="module")
def source(configurations):
    rows, agent_of = [], {}
    with (FOLDER / "results.csv").open(newline="") as lines:
        for record in csv.DictReader(lines):
            name = record["config"]
            agent = agent_of.setdefault(configurations[name].identity, name)
            passes, killed = int(record["passes"]), int(record["killed_for_memory"])
            for j in range(int(record["planned"])):
                status = Status.LIMIT_REACHED if passes <= j < passes + killed else Status.COMPLETED
                rows.append(Row(agent, f"item-{j:02d}", float(j < passes), status, f"run-{name}"))
    return FakeSource(rows, configurations)


def test_identity_and_what_differs(configurations):
    right = json.loads((FOLDER / "expected.json").read_text())
    a, b, c, d, e = (configurations[name] for name in "ABCDE")
    assert a.identity == c.identity
    assert difference(a, c).describe() == right["A vs C"]
    assert difference(a, b).describe().replace("operations", "ops") == right["A vs B"]
    assert difference(a, e).describe().startswith(right["A vs E"])
    assert difference(b, d).describe().startswith(right["B vs D"])
    assert "effect cannot be attributed" in difference(a, d).describe()


def test_same_configuration_is_pooled(source):
    result = analyse(source, Request("bench"))
    assert set(result.table("ranking").values("agent")) == {"A", "B", "D", "E"}
    assert result.coverage.of("A").planned == 100


def test_attribution_and_isolating_comparisons(source):
    result = analyse(source, Request("bench", options={"baseline": "A", "candidate": "D"}))
    pair = result.table("pairs").find(baseline="A", candidate="D")
    assert pair["difference"] == pytest.approx(31 / 50 - 49 / 100, abs=1e-9)
    assert pair["attribution"].startswith("not attributable")
    assert pair["parts"] == "model, operations"
    assert "model effect" not in " ".join(result.answer)
    offered = {(r["baseline"], r["candidate"]): r["part"] for r in result.table("isolating").records()}
    assert offered == {
        ("A", "B"): "operations",
        ("A", "E"): "model",
        ("B", "D"): "model",
        ("E", "D"): "operations",
    }
    one = analyse(source, Request("bench", options={"baseline": "A", "candidate": "B"})).table("pairs").rows[0]
    assert "operations effect" in one
    two = analyse(source, Request("bench", options={"baseline": "B", "candidate": "D"})).table("pairs").rows[0]
    assert "model effect" in two


def test_memory_kills_are_a_class_of_their_own(source):
    result = analyse(source, Request("bench", campaigns=("run-A", "run-B", "run-D", "run-E")))
    limits = result.table("limits")
    killed = {r["agent"]: r["trials"] for r in limits.records() if r["status"] == "limit_reached"}
    assert killed == {"A": 6, "E": 6}
    assert "memory" in limits.find(agent="A")["meaning"]


def test_one_configuration_cannot_be_compared_with_itself(source):
    with pytest.raises(InputError, match="same agent configuration"):
        analyse(source, Request("bench", options={"baseline": "A", "candidate": "A"}))
