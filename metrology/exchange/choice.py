"""Which lines of a file a map means: its tables filter and exclude."""

from __future__ import annotations

from metrology.exchange.account import AccountBook
from metrology.exchange.batch import Batch
from metrology.exchange.map import AnyMap


def chosen_lines(batch: Batch, table_map: AnyMap, book: AccountBook) -> Batch:
    """Return the records that the map does not leave out; the others are booked as ignored."""
    for column, texts in table_map.filter.items():
        mask = [text in texts for text in batch.columns[column]]
        batch = _kept(batch, mask, f"{column} filtered", book)
    for column, texts in table_map.exclude.items():
        mask = [text not in texts for text in batch.columns[column]]
        batch = _kept(batch, mask, f"{column} excluded", book)
    return batch


def _kept(batch: Batch, mask: list[bool], what: str, book: AccountBook) -> Batch:
    left_out = len(mask) - sum(mask)
    if not left_out:
        return batch
    dropped = (line for line, kept in zip(batch.lines, mask, strict=True) if not kept)
    book.ignore_many(dropped, left_out, f"left out by the map: {what}")
    return batch.keep(mask)
