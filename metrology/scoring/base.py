"""The contract of a scorer, and how one is built from an item.

A scorer sees only what crossed from the agent's box (the answer and the declared artifacts) and its own pristine
files. It returns a verdict for whatever the agent left, however hostile; it raises :class:`ScoringError` only when
it, the instrument, could not come to a verdict. No verdict is never a zero.

Two ways to be called: a scorer that is a function of its input is called directly (``needs_process`` is False,
:meth:`Scorer.score`, microseconds); one that starts programs is awaited (:meth:`Scorer.judge`). ``judge`` works
for both.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from metrology import plugins
from metrology.domain.item import ItemRevision
from metrology.domain.status import Status
from metrology.domain.verdict import Verdict
from metrology.errors import InputError, MetrologyError
from metrology.plugins import Problem

# What is read of an answer or a text artifact. Longer ones are judged as wrong without being looked at.
TEXT_LIMIT = 1_000_000
EVIDENCE_LIMIT = 2_000


@dataclass(frozen=True)
class Submission:
    """What crossed from the agent to the scorer: the answer and the declared artifacts by path."""

    answer: str
    artifacts: Mapping[str, bytes] = field(default_factory=dict)


class ScoringError(MetrologyError):
    """The scorer came to no verdict: the instrument failed, not the agent.

    ``status`` is what the trial is booked as (``scorer_error`` or ``scorer_timeout``), ``evidence`` the capped raw
    output to look at.
    """

    def __init__(self, message: str, *, status: Status = Status.SCORER_ERROR, evidence: str = "") -> None:
        super().__init__(message, hint="see the item's scorer")
        self.status = status
        self.evidence = evidence


def as_tuple(value: object) -> object:
    """Return a list, or one text, as a tuple; anything else as it is, for the type check to refuse."""
    return (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else value


# A list of texts in a parameter table; one text stands for a list of one.
Texts = Annotated[tuple[str, ...], BeforeValidator(as_tuple)]


class Parameters(BaseModel):
    """Base of every scorer's parameters: closed, strict, finite numbers only."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)

    kind: str
    pass_score: float = Field(default=1.0, gt=0.0, le=1.0)


class Scorer(ABC):
    """Judges the submissions of one item revision. Safe to call from many tasks at once; keeps no state.

    A plug-in subclasses it, sets ``Parameters``, implements :meth:`score` (or :meth:`judge` with
    ``needs_process = True``) and is registered in the entry-point group ``metrology.scorers``.
    """

    Parameters: ClassVar[type[Parameters]]
    needs_process: ClassVar[bool] = False

    def __init__(self, parameters: Any, identity: str, files: Mapping[str, bytes]) -> None:
        """``identity`` is the scorer hash that verdicts carry, ``files`` the pristine scorer files by path."""
        self.parameters = parameters
        self.identity = identity
        self.files = files

    @classmethod
    def problems(
        cls,
        spec: Mapping[str, Any],
        file_names: Sequence[str],  # noqa: ARG003 - for scorers that refer to their files
    ) -> tuple[Problem, ...]:
        """Return what is wrong with a scorer table; called when a benchmark is registered."""
        return plugins.problems(cls.Parameters, spec)

    @abstractmethod
    def score(self, submission: Submission) -> Verdict:
        """Return the verdict, at once.

        Raises:
            ScoringError: no verdict; also from a scorer that needs a process and was called this way.
        """

    async def judge(self, submission: Submission) -> Verdict:
        """Return the verdict; scorers with ``needs_process`` start their programs here.

        Raises:
            ScoringError: no verdict.
        """
        return self.score(submission)

    def verdict(self, score: float, evidence: str = "", criteria: Mapping[str, float] | None = None) -> Verdict:
        """Return a verdict of this scorer; ``passed`` follows from ``pass_score``."""
        passed = score >= self.parameters.pass_score
        return Verdict(score, passed, self.identity, criteria or {}, evidence)


def problems(spec: Mapping[str, Any], file_names: Sequence[str] = ()) -> tuple[Problem, ...]:
    """Return what is wrong with an item's scorer table (unknown kind, unknown, missing or wrong parameters)."""
    kind = spec.get("kind")
    if not isinstance(kind, str) or not kind:
        return (Problem("kind", "missing", hint=f"one of {', '.join(plugins.names('scorers'))}"),)
    if kind not in plugins.names("scorers"):
        known = ", ".join(plugins.names("scorers"))
        return (Problem("kind", f"no scorer is called {kind!r}", hint=f"known: {known}"),)
    scorer: type[Scorer] = plugins.load("scorers", kind)
    return scorer.problems(spec, file_names)


def build_scorer(item: ItemRevision, read: Callable[[str], bytes]) -> Scorer:
    """Return the scorer of an item; build it once per revision and call it for every trial.

    ``read`` returns the bytes of a blob digest.

    Raises:
        InputError: the item's scorer table is wrong.
        PluginError: the scorer's kind is not installed.
    """
    digests = item.files.get("scorer", {})
    found = problems(item.scorer, tuple(digests))
    if found:
        first = found[0]
        raise InputError(
            f"item {item.name}: {first.message}", field=f"scorer.{first.field}".rstrip("."), hint=first.hint
        )
    scorer: type[Scorer] = plugins.load("scorers", str(item.scorer["kind"]))
    parameters = scorer.Parameters.model_validate(dict(item.scorer))
    return scorer(parameters, item.scorer_identity, {path: read(digest) for path, digest in digests.items()})


def shown(text: str | bytes, limit: int = EVIDENCE_LIMIT) -> str:
    """Return text that any database and page can hold: well-formed, without NUL, at most ``limit`` characters."""
    if isinstance(text, bytes):
        text = text[: 4 * limit + 4].decode("utf-8", "backslashreplace")
    cut = len(text) > limit
    text = text[:limit].encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")
    return f"{text}[...]" if cut else text


@dataclass(frozen=True)
class Text:
    """The text to judge, or why there is none (then the verdict is 0: the agent left nothing to judge)."""

    value: str
    missing: str = ""


def submitted_text(submission: Submission, artifact: str | None) -> Text:
    """Return the answer, or the artifact of that path, as text of bounded length."""
    if artifact is None:
        text = submission.answer
    else:
        data = submission.artifacts.get(str(PurePosixPath(artifact)))
        if data is None:
            return Text("", f"the artifact {artifact} was not left")
        if len(data) > 4 * TEXT_LIMIT:
            return Text("", f"the artifact {artifact} has {len(data)} bytes, more than is read")
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            return Text("", f"the artifact {artifact} is not UTF-8 text")
    if len(text) > TEXT_LIMIT:
        return Text("", f"{len(text)} characters, more than the {TEXT_LIMIT} that are read")
    return Text(text)
