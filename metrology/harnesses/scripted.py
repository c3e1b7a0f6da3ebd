"""Scripted harnesses: agents that need no model. They bound what an instrument can say.

``noop`` does nothing (whatever scores then is a defect of the item), ``reference`` hands in the reference solution
(whatever fails then is one too), ``replay`` repeats recorded answers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from metrology.domain.agent import AgentConfiguration
from metrology.domain.status import Status
from metrology.environments.base import Box
from metrology.errors import InputError
from metrology.harnesses.base import ConfigurationError, Harness, Outcome, Resolved, Table, Task, answer_text, digest_of
from metrology.identity import file_digest


class ScriptedModel(Table):
    """There is no model; a name may say so."""

    requested: str = "none"
    provider: str = ""


class ScriptedTable(Table):
    """The harness is its kind and version."""

    kind: str
    version: str = "1"


class NoopHarness(Harness):
    """Hands in an empty answer."""

    ModelTable = ScriptedModel
    HarnessTable = ScriptedTable

    async def act(self, task: Task, box: Box | None, seed: int) -> Outcome:  # noqa: ARG002 - the contract's
        """Return an empty answer, completed."""
        return Outcome(Status.COMPLETED)


class ReferenceHarness(Harness):
    """Hands in the reference solution: its answer, and its files where they belong."""

    needs_reference = True
    ModelTable = ScriptedModel
    HarnessTable = ScriptedTable

    async def act(self, task: Task, box: Box | None, seed: int) -> Outcome:  # noqa: ARG002 - the contract's
        """Return the reference answer and those reference files that are declared artifacts.

        Raises:
            ConfigurationError: the task came without its reference solution.
        """
        if task.reference is None:
            raise ConfigurationError(
                f"item {task.item.name} came without its reference solution", hint="register the benchmark again"
            )
        declared = task.item.artifacts
        artifacts = {
            path: data
            for path, data in task.reference.files.items()
            if any(path == place or path.startswith(f"{place}/") for place in declared)
        }
        return Outcome(Status.COMPLETED, answer=answer_text(task.reference.answer), artifacts=artifacts)


class ReplayTable(Table):
    """In an agent file, ``answers`` is a JSON-lines file beside it; its digest is what counts."""

    kind: Literal["replay"]
    version: str = "1"
    answers_digest: str


class ReplayHarness(Harness):
    """Repeats recorded answers: lines ``{"item", "trial", "answer"}``; without ``trial`` a line serves every trial."""

    ModelTable = ScriptedModel
    HarnessTable = ReplayTable

    def __init__(self, configuration: AgentConfiguration) -> None:
        super().__init__(configuration)
        self._path = Path(str(configuration.volatile.get("answers", "")))
        self._answers: Mapping[tuple[str, int | None], str] = {}

    @classmethod
    def resolve(cls, table: Mapping[str, Any], folder: Path) -> Resolved:
        """Digest the recorded answers; where they stand becomes volatile."""
        kept = dict(table)
        answers = kept.pop("answers", None)
        if not isinstance(answers, str) or not answers:
            raise InputError("missing", field="harness.answers", hint="give the path of a JSON-lines file")
        kept["answers_digest"] = digest_of(folder, answers, "harness.answers")
        return Resolved(kept, {"answers": str((folder / answers).resolve())})

    async def start(self) -> None:
        """Read the recorded answers.

        Raises:
            ConfigurationError: the file is not there or is not what was registered.
            InputError: a line is not a record of an answer.
        """
        if not self._path.is_file():
            raise ConfigurationError(f"the recorded answers {self._path.name} are not there", hint="restore the file")
        if file_digest(self._path) != self.configuration.harness["answers_digest"]:
            raise ConfigurationError(
                f"the recorded answers {self._path.name} changed since the agent was registered",
                hint="register the agent again: other answers are another agent",
            )
        self._answers = read_answers(self._path)

    async def act(self, task: Task, box: Box | None, seed: int) -> Outcome:  # noqa: ARG002 - the contract's
        """Return the recorded answer of the item and trial.

        Raises:
            ConfigurationError: nothing is recorded for them.
        """
        name = task.item.name
        answer = self._answers.get((name, task.number), self._answers.get((name, None)))
        if answer is None:
            raise ConfigurationError(
                f"no answer is recorded for item {name}, trial {task.number}", hint="plan fewer trials or items"
            )
        return Outcome(Status.COMPLETED, answer=answer_text(answer))


def read_answers(path: Path) -> dict[tuple[str, int | None], str]:
    """Return recorded answers by (item, trial number or None).

    Raises:
        InputError: a line is no such record, or two lines are for the same item and trial.
    """
    answers: dict[tuple[str, int | None], str] = {}
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            item, trial, answer = _record(path, number, line)
            if (item, trial) in answers:
                raise InputError(f"a second answer for item {item}, trial {trial}", file=path, line=number)
            answers[item, trial] = answer
    return answers


def _record(path: Path, number: int, line: str) -> tuple[str, int | None, str]:
    hint = 'a line is {"item": "name", "trial": 0, "answer": "text"}'
    try:
        record: Any = json.loads(line)
    except ValueError as error:
        raise InputError(f"not JSON: {error}", file=path, line=number, hint=hint) from error
    if not isinstance(record, dict):
        raise InputError("not a record", file=path, line=number, hint=hint)
    item, trial, answer = record.get("item"), record.get("trial"), record.get("answer")
    if not isinstance(item, str):
        raise InputError("not text", file=path, line=number, field="item", hint=hint)
    if trial is not None and (not isinstance(trial, int) or isinstance(trial, bool)):
        raise InputError("not a whole number", file=path, line=number, field="trial", hint=hint)
    if not isinstance(answer, str):
        raise InputError("not text", file=path, line=number, field="answer", hint=hint)
    return item, trial, answer
