"""Leads items through their life: quarantined, restored, retired, always with who, why and on what evidence."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from metrology.domain.lifecycle import ItemState
from metrology.errors import InputError
from metrology.storage import benchmarks
from metrology.storage.benchmarks import LifecycleRecord
from metrology.storage.lookup import not_found
from metrology.storage.store import Store


def set_state(
    store: Store,
    benchmark: str,
    item: str,
    after: ItemState,
    *,
    actor: str,
    reason: str,
    evidence: Mapping[str, Any] | None = None,
) -> LifecycleRecord:
    """Move an item to a state and return the event; ``benchmark`` may name a version after an @.

    Raises:
        InputError: nobody is named, or no reason is given.
        NotFoundError: no such benchmark or item.
        ConflictError: the state may not follow the one the item is in.
    """
    for field, text in (("actor", actor), ("reason", reason)):
        if not text.strip():
            raise InputError("is empty", field=field, hint="say who does it and why: the event is kept for ever")
    with store.write() as connection:
        version = benchmarks.find_version(connection, benchmark)
        items = {found.name: found for found in benchmarks.item_summaries(connection, version.id)}
        if item not in items:
            raise not_found(f"item of {version.name} {version.label}", item, tuple(items))
        return benchmarks.add_lifecycle_event(
            connection, items[item].item_id, after, actor, reason, dict(evidence or {}), datetime.now(UTC)
        )


def quarantine(
    store: Store, benchmark: str, item: str, *, actor: str, reason: str, evidence: Mapping[str, Any] | None = None
) -> LifecycleRecord:
    """Take an item out of the headline figures until it is looked at; see :func:`set_state`."""
    return set_state(store, benchmark, item, ItemState.QUARANTINED, actor=actor, reason=reason, evidence=evidence)


def restore(
    store: Store, benchmark: str, item: str, *, actor: str, reason: str, evidence: Mapping[str, Any] | None = None
) -> LifecycleRecord:
    """Take an item back into the headline figures; see :func:`set_state`."""
    return set_state(store, benchmark, item, ItemState.ACTIVE, actor=actor, reason=reason, evidence=evidence)


def retire(
    store: Store, benchmark: str, item: str, *, actor: str, reason: str, evidence: Mapping[str, Any] | None = None
) -> LifecycleRecord:
    """End an item's use; what it measured is kept; see :func:`set_state`."""
    return set_state(store, benchmark, item, ItemState.RETIRED, actor=actor, reason=reason, evidence=evidence)
