"""The scripted harness: agents that need no model. They bound what an instrument can say.

Mode ``noop`` does nothing (whatever scores then is a defect of the item), ``reference`` hands in the reference
solution (whatever fails then is one too), ``replay`` repeats recorded answers: JSON lines ``{"item", "trial",
"answer"}``, where a line without ``trial`` serves every trial.
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
from metrology.plugins import Problem


class ScriptedModel(Table):
    """There is no model; a name may say so."""

    requested: str = "none"
    provider: str = ""


class ScriptedTable(Table):
    """The harness is its kind, version and ``mode``.

    In an agent file, ``answers`` (mode ``replay``) is a JSON-lines file beside it; its digest is what counts.
    """

    kind: Literal["scripted"]
    version: str = "1"
    mode: Literal["noop", "reference", "replay"]
    answers_digest: str | None = None


class ScriptedHarness(Harness):
    """Hands in nothing, the reference solution, or a recorded answer. Needs no box."""

    ModelTable = ScriptedModel
    HarnessTable = ScriptedTable

    def __init__(self, configuration: AgentConfiguration) -> None:
        super().__init__(configuration)
        self._mode = str(configuration.harness["mode"])
        self.needs_reference = self._mode == "reference"
        self._path = Path(str(configuration.volatile.get("answers", "")))
        self._answers: Mapping[tuple[str, int | None], str] = {}

    @classmethod
    def problems(cls, configuration: AgentConfiguration) -> tuple[Problem, ...]:
        """Besides the types: answers belong to the mode replay and to no other."""
        found = super().problems(configuration)
        replays = configuration.harness.get("mode") == "replay"
        if not found and replays != ("answers_digest" in configuration.harness):
            hint = "give the path of a JSON-lines file" if replays else "remove it, or set mode to replay"
            return (Problem("harness.answers", "missing" if replays else "only the mode replay has answers", hint),)
        return found

    @classmethod
    def resolve(cls, table: Mapping[str, Any], folder: Path) -> Resolved:
        """Digest the recorded answers; where they stand becomes volatile."""
        kept = dict(table)
        answers = kept.pop("answers", None)
        if answers is None:
            return Resolved(kept)
        kept["answers_digest"] = digest_of(folder, str(answers), "harness.answers")
        return Resolved(kept, {"answers": str((folder / str(answers)).resolve())})

    async def start(self) -> None:
        """Read the recorded answers, if there are any.

        Raises:
            ConfigurationError: the file is not there or is not what was registered.
            InputError: a line is not a record of an answer.
        """
        if self._mode != "replay":
            return
        if not self._path.is_file():
            raise ConfigurationError(f"the recorded answers {self._path.name} are not there", hint="restore the file")
        if file_digest(self._path) != self.configuration.harness["answers_digest"]:
            raise ConfigurationError(
                f"the recorded answers {self._path.name} changed since the agent was registered",
                hint="register the agent again: other answers are another agent",
            )
        self._answers = read_answers(self._path)

    async def act(self, task: Task, box: Box | None, seed: int) -> Outcome:  # noqa: ARG002 - the contract's
        """Return what the mode hands in, completed.

        Raises:
            ConfigurationError: the task came without its reference solution, or nothing is recorded for it.
        """
        if self._mode == "noop":
            return Outcome(Status.COMPLETED)
        return _reference(task) if self._mode == "reference" else self._recorded(task)

    def _recorded(self, task: Task) -> Outcome:
        name = task.item.name
        answer = self._answers.get((name, task.number), self._answers.get((name, None)))
        if answer is None:
            raise ConfigurationError(
                f"no answer is recorded for item {name}, trial {task.number}", hint="plan fewer trials or items"
            )
        return Outcome(Status.COMPLETED, answer=answer_text(answer))


def _reference(task: Task) -> Outcome:
    """The reference answer, and those reference files that are declared artifacts."""
    if task.reference is None:
        raise ConfigurationError(
            f"item {task.item.name} came without its reference solution", hint="register the benchmark again"
        )
    artifacts = {
        path: data
        for path, data in task.reference.files.items()
        if any(path == place or path.startswith(f"{place}/") for place in task.item.artifacts)
    }
    return Outcome(Status.COMPLETED, answer=answer_text(task.reference.answer), artifacts=artifacts)


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
