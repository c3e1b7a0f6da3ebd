"""The physical lines of a file, plain or gzipped, one at a time."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal, cast

from metrology.errors import InputError

LONGEST_LINE = 16 * 2**20
_GZIP = b"\x1f\x8b"
_OTHER_ENCODINGS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
_SUFFIXES = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
TableFormat = Literal["csv", "tsv", "jsonl", "parquet"]


@dataclass(frozen=True)
class Lines:
    """An open file: ``raw`` yields its lines as bytes, ``position`` says how many bytes of the file are read."""

    raw: Iterator[bytes]
    position: Callable[[], int]
    size: int


def table_format(path: Path, declared: str | None) -> TableFormat:
    """Return the format that the map declares or the file's name says.

    Raises:
        InputError: when neither tells.
    """
    if declared is not None:
        return cast("TableFormat", declared)
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    found = _SUFFIXES.get(suffixes[-1]) if suffixes else None
    if found is None:
        raise InputError(
            "the name does not tell the format",
            file=path,
            hint='name it .csv, .tsv, .jsonl or .parquet (each also .gz), or write format = "csv" into the map',
        )
    return cast("TableFormat", found)


def existing_file(path: Path) -> Path:
    """Return ``path`` when it is a file that can be opened; raises InputError otherwise."""
    if path.is_dir():
        raise InputError("a folder, not a file", file=path)
    if not path.is_file():
        raise InputError("no such file", file=path)
    return path


@contextmanager
def open_lines(path: Path) -> Iterator[Lines]:
    """Open a file by its content, not its name: gzip is unpacked on the fly.

    Raises:
        InputError: for a file that cannot be opened or is UTF-16; while the lines are read, for a broken archive and
            a line over 16 MiB.
    """
    try:
        file = existing_file(path).open("rb")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from error
    with file:
        size = path.stat().st_size
        packed = file.peek(2)[:2] == _GZIP
        stream: BinaryIO = io.BufferedReader(gzip.GzipFile(fileobj=file), 2**18) if packed else file
        yield Lines(_limited(stream, path), file.tell, size)


def _limited(stream: BinaryIO, path: Path) -> Iterator[bytes]:
    number = 0
    readline = stream.readline
    try:
        first = readline(LONGEST_LINE + 1)
        if first[:2] in _OTHER_ENCODINGS:
            raise InputError(
                f"not UTF-8 but {_OTHER_ENCODINGS[first[:2]]}", file=path, line=1, hint="save the file as UTF-8"
            )
        line = first.removeprefix(b"\xef\xbb\xbf")
        while line or number == 0:
            number += 1
            if len(line) > LONGEST_LINE:
                raise InputError("longer than 16 MiB", file=path, line=number, hint="is this a table at all?")
            if line:
                yield line
            line = readline(LONGEST_LINE + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"broken gzip archive: {error}", file=path, line=number + 1) from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path, line=number + 1) from error
