"""Every wrong input ends in exit 2, a message that names the place, a hint, and an unchanged store."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Command


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


FOLDER_FAULTS: dict[str, tuple[Callable[[Path], None], tuple[str, ...]]] = {
    "broken TOML": (lambda f: _edit(f / "benchmark.toml", 'title = "Tiny"', "title = "), ("benchmark.toml", "line 5")),
    "unknown key": (lambda f: _edit(f / "benchmark.toml", "title =", "titel ="), ("benchmark.toml", "titel")),
    "two items with one name": (
        lambda f: _edit(f / "items" / "say.jsonl", '"say-no"', '"say-yes"'),
        ("say.jsonl", "line 2", "say-yes"),
    ),
    "one name in two cases": (lambda f: _edit(f / "items" / "say.jsonl", '"say-no"', '"Say-Yes"'), ("line 2", "case")),
    "missing scorer": (
        lambda f: _edit(f / "items" / "say.jsonl", '"scorer": {"kind": "exact", "expected": ["yes"]}, ', ""),
        ("say.jsonl", "line 1", "scorer"),
    ),
    "no reference solution": (
        lambda f: _edit(f / "items" / "say.jsonl", ', "reference": {"answer": "yes"}', ""),
        ("say.jsonl", "line 1", "reference"),
    ),
    "not UTF-8": (lambda f: (f / "items" / "say.jsonl").write_bytes(b'{"name": "\xff"}\n'), ("say.jsonl", "line 1")),
}


@pytest.mark.parametrize("fault", sorted(FOLDER_FAULTS))
def test_a_faulty_benchmark_folder_is_refused_whole(command: Command, tiny: Path, fault: str) -> None:
    damage, said = FOLDER_FAULTS[fault]
    damage(tiny)
    refused = command("benchmark", "register", tiny)
    assert refused.code == 2
    assert refused.out == ""
    for words in said:
        assert words in refused.err
    assert "hint:" in refused.err
    assert command("benchmark", "list", "--json").json == []


def test_errors_are_json_when_json_is_asked_for(command: Command, tmp_path: Path) -> None:
    command("init")
    refused = command("benchmark", "show", "nothing", "--json")
    assert (refused.code, refused.out) == (2, "")
    error = json.loads(refused.err)
    assert "nothing" in error["error"]
    assert error["hint"]


def test_a_secret_in_an_agent_file_is_refused_and_not_repeated(command: Command, agents: dict[str, Path]) -> None:
    secret = "sk-" + "a1B2c3D4e5F6g7H8i9J0" * 2
    agents["noop"].write_text(agents["noop"].read_text() + f'api_key = "{secret}"\n')
    refused = command("agent", "register", agents["noop"])
    assert refused.code == 2
    assert "api_key" in refused.err
    assert "environment variable" in refused.err
    assert secret not in refused.err + refused.out
    assert command("agent", "list", "--json").json == []


def test_a_newer_database_is_not_written(command: Command, tiny: Path) -> None:
    command("init")
    with sqlite3.connect(os.environ["METROLOGY_DB"]) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    refused = command("benchmark", "register", tiny)
    assert refused.code == 2
    assert "newer" in refused.err


def test_a_locked_database_says_so(command: Command, tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command("init")
    monkeypatch.setenv("METROLOGY_DB_TIMEOUT", "0.2")
    holder = sqlite3.connect(os.environ["METROLOGY_DB"], isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    refused = command("benchmark", "register", tiny)
    holder.execute("ROLLBACK")
    holder.close()
    assert refused.code == 2
    assert "locked" in refused.err
    assert command("benchmark", "list", "--json").json == []


def test_a_missing_database_says_how_to_make_one(command: Command) -> None:
    refused = command("benchmark", "list")
    assert (refused.code, "metrology init" in refused.err) == (2, True)


TABLES = {
    "wrong columns": (b"thing,agent,score\na,b,1\n", ("line 1", "item")),
    "not a number": (b"item,agent,score\na,b,NaN\n", ("line 2", "score")),
    "mixed encodings": (b"item,agent,score\na,b,1\nc\xe9,b,1\n", ("line 3", "UTF-8")),
    "out of range": (b"item,agent,score\na,b,1.5\n", ("line 2", "score")),
}
MAP = """schema_version = 1
[benchmark]
name = "recorded"
version = "1.0.0"
purpose = "evaluation"
title = "Recorded"
construct = "none"
licence = "CC0-1.0"
owner = "tests"
source = "tests"
[columns]
item = "item"
score = "score"
[agent]
name = "{agent}"
model = {requested = {column = "agent"}}
harness = {name = "unknown"}
"""


@pytest.mark.parametrize("fault", sorted(TABLES))
def test_a_faulty_table_changes_nothing(command: Command, tmp_path: Path, fault: str) -> None:
    data, said = TABLES[fault]
    (tmp_path / "map.toml").write_text(MAP)
    (tmp_path / "results.csv").write_bytes(data)
    refused = command("import", "table", tmp_path / "results.csv", "--map", tmp_path / "map.toml")
    assert refused.code == 2
    for words in ("results.csv", *said):
        assert words in refused.err
    assert command("benchmark", "list", "--json").json == []


def test_an_empty_score_is_missing_and_not_zero(command: Command, tmp_path: Path) -> None:
    (tmp_path / "map.toml").write_text(MAP)
    (tmp_path / "results.csv").write_text("item,agent,score\na,x,1\nb,x,\n")
    report = command("import", "table", tmp_path / "results.csv", "--map", tmp_path / "map.toml", "--json").json
    assert (report["account"]["accepted"], report["account"]["without_verdict"]) == (1, 1)
    answer = command("analyze", "reliability", "recorded", "--json").json
    (row,) = answer["tables"]["agents"]["rows"]
    assert (row["measured"], row["planned"], row["pass_rate_pooled"]) == (1, 2, 1.0)


@pytest.mark.parametrize(
    "arguments",
    [
        ("analyze", "nothing", "tiny"),
        ("analyze", "reliability", "nothing"),
        ("analyze", "reliability", "tiny", "--option", "unknown=1"),
        ("analyze", "reliability", "tiny", "--level", "2"),
        ("analyze", "reliability", "tiny", "--option", "k"),
        ("campaign", "run", "nothing"),
        ("campaign", "plan", "tiny", "--agent", "nobody"),
        ("agent", "show", "nobody"),
        ("item", "show", "tiny", "nothing"),
        ("import", "nothing", "file.csv"),
        ("import", "campaign", "no-such-folder"),
        ("import", "campaign", __file__),
        ("item", "history", "nothing"),
        ("item", "history", "tiny", "nothing"),
        ("outcomes", "import", "no-such-file.csv"),
        ("benchmark", "register", "no-such-folder"),
        ("agent", "register", "no-such-file.toml"),
        ("benchmark", "diff", "tiny@1.0.0", "tiny@9.9.9"),
    ],
    ids=" ".join,
)
def test_a_wrong_name_is_an_error_with_a_hint(command: Command, tiny: Path, arguments: tuple[str, ...]) -> None:
    command("benchmark", "register", tiny)
    refused = command(*arguments)
    assert refused.code == 2
    assert refused.err.startswith("error: ")
    assert "Traceback" not in refused.err
