"""JSON Lines files: one JSON object on each line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from metrology.exchange.account import AccountBook
from metrology.exchange.batch import ROWS, Batch, check_columns
from metrology.exchange.lines import Lines


def read_json_lines(
    lines: Lines, path: Path, wanted: Sequence[str], book: AccountBook, optional: frozenset[str] = frozenset()
) -> Iterator[Batch]:
    """Yield the records of a JSON Lines file as batches of the ``wanted`` keys.

    Numbers keep their spelling, null and an absent key are blank. Each line stands alone, so that a broken one
    (bad UTF-8, bad JSON, a key that stands twice with different values) is refused in ``book`` by itself.

    Raises:
        InputError: when a wanted key that is not ``optional`` stands on no line that can be read.
    """
    starts: list[int] = []
    rows: list[tuple[str, ...]] = []
    seen: set[str] = set()
    names: dict[str, None] = {}
    for number, raw in enumerate(lines.raw, start=1):
        record = _record(raw)
        if record is None:
            book.ignore(number, "blank line")
            continue
        if isinstance(record, _Broken):
            book.refuse(number, None, record.reason)
            continue
        row = tuple(_text(record.get(column)) for column in wanted)
        if len(seen) < len(wanted):
            seen.update(column for column in wanted if column in record)
            if len(names) < 100:
                names.update(dict.fromkeys(record))
        starts.append(number)
        rows.append(row)
        if len(rows) == ROWS:
            yield _batch(starts, rows, wanted)
            starts, rows = [], []
    if rows:
        yield _batch(starts, rows, wanted)
    if names and len(seen) < len(wanted):
        check_columns(list(names), [column for column in wanted if column not in seen], path, optional)


class _Broken:
    """Why a line is no record."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


class _KeyTwiceError(ValueError):
    """A key stands twice in one object with different values."""


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        for key, value in pairs:
            if record[key] != value:
                raise _KeyTwiceError(key)
    return record


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_float=str, parse_int=str, parse_constant=str)


def _record(raw: bytes) -> dict[str, Any] | _Broken | None:
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return _Broken("not UTF-8")
    text = text.strip()
    if not text:
        return None
    try:
        record = _DECODER.decode(text)
    except _KeyTwiceError as error:
        return _Broken(f"a key stands twice with different values: {str(error)[:60]!r}")
    except json.JSONDecodeError as error:
        return _Broken(f"broken JSON: {error.msg} at character {error.pos + 1}")
    except RecursionError:
        return _Broken("broken JSON: nested too deeply")
    return record if isinstance(record, dict) else _Broken("not a JSON object")


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value.strip()
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value)


def _batch(starts: list[int], rows: list[tuple[str, ...]], wanted: Sequence[str]) -> Batch:
    return Batch(starts, dict(zip(wanted, zip(*rows, strict=True), strict=True)))
