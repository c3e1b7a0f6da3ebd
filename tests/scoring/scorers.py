"""Builds scorers for tests the way a campaign does: from an item."""

from __future__ import annotations

from metrology.domain.item import ItemRevision
from metrology.identity import bytes_digest
from metrology.scoring.base import Scorer, build_scorer


def scorer(files: dict[str, bytes] | None = None, **table: object) -> Scorer:
    """The scorer of an item with this scorer table and these scorer files."""
    files = files or {}
    blobs = {bytes_digest(data): data for data in files.values()}
    digests = {path: bytes_digest(data) for path, data in files.items()}
    item = ItemRevision("t", "Do it.", {"kind": "process"}, table, {"answer": "x"}, files={"scorer": digests})
    return build_scorer(item, blobs.__getitem__)
