"""Items and their revisions, as they stand in the versions of a benchmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, insert, select

from metrology.domain.item import ItemRevision, from_document
from metrology.domain.lifecycle import ItemState
from metrology.identity import content_hash
from metrology.storage.tables import core

_ITEM = core("item")
_REVISION = core("item_revision")
_MEMBER = core("version_item")


@dataclass(frozen=True)
class StoredItem:
    """One item of a version: where it stands, its state now, and its revision in full."""

    revision_id: int
    item_id: int
    position: int
    state: ItemState
    revision: ItemRevision
    parts: Mapping[str, str]
    identity: str


@dataclass(frozen=True)
class ItemSummary:
    """One item of a version without its document: cheap for long lists."""

    revision_id: int
    item_id: int
    name: str
    state: ItemState
    family: str | None
    human_minutes: float | None
    visibility: str
    identity: str


def version_items(connection: Connection, version_id: int) -> tuple[StoredItem, ...]:
    """Return the items of a version in their order, each with its revision rebuilt from the stored document."""
    query = (
        select(
            _REVISION.c.id,
            _REVISION.c.item_id,
            _MEMBER.c.position,
            _ITEM.c.state,
            _REVISION.c.document,
            _REVISION.c.parts,
            _REVISION.c.identity,
        )
        .select_from(_MEMBER.join(_REVISION).join(_ITEM))
        .where(_MEMBER.c.version_id == version_id)
        .order_by(_MEMBER.c.position)
    )
    return tuple(
        StoredItem(
            revision_id=row.id,
            item_id=row.item_id,
            position=row.position,
            state=ItemState(row.state),
            revision=from_document(row.document),
            parts=row.parts,
            identity=row.identity,
        )
        for row in connection.execute(query)
    )


def item_summaries(connection: Connection, version_id: int) -> tuple[ItemSummary, ...]:
    """Return the items of a version in their order, without their documents."""
    query = (
        select(
            _REVISION.c.id,
            _REVISION.c.item_id,
            _ITEM.c.name,
            _ITEM.c.state,
            _REVISION.c.family,
            _REVISION.c.human_minutes,
            _REVISION.c.visibility,
            _REVISION.c.identity,
        )
        .select_from(_MEMBER.join(_REVISION).join(_ITEM))
        .where(_MEMBER.c.version_id == version_id)
        .order_by(_MEMBER.c.position)
    )
    return tuple(
        ItemSummary(
            row.id,
            row.item_id,
            row.name,
            ItemState(row.state),
            row.family,
            row.human_minutes,
            row.visibility,
            row.identity,
        )
        for row in connection.execute(query)
    )


def store_revisions(
    connection: Connection, benchmark_id: int, items: Sequence[ItemRevision], now: datetime
) -> list[int]:
    """Return the revision ids of ``items``, in their order, after adding what is new."""
    ids = _item_ids(connection, benchmark_id)
    fresh = [item.name for item in items if item.name not in ids]
    if fresh:
        state = ItemState.DRAFT.value
        connection.execute(
            insert(_ITEM), [{"benchmark_id": benchmark_id, "name": name, "state": state} for name in fresh]
        )
        ids = _item_ids(connection, benchmark_id)
    wanted = []
    for item in items:
        parts = item.part_digests()
        wanted.append((ids[item.name], content_hash(parts), parts, item))
    known = _revision_ids(connection, benchmark_id)
    rows = [
        {
            "item_id": item_id,
            "identity": identity,
            "parts": parts,
            "document": item.document(),
            "family": item.family,
            "human_minutes": item.human_minutes,
            "visibility": item.visibility,
            "scorer_identity": parts["scorer"],
            "created_at": now,
        }
        for item_id, identity, parts, item in wanted
        if (item_id, identity) not in known
    ]
    if rows:
        connection.execute(insert(_REVISION), rows)
        known = _revision_ids(connection, benchmark_id)
    return [known[item_id, identity] for item_id, identity, _, _ in wanted]


def _item_ids(connection: Connection, benchmark_id: int) -> dict[str, int]:
    rows = connection.execute(select(_ITEM.c.name, _ITEM.c.id).where(_ITEM.c.benchmark_id == benchmark_id))
    return {row.name: row.id for row in rows}


def _revision_ids(connection: Connection, benchmark_id: int) -> dict[tuple[int, str], int]:
    query = (
        select(_REVISION.c.item_id, _REVISION.c.identity, _REVISION.c.id)
        .join(_ITEM)
        .where(_ITEM.c.benchmark_id == benchmark_id)
    )
    return {(row.item_id, row.identity): row.id for row in connection.execute(query)}
