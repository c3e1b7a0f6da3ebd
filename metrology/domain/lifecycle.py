"""The life of an item: which state may follow which. Every step is an event with who, when, why; all are reversible."""

from __future__ import annotations

from enum import StrEnum


class ItemState(StrEnum):
    """Where an item stands in its life."""

    DRAFT = "draft"
    ACTIVE = "active"
    DISPUTED = "disputed"
    QUARANTINED = "quarantined"
    RETIRED = "retired"

    @property
    def counts(self) -> bool:
        """True when the item is part of headline figures."""
        return self in (ItemState.DRAFT, ItemState.ACTIVE, ItemState.DISPUTED)


ALLOWED: dict[ItemState, frozenset[ItemState]] = {
    ItemState.DRAFT: frozenset({ItemState.ACTIVE, ItemState.QUARANTINED, ItemState.RETIRED}),
    ItemState.ACTIVE: frozenset({ItemState.DISPUTED, ItemState.QUARANTINED, ItemState.RETIRED}),
    ItemState.DISPUTED: frozenset({ItemState.ACTIVE, ItemState.QUARANTINED, ItemState.RETIRED}),
    ItemState.QUARANTINED: frozenset({ItemState.ACTIVE, ItemState.RETIRED}),
    ItemState.RETIRED: frozenset({ItemState.ACTIVE}),
}


def may_follow(before: ItemState, after: ItemState) -> bool:
    """Return whether an item in state ``before`` may be set to ``after``."""
    return after in ALLOWED[before]
