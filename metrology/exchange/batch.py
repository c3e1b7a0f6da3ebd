"""What every reader yields: some records of a file as columns of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import TypeVar

from metrology.errors import InputError

ROWS = 500
"""Records in one batch. Some thousands no longer fit the processor cache, and reading takes twice as long."""

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


def check_columns(
    found: Sequence[str], wanted: Sequence[str], file: object, optional: frozenset[str] = frozenset()
) -> list[int | None]:
    """Return where the ``wanted`` columns stand in a header; None for an absent one that is ``optional``.

    Raises:
        InputError: for a mapped column that the file lacks or has twice; names the columns it has.
    """
    return [_place(found, column, file, optional) for column in wanted]


def _place(found: Sequence[str], column: str, file: object, optional: frozenset[str]) -> int | None:
    count = found.count(column)
    if count == 1:
        return found.index(column)
    if count > 1:
        raise InputError(f"the column stands {count} times in the header", file=file, line=1, field=column)
    if column in optional:
        return None
    hint = f"the file has: {', '.join(found[:20])}{', ...' if len(found) > 20 else ''}"
    if len(found) == 1 and any(mark in found[0] for mark in ";\t|"):
        hint += "; it seems to be separated by another character: declare delimiter in the map"
    raise InputError("the file has no such column", file=file, line=1, field=column, hint=hint)
