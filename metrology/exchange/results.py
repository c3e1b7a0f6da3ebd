"""From score, passed and status as a source spells them to what is stored of a trial, or why it is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from metrology.domain.status import Status, StatusClass
from metrology.exchange.account import Refusal
from metrology.exchange.fields import flag, integer, number, shown
from metrology.exchange.map import ColumnMap, ColumnValue, ScoreTable

_STATUSES = {status.value: status for status in Status}


class Result(NamedTuple):
    """What is stored of one trial; ``missing`` says why there is no verdict, "" when there is one."""

    status: str
    score: float | None
    passed: bool | None
    detail: str | None
    missing: str
    unknown_status: str | None


class Counts(NamedTuple):
    """Trials and passed trials of one cell."""

    n: int
    passed: int
    missing: str


def translator(column: ColumnValue, missing: tuple[str, ...]) -> Callable[[str], str]:
    """Return the function from a cell's text to the text that counts; blank stands for missing."""
    blanks, values, until = frozenset(missing), column.values, column.until

    def translate(text: str) -> str:
        if text in blanks:
            text = ""
        if until:
            text = text.split(until, 1)[0].strip()
        return values.get(text, text)

    return translate


class ResultParser:
    """Reads the cells that decide a trial's end: score, passed, status, and the item when scales differ by item.

    ``columns`` names the source columns, in the order of the key that :meth:`parse` takes.
    """

    def __init__(self, column_map: ColumnMap) -> None:
        columns, missing = column_map.columns, column_map.missing.values
        self._scale: ScoreTable = column_map.score
        self._given: list[tuple[str, Callable[[str], str]]] = []
        self.columns: list[str] = []
        self._constants: dict[str, str] = {}
        chosen = {"score": columns.score, "passed": columns.passed, "status": columns.status}
        if column_map.score.scales:
            chosen["item"] = columns.item
        for name, column in chosen.items():
            if column is None:
                continue
            if column.column is None:
                self._constants[name] = column.constant or ""
            else:
                self._given.append((name, translator(column, missing)))
                self.columns.append(column.column)

    def parse(self, key: tuple[str, ...]) -> Result | Refusal:
        """Return the result that the texts of ``columns`` mean."""
        texts = dict(self._constants)
        for (name, translate), text in zip(self._given, key, strict=True):
            texts[name] = translate(text)
        score = self._score(texts["score"], texts.get("item", "")) if texts.get("score") else None
        if isinstance(score, Refusal):
            return score
        passed = flag(texts["passed"], "passed") if texts.get("passed") else None
        if isinstance(passed, Refusal):
            return passed
        half = ""
        if "passed" not in texts and score is not None:
            passed = score >= self._scale.pass_at
        elif "score" not in texts and passed is not None:
            score = float(passed)
        elif (score is None) != (passed is None):
            half = "passed is blank" if passed is None else "score is blank"
            score = passed = None
        return _ended(texts.get("status"), score, passed, half)

    def _score(self, text: str, item: str) -> float | Refusal:
        lowered = text.lower()
        if lowered in ("true", "false"):
            return 1.0 if lowered == "true" else 0.0
        value = number(text, "score")
        if isinstance(value, Refusal):
            return value
        worst, best = self._scale.scales.get(item, self._scale.scale)
        scaled = (value - worst) / (best - worst)
        if not 0.0 <= scaled <= 1.0:
            return Refusal("score", f"outside the declared range {worst:g}..{best:g}: {shown(text)}")
        return scaled


def _ended(text: str | None, score: float | None, passed: bool | None, half: str) -> Result:
    if not text:
        if score is not None:
            return Result(Status.COMPLETED.value, score, passed, None, "", None)
        reason = half or "blank score"
        return Result(Status.UNKNOWN_ERROR.value, None, None, f"source: {reason}", reason, None)
    status = _STATUSES.get(text.lower())
    if status is None:
        reported = "" if score is None else f", score {score:g}"
        detail = f"source status: {text[:200]}{reported}"
        return Result(Status.UNKNOWN_ERROR.value, None, None, detail, "unknown status", text[:200])
    if status.has_verdict:
        if score is not None:
            return Result(status.value, score, passed, None, "", None)
        reason = f"status {status.value}, but {half or 'blank score'}"
        return Result(Status.UNKNOWN_ERROR.value, None, None, f"source: {reason}", reason, None)
    if status.status_class is StatusClass.INTEGRITY:
        return Result(status.value, score, passed, None, f"status {status.value}", None)
    unused = None if score is None else f"source reported score {score:g}"
    return Result(status.value, None, None, unused, f"status {status.value}", None)


def parse_counts(key: tuple[str, str]) -> Counts | Refusal:
    """Return the counts of a cell from the texts of n_trials and n_passed."""
    if not key[0] and not key[1]:
        return Counts(0, 0, "blank counts")
    trials, passed = integer(key[0], "n_trials", largest=2**31 - 1), integer(key[1], "n_passed", largest=2**31 - 1)
    if isinstance(trials, Refusal):
        return trials
    if isinstance(passed, Refusal):
        return passed
    if passed > trials:
        return Refusal("n_passed", f"more passed than tried: {passed} of {trials}")
    return Counts(trials, passed, "" if trials else "no trials")
