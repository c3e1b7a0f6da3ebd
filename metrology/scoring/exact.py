"""The exact scorer: the answer is one of the expected texts, after the foldings that the item declares.

Both sides are brought to Unicode form NFC and stripped at both ends; anything more lenient is declared by ``fold``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from metrology.domain.verdict import Verdict
from metrology.plugins import Problem
from metrology.scoring import base

Fold = Literal["case", "space", "punctuation", "article"]
Take = Literal["all", "first_line", "last_line"]

_ARTICLES = re.compile(r"\b(?:a|an|the)\b", re.IGNORECASE)
_SPACE = re.compile(r"\s+")
# A mark between digits, a sign before a digit and a per cent sign after one carry meaning; group 1 is any other mark.
_MARK = re.compile(r"(?<=\d)[.,:/](?=\d)|[-\u2212](?=\d)|(?<=\d)%|([^\w\s]|_)")


class ExactParameters(base.Parameters):
    """``expected`` texts, any of which is right; ``forbidden`` ones make an answer wrong wherever they occur."""

    expected: base.Texts = Field(min_length=1)
    fold: Annotated[tuple[Fold, ...], BeforeValidator(base.as_tuple)] = ()
    take: Take = "all"
    match: Literal["equal", "word"] = "equal"
    forbidden: base.Texts = ()
    artifact: str | None = None


class ExactScorer(base.Scorer):
    """1.0 when the folded answer equals (or contains as whole words) an expected text, else 0.0."""

    Parameters = ExactParameters

    def __init__(self, parameters: ExactParameters, identity: str, files: Mapping[str, bytes]) -> None:
        super().__init__(parameters, identity, files)
        self._fold = frozenset(parameters.fold)
        expected = {folded(text, self._fold) for text in parameters.expected}
        self._expected = expected if parameters.match == "equal" else frozenset[str]()
        self._words = _any_word(expected) if parameters.match == "word" else None
        forbidden = {folded(text, self._fold) for text in parameters.forbidden} - {""}
        self._forbidden = _any_word(forbidden) if forbidden else None

    @classmethod
    def problems(cls, spec: Mapping[str, Any], file_names: Sequence[str]) -> tuple[Problem, ...]:
        """Besides the types: no expected text may be empty after folding, or hold what is forbidden."""
        found = super().problems(spec, file_names)
        if found:
            return found
        parameters = ExactParameters.model_validate(dict(spec))
        fold = frozenset(parameters.fold)
        forbidden = {folded(text, fold) for text in parameters.forbidden} - {""}
        never = _any_word(forbidden) if forbidden else None
        problems = []
        for index, text in enumerate(parameters.expected):
            wanted, field = folded(text, fold), f"expected.{index}"
            if not wanted:
                problems.append(Problem(field, f"{text!r} is empty after folding", "an empty answer would be right"))
            elif never is not None and (hit := never.search(wanted)):
                problems.append(Problem(field, f"{text!r} holds the forbidden {hit.group()!r}", "it is never right"))
        return tuple(problems)

    def score(self, submission: base.Submission) -> Verdict:
        """Return the verdict; evidence is the text that was compared."""
        text = base.submitted_text(submission, self.parameters.artifact)
        if text.missing:
            return self.verdict(0.0, text.missing)
        given = folded(taken(text.value, self.parameters.take), self._fold)
        if self._forbidden is not None and (hit := self._forbidden.search(given)):
            return self.verdict(0.0, f"forbidden {base.shown(hit.group(), 200)!r} in {base.shown(given, 200)!r}")
        right = self._words.search(given) is not None if self._words is not None else given in self._expected
        return self.verdict(1.0 if right else 0.0, base.shown(given, 200))


def taken(text: str, take: str) -> str:
    """Return the part of an answer that is judged: all of it, or its first or last line that is not blank."""
    if take == "all":
        return text
    lines = text.splitlines()
    return next((line for line in (lines if take == "first_line" else reversed(lines)) if line.strip()), "")


def folded(text: str, fold: frozenset[str]) -> str:
    """Return ``text`` in NFC, stripped, without the differences named in ``fold``."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    if "case" in fold:
        text = text.lower() if text.isascii() else unicodedata.normalize("NFC", text.casefold())
    if "punctuation" in fold:
        text = _MARK.sub(_without_mark, text)
    if "article" in fold:
        text = _ARTICLES.sub(" ", text)
    if "space" in fold or "article" in fold:
        text = _SPACE.sub(" ", text)
    return text.strip()


def _without_mark(match: re.Match[str]) -> str:
    """Drop punctuation (Unicode category P), but not where it is part of a number."""
    mark = match.group(1)
    return "" if mark and unicodedata.category(mark).startswith("P") else match.group()


def _any_word(texts: Iterable[str]) -> re.Pattern[str]:
    alternatives = "|".join(re.escape(text) for text in sorted(texts, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)")
