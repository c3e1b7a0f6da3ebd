"""Imports with their accounts. The same content with the same map into the same target is taken once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from metrology.storage.lookup import inserted_id
from metrology.storage.tables import ImportKind, core

_BATCH = core("import_batch")


@dataclass(frozen=True)
class StoredBatch:
    """One import: what was read, with which map, into what, and its account."""

    id: int
    kind: ImportKind
    source_name: str
    content_digest: str
    map_digest: str
    target: str
    account: Mapping[str, Any]
    created_at: datetime


def find_batch(
    connection: Connection, kind: ImportKind, content_digest: str, map_digest: str, target: str
) -> StoredBatch | None:
    """Return the import of this content with this map into this target, or None when there was none."""
    row = connection.execute(
        select(_BATCH).where(
            _BATCH.c.kind == kind.value,
            _BATCH.c.content_digest == content_digest,
            _BATCH.c.map_digest == map_digest,
            _BATCH.c.target == target,
        )
    ).first()
    return None if row is None else _batch(row)


def add_batch(
    connection: Connection,
    kind: ImportKind,
    *,
    source_name: str,
    content_digest: str,
    map_digest: str,
    target: str,
    account: Mapping[str, Any] | None = None,
    when: datetime | None = None,
) -> int:
    """Store an import and return its id. Ask :func:`find_batch` before, in the same transaction."""
    return inserted_id(
        connection,
        insert(_BATCH).values(
            kind=kind.value,
            source_name=source_name,
            content_digest=content_digest,
            map_digest=map_digest,
            target=target,
            account=dict(account or {}),
            created_at=when or datetime.now(UTC),
        ),
    )


def set_account(connection: Connection, import_id: int, account: Mapping[str, Any]) -> None:
    """Store the account of an import once it is complete."""
    connection.execute(update(_BATCH).where(_BATCH.c.id == import_id).values(account=dict(account)))


def list_batches(connection: Connection, kind: ImportKind | None = None) -> tuple[StoredBatch, ...]:
    """Return all imports, or those of one kind, oldest first."""
    query = select(_BATCH).order_by(_BATCH.c.id)
    if kind is not None:
        query = query.where(_BATCH.c.kind == kind.value)
    return tuple(_batch(row) for row in connection.execute(query))


def _batch(row: Row[Any]) -> StoredBatch:
    return StoredBatch(
        id=row.id,
        kind=ImportKind(row.kind),
        source_name=row.source_name,
        content_digest=row.content_digest,
        map_digest=row.map_digest,
        target=row.target,
        account=row.account,
        created_at=row.created_at,
    )
