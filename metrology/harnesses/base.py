"""The contract of a harness: one task in, one outcome out.

A harness books what happened, never what it was worth. What the agent did wrong (a crash, a time-out, a refusal) is
an :class:`Outcome` with an ended status; what the surroundings did (a rate limit, an unreachable provider) is an
outcome with an infrastructure status, and the trial is run again as a whole. Nothing is retried inside.
"""

from __future__ import annotations

import base64
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, Field

from metrology import plugins
from metrology.domain.agent import AgentConfiguration
from metrology.domain.item import ItemRevision
from metrology.domain.status import Status
from metrology.domain.trial import Usage
from metrology.environments.base import MEBIBYTE, Box, Limits
from metrology.errors import InputError, MetrologyError
from metrology.identity import file_digest
from metrology.plugins import Problem

DEFAULT_TIME_LIMIT_SECONDS = 600.0


@dataclass(frozen=True)
class Reference:
    """The reference solution of an item, shown only to harnesses with ``needs_reference``."""

    answer: str
    files: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Task:
    """One trial's task as an agent sees it. ``number`` is the trial's number from 0."""

    item: ItemRevision
    number: int
    reference: Reference | None = None

    @property
    def instruction(self) -> str:
        """What the agent is asked."""
        return self.item.instruction


@dataclass(frozen=True)
class Outcome:
    """What an agent left and how it ended.

    ``answer`` is well-formed text without NUL (see :func:`answer_text`). ``artifacts`` come only from harnesses
    without a box; from a box the runner collects. ``transcript`` is JSON lines, secrets removed, or None.
    """

    status: Status
    answer: str = ""
    usage: Usage = field(default_factory=Usage)
    transcript: bytes | None = None
    detail: str = ""
    model_served: str | None = None
    artifacts: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Resolved:
    """A ``[harness]`` table as it is hashed, and what is only needed for running."""

    table: Mapping[str, Any]
    volatile: Mapping[str, Any] = field(default_factory=dict)


class ConfigurationError(MetrologyError):
    """The agent cannot run as configured: the trial is booked as ``config_error`` and nothing is retried."""


class OperationsTable(BaseModel):
    """The operations that the platform itself acts on. Harnesses add their own; open ones accept any other key.

    Memory and file size hold for each process of the box, ``time_limit_seconds`` for one attempt.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)

    time_limit_seconds: float = Field(default=DEFAULT_TIME_LIMIT_SECONDS, gt=0.0)
    memory_mb: int | None = Field(default=None, ge=16)
    cpu_seconds: int | None = Field(default=None, ge=1)
    file_mb: int | None = Field(default=None, ge=1)
    processes: int | None = Field(default=None, ge=1)
    output_kb: int | None = Field(default=None, ge=1)
    attempts: int | None = Field(default=None, ge=1)
    concurrency: int | None = Field(default=None, ge=1)

    def limits(self) -> Limits:
        """The limits of the box; what is not said here keeps the box's default."""
        default = Limits()
        return Limits(
            memory_bytes=default.memory_bytes if self.memory_mb is None else self.memory_mb * MEBIBYTE,
            cpu_seconds=self.cpu_seconds,
            file_bytes=default.file_bytes if self.file_mb is None else self.file_mb * MEBIBYTE,
            processes=default.processes if self.processes is None else self.processes,
            output_bytes=default.output_bytes if self.output_kb is None else self.output_kb * 1024,
        )


class Table(BaseModel):
    """Base of the closed tables ``[model]`` and ``[harness]`` that a harness declares."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class Harness(ABC):
    """Drives one agent configuration. Built once per campaign and used by many tasks at once.

    A plug-in subclasses it, declares the three tables, implements :meth:`act` and is registered in the group
    ``metrology.harnesses``. With ``needs_box`` the runner opens a box from the item, puts the environment files into
    it and passes it; without, ``box`` is None and the outcome carries the artifacts, if there are any.
    """

    needs_box: bool = False
    needs_reference: bool = False
    ModelTable: ClassVar[type[BaseModel]]
    HarnessTable: ClassVar[type[BaseModel]]
    OperationsTable: ClassVar[type[OperationsTable]] = OperationsTable

    def __init__(self, configuration: AgentConfiguration) -> None:
        """Read the configuration; :func:`build_harness` has checked it."""
        self.configuration = configuration
        self.operations = self.OperationsTable.model_validate(dict(configuration.operations))
        self.redactor = Redactor({})

    @classmethod
    def problems(cls, configuration: AgentConfiguration) -> tuple[Problem, ...]:
        """Return what is wrong with a configuration for this harness; fields begin with the part's name."""
        parts = (("model", cls.ModelTable), ("harness", cls.HarnessTable), ("operations", cls.OperationsTable))
        return tuple(
            Problem(f"{part}.{found.field}".rstrip("."), found.message, found.hint)
            for part, table in parts
            for found in plugins.problems(table, getattr(configuration, part))
        )

    @classmethod
    def resolve(cls, table: Mapping[str, Any], folder: Path) -> Resolved:  # noqa: ARG003 - for harnesses with files
        """Return the ``[harness]`` table of an agent file with the files that it names replaced by their digests.

        ``folder`` is the agent file's. What is content goes into the identity, where it stands does not.

        Raises:
            InputError: a named file is not there.
        """
        return Resolved(table)

    @property
    def limits(self) -> Limits:
        """The limits with which the runner opens the box."""
        return self.operations.limits()

    async def start(self) -> None:  # noqa: B027 - most harnesses hold nothing open
        """Prepare for a campaign (connections, checks); called once in the running loop before the first task.

        Raises:
            ConfigurationError: the agent cannot run as configured.
        """

    @abstractmethod
    async def act(self, task: Task, box: Box | None, seed: int) -> Outcome:
        """Let the agent do the task, within its operations, and return how it ended.

        Raises:
            ConfigurationError: the agent cannot run as configured.
            BoxError: the box broke for reasons that are not the agent's.
        """

    async def close(self) -> None:  # noqa: B027 - most harnesses hold nothing open
        """Give back what :meth:`start` took."""


def problems(configuration: AgentConfiguration) -> tuple[Problem, ...]:
    """Return what is wrong with an agent configuration (unknown kind, unknown or wrong keys of its parts)."""
    kind = configuration.harness.get("kind")
    known = ", ".join(plugins.names("harnesses"))
    if not isinstance(kind, str) or not kind:
        return (Problem("harness.kind", "missing", hint=f"one of {known}"),)
    if kind not in plugins.names("harnesses"):
        return (Problem("harness.kind", f"no harness is called {kind!r}", hint=f"known: {known}"),)
    harness: type[Harness] = plugins.load("harnesses", kind)
    return harness.problems(configuration)


def build_harness(configuration: AgentConfiguration) -> Harness:
    """Return the harness of an agent configuration.

    Raises:
        InputError: the configuration is wrong for its harness.
        PluginError: the harness is not installed.
    """
    found = problems(configuration)
    if found:
        raise InputError(f"agent {configuration.name}: {found[0].message}", field=found[0].field, hint=found[0].hint)
    harness: type[Harness] = plugins.load("harnesses", str(configuration.harness["kind"]))
    return harness(configuration)


def digest_of(folder: Path, name: str, place: str) -> str:
    """Return the digest of a file that an agent file names; ``place`` is the field that names it.

    Raises:
        InputError: it is not there or is no file.
    """
    path = folder / name
    if not path.is_file():
        raise InputError(f"there is no file {name!r}", field=place, hint="paths are relative to the agent file")
    return file_digest(path)


def answer_text(answer: bytes | str) -> str:
    """Return an answer as text that can be stored and shown anywhere: bad bytes as U+FFFD, NUL as U+2400."""
    data = answer.encode("utf-8", "surrogatepass") if isinstance(answer, str) else answer
    return data.decode("utf-8", "replace").replace("\0", "\u2400")


def transcript_lines(events: Sequence[Mapping[str, Any]]) -> bytes:
    """Return events as JSON lines in UTF-8."""
    return b"".join(json.dumps(event, ensure_ascii=True, allow_nan=False).encode() + b"\n" for event in events)


class Redactor:
    """Removes the values of named secrets from whatever is stored, also in the spellings they travel in."""

    # Shorter values occur by chance everywhere: replacing them would spoil answers and hide nothing.
    SHORTEST = 6

    def __init__(self, secrets: Mapping[str, str]) -> None:
        """``secrets`` maps the names of environment variables to their values."""
        pairs = {
            spelling: name
            for name, value in secrets.items()
            for spelling in _spellings(value)
            if len(spelling) >= self.SHORTEST
        }
        self._pairs = sorted(
            ((value.encode(), f"[redacted:{name}]".encode()) for value, name in pairs.items()),
            key=lambda pair: -len(pair[0]),
        )

    def data(self, data: bytes) -> bytes:
        """Return bytes without the secrets."""
        for value, replacement in self._pairs:
            data = data.replace(value, replacement)
        return data

    def text(self, text: str) -> str:
        """Return text without the secrets."""
        if not self._pairs:
            return text
        return self.data(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")


def named_secrets(names: Sequence[str]) -> dict[str, str]:
    """Return the values of environment variables by name.

    Raises:
        ConfigurationError: one is not set or empty.
    """
    missing = [name for name in names if not os.environ.get(name)]
    if missing:
        raise ConfigurationError(
            f"the environment variable {missing[0]} is not set", hint=f"export {missing[0]} before the run"
        )
    return {name: os.environ[name] for name in names}


def _spellings(value: str) -> set[str]:
    """The value as it is, JSON-escaped, percent-encoded and in base64."""
    encoded = base64.b64encode(value.encode()).decode()
    return {value, json.dumps(value)[1:-1], quote(value, safe=""), encoded, encoded.rstrip("=")}
