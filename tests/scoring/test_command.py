from __future__ import annotations

import asyncio
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrology.domain.status import Status
from metrology.domain.verdict import Verdict
from metrology.scoring.base import ScoringError, Submission, problems
from metrology.scoring.command import reward_from_json, reward_from_text
from tests.scoring.scorers import scorer


def judge(
    program: str, submission: Submission | None = None, files: dict[str, bytes] | None = None, **table: object
) -> Verdict:
    judge = scorer(
        {"grade.py": program.encode(), **(files or {})},
        **{"kind": "command", "command": ["{python}", "grade.py"], "timeout_seconds": 120.0, **table},
    )
    return asyncio.run(judge.judge(submission or Submission("42")))


def test_a_program_sees_answer_artifacts_and_its_own_files() -> None:
    program = """
import os, pathlib, json, helper
answer = pathlib.Path("answer.txt").read_text()
table = pathlib.Path("out/table.csv").read_text()
beside = (pathlib.Path(__file__).parent / "data/expected.txt").read_text()
assert "HOME" in os.environ and "METROLOGY_SECRET" not in os.environ
json.dump({"reward": float(answer == helper.RIGHT and table == beside), "style": 0.5}, open("reward.json", "w"))
"""
    files = {"helper.py": b"RIGHT = '42'", "data/expected.txt": b"a,b"}
    verdict = judge(program, Submission("42", {"out/table.csv": b"a,b"}), files)
    assert verdict.passed
    assert verdict.criteria == {"style": 0.5}


def test_a_share_passes_only_from_the_declared_score(monkeypatch) -> None:
    program = "open('reward.txt', 'w').write('0.8')"
    assert not judge(program).passed
    assert judge(program, pass_score=0.8).passed
    assert judge(program).score == 0.8


def test_secrets_of_the_host_do_not_reach_the_scorer(monkeypatch) -> None:
    monkeypatch.setenv("METROLOGY_SECRET", "hunter2hunter2")
    verdict = judge("import os; open('reward.txt', 'w').write('1'); print(sorted(os.environ))")
    assert "METROLOGY_SECRET" not in verdict.evidence
    assert "PATH" in verdict.evidence


@pytest.mark.parametrize(
    "planted",
    [
        {"reward.txt": b"1"},
        {"reward.json": b'{"reward": 1}'},
        {"answer.txt": b"42"},
        {"json.py": b"raise SystemExit"},
        {"pathlib.py": b"import os; open('reward.txt','w').write('1'); os._exit(0)"},
        {"sitecustomize.py": b"import os; open('reward.txt','w').write('1'); os._exit(0)"},
        {"usercustomize.py": b"import os; open('reward.txt','w').write('1'); os._exit(0)"},
        {"helper.py": b"RIGHT = 'wrong'"},
        {"helper/__init__.py": b"RIGHT = 'wrong'"},
        {"grade.py": b"open('reward.txt','w').write('1')"},
        {".metrology/x": b"", "python": b"#!/bin/sh\necho 1 > reward.txt"},
    ],
)
def test_what_the_agent_left_cannot_stand_in_for_the_scorer(planted: dict[str, bytes]) -> None:
    program = """
import json, pathlib, helper
right = pathlib.Path("answer.txt").read_text() == helper.RIGHT
pathlib.Path("reward.txt").write_text(str(float(right)))
"""
    verdict = judge(program, Submission("wrong", planted), {"helper.py": b"RIGHT = '42'"})
    assert verdict.score == 0.0


@pytest.mark.parametrize(
    "program",
    [
        "pass",
        "open('reward.txt', 'w').write('1\\n1')",
        "open('reward.txt', 'w').write('nan')",
        "open('reward.txt', 'w').write('1.5')",
        "open('reward.txt', 'w').write('-0.5')",
        "open('reward.txt', 'w').write('１')",
        "open('reward.txt', 'wb').write(b'\\xff')",
        "open('reward.txt', 'w').write('')",
        "open('reward.txt', 'w').write('1' * 200000)",
        "open('reward.txt', 'w').write('1'); open('reward.json', 'w').write('{')",
        "open('reward.txt', 'w').write('1'); open('reward.json', 'w').write('[' * 50000)",
        "open('reward.json', 'w').write('{\"reward\": true}')",
        "open('reward.json', 'w').write('{\"reward\": \"1\"}')",
        "open('reward.json', 'w').write('{\"reward\": NaN}')",
        "open('reward.json', 'w').write('{\"reward\": 1, \"reward\": 1}')",
        "open('reward.json', 'w').write('{\"score\": 1}')",
        "open('reward.json', 'w').write('{\"reward\": 1, \"style\": 7}')",
        "import os; os.mkdir('reward.txt'); open('reward.txt/x', 'w').write('1')",
        "import os; os.symlink('answer.txt', 'reward.txt')",
        "import os; os.mkfifo('reward.txt')",
        "print(1); raise SystemExit(0)",
        "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    ],
)
def test_no_verdict_is_never_a_zero(program: str) -> None:
    with pytest.raises(ScoringError) as caught:
        judge(program, Submission("1"))
    assert caught.value.status is Status.SCORER_ERROR
    assert len(caught.value.evidence) < 5_000


def test_the_exit_status_means_nothing() -> None:
    assert judge("open('reward.txt', 'w').write('1'); raise SystemExit(3)").passed


def test_a_scorer_that_hangs_is_a_scorer_timeout() -> None:
    with pytest.raises(ScoringError) as caught:
        judge("open('reward.txt', 'w').write('1'); import time; time.sleep(60)", timeout_seconds=0.5)
    assert caught.value.status is Status.SCORER_TIMEOUT


def test_what_a_left_over_process_writes_later_does_not_count() -> None:
    program = """
import os, time
if os.fork() == 0:
    os.setsid()
    time.sleep(0.3)
    open("reward.txt", "w").write("1")
    os._exit(0)
open("reward.txt", "w").write("0")
"""
    assert judge(program).score == 0.0


def test_called_directly_it_says_to_await() -> None:
    with pytest.raises(ScoringError, match="await"):
        scorer({"g.py": b""}, kind="command", command=["{python}", "g.py"]).score(Submission(""))


def test_changed_scorer_files_are_noticed() -> None:
    judge = scorer({"grade.py": b"open('reward.txt','w').write('0')"}, kind="command", command=["{python}", "grade.py"])
    judge.files = {"grade.py": b"open('reward.txt','w').write('1')"}
    with pytest.raises(ScoringError, match=r"grade\.py is not what was registered"):
        asyncio.run(judge.judge(Submission("")))


def test_hostile_names_of_artifacts_are_left_out_and_said() -> None:
    artifacts = {"../../evil": b"x", "/etc/x": b"x", "a\nb": b"x", "ok.txt": b"x", "ok.txt/inner": b"x"}
    verdict = judge("open('reward.txt', 'w').write('1')", Submission("", artifacts))
    assert verdict.passed
    assert "artifacts left out" in verdict.evidence


@pytest.mark.parametrize(
    ("table", "field"),
    [
        ({}, "command"),
        ({"command": []}, "command"),
        ({"command": ["{python}", "missing.py"]}, "command"),
        ({"command": ["{python}", "grade.py"], "timeout_seconds": 0}, "timeout_seconds"),
        ({"command": ["{python}", "grade.py"], "shell": True}, "shell"),
    ],
)
def test_a_wrong_table_is_told_at_registration(table: dict[str, object], field: str) -> None:
    assert [problem.field for problem in problems({"kind": "command", **table}, ("grade.py",))] == [field]


@given(st.floats(0, 1))
def test_any_score_that_python_prints_is_read(score: float) -> None:
    assert reward_from_text(f"{score}\n".encode()) == {"reward": score}


@given(st.binary(max_size=30))
def test_no_bytes_make_the_readers_crash(data: bytes) -> None:
    for read in (reward_from_text, reward_from_json):
        try:
            rewards = read(data)
        except ValueError:
            continue
        assert all(math.isfinite(value) and 0 <= value <= 1 for value in rewards.values())
