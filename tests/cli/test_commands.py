"""The command line from registration to answers, for people and as JSON."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.cli.conftest import Command


def test_the_whole_way_from_a_folder_to_answers(command: Command, tiny: Path, agents: dict[str, Path]) -> None:
    assert command("init").code == 0
    registered = command("benchmark", "register", tiny, "--json").json
    assert (registered["benchmark"], registered["items"], registered["created"]) == ("tiny", 3, True)
    again = command("benchmark", "register", tiny, "--json").json
    assert (again["created"], again["identity"]) == (False, registered["identity"])
    assert command("agent", "register", agents["noop"], agents["reference"]).code == 0
    planned = command(
        "campaign", "plan", "tiny", "--agent", "noop", "--agent", "reference", "--trials", 2, "--name", "c", "--json"
    )
    assert planned.json["planned"] == 12
    ran = command("campaign", "run", "c", "--json").json
    assert (ran["state"], ran["finished"], ran["by_status"]) == ("finished", 12, {"completed": 12})
    assert command("campaign", "status", "c", "--json").json["finished"] == 12

    answer = command("analyze", "reliability", "tiny", "--json").json
    scores = {row["agent"]: row["score"] for row in answer["tables"]["agents"]["rows"]}
    assert scores == {"noop": 0.0, "reference": 1.0}
    for question in ("items", "saturation", "drift", "compare"):
        assert command("analyze", question, "tiny", "--json").json["name"] == question
        shown = command("analyze", question, "tiny")
        assert shown.code == 0
        assert "estimand:" in shown.out
        assert "nan" not in shown.out.lower().split()


def test_versions_are_shown_compared_and_released(command: Command, tiny: Path) -> None:
    command("benchmark", "register", tiny)
    shown = command("benchmark", "show", "tiny", "--json").json
    assert (shown["version"]["label"], len(shown["items"])) == ("1.0.0", 3)
    assert command("benchmark", "release", "tiny@1.0.0", "--folder", tiny).code == 0
    items = tiny / "items" / "say.jsonl"
    items.write_text(items.read_text().replace('"expected": ["yes"]', '"expected": ["yes", "Yes"]'))
    refused = command("benchmark", "register", tiny)
    assert refused.code == 2
    assert "1.0.0 is released" in refused.err
    assert "say-yes" in refused.err
    assert "1.1.0" in refused.err
    manifest = tiny / "benchmark.toml"
    manifest.write_text(manifest.read_text().replace('"1.0.0"', '"1.1.0"'))
    assert command("benchmark", "register", tiny).code == 0
    difference = command("benchmark", "diff", "tiny@1.0.0", "tiny@1.1.0", "--json").json
    assert (difference["required"], difference["sufficient"]) == ("minor", True)
    assert [item["name"] for item in difference["items"]] == ["say-yes"]
    assert [row["label"] for row in command("benchmark", "list", "--json").json] == ["1.0.0", "1.1.0"]


def test_items_move_through_their_life_with_a_reason(command: Command, tiny: Path) -> None:
    command("benchmark", "register", tiny)
    assert command("item", "quarantine", "tiny", "say-no", "--reason", "  ").code == 2
    moved = command("item", "quarantine", "tiny", "say-no", "--reason", "wrong key", "--actor", "ann", "--json").json
    assert (moved["before"], moved["after"], moved["actor"]) == ("draft", "quarantined", "ann")
    states = {row["name"]: row["state"] for row in command("item", "list", "tiny", "--json").json}
    assert states["say-no"] == "quarantined"
    assert command("item", "restore", "tiny", "say-no", "--reason", "fixed").code == 0
    history = command("item", "history", "tiny", "say-no", "--json").json
    assert [event["after"] for event in history] == ["quarantined", "active"]
    assert "Say no." in command("item", "show", "tiny", "say-no").out


def test_agents_are_compared_by_what_they_are(command: Command, agents: dict[str, Path], tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text(agents["noop"].read_text().replace('"noop"', '"slow"', 1).replace("= 10", "= 20"))
    command("agent", "register", agents["noop"], other)
    difference = command("agent", "diff", "noop", "slow", "--json").json
    assert difference["attribution"] == "operations effect"
    assert "time_limit_seconds 10 -> 20" in difference["description"]
    assert "operations.time_limit_seconds" in command("agent", "show", "slow").out


def test_a_campaign_travels_as_a_record(command: Command, tiny: Path, agents: dict[str, Path], tmp_path: Path) -> None:
    command("benchmark", "register", tiny)
    command("agent", "register", *agents.values())
    command("campaign", "plan", "tiny", "--agent", "noop", "--agent", "reference", "--trials", 2, "--name", "c")
    command("campaign", "run", "c")
    record = tmp_path / "record"
    assert command("export", "c", record, "--json").json["trials"] == 12
    assert command("import", "campaign", record, "--json").json["changed"] is False
    assert len(command("campaign", "status", "--json").json) == 1
    elsewhere = tmp_path / "other.db"
    refused = command("import", "campaign", record, "--db", elsewhere)
    assert (refused.code, "no benchmark 'tiny'" in refused.err) == (2, True)
    command("--db", elsewhere, "benchmark", "register", tiny)
    imported = command("import", "campaign", record, "--db", elsewhere, "--json").json
    assert (imported["changed"], imported["account"]["accepted"]) == (True, 12)
    assert command("import", "campaign", record, "--db", elsewhere, "--json").json["changed"] is False
    here = command("analyze", "compare", "tiny", "--json").json
    there = command("analyze", "compare", "tiny", "--json", "--db", elsewhere).json
    assert here["tables"] == there["tables"]


def test_the_store_is_checked_copied_and_upgraded(command: Command, tmp_path: Path) -> None:
    command("init")
    assert command("db", "status", "--json").json["state"] == "current"
    assert command("db", "upgrade").code == 0
    assert command("db", "backup", tmp_path / "copy.db").code == 0
    assert command("db", "backup", tmp_path / "copy.db").code == 2
    assert command("db", "status", "--json", "--db", tmp_path / "copy.db").json["state"] == "current"
    checked = command("doctor", "--json")
    assert checked.code == 0
    assert {check["name"]: check["state"] for check in checked.json}["counts"] == "ok"
    assert all(plugin["error"] is None for plugin in command("plugins", "--json").json)


def test_stored_text_cannot_steer_the_terminal(command: Command, tiny: Path) -> None:
    items = tiny / "items" / "say.jsonl"
    items.write_text(items.read_text().replace("Say yes.", "Say \\u001b[31m[red]yes[/red]\\u0007."))
    command("benchmark", "register", tiny)
    shown = command("item", "show", "tiny", "say-yes").out
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "[red]yes[/red]" in shown


def test_a_dashboard_that_others_can_reach_is_refused(command: Command) -> None:
    command("init")
    refused = command("dashboard", "--host", "0.0.0.0")
    assert (refused.code, "no login" in refused.err) == (2, True)


def test_starting_is_light() -> None:
    """What the help needs is imported and no more; the figures are printed by tests/performance/startup.py."""
    heavy = "numpy", "pandas", "sqlalchemy", "streamlit", "altair", "pydantic", "docker"
    script = f"import sys, metrology.cli.main; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
