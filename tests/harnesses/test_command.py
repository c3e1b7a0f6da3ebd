from __future__ import annotations

import base64
import json

import pytest

from metrology.domain.agent import AgentConfiguration
from metrology.domain.status import Status
from metrology.harnesses.base import ConfigurationError, problems
from tests.harnesses.agents import act, program_agent, task


def events(transcript: bytes | None) -> list[dict[str, object]]:
    assert transcript is not None
    return [json.loads(line) for line in transcript.splitlines()]


def test_a_program_gets_its_task_and_its_output_is_the_answer(tmp_path) -> None:
    source = """
import json, os, sys
asked = sys.stdin.read()
assert asked == open(os.environ["METROLOGY_INSTRUCTION"]).read()
operations = json.loads(os.environ["METROLOGY_OPERATIONS"])
print(asked, os.environ["METROLOGY_SEED"], operations["tool_failure_rate"], open("data.txt").read())
"""
    agent = program_agent(tmp_path / "agent.py", source, tool_failure_rate=0.25)
    outcome = act(agent, task("Grüße?"), files={"data.txt": b"d"})
    assert outcome.status is Status.COMPLETED
    assert outcome.answer == "Grüße? 7 0.25 d\n"
    started, ended = events(outcome.transcript)
    assert started["instruction"] == "Grüße?"
    assert ended["exit_code"] == 0
    assert str(tmp_path) not in str(outcome.transcript)


@pytest.mark.parametrize(
    ("source", "operations", "status", "word"),
    [
        ("raise SystemExit(3)", {}, Status.AGENT_ERROR, "exit status 3"),
        ("raise SystemExit(124)", {}, Status.AGENT_ERROR, "124"),
        ("import os; os.kill(os.getpid(), 9)", {}, Status.AGENT_ERROR, "signal 9"),
        ("1 / 0", {}, Status.AGENT_ERROR, "ZeroDivisionError"),
        (
            "print('42', flush=True); import time; time.sleep(60)",
            {"time_limit_seconds": 1.0},
            Status.AGENT_TIMEOUT,
            "1.",
        ),
        ("print('42', flush=True); x = bytearray(10**9)", {"memory_mb": 256}, Status.LIMIT_REACHED, "memory"),
        ("print('42', flush=True)\nwhile True: pass", {"cpu_seconds": 1}, Status.LIMIT_REACHED, "cpu"),
        ("print('x' * 5000)", {"output_kb": 1}, Status.COMPLETED, "cut"),
    ],
)
def test_how_a_program_ends_is_booked_as_the_agents(tmp_path, source, operations, status, word) -> None:
    outcome = act(program_agent(tmp_path / "agent.py", source, **operations), task())
    assert outcome.status is status
    assert outcome.status.has_verdict
    assert word in outcome.detail


def test_what_was_said_before_a_time_out_is_kept(tmp_path) -> None:
    source = "print('42', flush=True); import time; time.sleep(60)"
    assert act(program_agent(tmp_path / "a.py", source, time_limit_seconds=1.0), task()).answer == "42\n"


def test_output_that_is_no_text_can_still_be_stored(tmp_path) -> None:
    outcome = act(program_agent(tmp_path / "a.py", "import sys; sys.stdout.buffer.write(b'a\\xff\\0b')"), task())
    assert outcome.answer == "a\ufffd\u2400b"
    assert events(outcome.transcript)[1]["stdout"] == outcome.answer


def test_a_changed_program_is_another_agent(tmp_path) -> None:
    agent = program_agent(tmp_path / "agent.py", "print(1)")
    (tmp_path / "agent.py").write_text("print(2)")
    with pytest.raises(ConfigurationError, match="changed since"):
        act(agent, task())
    (tmp_path / "agent.py").unlink()
    with pytest.raises(ConfigurationError, match="cannot be read"):
        act(agent, task())


def test_secrets_are_passed_by_name_and_stored_nowhere(tmp_path, monkeypatch) -> None:
    secret = 'hush "quoted" 9f8e7d'
    monkeypatch.setenv("AGENT_SECRET", secret)
    source = """
import base64, json, os, sys, urllib.parse
value = os.environ["AGENT_SECRET"]
print(value, json.dumps(value), urllib.parse.quote(value, safe=""), base64.b64encode(value.encode()).decode())
print("leaked", value, file=sys.stderr)
raise SystemExit("failed with " + value)
"""
    agent = program_agent(tmp_path / "agent.py", source, environment_names=["AGENT_SECRET"])
    outcome = act(agent, task())
    stored = f"{outcome.answer}{outcome.detail}{outcome.transcript!r}"
    assert "9f8e7d" not in stored
    assert base64.b64encode(secret.encode()).decode() not in stored
    assert "[redacted:AGENT_SECRET]" in outcome.answer
    assert "AGENT_SECRET" in json.dumps(agent.content())


def test_a_missing_secret_is_a_matter_of_configuration(tmp_path, monkeypatch) -> None:
    monkeypatch.delenv("AGENT_SECRET", raising=False)
    agent = program_agent(tmp_path / "agent.py", "print(1)", environment_names=["AGENT_SECRET"])
    with pytest.raises(ConfigurationError, match="AGENT_SECRET is not set"):
        act(agent, task())


def test_a_slip_in_a_known_key_is_told_and_a_key_of_the_program_is_not() -> None:
    harness = {"kind": "command", "program_digest": "sha256:1"}
    slip = AgentConfiguration("a", {}, harness, {"time_limit_second": 5})
    (problem,) = problems(slip)
    assert "time_limit_seconds" in problem.hint
    assert problems(AgentConfiguration("a", {}, harness, {"tool_failure_rate": 0.5})) == ()
    (problem,) = problems(AgentConfiguration("a", {}, harness, {"memory_mb": 1}))
    assert problem.field == "operations.memory_mb"
