"""The command harness: the agent is any program, described by an agent file.

The program gets the instruction on its standard input and in the file that ``METROLOGY_INSTRUCTION`` names, its
seed in ``METROLOGY_SEED`` and its operations as JSON in ``METROLOGY_OPERATIONS``; it works in the box's folder, where
the item's files are. What it prints is the answer. Nothing else of the host's environment reaches it, unless
``operations.environment_names`` names a variable; the values of those are removed from all that is stored.
"""

from __future__ import annotations

import difflib
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, Field

from metrology.domain.agent import AgentConfiguration
from metrology.domain.status import Status
from metrology.environments.base import Box, Ended
from metrology.errors import InputError
from metrology.harnesses.base import (
    ConfigurationError,
    Harness,
    OperationsTable,
    Outcome,
    Redactor,
    Resolved,
    Table,
    Task,
    answer_text,
    digest_of,
    named_secrets,
    transcript_lines,
)
from metrology.identity import file_digest
from metrology.plugins import Problem

INSTRUCTION_FILE = ".metrology/instruction.md"
DETAIL_BYTES = 400


class CommandModel(Table):
    """The model that the program calls, if it calls one."""

    requested: str = "none"
    provider: str = ""
    parameters: dict[str, Any] = Field(default_factory=dict)


class CommandTable(Table):
    """``arguments`` with ``{python}`` and ``{program}``; digests of the program and of the files beside it.

    In an agent file ``program`` and ``files`` are paths relative to it; reading the file puts their digests here and
    the paths into the volatile part.
    """

    kind: Literal["command"]
    version: str = "1"
    arguments: list[str] = Field(default=["{python}", "{program}"], min_length=1)
    program_digest: str
    files: dict[str, str] = Field(default_factory=dict)


class CommandOperations(OperationsTable):
    """Any other key is the program's own: it reads it from ``METROLOGY_OPERATIONS``."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True, allow_inf_nan=False)

    environment_names: list[str] = Field(default_factory=list)


class CommandHarness(Harness):
    """Runs the program once per attempt in the item's box."""

    needs_box = True
    ModelTable = CommandModel
    HarnessTable = CommandTable
    OperationsTable = CommandOperations

    def __init__(self, configuration: AgentConfiguration) -> None:
        super().__init__(configuration)
        self._table = CommandTable.model_validate(dict(configuration.harness))
        self._program = Path(str(configuration.volatile.get("program", "")))
        self._operations_json = json.dumps(dict(configuration.operations), ensure_ascii=True)
        self._secrets: dict[str, str] = {}
        self._checked: dict[Path, tuple[int, int, int]] = {}

    @classmethod
    def problems(cls, configuration: AgentConfiguration) -> tuple[Problem, ...]:
        """Besides the types: a key that is nearly one of the platform's is a slip, not the program's own."""
        known = list(CommandOperations.model_fields)
        slips = (
            Problem(f"operations.{key}", "unknown key", hint=f"did you mean {close[0]}?")
            for key in configuration.operations
            if key not in known and (close := difflib.get_close_matches(key, known, n=1, cutoff=0.85))
        )
        return (*super().problems(configuration), *slips)

    @classmethod
    def resolve(cls, table: Mapping[str, Any], folder: Path) -> Resolved:
        """Digest the program and the files beside it; their place becomes volatile."""
        kept = dict(table)
        program = kept.pop("program", None)
        if not isinstance(program, str) or not program:
            raise InputError("missing", field="harness.program", hint="give the program's path, relative to this file")
        names = kept.get("files", [])
        if not isinstance(names, list):
            raise InputError("a list of paths is expected", field="harness.files", hint='like ["rules.py"]')
        kept["program_digest"] = digest_of(folder, program, "harness.program")
        if names:
            kept["files"] = {str(name): digest_of(folder, str(name), "harness.files") for name in names}
        return Resolved(kept, {"program": str((folder / program).resolve()), "folder": str(folder.resolve())})

    async def start(self) -> None:
        """Check the program and take the named secrets.

        Raises:
            ConfigurationError: the program is missing or changed, or a named variable is not set.
        """
        operations = CommandOperations.model_validate(dict(self.configuration.operations))
        self._secrets = named_secrets(operations.environment_names)
        self.redactor = Redactor(self._secrets)
        self._check_program()

    async def act(self, task: Task, box: Box | None, seed: int) -> Outcome:
        """Run the program; its standard output is the answer.

        Raises:
            ConfigurationError: the program changed since it was registered.
            BoxError: the box failed.
        """
        if box is None:
            raise ConfigurationError("the command harness needs a box", hint="run it by a campaign")
        self._check_program()
        instruction = task.instruction.encode()
        await box.put({INSTRUCTION_FILE: instruction})
        ended = await box.run(
            [self._argument(word) for word in self._table.arguments],
            stdin=instruction,
            environment={
                "METROLOGY_INSTRUCTION": box.inside(INSTRUCTION_FILE),
                "METROLOGY_SEED": str(seed),
                "METROLOGY_OPERATIONS": self._operations_json,
                "PYTHONDONTWRITEBYTECODE": "1",
                **self._secrets,
            },
            time_limit_seconds=self.operations.time_limit_seconds,
        )
        status, detail = judged_end(ended)
        stdout = self.redactor.data(ended.stdout)
        return Outcome(
            status,
            answer=answer_text(stdout),
            transcript=self._transcript(task, seed, ended, stdout),
            detail=self.redactor.text(detail),
        )

    def _transcript(self, task: Task, seed: int, ended: Ended, stdout: bytes) -> bytes:
        events: list[Mapping[str, Any]] = [
            {"event": "started", "arguments": self._table.arguments, "seed": seed, "instruction": task.instruction},
            {
                "event": "ended",
                "exit_code": ended.exit_code,
                "signal": ended.signal,
                "timed_out": ended.timed_out,
                "limit": ended.limit,
                "measured": ended.measured,
                "seconds": round(ended.seconds, 6),
                "truncated": ended.truncated,
                "stragglers": ended.stragglers,
                "stdout": answer_text(stdout),
                "stderr": answer_text(self.redactor.data(ended.stderr)),
            },
        ]
        return self.redactor.data(transcript_lines(events))

    def _check_program(self) -> None:
        """Compare digests at the start and whenever a file looks touched."""
        folder = Path(str(self.configuration.volatile.get("folder", self._program.parent)))
        wanted = {self._program: self._table.program_digest}
        wanted.update({folder / path: digest for path, digest in self._table.files.items()})
        for path, digest in wanted.items():
            try:
                facts = path.stat()
                looks = (facts.st_mtime_ns, facts.st_size, facts.st_ino)
                if self._checked.get(path) == looks:
                    continue
                found = file_digest(path)
            except OSError as error:
                raise ConfigurationError(
                    f"the program file {path.name} cannot be read: {error.strerror}",
                    hint="restore it, or register the agent again from where it is now",
                ) from error
            if found != digest:
                raise ConfigurationError(
                    f"the program file {path.name} changed since the agent was registered",
                    hint="register the agent again: another program is another agent",
                )
            self._checked[path] = looks

    def _argument(self, word: str) -> str:
        return word.replace("{python}", sys.executable).replace("{program}", os.fspath(self._program))


def judged_end(ended: Ended) -> tuple[Status, str]:
    """Return what the end of an agent's program is booked as, and why in words.

    Exit codes are data: any of them but 0 is the agent's error, whatever a shell or an engine would mean by it.
    """
    if ended.timed_out:
        return Status.AGENT_TIMEOUT, f"stopped at the time limit after {ended.seconds:.2f} s"
    if ended.limit is not None:
        measured = "" if ended.measured is None else f", measured {ended.measured:g}"
        return Status.LIMIT_REACHED, f"{ended.limit.value} limit reached{measured}"
    if ended.succeeded:
        return Status.COMPLETED, "output was cut" if ended.truncated else ""
    end = f"exit status {ended.exit_code}" if ended.signal is None else f"signal {ended.signal}"
    said = answer_text(ended.stderr[-DETAIL_BYTES:]).strip()
    return Status.AGENT_ERROR, f"{end}: {said}" if said else end
