"""Reads an agent's TOML file: model, harness, operations, and apart from them where and when it ran."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from metrology import plugins
from metrology.domain.agent import AgentConfiguration, split_volatile
from metrology.errors import InputError, InputErrors
from metrology.harnesses import base as harnesses
from metrology.plugins import Problem
from metrology.registry.names import name_fault
from metrology.registry.reading import Document, read_toml
from metrology.registry.secrets import secrets_in

PARTS = ("model", "harness", "operations")


class AgentTable(BaseModel):
    """The top of an agent file. What may stand in the parts is declared by the harness."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    schema_version: Literal[1]
    name: str
    model: dict[str, Any] = {}
    harness: dict[str, Any]
    operations: dict[str, Any] = {}
    volatile: dict[str, Any] = {}


def load_agent(path: Path | str) -> AgentConfiguration:
    """Return the agent configuration in a file.

    Host, port, folder, time and the like are kept apart as volatile wherever they stand at the top of a part. Files
    that the harness names go into the identity by content.

    Raises:
        InputError: the file cannot be read, or a named file is missing.
        InputErrors: unknown keys, wrong values, or anything that looks like a secret (which is never shown).
    """
    document = read_toml(Path(path))
    _refuse(document, secrets_in(document.table))
    _refuse(document, _top_problems(document.table))
    table = AgentTable.model_validate(document.table)
    volatile: dict[str, Any] = dict(table.volatile)
    parts: dict[str, dict[str, Any]] = {}
    for part in PARTS:
        parts[part], apart = split_volatile(getattr(table, part))
        volatile.update({f"{part}.{key}": value for key, value in apart.items()})
    kind = parts["harness"].get("kind")
    if isinstance(kind, str) and kind in plugins.names("harnesses"):
        harness: type[harnesses.Harness] = plugins.load("harnesses", kind)
        try:
            resolved = harness.resolve(parts["harness"], document.file.parent)
        except InputError as error:
            raise document.error(Problem(error.field or "harness", _bare(error), error.hint)) from error
        parts["harness"] = dict(resolved.table)
        volatile.update(resolved.volatile)
    configuration = AgentConfiguration(table.name, **parts, volatile=volatile)
    _refuse(document, harnesses.problems(configuration))
    return configuration


def agent_warnings(configuration: AgentConfiguration) -> tuple[str, ...]:
    """Return what the owner of an agent should know: a model's name whose meaning may change."""
    alias = configuration.moving_alias
    if alias is None:
        return ()
    requested = configuration.model["requested"]
    return (
        f"agent {configuration.name}: the model {requested!r} is a moving alias ({alias}): tomorrow it may be another "
        "model under the same name; name a dated version",
    )


def _top_problems(table: dict[str, Any]) -> tuple[Problem, ...]:
    found = plugins.problems(AgentTable, table)
    if any(problem.field == "name" for problem in found):
        return found
    fault = name_fault(table["name"])
    return (*found, Problem("name", fault, hint="give the agent a short name")) if fault else found


def _refuse(document: Document, problems: tuple[Problem, ...]) -> None:
    if problems:
        raise InputErrors([document.error(problem) for problem in problems])


def _bare(error: InputError) -> str:
    """The message without the place, which is added again with file and line."""
    return error.message.removeprefix(f"field {error.field}: ")
