"""Small things every aggregate needs of a row: the id it got, and the error when it is not there."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from sqlalchemy import Connection, Insert

from metrology.errors import NotFoundError

_SHOWN = 8


def not_found(kind: str, name: str, known: Sequence[str], *, wanted: str | None = None) -> NotFoundError:
    """Return the error to raise; its hint names the closest of ``known``, or the first few of them.

    ``wanted`` is what ``known`` is compared with when it is not ``name``, such as a label of a benchmark.
    """
    close = get_close_matches(name if wanted is None else wanted, known, n=3)
    if close:
        hint = f"did you mean {', '.join(close)}?"
    elif known:
        hint = f"known: {', '.join(known[:_SHOWN])}{', ...' if len(known) > _SHOWN else ''}"
    else:
        hint = "the store holds none yet"
    return NotFoundError(f"there is no {kind} {name!r}", hint=hint)


def inserted_id(connection: Connection, statement: Insert) -> int:
    """Insert one row and return its id."""
    key = connection.execute(statement).inserted_primary_key
    assert key is not None, "an insert of one row has a key"
    return int(key[0])
