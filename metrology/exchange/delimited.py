"""CSV and TSV files."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from metrology.errors import InputError
from metrology.exchange.account import AccountBook
from metrology.exchange.batch import ROWS, Batch, check_columns
from metrology.exchange.lines import Lines

# A quote that never closes swallows lines until the field is this long; then it is taken as the fault of its line.
LONGEST_FIELD = 2**20
_UNCLOSED_QUOTES = 100


def read_delimited(
    lines: Lines,
    path: Path,
    wanted: Sequence[str],
    book: AccountBook,
    delimiter: str,
    optional: frozenset[str] = frozenset(),
) -> Iterator[Batch]:
    """Yield the records of a CSV or TSV file as batches of the ``wanted`` columns; absent ``optional`` ones are blank.

    Records that cannot be read (wrong number of fields, misplaced or unclosed quotes) are refused in ``book``.

    Raises:
        InputError: for an empty file, a header without a wanted column, or bytes that are not UTF-8.
    """
    source = _Source(lines, path)
    reader = _reader(source, delimiter)
    try:
        header = [cell.strip() for cell in next(reader, [])]
    except csv.Error as error:
        raise InputError(f"the header cannot be read: {error}", file=path, line=1) from error
    if not any(header):
        raise InputError("no header: the first line is blank", file=path, line=1)
    positions = check_columns(header, wanted, path, optional)
    width = len(header)
    unclosed = 0
    more = True
    while more:
        source.pending.clear()
        begin = source.number + 1
        fault = None
        rows = _records_of_one_line(reader, source, begin)
        if rows is not None:
            starts = list(range(begin, begin + len(rows)))
        else:
            # Some record spans lines or cannot be read: take this batch again, record by record.
            source.give_back(begin)
            reader = _reader(source, delimiter)
            rows, starts = [], [begin]
            fault = _records(reader, source, rows, starts)
            if fault is not None:
                start = starts[-1]
                book.refuse(start, None, f"not readable as CSV: {fault}")
                if source.number > start:
                    # The record swallowed later lines: give them back, so that one stray quote costs one line.
                    unclosed += 1
                    source.give_back(start + 1)
                if unclosed > _UNCLOSED_QUOTES:
                    raise InputError(f"more than {_UNCLOSED_QUOTES} quotes that never close", file=path, line=start)
                reader = _reader(source, delimiter)
        more = len(rows) == ROWS or fault is not None
        if rows:
            yield from _batches(rows, starts, width, wanted, positions, book)


def _records_of_one_line(reader: Iterator[list[str]], source: _Source, begin: int) -> list[list[str]] | None:
    """Return the next records; None, to be read again, when one is broken or longer than its line."""
    try:
        rows = list(islice(reader, ROWS))
    except csv.Error:
        return None
    return rows if len(rows) == source.number + 1 - begin else None


def _records(
    reader: Iterator[list[str]], source: _Source, rows: list[list[str]], starts: list[int]
) -> csv.Error | None:
    """Append records to ``rows`` and to ``starts`` the line after each: where the next or the broken one begins."""
    try:
        for row in islice(reader, ROWS):
            rows.append(row)
            starts.append(source.number + 1)
    except csv.Error as error:
        return error
    return None


class _Source:
    """Decoded lines; ``pending`` are those since it was last cleared, which may be given back."""

    def __init__(self, lines: Lines, path: Path) -> None:
        self.number = 0
        self.pending: list[str] = []
        self._again: list[str] = []
        self._lines = lines.raw
        self._path = path

    def __iter__(self) -> Iterator[str]:
        while self._again:
            yield self._take(self._again.pop())
        for raw in self._lines:
            try:
                text = raw.decode()
            except UnicodeDecodeError as error:
                raise InputError(
                    "not UTF-8", file=self._path, line=self.number + 1, hint="save the file as UTF-8"
                ) from error
            # As _take, without the call: this runs once a line.
            self.number += 1
            self.pending.append(text)
            yield text

    def _take(self, text: str) -> str:
        self.number += 1
        self.pending.append(text)
        return text

    def give_back(self, line: int) -> None:
        kept = self.number - line + 1
        self._again.extend(reversed(self.pending[-kept:]))
        del self.pending[-kept:]
        self.number -= kept


def _reader(source: _Source, delimiter: str) -> Iterator[list[str]]:
    if csv.field_size_limit() != LONGEST_FIELD:
        csv.field_size_limit(LONGEST_FIELD)
    return iter(csv.reader(source, delimiter=delimiter, strict=True))


def _batches(
    rows: list[list[str]],
    starts: list[int],
    width: int,
    wanted: Sequence[str],
    positions: Sequence[int | None],
    book: AccountBook,
) -> Iterator[Batch]:
    del starts[len(rows) :]
    if set(map(len, rows)) != {width}:
        rows, starts = _of_width(rows, starts, width, book)
        if not rows:
            return
    columns = list(zip(*rows, strict=True))
    blank = ("",) * len(rows)
    found = [blank if place is None else list(map(str.strip, columns[place])) for place in positions]
    yield Batch(starts, dict(zip(wanted, found, strict=True)))


def _of_width(
    rows: list[list[str]], starts: list[int], width: int, book: AccountBook
) -> tuple[list[list[str]], list[int]]:
    kept_rows, kept_starts = [], []
    for row, start in zip(rows, starts, strict=True):
        if not row or (len(row) == 1 and not row[0].strip()):
            book.ignore(start, "blank line")
        elif len(row) != width:
            book.refuse(start, None, f"number of fields differs from the header: {len(row)} instead of {width}")
        else:
            kept_rows.append(row)
            kept_starts.append(start)
    return kept_rows, kept_starts
