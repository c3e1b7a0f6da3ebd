"""From the text of one cell to a value: numbers, flags, times, names. A bad text gives a :class:`Refusal`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from metrology.exchange.account import Refusal

LONGEST_NAME = 500
LARGEST_INTEGER = 2**53
LARGEST_TRIAL = 2**31 - 1
_SHOWN = 40
_TRUE, _FALSE = frozenset({"1", "1.0", "true"}), frozenset({"0", "0.0", "false"})
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_EPOCH_MILLISECONDS = 10**11
_EARLIEST_EPOCH, _LATEST_EPOCH = 10**8, 10**14
_FIRST, _LAST = datetime(1970, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)


def shown(text: str) -> str:
    """Return ``text`` quoted and short enough for a message."""
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")


class Memo(dict[Any, Any]):
    """Remembers what each distinct text means, because columns repeat themselves.

    Refusals are counted and not kept, so that ``refusals`` tells whether a batch had any. The memory is
    bounded: a column where every text differs is parsed text by text. ``limit=None`` forgets nothing, for numbering.
    """

    def __init__(self, parse: Callable[[Any], Any], limit: int | None = 50_000) -> None:
        super().__init__()
        self.refusals = 0
        self._parse = parse
        self._limit = limit

    def __missing__(self, key: Any) -> Any:
        value = self._parse(key)
        if isinstance(value, Refusal):
            self.refusals += 1
            return value
        if self._limit is not None and len(self) >= self._limit:
            self.clear()
        self[key] = value
        return value


def number(text: str, field: str) -> float | Refusal:
    """Return a finite number, or why there is none. Thousands marks, decimal commas and percent signs are refused."""
    if _NUMBER.fullmatch(text):
        value = float(text)
        return value if math.isfinite(value) else Refusal(field, f"not a finite number: {shown(text)}")
    if text.lower().lstrip("+-") in ("nan", "inf", "infinity"):
        return Refusal(field, f"not a finite number: {shown(text)}")
    return Refusal(field, f"not a number: {shown(text)}")


def integer(text: str, field: str, *, largest: int = LARGEST_INTEGER) -> int | Refusal:
    """Return an integer from 0 to ``largest``; "3.0" is one, because tables written by pandas spell it so."""
    value = number(text, field)
    if isinstance(value, Refusal):
        return value
    if value < 0:
        return Refusal(field, f"negative: {shown(text)}")
    if value > largest:
        return Refusal(field, f"larger than {largest}: {shown(text)}")
    if value != int(value):
        return Refusal(field, f"not a whole number: {shown(text)}")
    return int(value)


def amount(text: str, field: str) -> float | Refusal:
    """Return a finite number that is not negative: seconds or money."""
    value = number(text, field)
    if not isinstance(value, Refusal) and value < 0:
        return Refusal(field, f"negative: {shown(text)}")
    return value


def plain_amounts(texts: Sequence[str]) -> list[float] | None:
    """Return :func:`amount` of each text when all are plain numbers, else None: measured seconds seldom repeat."""
    joined = "".join(texts)
    if "_" in joined or not joined.isascii():
        return None
    try:
        values = list(map(float, texts))
    except ValueError:
        return None
    return values if min(values) >= 0.0 and math.isfinite(sum(values)) else None


def flag(text: str, field: str) -> bool | Refusal:
    """Return the truth of "1", "0", "true" or "false" in any case."""
    lowered = text.lower()
    if lowered in _TRUE:
        return True
    if lowered in _FALSE:
        return False
    return Refusal(field, f"neither 1/0 nor true/false: {shown(text)}")


def name(text: str, field: str) -> str | Refusal:
    """Return a name that can be stored and shown; blank, endless or broken text is refused."""
    if not text:
        return Refusal(field, f"no {field}")
    if len(text) > LONGEST_NAME:
        return Refusal(field, f"longer than {LONGEST_NAME} characters: {shown(text)}")
    if "\0" in text:
        return Refusal(field, f"contains a NUL character: {shown(text)}")
    try:
        text.encode()
    except UnicodeEncodeError:
        return Refusal(field, f"not valid Unicode text: {shown(text)}")
    return text


def moment(text: str, field: str, zone: tzinfo | None) -> datetime | Refusal:
    """Return a time in UTC: ISO 8601, or seconds or milliseconds since 1970.

    A time or day without a zone is read in ``zone``; without a declared zone it is refused, because the zone of
    the machine that imports has nothing to do with it.
    """
    if text.replace(".", "", 1).isascii() and text.replace(".", "", 1).isdigit() and "." not in text[:8]:
        compact = len(text) == 8 and text.startswith(("19", "20"))
        if not compact:
            return _epoch(float(text), text, field)
    try:
        value = datetime.fromisoformat(text)
    except ValueError:
        return Refusal(field, f"not a time: {shown(text)}")
    if value.tzinfo is None:
        if zone is None:
            return Refusal(field, f"no time zone: {shown(text)}; declare [time] zone in the map")
        value = value.replace(tzinfo=zone)
    try:
        value = value.astimezone(UTC)
    except OverflowError:
        return Refusal(field, f"not a time: {shown(text)}")
    return value if _FIRST <= value < _LAST else Refusal(field, f"not a plausible time: {shown(text)}")


def _epoch(value: float, text: str, field: str) -> datetime | Refusal:
    if not _EARLIEST_EPOCH <= value < _LATEST_EPOCH:
        return Refusal(field, f"not a plausible time: {shown(text)}")
    return _FIRST + timedelta(seconds=value / 1000 if value >= _EPOCH_MILLISECONDS else value)
