from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from metrology.domain.agent import AgentConfiguration
from metrology.domain.status import Status
from metrology.errors import InputError
from metrology.harnesses.base import ConfigurationError, Reference, build_harness, problems
from metrology.harnesses.scripted import ScriptedHarness
from tests.harnesses.agents import act, task


def scripted(mode: str, **harness: Any) -> AgentConfiguration:
    return AgentConfiguration("s", {}, {"kind": "scripted", "mode": mode, **harness}, {})


def replay(path: Path, *records: object) -> AgentConfiguration:
    path.write_text("\n".join(json.dumps(record) if isinstance(record, dict) else str(record) for record in records))
    resolved = ScriptedHarness.resolve({"kind": "scripted", "mode": "replay", "answers": path.name}, path.parent)
    return AgentConfiguration("r", {}, resolved.table, {}, resolved.volatile)


def test_noop_hands_in_nothing() -> None:
    outcome = act(scripted("noop"), task())
    assert (outcome.status, outcome.answer, outcome.artifacts) == (Status.COMPLETED, "", {})


def test_reference_hands_in_answer_and_declared_files_only() -> None:
    reference = Reference("42\n", {"out.txt": b"x", "folder/a": b"y", "notes.txt": b"z"})
    outcome = act(scripted("reference"), task(reference=reference, artifacts=("out.txt", "folder")))
    assert outcome.answer == "42\n"
    assert outcome.artifacts == {"out.txt": b"x", "folder/a": b"y"}
    assert build_harness(scripted("reference")).needs_reference
    assert not build_harness(scripted("noop")).needs_reference
    with pytest.raises(ConfigurationError, match="reference solution"):
        act(scripted("reference"), task())


def test_replay_answers_by_item_and_trial(tmp_path) -> None:
    agent = replay(
        tmp_path / "answers.jsonl",
        {"item": "t-01", "trial": 0, "answer": "41"},
        {"item": "t-01", "answer": "42"},
    )
    assert act(agent, task(number=0)).answer == "41"
    assert act(agent, task(number=5)).answer == "42"
    with pytest.raises(ConfigurationError, match="no answer is recorded"):
        act(replay(tmp_path / "b.jsonl", {"item": "other", "answer": "x"}), task())


def test_other_answers_are_another_agent(tmp_path) -> None:
    path = tmp_path / "answers.jsonl"
    agent = replay(path, {"item": "t-01", "answer": "42"})
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    assert replay(moved / "other.jsonl", {"item": "t-01", "answer": "42"}).identity == agent.identity
    path.write_text('{"item": "t-01", "answer": "43"}')
    with pytest.raises(ConfigurationError, match="changed since"):
        act(agent, task())


@pytest.mark.parametrize(
    ("line", "field"),
    [("{", None), ("[]", None), ('{"answer": "x"}', "item"), ('{"item": "a", "trial": "0", "answer": "x"}', "trial"),
     ('{"item": "a", "trial": true, "answer": "x"}', "trial"), ('{"item": "a", "answer": 42}', "answer"),
     ('{"item": "t-01", "answer": "again"}', None)],
)  # fmt: skip
def test_a_broken_line_is_named(tmp_path, line: str, field: str | None) -> None:
    with pytest.raises(InputError) as caught:
        act(replay(tmp_path / "answers.jsonl", {"item": "t-01", "answer": "42"}, line), task())
    assert caught.value.line == 2
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("harness", "field"),
    [
        ({"mode": "oracle"}, "harness.mode"),
        ({}, "harness.mode"),
        ({"mode": "replay"}, "harness.answers"),
        ({"mode": "noop", "answers_digest": "sha256:1"}, "harness.answers"),
        ({"mode": "noop", "colour": "red"}, "harness.colour"),
    ],
)
def test_a_wrong_configuration_is_told(harness: dict[str, Any], field: str) -> None:
    found = problems(AgentConfiguration("s", {}, {"kind": "scripted", **harness}, {}))
    assert [problem.field for problem in found] == [field]


def test_an_unknown_kind_names_the_known_ones() -> None:
    (problem,) = problems(AgentConfiguration("s", {}, {"kind": "comand"}, {}))
    assert "command" in problem.hint
    with pytest.raises(InputError):
        build_harness(AgentConfiguration("s", {}, {}, {}))
