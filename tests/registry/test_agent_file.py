from __future__ import annotations

from pathlib import Path

import pytest

from metrology.errors import InputError, InputErrors
from metrology.harnesses.base import build_harness
from metrology.identity import file_digest
from metrology.registry.agent_file import agent_warnings, load_agent

CHAT = """schema_version = 1
name = "bare"

[model]
requested = "smollm2"
{model}
[harness]
kind = "chat"
endpoint = "CHAT_URL"
{harness}
[operations]
votes = 3
{operations}
"""


def write(root: Path, text: str, name: str = "agent.toml") -> Path:
    path = root / name
    path.write_text(text)
    return path


def chat(root: Path, model: str = "", harness: str = "", operations: str = "") -> Path:
    return write(root, CHAT.format(model=model, harness=harness, operations=operations))


def errors(path: Path) -> list[InputError]:
    with pytest.raises((InputErrors, InputError)) as caught:
        load_agent(path)
    return list(caught.value.errors) if isinstance(caught.value, InputErrors) else [caught.value]


def test_the_shipped_agents_are_right() -> None:
    files = sorted((Path(__file__).parents[2] / "benchmarks" / "gauge" / "agents").glob("*.toml"))
    assert len(files) >= 4
    agents = [load_agent(file) for file in files]
    assert len({agent.identity for agent in agents}) == len(files)
    for agent in agents:
        build_harness(agent)


def test_a_program_counts_by_content_not_by_place(tmp_path) -> None:
    text = (
        'schema_version = 1\nname = "a"\n[harness]\nkind = "command"\nprogram = "bin/agent.py"\nfiles = ["rules.py"]\n'
    )
    for place in ("one", "two"):
        (tmp_path / place / "bin").mkdir(parents=True)
        (tmp_path / place / "bin" / "agent.py").write_text("print(42)")
        (tmp_path / place / "rules.py").write_text("x = 1")
    one, two = (load_agent(write(tmp_path / place, text)) for place in ("one", "two"))
    assert one.identity == two.identity
    assert one.harness["program_digest"] == file_digest(tmp_path / "one" / "bin" / "agent.py")
    assert one.volatile["program"] == str(tmp_path / "one" / "bin" / "agent.py")
    assert str(tmp_path) not in str(one.content())
    (tmp_path / "two" / "rules.py").write_text("x = 2")
    assert load_agent(tmp_path / "two" / "agent.toml").identity != one.identity


def test_where_it_runs_is_kept_apart_wherever_it_stands(tmp_path) -> None:
    plain = load_agent(chat(tmp_path))
    moved = load_agent(
        chat(tmp_path, model='base_url = "http://10.0.0.1"', harness="port = 8000", operations='host = "node-a"')
    )
    assert moved.identity == plain.identity
    assert moved.volatile == {"model.base_url": "http://10.0.0.1", "harness.port": 8000, "operations.host": "node-a"}
    top = load_agent(write(tmp_path, CHAT.format(model="", harness="", operations='[volatile]\nstarted = "now"')))
    assert top.identity == plain.identity
    assert top.volatile == {"started": "now"}


def test_the_name_and_the_order_of_keys_do_not_count(tmp_path) -> None:
    one = load_agent(chat(tmp_path, model='provider = "local"'))
    text = (tmp_path / "agent.toml").read_text().replace('name = "bare"', 'name = "other"')
    text = text.replace('requested = "smollm2"\nprovider = "local"', 'provider = "local"\nrequested = "smollm2"')
    assert load_agent(write(tmp_path, text)).identity == one.identity


def test_a_moving_alias_is_flagged(tmp_path) -> None:
    agent = load_agent(
        write(tmp_path, CHAT.format(model="", harness="", operations="").replace("smollm2", "gpt-latest"))
    )
    (warning,) = agent_warnings(agent)
    assert "moving alias (latest)" in warning
    assert agent_warnings(load_agent(chat(tmp_path))) == ()


@pytest.mark.parametrize(
    ("before", "after", "field", "line", "word"),
    [
        ("schema_version = 1", "schema_version = 3", "schema_version", 1, "1"),
        ("schema_version = 1\n", "", "schema_version", None, "missing"),
        ('name = "bare"', 'name = ""', "name", 2, "empty"),
        ('name = "bare"', 'name = "bare"\ncolour = "red"', "colour", 3, "unknown key"),
        ('kind = "chat"', 'kind = "chatty"', "harness.kind", 8, "no harness"),
        ('kind = "chat"\n', "", "harness.kind", 7, "missing"),
        ('endpoint = "CHAT_URL"\n', "", "harness.endpoint", 7, "missing"),
        ("votes = 3", "votes = 0", "operations.votes", 12, "greater"),
        ("votes = 3", "votes = 3\nvote = 1", "operations.vote", 13, "unknown key"),
        ('requested = "smollm2"', "requested = 7", "model.requested", 5, "string"),
    ],
)
def test_a_fault_names_file_line_and_field(tmp_path, before, after, field, line, word: str) -> None:
    text = CHAT.format(model="", harness="", operations="")
    assert before in text
    found = {error.field: error for error in errors(write(tmp_path, text.replace(before, after)))}
    assert word in found[field].message
    assert found[field].line == line
    assert found[field].hint
    assert str(found[field].file).endswith("agent.toml")


@pytest.mark.parametrize(
    ("harness", "field"),
    [
        ('kind = "command"', "harness.program"),
        ('kind = "command"\nprogram = "gone.py"', "harness.program"),
        ('kind = "command"\nprogram = "agent.toml"\nfiles = ["gone.py"]', "harness.files"),
        ('kind = "command"\nprogram = "agent.toml"\nfiles = "x"', "harness.files"),
        ('kind = "scripted"\nmode = "replay"', "harness.answers"),
        ('kind = "scripted"\nmode = "replay"\nanswers = "gone.jsonl"', "harness.answers"),
    ],
)
def test_a_named_file_must_be_there(tmp_path, harness: str, field: str) -> None:
    (error,) = errors(write(tmp_path, f'schema_version = 1\nname = "a"\n[harness]\n{harness}\n'))
    assert error.field == field
    assert error.message.count("field") == 1


def test_a_broken_file_and_a_missing_one_are_told(tmp_path) -> None:
    (error,) = errors(write(tmp_path, "name = \n"))
    assert error.line == 1
    (error,) = errors(tmp_path / "gone.toml")
    assert "cannot be read" in error.message
