"""A TOML file with the line of each key, so that a message can point at what has to be mended."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metrology.errors import InputError
from metrology.identity import bytes_digest

_LARGEST = 4 * 2**20
_TABLE = re.compile(r"\s*\[{1,2}\s*(.+?)\s*\]{1,2}\s*(#.*)?$")
_NAME = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*')"""
_KEY = re.compile(rf"\s*({_NAME}(?:\s*\.\s*{_NAME})*)\s*=")
_PART = re.compile(r"""[A-Za-z0-9_-]+|"((?:[^"\\]|\\.)*)"|'([^']*)'""")
_ERROR_LINE = re.compile(r"\(at line (\d+)")


@dataclass(frozen=True)
class TomlDocument:
    """A parsed file: its values, its text, and the digest of its bytes."""

    path: Path
    values: dict[str, Any]
    text: str
    digest: str

    def line_of(self, keys: tuple[str, ...]) -> int | None:
        """Return the line where the key path stands, or that of the nearest table around it."""
        table: tuple[str, ...] = ()
        best: tuple[int, int | None] = (0, None)
        for number, line in enumerate(self.text.splitlines(), start=1):
            found = None
            if match := _TABLE.match(line):
                found = table = _parts(match.group(1))
            elif match := _KEY.match(line):
                found = table + _parts(match.group(1))
            if found and keys[: len(found)] == found and len(found) > best[0]:
                best = (len(found), number)
        return best[1]


def read_toml(path: Path) -> TomlDocument:
    """Return the document of a TOML file.

    Raises:
        InputError: for a missing or unreadable file, bytes that are not UTF-8, or broken TOML; names the line.
    """
    try:
        with path.open("rb") as stream:
            data = stream.read(_LARGEST + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from error
    if len(data) > _LARGEST:
        raise InputError("larger than 4 MiB, which no such file is", file=path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError("not UTF-8", file=path, line=line, hint="save the file as UTF-8") from error
    try:
        values = tomllib.loads(text.replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        match = _ERROR_LINE.search(str(error))
        raise InputError(f"broken TOML: {error}", file=path, line=int(match.group(1)) if match else None) from error
    return TomlDocument(path, values, text, bytes_digest(data))


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(match.group(1) or match.group(2) or match.group(0) for match in _PART.finditer(dotted))
