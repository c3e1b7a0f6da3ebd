"""The command scorer: a program of the item's own judges, in a fresh box that the agent never saw.

The box's work folder holds ``answer.txt`` and the artifacts at their own paths, and is where the program starts. The
pristine scorer files lie in another folder (``METROLOGY_SCORER``), the only one from which Python imports, so that
nothing that came from the agent can stand in for a module or a start-up hook. The program leaves its verdict in the
work folder: ``reward.json``, an object with the number ``reward`` (others become criteria), or ``reward.txt``, one
decimal number. Exit status and output mean nothing; they are kept as evidence.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from metrology.domain.status import Status
from metrology.domain.verdict import Verdict
from metrology.environments.base import Box, BoxError, CollectLimits, Ended, Limits, build_environment
from metrology.errors import InputError
from metrology.identity import bytes_digest
from metrology.plugins import Problem
from metrology.scoring import base

ANSWER = "answer.txt"
REWARD_TEXT, REWARD_JSON = "reward.txt", "reward.json"
REWARD_LIMIT = 65_536
# One finite decimal as people write it: no sign, no inf, no nan, no other digits than ASCII's.
_DECIMAL = re.compile(r"[0-9]{1,20}(?:\.[0-9]{0,40})?(?:[eE][-+]?[0-9]{1,3})?|\.[0-9]{1,40}", re.ASCII)


class CommandParameters(base.Parameters):
    """``command`` with the place-holders ``{python}`` and ``{scorer}`` (the folder of the scorer files).

    An argument that names a scorer file (``grade.py``) stands for its absolute path in the box.
    """

    command: base.Texts = Field(min_length=1)
    timeout_seconds: float = Field(default=60.0, gt=0.0)
    memory_mb: int | None = Field(default=None, ge=16)


class CommandScorer(base.Scorer):
    """The verdict that the item's program leaves. Needs a process: await :meth:`judge`."""

    Parameters = CommandParameters
    needs_process = True

    def __init__(self, parameters: CommandParameters, identity: str, files: Mapping[str, bytes]) -> None:
        super().__init__(parameters, identity, files)
        self._digests = {path: bytes_digest(data) for path, data in files.items()}
        self._environment = build_environment("process")

    @classmethod
    def problems(cls, spec: Mapping[str, Any], file_names: Sequence[str]) -> tuple[Problem, ...]:
        """Besides the types: the program must be among the scorer's files, or be one of the system."""
        found = super().problems(spec, file_names)
        if found:
            return found
        words = [word for word in spec["command"] if word != "{python}" and not word.startswith("-")]
        if spec["command"][0] == "{python}" and words and words[0].endswith(".py") and words[0] not in file_names:
            known = ", ".join(sorted(file_names)) or "none"
            return (Problem("command", f"{words[0]} is not among the scorer's files", hint=f"scorer files: {known}"),)
        return ()

    def score(self, submission: base.Submission) -> Verdict:  # noqa: ARG002 - the contract's
        """Refuse: this scorer starts a program.

        Raises:
            ScoringError: always.
        """
        message = "the command scorer starts a program: await judge()"
        raise base.ScoringError(message)

    async def judge(self, submission: base.Submission) -> Verdict:
        """Run the program and read its verdict.

        Raises:
            ScoringError: the program left no valid verdict, ran out of time, or could not be started.
        """
        try:
            async with await self._environment.open({}, self._limits()) as box:
                return await self._judge(box, submission)
        except BoxError as error:
            raise base.ScoringError(f"the scorer's box failed: {error.message}") from error

    async def _judge(self, box: Box, submission: base.Submission) -> Verdict:
        changed = [path for path, data in self.files.items() if bytes_digest(data) != self._digests[path]]
        if changed:
            raise base.ScoringError(f"the scorer file {changed[0]} is not what was registered")
        held = await _put_artifacts(box, submission.artifacts)
        # After the artifacts, so that what the agent called answer.txt or reward.txt is not what counts.
        await box.put({ANSWER: submission.answer.encode("utf-8", "replace")}, folder="work")
        await box.put(self.files, folder="scorer")
        ended = await box.run(
            [self._argument(box, word) for word in self.parameters.command],
            environment=_scorer_environment(box),
            time_limit_seconds=self.parameters.timeout_seconds,
            folder="work",
        )
        evidence = _evidence(ended, held)
        if ended.timed_out:
            raise base.ScoringError(
                f"the scorer did not end within {self.parameters.timeout_seconds:g} s",
                status=Status.SCORER_TIMEOUT,
                evidence=evidence,
            )
        return await self._read(box, evidence)

    async def _read(self, box: Box, evidence: str) -> Verdict:
        limits = CollectLimits(total_bytes=REWARD_LIMIT, files=2)
        places = {name: f"work/{name}" for name in (REWARD_JSON, REWARD_TEXT)}
        left = await box.collect(list(places.values()), limits)
        if left.refused:
            raise base.ScoringError("the reward cannot be read", evidence=base.shown(f"{left.refused}\n{evidence}"))
        for name, read in ((REWARD_JSON, reward_from_json), (REWARD_TEXT, reward_from_text)):
            data = left.files.get(places[name])
            if data is None:
                continue
            try:
                rewards = read(data)
            except ValueError as error:
                raw = base.shown(data, 500)
                raise base.ScoringError(
                    f"{name} is no verdict: {error}", evidence=base.shown(f"{name}: {raw!r}\n{evidence}")
                ) from error
            return self.verdict(rewards.pop("reward"), evidence, rewards)
        raise base.ScoringError(f"the scorer left neither {REWARD_JSON} nor {REWARD_TEXT}", evidence=evidence)

    def _argument(self, box: Box, word: str) -> str:
        folder = box.inside("scorer")
        if word in self.files:
            return f"{folder}/{word}"
        return word.replace("{python}", sys.executable).replace("{scorer}", folder)

    def _limits(self) -> Limits:
        memory = self.parameters.memory_mb
        return Limits() if memory is None else Limits(memory_bytes=memory * 1024 * 1024)


def reward_from_text(data: bytes) -> dict[str, float]:
    """Return ``{"reward": x}`` from the bytes of a ``reward.txt``.

    Raises:
        ValueError: not exactly one finite ASCII decimal in [0, 1].
    """
    text = data.decode("ascii").strip()
    if not _DECIMAL.fullmatch(text):
        message = "not one decimal number"
        raise ValueError(message)
    return {"reward": _in_range("reward", float(text))}


def reward_from_json(data: bytes) -> dict[str, float]:
    """Return the numbers of a ``reward.json`` by key, among them ``reward``.

    Raises:
        ValueError: not an object of finite numbers in [0, 1] with the key ``reward``.
    """
    try:
        table = json.loads(data.decode("utf-8"), object_pairs_hook=_unique)
    except RecursionError as error:
        message = "nested too deeply"
        raise ValueError(message) from error
    if not isinstance(table, dict) or "reward" not in table:
        message = "not an object with the key reward"
        raise ValueError(message)
    return {key: _in_range(key, value) for key, value in table.items()}


def _in_range(key: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        message = f"{base.shown(key, 60)} is not a number"
        raise ValueError(message)
    if not (0 <= value <= 1) or not math.isfinite(value):
        message = f"{base.shown(key, 60)} is not between 0 and 1"
        raise ValueError(message)
    return float(value)


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    table = dict(pairs)
    if len(table) != len(pairs):
        message = "a key occurs twice"
        raise ValueError(message)
    return table


async def _put_artifacts(box: Box, artifacts: Mapping[str, bytes]) -> tuple[str, ...]:
    """Put the artifacts whose names a folder can hold; return the names of those left out."""
    await box.put({}, folder="work")
    left_out = []
    for path, data in artifacts.items():
        if path in (ANSWER, REWARD_TEXT, REWARD_JSON):
            left_out.append(path)
            continue
        try:
            await box.put({path: data}, folder="work")
        except (InputError, BoxError):
            left_out.append(path)
    return tuple(left_out)


def _scorer_environment(box: Box) -> dict[str, str]:
    return {
        "METROLOGY_ANSWER": box.inside(f"work/{ANSWER}"),
        "METROLOGY_ARTIFACTS": box.inside("work"),
        "METROLOGY_SCORER": box.inside("scorer"),
        "METROLOGY_REWARD": box.inside("work"),
        # Python imports from the scorer's folder and from no other of this box.
        "PYTHONPATH": box.inside("scorer"),
        "PYTHONSAFEPATH": "1",
        "PYTHONNOUSERSITE": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _evidence(ended: Ended, left_out: tuple[str, ...]) -> str:
    status = f"exit {ended.exit_code}" if ended.signal is None else f"signal {ended.signal}"
    parts = [f"{status}, {ended.seconds:.2f} s" + (f", limit {ended.limit}" if ended.limit else "")]
    if left_out:
        parts.append(f"artifacts left out: {base.shown(', '.join(left_out), 200)}")
    if ended.stdout:
        parts.append(f"stdout: {base.shown(ended.stdout, 700)}")
    if ended.stderr:
        parts.append(f"stderr: {base.shown(ended.stderr, 700)}")
    return "\n".join(parts)
