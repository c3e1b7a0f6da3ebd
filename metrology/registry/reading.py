"""Strict reading of text, JSON and TOML: every complaint names the file, the line and the field."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metrology.errors import InputError
from metrology.plugins import Problem

# Whole numbers beyond this are not the same in every JSON reader.
LARGEST = 2**53 - 1


@dataclass(frozen=True)
class Document:
    """One table as it was read, with what is needed to say where a field stands."""

    file: Path
    table: dict[str, Any]
    text: str
    first_line: int = 1

    def error(self, problem: Problem) -> InputError:
        """Return a problem of this document as an error with its place."""
        line = self.line(problem.field)
        return InputError(problem.message, file=self.file, line=line, field=problem.field or None, hint=problem.hint)

    def line(self, field: str) -> int | None:
        """Return the line of a dotted field, or of the nearest table around it, or None when it cannot be told."""
        place = None
        for part in field.split("."):
            spelled = re.escape(part)
            found = re.compile(rf'(?:^|[\s{{,\[."])"?{spelled}"?\s*[:=\]]', re.MULTILINE).search(self.text, place or 0)
            if found is None:
                break
            place = found.end() - 1
        if place is None:
            return self.first_line if "\n" not in self.text.strip() else None
        return self.first_line + self.text.count("\n", 0, place)


def read_text(path: Path) -> str:
    """Return a file's text; a byte-order mark is dropped.

    Raises:
        InputError: not readable or not UTF-8 (names the line of the first bad byte).
    """
    return decoded(read_bytes(path), path)


def read_bytes(path: Path) -> bytes:
    """Return a file's bytes.

    Raises:
        InputError: it is not there or cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}", file=path, hint="check the path and its rights"
        ) from error


def decoded(data: bytes, path: Path) -> str:
    """Return bytes as text; a byte-order mark is dropped.

    Raises:
        InputError: not UTF-8.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError("not UTF-8 text", file=path, line=line, hint="save the file as UTF-8") from error


def read_toml(path: Path) -> Document:
    """Return a TOML file's table.

    Raises:
        InputError: not readable, not UTF-8, broken, or with values that have no JSON form.
    """
    text = read_text(path)
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"at line (\d+)", str(error))
        # At the end of the document the parser names no line: it is the last one.
        line = int(found.group(1)) if found else text.count("\n") + 1
        raise InputError(f"broken TOML: {error}", file=path, line=line, hint="mend the syntax") from error
    except RecursionError as error:
        raise InputError("nested too deeply", file=path, hint="flatten the tables") from error
    document = Document(path, table, text)
    _refuse_unstorable(document)
    return document


def read_json(path: Path) -> Document:
    """Return the one table of a JSON file.

    Raises:
        InputError: not readable, not UTF-8, broken, not an object, a key twice, or NaN.
    """
    return _json(path, read_text(path), 1)


def read_json_lines(path: Path) -> Iterator[Document | InputError]:
    """Yield the tables of a JSON-lines file, an error in the place of each line that cannot be read.

    Raises:
        InputError: the file cannot be read or is not UTF-8.
    """
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield _json(path, line, number)
        except InputError as error:
            yield error


def _json(path: Path, text: str, first_line: int) -> Document:
    try:
        table = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except _Twice as error:
        document = Document(path, {}, text, first_line)
        places = [m.start() for m in re.finditer(re.escape(json.dumps(error.key, ensure_ascii=False)), text)]
        line = first_line + text.count("\n", 0, places[1]) if len(places) > 1 else document.first_line
        raise InputError("the key occurs twice", file=path, line=line, field=error.key, hint="keep one") from error
    except json.JSONDecodeError as error:
        line = first_line + error.lineno - 1
        raise InputError(
            f"broken JSON: {error.msg} (column {error.colno})", file=path, line=line, hint="mend the syntax"
        ) from error
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise InputError(f"not JSON: {reason}", file=path, line=first_line, hint="use finite numbers") from error
    if not isinstance(table, dict):
        raise InputError("an object is expected", file=path, line=first_line, hint="one item is one {...}")
    document = Document(path, table, text, first_line)
    _refuse_unstorable(document)
    return document


class _Twice(ValueError):  # noqa: N818 - an inner signal of the parser
    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for key, value in pairs:
        if key in table:
            raise _Twice(key)
        table[key] = value
    return table


def _no_constant(name: str) -> Any:
    message = f"{name} is not a number that JSON knows"
    raise ValueError(message)


def _refuse_unstorable(document: Document) -> None:
    for field, value in leaves(document.table):
        reason = _unstorable(value)
        if reason:
            raise document.error(Problem(field, reason, hint="use finite numbers, plain text, lists and tables"))


def leaves(value: Any, field: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (dotted field, value) of everything that is not a table or list, and of every key as a value."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            place = f"{field}.{key}" if field else key
            yield place, key
            yield from leaves(inner, place)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, f"{field}.{index}")
    else:
        yield field, value


def _unstorable(value: Any) -> str:
    if isinstance(value, str):
        if "\0" in value:
            return "the text holds a NUL character"
        return "" if value.isascii() or _is_well_formed(value) else "the text holds half a surrogate pair"
    if isinstance(value, float) and not math.isfinite(value):
        return "not a finite number"
    if isinstance(value, int) and abs(value) > LARGEST:
        return "a whole number beyond 2^53"
    if value is not None and not isinstance(value, bool | int | float):
        return f"a {type(value).__name__} is not expected; write it as text in quotation marks"
    return ""


def _is_well_formed(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)
