"""A stranger's package, really installed: seen, used, and never fatal where it is broken."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PACKAGE = Path(__file__).parents[1] / "plugin_package"
SCRIPT = """
import asyncio, json
from metrology import plugins
from metrology.domain.agent import AgentConfiguration
from metrology.domain.item import ItemRevision
from metrology.errors import PluginError
from metrology.harnesses.base import Task, build_harness, problems as harness_problems
from metrology.scoring.base import Submission, build_scorer, problems
from metrology.testing.scorers import check_scorer

item = ItemRevision("t", "say it", {}, {"kind": "reversed", "expected": "abc"}, {"answer": "cba"})
scorer = build_scorer(item, {}.__getitem__)
check_scorer(scorer, right=Submission("cba"), wrong=Submission("abc"))
agent = AgentConfiguration("e", {}, {"kind": "echo", "loud": True}, {})
outcome = asyncio.run(build_harness(agent).act(Task(item, 0), None, 1))
try:
    plugins.load("scorers", "exact")
    clash = ""
except PluginError as error:
    clash = error.message
try:
    plugins.load("scorers", "broken")
    broken = ""
except PluginError as error:
    broken = f"{error.message} | {type(error.__cause__).__name__}"
print(json.dumps({
    "answer": outcome.answer,
    "slip": [p.field for p in problems({"kind": "reversed", "expect": "x"})],
    "harness_slip": [p.field for p in harness_problems(AgentConfiguration("e", {}, {"kind": "echo", "lod": True}, {}))],
    "clash": clash,
    "broken": broken,
    "numeric": plugins.load("scorers", "numeric").__name__,
    "rows": {g: [[p.name, p.distribution, p.error] for p in plugins.available(g)] for g in ("scorers", "harnesses")},
}))
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory) -> dict[str, Any]:
    """What a fresh interpreter says that has the package installed beside the platform."""
    source = tmp_path_factory.mktemp("source") / "package"
    target = tmp_path_factory.mktemp("installed")
    shutil.copytree(PACKAGE, source)
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(target), str(source)]
    installed = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert installed.returncode == 0, installed.stderr
    environment = {**os.environ, "PYTHONPATH": str(target)}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, env=environment, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_its_scorer_keeps_the_contract_and_its_harness_acts(said) -> None:
    assert said["answer"] == "SAY IT"
    assert said["slip"] == ["expected", "expect"]
    assert said["harness_slip"] == ["harness.lod"]


def test_a_broken_plug_in_is_reported_and_stops_nothing(said) -> None:
    rows = {name: (distribution, error) for name, distribution, error in said["rows"]["scorers"] if name != "exact"}
    assert rows["numeric"] == ("metrology", None)
    assert rows["reversed"] == ("metrology-example", None)
    assert "needs a driver" in rows["broken"][1]
    assert said["broken"].endswith("| RuntimeError")
    harnesses = {name: error for name, _, error in said["rows"]["harnesses"]}
    assert "no_such_module" in harnesses["absent"]
    assert harnesses["echo"] is None


def test_two_packages_that_claim_a_name_are_both_named(said) -> None:
    assert "metrology (" in said["clash"]
    assert "metrology-example (" in said["clash"]
    errors = [error for name, _, error in said["rows"]["scorers"] if name == "exact"]
    assert len(errors) == 2
    assert all(errors)
