"""The json scorer: the answer is a JSON value equal to the expected one, whatever the order of keys or the spaces."""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from metrology.domain.verdict import Verdict
from metrology.scoring import base

# How many openings are tried in a text before it counts as one without JSON.
OPENINGS_LIMIT = 200


class JsonParameters(base.Parameters):
    """``expected`` is any JSON value; numbers may differ by ``tolerance``."""

    expected: Any
    take: Literal["all", "first_object"] = "all"
    tolerance: float = Field(default=0.0, ge=0.0)
    artifact: str | None = None


class JsonScorer(base.Scorer):
    """1.0 when the parsed value equals the expected one, else 0.0; criteria hold the top-level keys one by one."""

    Parameters = JsonParameters

    def score(self, submission: base.Submission) -> Verdict:
        """Return the verdict; evidence says where the first difference is."""
        text = base.submitted_text(submission, self.parameters.artifact)
        if text.missing:
            return self.verdict(0.0, text.missing)
        try:
            value = _read(text.value, self.parameters.take)
        except (ValueError, RecursionError) as error:
            return self.verdict(0.0, base.shown(f"not the JSON asked for: {error}", 300))
        expected, tolerance = self.parameters.expected, self.parameters.tolerance
        place = difference(expected, value, tolerance)
        criteria = {}
        if isinstance(expected, Mapping) and isinstance(value, Mapping):
            criteria = {
                str(key): float(key in value and difference(wanted, value[key], tolerance) is None)
                for key, wanted in expected.items()
            }
        evidence = "equal" if place is None else base.shown(place, 300)
        return self.verdict(1.0 if place is None else 0.0, evidence, criteria)


def difference(expected: Any, given: Any, tolerance: float = 0.0, place: str = "$") -> str | None:
    """Return where two JSON values first differ, in words, or None when they are equal.

    The walk follows ``expected`` only, so its depth is bounded by the item and not by the answer.
    """
    if isinstance(expected, Mapping):
        if not isinstance(given, Mapping):
            return f"{place}: an object is expected"
        for key in sorted(expected.keys() | given.keys()):
            if key not in given:
                return f"{place}.{key}: missing"
            if key not in expected:
                return f"{place}.{key}: not expected"
            if found := difference(expected[key], given[key], tolerance, f"{place}.{key}"):
                return found
        return None
    if isinstance(expected, list):
        if not isinstance(given, list) or len(given) != len(expected):
            return f"{place}: a list of {len(expected)} is expected"
        pairs = enumerate(zip(expected, given, strict=True))
        return next((found for i, (e, g) in pairs if (found := difference(e, g, tolerance, f"{place}[{i}]"))), None)
    return None if _same_leaf(expected, given, tolerance) else f"{place}: differs"


def _same_leaf(expected: Any, given: Any, tolerance: float) -> bool:
    if isinstance(expected, str) and isinstance(given, str):
        return unicodedata.normalize("NFC", expected) == unicodedata.normalize("NFC", given)
    # JSON's true is not its 1, though Python's is.
    if isinstance(expected, bool) or isinstance(given, bool) or expected is None:
        return expected is given
    if isinstance(expected, int | float) and isinstance(given, int | float):
        return given == expected or (tolerance > 0 and abs(given - expected) <= tolerance)
    return False


def _read(text: str, take: str) -> Any:
    """Parse strictly: no NaN, no key twice. With ``first_object``, the first object or list inside other text."""
    decoder = json.JSONDecoder(parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_unique)
    if take == "all":
        return decoder.decode(text.strip().removeprefix("\ufeff"))
    start, reason = -1, "no object or list in the answer"
    for _ in range(OPENINGS_LIMIT):
        places = [place for mark in "{[" if (place := text.find(mark, start + 1)) >= 0]
        if not places:
            break
        start = min(places)
        try:
            return decoder.raw_decode(text, start)[0]
        except ValueError as error:
            reason = str(error)
    raise ValueError(reason)


def _no_constant(name: str) -> Any:
    message = f"{name} is not JSON"
    raise ValueError(message)


def _finite(written: str) -> float:
    value = float(written)
    if not math.isfinite(value):
        message = "a number is out of range"
        raise ValueError(message)
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        message = "a key occurs twice"
        raise ValueError(message)
    return table
