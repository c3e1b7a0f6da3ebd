"""The built-in plug-ins are registered the way a stranger's are, and all of them can be loaded."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points

import pytest

from metrology import plugins
from metrology.environments.base import Environment
from metrology.errors import PluginError
from metrology.harnesses.base import Harness
from metrology.scoring.base import Scorer
from metrology.scoring.base import Submission as Left
from metrology.testing.scorers import check_scorer
from tests.scoring.scorers import scorer


@pytest.mark.parametrize("group", plugins.GROUPS)
def test_every_registered_plug_in_of_ours_can_be_imported(group: str) -> None:
    assert [row for row in plugins.available(group) if row.distribution == "metrology" and row.error] == []
    registered = {entry.name for entry in entry_points(group=f"metrology.{group}")}
    assert set(plugins.names(group)) == registered


@pytest.mark.parametrize(
    ("group", "kind", "names"),
    [
        ("scorers", Scorer, {"exact", "numeric", "json", "command"}),
        ("harnesses", Harness, {"scripted", "command", "chat"}),
        ("environments", Environment, {"process"}),
    ],
)
def test_the_built_in_ones_are_of_their_kind(group: str, kind: type, names: set[str]) -> None:
    assert names <= set(plugins.names(group))
    assert all(issubclass(plugins.load(group, name), kind) for name in names)


def test_unknown_names_and_groups_say_what_there_is() -> None:
    with pytest.raises(PluginError) as caught:
        plugins.load("scorers", "exakt")
    assert "exact" in caught.value.hint
    with pytest.raises(PluginError, match="no plug-in group"):
        plugins.names("toys")


def test_looking_at_names_imports_nothing() -> None:
    program = (
        "import sys; from metrology import plugins; plugins.names('scorers'); plugins.names('harnesses'); "
        "print([m for m in sys.modules if m.startswith(('metrology.scoring', 'metrology.harnesses', 'httpx'))])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


def test_the_command_scorer_keeps_the_contract_too(monkeypatch) -> None:
    program = b"import pathlib; right = pathlib.Path('answer.txt').read_text() == '42'\n"
    program += b"pathlib.Path('reward.txt').write_text(str(float(right)))\n"
    # Each hostile answer starts a program: the shortest and the longest will do.
    few = ("", "a\0b", "\ud800", "x" * 3_000_000)
    monkeypatch.setattr("metrology.testing.scorers.HOSTILE_ANSWERS", few)
    judge = scorer({"grade.py": program}, kind="command", command=["{python}", "grade.py"])
    check_scorer(judge, right=Left("42"), wrong=Left("41"))
