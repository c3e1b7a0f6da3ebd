"""The life of items: events are appended, and the item's state is where the last one left it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert, select, update

from metrology.domain.lifecycle import ALLOWED, ItemState, may_follow
from metrology.errors import ConflictError, NotFoundError
from metrology.storage.lookup import inserted_id
from metrology.storage.tables import core

_BENCHMARK = core("benchmark")
_ITEM = core("item")
_EVENT = core("lifecycle_event")


@dataclass(frozen=True)
class LifecycleRecord:
    """One step in the life of an item: who, when, why, with what evidence."""

    id: int
    item_id: int
    item: str
    before: ItemState
    after: ItemState
    actor: str
    reason: str
    evidence: Mapping[str, Any]
    occurred_at: datetime


def add_lifecycle_event(
    connection: Connection,
    item_id: int,
    after: ItemState,
    actor: str,
    reason: str,
    evidence: Mapping[str, Any],
    when: datetime,
) -> LifecycleRecord:
    """Move an item to the state ``after``, append the event and return it.

    Raises:
        NotFoundError: for an unknown item.
        ConflictError: when ``after`` may not follow the item's state.
    """
    row = connection.execute(select(_ITEM.c.name, _ITEM.c.state).where(_ITEM.c.id == item_id).with_for_update()).first()
    if row is None:
        raise NotFoundError(f"there is no item with id {item_id}", hint="metrology item list")
    before = ItemState(row.state)
    if not may_follow(before, after):
        allowed = ", ".join(sorted(ALLOWED[before]))
        raise ConflictError(f"item {row.name} is {before} and cannot become {after}", hint=f"it may become {allowed}")
    connection.execute(update(_ITEM).where(_ITEM.c.id == item_id).values(state=after.value))
    identifier = inserted_id(
        connection,
        insert(_EVENT).values(
            item_id=item_id,
            state_before=before.value,
            state_after=after.value,
            actor=actor,
            reason=reason,
            evidence=dict(evidence),
            occurred_at=when,
        ),
    )
    return LifecycleRecord(identifier, item_id, row.name, before, after, actor, reason, dict(evidence), when)


def lifecycle_events(
    connection: Connection, benchmark: str, *, item_id: int | None = None
) -> tuple[LifecycleRecord, ...]:
    """Return the events of all items of a benchmark, or of one item, oldest first."""
    query = (
        select(_EVENT, _ITEM.c.name)
        .select_from(_EVENT.join(_ITEM).join(_BENCHMARK))
        .where(_BENCHMARK.c.name == benchmark)
        .order_by(_EVENT.c.id)
    )
    if item_id is not None:
        query = query.where(_EVENT.c.item_id == item_id)
    return tuple(
        LifecycleRecord(
            id=row.id,
            item_id=row.item_id,
            item=row.name,
            before=ItemState(row.state_before),
            after=ItemState(row.state_after),
            actor=row.actor,
            reason=row.reason,
            evidence=row.evidence,
            occurred_at=row.occurred_at,
        )
        for row in connection.execute(query)
    )
