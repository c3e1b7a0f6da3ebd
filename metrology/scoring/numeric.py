"""The numeric scorer: a number in the answer is within the tolerance of the expected one.

Numbers are compared as decimals, so that an answer exactly at the tolerance is inside it.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import deque
from collections.abc import Iterator, Mapping
from decimal import Context, Decimal
from typing import Literal

from pydantic import Field

from metrology.domain.verdict import Verdict
from metrology.scoring import base

# Longer than any number a float can spell; a hostile million digits is no number.
DIGIT_LIMIT = 400
_ARITHMETIC = Context(prec=60)
# Thousands may be grouped by commas. Possessive (++), so that a run of digits is walked once and never cut short.
_NUMBER = re.compile(
    r"(?<![\w.])[-+]?"
    r"(?:(?:[0-9]{1,3}(?:,[0-9]{3})++(?![0-9,])|[0-9]++)(?:\.[0-9]++)?+|\.[0-9]++)"
    r"(?:[eE][-+]?[0-9]++)?+(?!\.?[0-9])"
)


class NumericParameters(base.Parameters):
    """``expected`` with an absolute ``tolerance`` and one ``relative`` to it; the larger of the two holds."""

    expected: float
    tolerance: float = Field(default=0.0, ge=0.0)
    relative: float = Field(default=0.0, ge=0.0)
    take: Literal["first_number", "last_number", "only_number"] = "only_number"
    artifact: str | None = None


class NumericScorer(base.Scorer):
    """1.0 when ``|given - expected| <= max(tolerance, relative * |expected|)``, else 0.0."""

    Parameters = NumericParameters

    def __init__(self, parameters: NumericParameters, identity: str, files: Mapping[str, bytes]) -> None:
        super().__init__(parameters, identity, files)
        self._expected = _decimal(parameters.expected)
        relative = _ARITHMETIC.multiply(_decimal(parameters.relative), abs(self._expected))
        self._allowed = max(_decimal(parameters.tolerance), relative)

    def score(self, submission: base.Submission) -> Verdict:
        """Return the verdict; evidence is the number that was compared or why there was none."""
        text = base.submitted_text(submission, self.parameters.artifact)
        if text.missing:
            return self.verdict(0.0, text.missing)
        given = _chosen(text.value, self.parameters.take)
        if isinstance(given, str):
            return self.verdict(0.0, given)
        distance = abs(_ARITHMETIC.subtract(given, self._expected))
        return self.verdict(1.0 if distance <= self._allowed else 0.0, f"{given}")


def numbers(text: str) -> Iterator[Decimal]:
    """Return the finite decimal numbers written in a text, in order; the typographic minus counts as a minus."""
    return (_ARITHMETIC.create_decimal(written) for written in _written(text))


def _written(text: str) -> Iterator[str]:
    for match in _NUMBER.finditer(text.replace("\u2212", "-")):
        written = match.group().replace(",", "")
        if len(written) <= DIGIT_LIMIT and math.isfinite(float(written)):
            yield written


def _chosen(text: str, take: str) -> Decimal | str:
    """The number that is judged, or the reason why there is none."""
    found = _written(text)
    chosen = next(found, None)
    if chosen is None:
        return "no number"
    if take == "only_number" and next(found, None) is not None:
        return "more than one number"
    if take == "last_number":
        chosen = deque(itertools.chain([chosen], found), maxlen=1).pop()
    return _ARITHMETIC.create_decimal(chosen)


def _decimal(value: float) -> Decimal:
    return Decimal(repr(value))
