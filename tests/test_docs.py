"""The documents name what there is, say only what parses, link to what stands there, and their examples run."""

from __future__ import annotations

import asyncio
import dataclasses
import re
import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

from metrology import plugins
from metrology.campaigns.handle import CampaignStatus
from metrology.cli.main import app
from metrology.domain.status import Status
from metrology.exchange.map import ColumnMap, OutcomeColumns
from metrology.health import Check
from metrology.plugins import Plugin
from metrology.registry.agent_file import load_agent
from metrology.registry.manifest import load_benchmark
from metrology.scoring.base import Submission
from metrology.storage.benchmarks import LifecycleRecord
from metrology.storage.observations import MeasureSummary
from metrology.storage.schema import SchemaStatus, Upgraded
from metrology.testing.environments import check_environment
from metrology.testing.scorers import check_scorer
from metrology.workspace import Workspace

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
GROUPS = ("scorers", "harnesses", "environments", "importers", "analyses")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\]\(([^)#]+?)(?:#[^)]*)?\)")


def documents() -> list[Path]:
    """What a reader is shown: the README files and everything below docs/."""
    return [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md")),
            *sorted((ROOT / "benchmarks").rglob("README.md"))]  # fmt: skip


@cache
def docs_text() -> str:
    """All pages of docs/, decisions left out."""
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(DOCS.glob("*.md")))


def blocks(page: str, language: str) -> list[str]:
    """The fenced blocks of one language on one page."""
    return [body for found, body in FENCE.findall((DOCS / page).read_text(encoding="utf-8")) if found == language]


@dataclass(frozen=True)
class Command:
    """One command of the command line with the options that it takes."""

    path: tuple[str, ...]
    options: frozenset[str]
    positional: int | None

    @property
    def line(self) -> str:
        return " ".join(("metrology", *self.path))


def walk(command: Any, path: tuple[str, ...] = ()) -> Iterator[Command]:
    """Every command below a group."""
    if hasattr(command, "commands"):
        for name, inner in command.commands.items():
            yield from walk(inner, (*path, name))
        return
    options = {spelling for parameter in command.params for spelling in (*parameter.opts, *parameter.secondary_opts)}
    arguments = [parameter for parameter in command.params if parameter.param_type_name == "argument"]
    many = any(parameter.nargs == -1 for parameter in arguments)
    yield Command(path, frozenset(options) | {"--db", "--help"}, None if many else len(arguments))


COMMANDS = {command.path: command for command in walk(typer.main.get_command(app))}


def written_commands(path: Path) -> Iterator[str]:
    """Every command line of ours in a document: lines of fenced blocks and spans of running text."""
    text = path.read_text(encoding="utf-8")
    for _, body in FENCE.findall(text):
        for line in body.replace("\\\n", " ").splitlines():
            if line.strip().removeprefix("$ ").startswith("metrology "):
                yield line.strip().removeprefix("$ ")
    for span in SPAN.findall(FENCE.sub("", text)):
        if span.startswith("metrology "):
            yield " ".join(span.split())


def fault(line: str) -> str:
    """Why a command line does not parse, or nothing."""
    # What a shell would put in the place of $(...) is not known here.
    words = shlex.split(line.split("$(", 1)[0], comments=True)[1:]
    for stop in ("&&", "|", ">", ";"):
        words = words[: words.index(stop)] if stop in words else words
    groups = {path[:1] for path in COMMANDS if len(path) > 1}
    if tuple(words) in groups:
        return ""
    found = next((COMMANDS[path] for path in (tuple(words[:2]), tuple(words[:1])) if path in COMMANDS), None)
    if found is None:
        return "no such command"
    rest, positional = words[len(found.path) :], 0
    takes_value = True
    for word in rest:
        if word.startswith("-") and len(word) > 1:
            name = word.split("=", 1)[0]
            if name not in found.options:
                return f"no option {name}"
            takes_value = "=" in word or name in FLAGS
        else:
            positional += takes_value
            takes_value = True
    if found.positional is not None and positional > found.positional:
        return f"{positional} arguments, at most {found.positional} are taken"
    return ""


def flags(command: Any) -> Iterator[str]:
    """Options of all commands that take no value."""
    for inner in getattr(command, "commands", {}).values():
        yield from flags(inner)
    for parameter in command.params:
        if getattr(parameter, "is_flag", False):
            yield from (*parameter.opts, *parameter.secondary_opts)


FLAGS = frozenset({*flags(typer.main.get_command(app)), "--help"})


def test_every_command_and_option_is_documented() -> None:
    page = (DOCS / "commands.md").read_text(encoding="utf-8")
    missing = [command.line for command in COMMANDS.values() if f"`{command.line}`" not in page]
    assert len(COMMANDS) > 20, "the walk over the command line must find the commands"
    assert not missing, f"not named in docs/commands.md: {missing}"
    options = {option for command in COMMANDS.values() for option in command.options if option.startswith("--")}
    unnamed = sorted(option for option in options if option not in page)
    assert not unnamed, f"options not named in docs/commands.md: {unnamed}"


def test_every_built_in_plugin_is_documented() -> None:
    entries = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
    names = [name for group in GROUPS for name in entries[f"metrology.{group}"]]
    assert {"exact", "chat", "process", "table", "drift"} <= set(names)
    missing = [name for name in names if f"`{name}`" not in docs_text()]
    assert not missing, f"not named in docs: {missing}"


def test_every_status_is_documented() -> None:
    page = (DOCS / "campaigns.md").read_text(encoding="utf-8")
    missing = [status.value for status in Status if f"`{status.value}`" not in page]
    assert not missing, f"not named in docs/campaigns.md: {missing}"
    classes = [status.status_class.value for status in Status]
    assert all(f"| {name} |" in page for name in classes)


def test_every_dashboard_page_is_documented() -> None:
    page = (DOCS / "dashboard.md").read_text(encoding="utf-8")
    files = [path.relative_to(ROOT).as_posix() for path in (ROOT / "dashboards" / "pages").glob("[!_]*.py")]
    assert files
    missing = [file for file in files if f"`{file}`" not in page]
    assert not missing, f"not named in docs/dashboard.md: {missing}"


@pytest.mark.parametrize("kind", ["exact", "numeric", "json", "command"])
def test_every_parameter_of_a_scorer_is_documented(kind: str) -> None:
    page = (DOCS / "benchmarks.md").read_text(encoding="utf-8")
    missing = [name for name in plugins.load("scorers", kind).Parameters.model_fields if f"`{name}`" not in page]
    assert not missing, f"{kind}: not named in docs/benchmarks.md: {missing}"


@pytest.mark.parametrize("kind", ["scripted", "command", "chat"])
def test_every_operation_and_harness_key_is_documented(kind: str) -> None:
    page = (DOCS / "agents.md").read_text(encoding="utf-8")
    harness = plugins.load("harnesses", kind)
    # Written by reading the agent file, never by its author.
    keys = {*harness.HarnessTable.model_fields, *harness.OperationsTable.model_fields} - {
        "program_digest", "answers_digest"
    }  # fmt: skip
    missing = sorted(key for key in keys if not re.search(rf"\b{key}\b", page))
    assert not missing, f"{kind}: not named in docs/agents.md: {missing}"


def test_every_key_of_a_column_map_is_documented() -> None:
    page = (DOCS / "importing.md").read_text(encoding="utf-8")
    tables = (ColumnMap, *(field.annotation for name, field in ColumnMap.model_fields.items() if name in (
        "benchmark", "columns", "score", "missing", "time"
    )), OutcomeColumns)  # fmt: skip
    names = {field.alias or name for table in tables for name, field in table.model_fields.items()}  # type: ignore[union-attr]
    missing = sorted(name for name in names if not re.search(rf"[`\[]{name}[`\]]", page))
    assert not missing, f"not named in docs/importing.md: {missing}"


@pytest.mark.parametrize("name", ["reliability", "items", "saturation", "drift", "validity", "compare"])
def test_every_option_of_a_question_is_documented(name: str) -> None:
    page = (DOCS / "analyses.md").read_text(encoding="utf-8")
    part = page.split(f"## {name}\n", 1)[1].split("\n## ", 1)[0]
    question = plugins.load("analyses", name)
    missing = [option.name for option in question.options if f"`{option.name}`" not in part]
    assert not missing, f"{name}: not named in docs/analyses.md: {missing}"
    assert question.text in part


@pytest.mark.parametrize(
    "shape", [CampaignStatus, Check, Plugin, SchemaStatus, Upgraded, LifecycleRecord, MeasureSummary]
)
def test_every_key_of_the_json_is_documented(shape: type) -> None:
    page = (DOCS / "commands.md").read_text(encoding="utf-8")
    keys = {field.name for field in dataclasses.fields(shape)} - {"id", "item_id"}
    missing = sorted(key for key in keys if f"`{key}`" not in page)
    assert not missing, f"{shape.__name__}: not named in docs/commands.md: {missing}"


def test_every_environment_variable_is_documented() -> None:
    sources = [*(ROOT / "metrology").rglob("*.py"), *(ROOT / "dashboards").rglob("*.py")]
    names = {name for path in sources for name in re.findall(r'"(METROLOGY_[A-Z_]+)"', path.read_text("utf-8"))}
    # Marks the processes of a box for the one who cleans up; nobody sets or reads it by hand.
    names -= {"METROLOGY_BOX"}
    assert "METROLOGY_DB" in names
    known = docs_text() + (ROOT / "metrology" / "scoring" / "command.py").read_text(encoding="utf-8")
    missing = sorted(name for name in names if name not in known)
    assert not missing, f"not named in docs: {missing}"


@pytest.mark.parametrize("path", documents(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_documented_command_lines_parse(path: Path) -> None:
    faults = [f"{line}: {found}" for line in written_commands(path) if (found := fault(line))]
    assert not faults, "\n".join(faults)


def test_wrong_command_lines_are_noticed() -> None:
    assert fault("metrology benchmark show gauge@1.0.0 --json --db x.db") == ""
    assert fault("metrology campaigns run x") == "no such command"
    assert fault("metrology db backup a.db --fast") == "no option --fast"
    assert fault("metrology campaign run a b") == "2 arguments, at most 1 are taken"


@pytest.mark.parametrize("path", documents(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_relative_links_point_somewhere(path: Path) -> None:
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    links = [link for link in LINK.findall(text) if "://" not in link and not link.startswith("mailto:")]
    dead = [link for link in links if not (path.parent / link).exists()]
    assert not dead, f"{path.name}: {dead}"


def test_the_index_names_every_page() -> None:
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    missing = [page.name for page in DOCS.glob("*.md") if page.name != "index.md" and f"({page.name})" not in index]
    assert not missing


def test_the_benchmark_of_the_page_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "items").mkdir()
    (tmp_path / "benchmark.toml").write_text(blocks("benchmarks.md", "toml")[0], encoding="utf-8")
    (tmp_path / "items" / "sum.json").write_text(blocks("benchmarks.md", "json")[0], encoding="utf-8")
    loaded = load_benchmark(tmp_path)
    assert [item.name for item in loaded.version.items] == ["sum"]


def test_the_agents_of_the_page_can_be_read(tmp_path: Path) -> None:
    for name in ("reader.py", "rules.py"):
        (tmp_path / name).write_text("print(5)\n", encoding="utf-8")
    names = []
    for position, text in enumerate(blocks("agents.md", "toml")):
        file = tmp_path / f"{position}.toml"
        file.write_text(text, encoding="utf-8")
        names.append(load_agent(file).name)
    assert names == ["reader", "small-fewshot"]


def test_the_worked_import_gives_the_account_of_the_page(tmp_path: Path) -> None:
    plain = blocks("importing.md", "")
    table = next(block for block in plain if block.startswith("task,model"))
    account = next(block for block in plain if block.startswith("results.csv: "))
    (tmp_path / "results.csv").write_text(table, encoding="utf-8")
    (tmp_path / "map.toml").write_text(blocks("importing.md", "toml")[0], encoding="utf-8")
    with Workspace.open(tmp_path / "m.db") as ws:
        report = ws.import_results(tmp_path / "results.csv", tmp_path / "map.toml")
        assert f"results.csv: {report.account.describe()}" == account.strip()
        scores = ws.analyze("reliability", "suite").table("agents")
    assert dict(zip(scores.values("agent"), scores.values("measured"), strict=True)) == {"m1 at 0.2": 3, "m2 at 0.2": 1}


@pytest.fixture
def extensions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The package of docs/extending.md as if it were installed."""
    package = tmp_path / "package"
    information = package / "acme_metrology-0.1.0.dist-info"
    information.mkdir(parents=True)
    page = (DOCS / "extending.md").read_text(encoding="utf-8")
    for name, code in re.findall(r"^`(acme_\w+\.py)`:\n\n```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        (package / name).write_text(code, encoding="utf-8")
    project = tomllib.loads(blocks("extending.md", "toml")[0])
    assert sorted(project["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]) == sorted(
        path.name for path in package.glob("*.py")
    )
    lines = []
    for group, entries in project["project"]["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {target}" for name, target in entries.items())]
    (information / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-metrology\nVersion: 0.1.0\n", "utf-8")
    monkeypatch.syspath_prepend(str(package))
    plugins.refresh()
    yield package
    monkeypatch.undo()
    plugins.refresh()


def test_the_plugins_of_the_page_are_found_and_keep_their_contracts(extensions: Path) -> None:
    found = {
        plugin.name: plugin.error
        for group in plugins.GROUPS
        for plugin in plugins.available(group)
        if plugin.distribution == "acme-metrology"
    }
    assert found == dict.fromkeys(("prefix", "echo", "capped", "acme", "spread", "Versions"))
    scorer = plugins.load("scorers", "prefix")
    parameters = scorer.Parameters(kind="prefix", expected="Par")
    check_scorer(scorer(parameters, "sha256:x", {}), right=Submission("Paris"), wrong=Submission("Rome"))
    environment = plugins.load("environments", "capped")
    asyncio.run(check_environment(environment(), {"kind": "capped"}))


def test_the_plugins_of_the_page_work_in_a_workspace(extensions: Path, tmp_path: Path) -> None:
    folder = tmp_path / "instrument"
    (folder / "items").mkdir(parents=True)
    (folder / "benchmark.toml").write_text(blocks("benchmarks.md", "toml")[0].split("[scorer]")[0], encoding="utf-8")
    (folder / "items" / "all.jsonl").write_text(
        '{"name": "say", "instruction": "Paris, say it", "environment": {"kind": "capped"},'
        ' "scorer": {"kind": "prefix", "expected": "Par"}, "reference": {"answer": "Paris"}}\n',
        encoding="utf-8",
    )
    agent = tmp_path / "echo.toml"
    agent.write_text('schema_version = 1\nname = "echo"\n[harness]\nkind = "echo"\n', encoding="utf-8")
    (tmp_path / "run.log").write_text("m1 a 1\nm1 b 0\nm2 a 1\n", encoding="utf-8")
    with Workspace.open(tmp_path / "m.db") as ws:
        ws.register(folder)
        ws.campaign("tiny", agents=[ws.agent(agent)], trials=2).run(concurrency=1)
        measured = ws.analyze("spread", "tiny")
        ws.import_results(tmp_path / "run.log", format_name="acme")
        imported = ws.analyze("spread", "acme", floor="0.1")
    assert measured.table("agents").find(agent="echo")["rate"] == 1.0
    assert imported.facts["spread"] == 0.5
