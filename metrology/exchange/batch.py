"""What every reader yields: some records of a file as columns of text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import TypeVar

from metrology.errors import InputError

ROWS = 1024
"""Records in one batch. With 8192 the texts no longer fit the processor cache and reading takes twice as long."""

T = TypeVar("T")


@dataclass(frozen=True)
class Batch:
    """Records as columns: ``lines[i]`` is where record i begins, ``columns[name][i]`` its stripped text."""

    lines: Sequence[int]
    columns: Mapping[str, Sequence[str]]

    def keep(self, mask: Sequence[bool]) -> Batch:
        """Return the records where ``mask`` is true."""
        columns = {name: list(compress(column, mask)) for name, column in self.columns.items()}
        return Batch(list(compress(self.lines, mask)), columns)


def check_columns(found: Sequence[str], wanted: Iterable[str], file: object) -> None:
    """Check a header against the columns that a map names.

    Raises:
        InputError: for a mapped column that the file lacks or has twice; names the columns it has.
    """
    for column in wanted:
        count = found.count(column)
        if count == 0:
            have = ", ".join(found[:20]) + (", ..." if len(found) > 20 else "")
            hint = f"the file has: {have}"
            if len(found) == 1 and any(mark in found[0] for mark in ";\t|"):
                hint += "; it seems to be separated by another character: declare delimiter in the map"
            raise InputError("the file has no such column", file=file, line=1, field=column, hint=hint)
        if count > 1:
            raise InputError(f"the column stands {count} times in the header", file=file, line=1, field=column)
