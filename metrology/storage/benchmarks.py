"""Benchmarks, their versions and the revisions of their items. A released version never changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update

from metrology.domain.benchmark import BenchmarkVersion, Purpose, VersionState
from metrology.errors import ConflictError, NotFoundError
from metrology.identity import PREFIX
from metrology.storage.items import ItemSummary, StoredItem, item_summaries, store_revisions, version_items
from metrology.storage.lifecycle import LifecycleRecord, add_lifecycle_event, lifecycle_events
from metrology.storage.lookup import inserted_id, not_found
from metrology.storage.tables import Origin, core

__all__ = [
    "ItemSummary",
    "LifecycleRecord",
    "Registered",
    "StoredItem",
    "StoredVersion",
    "add_lifecycle_event",
    "add_version",
    "find_version",
    "item_summaries",
    "lifecycle_events",
    "list_versions",
    "set_released",
    "version_items",
]

_BENCHMARK = core("benchmark")
_VERSION = core("benchmark_version")
_MEMBER = core("version_item")


@dataclass(frozen=True)
class Registered:
    """What registering did: the version's id and stored label, whether it is new, the label it superseded."""

    version_id: int
    created: bool
    superseded: str | None
    label: str


@dataclass(frozen=True)
class StoredVersion:
    """One version without its items."""

    id: int
    benchmark_id: int
    name: str
    label: str
    identity: str
    state: VersionState
    origin: Origin
    purpose: Purpose
    title: str
    construct: str
    licence: str
    owner: str
    canary: str | None
    scorer_defaults: Mapping[str, Any]
    warnings: tuple[str, ...]
    items: int
    created_at: datetime
    released_at: datetime | None


def add_version(
    connection: Connection, version: BenchmarkVersion, *, origin: Origin, when: datetime | None = None
) -> Registered:
    """Store a version as a draft and return what that did.

    The same content again adds nothing: a draft takes the new label, a superseded draft comes back. Other content
    under the label of a draft supersedes that draft.

    Raises:
        ConflictError: when the label belongs to a released version with other content.
    """
    now = when or datetime.now(UTC)
    identity = version.identity
    benchmark_id = _benchmark_id(connection, version.name, now)
    same = connection.execute(
        select(_VERSION).where(_VERSION.c.benchmark_id == benchmark_id, _VERSION.c.identity == identity)
    ).first()
    if same is not None and same.state == VersionState.RELEASED:
        return Registered(same.id, created=False, superseded=None, label=same.label)
    superseded = _supersede(connection, benchmark_id, version, identity)
    if same is not None:
        connection.execute(
            update(_VERSION)
            .where(_VERSION.c.id == same.id)
            .values(label=version.version, state=VersionState.DRAFT.value, warnings=list(version.warnings))
        )
        return Registered(same.id, created=False, superseded=superseded, label=version.version)
    version_id = inserted_id(
        connection,
        insert(_VERSION).values(
            benchmark_id=benchmark_id,
            label=version.version,
            identity=identity,
            state=VersionState.DRAFT.value,
            origin=Origin(origin).value,
            purpose=version.purpose.value,
            title=version.title,
            construct_statement=version.construct,
            licence=version.licence,
            owner=version.owner,
            canary=version.canary,
            scorer_defaults=dict(version.scorer_defaults or {}),
            warnings=list(version.warnings),
            created_at=now,
        ),
    )
    revisions = store_revisions(connection, benchmark_id, version.items, now)
    if revisions:
        connection.execute(
            insert(_MEMBER),
            [
                {"version_id": version_id, "revision_id": revision, "position": position}
                for position, revision in enumerate(revisions)
            ],
        )
    return Registered(version_id, created=True, superseded=superseded, label=version.version)


def set_released(connection: Connection, version_id: int, when: datetime) -> None:
    """Mark a draft as released: from now on its label is bound to its content. A released version stays as it is.

    Raises:
        NotFoundError: for an unknown id.
        ConflictError: for a superseded version.
    """
    row = connection.execute(select(_VERSION.c.state, _VERSION.c.label).where(_VERSION.c.id == version_id)).first()
    if row is None:
        raise NotFoundError(f"there is no benchmark version with id {version_id}", hint="metrology benchmark list")
    if row.state == VersionState.SUPERSEDED:
        raise ConflictError(
            f"version {row.label} was replaced by another draft and cannot be released",
            hint="register its files again, or release the newer draft",
        )
    connection.execute(
        update(_VERSION)
        .where(_VERSION.c.id == version_id, _VERSION.c.state == VersionState.DRAFT.value)
        .values(state=VersionState.RELEASED.value, released_at=when)
    )


def find_version(connection: Connection, name: str, label: str | None = None) -> StoredVersion:
    """Return a version of the benchmark ``name``: by label, by identity (or its beginning), or the newest.

    A label means the version that holds it now; superseded drafts are found by identity only. ``name`` may carry
    the label or identity after an @.

    Raises:
        NotFoundError: when there is none, or the beginning of an identity fits several; the hint lists what there is.
    """
    if label is None and "@" in name:
        name, label = name.split("@", 1)
    query = _select_versions().where(_BENCHMARK.c.name == name)
    if label is not None and label.startswith(PREFIX):
        query = query.where(_VERSION.c.identity.startswith(label, autoescape=True))
    else:
        query = query.where(_VERSION.c.state != VersionState.SUPERSEDED.value)
        if label is not None:
            query = query.where(_VERSION.c.label == label)
    rows = connection.execute(query.order_by(_VERSION.c.created_at.desc(), _VERSION.c.id.desc())).all()
    if label is not None and len(rows) > 1:
        raise NotFoundError(
            f"{label} is the beginning of {len(rows)} versions of {name}", hint="give more digits of the identity"
        )
    if rows:
        return _version(rows[0])
    labels = connection.execute(
        select(_VERSION.c.label)
        .join(_BENCHMARK)
        .where(_BENCHMARK.c.name == name, _VERSION.c.state != VersionState.SUPERSEDED.value)
        .order_by(_VERSION.c.id)
    ).scalars()
    known = tuple(labels)
    if known:
        raise not_found(f"version {label} of benchmark", name, known, wanted=str(label))
    names = tuple(connection.execute(select(_BENCHMARK.c.name)).scalars())
    raise not_found("benchmark", name, names)


def list_versions(connection: Connection) -> tuple[StoredVersion, ...]:
    """Return all versions, superseded ones too, by benchmark and then oldest first."""
    query = _select_versions().order_by(_BENCHMARK.c.name, _VERSION.c.created_at, _VERSION.c.id)
    return tuple(_version(row) for row in connection.execute(query))


def version_by_id(connection: Connection, version_id: int) -> StoredVersion:
    """Return one version.

    Raises:
        NotFoundError: for an unknown id.
    """
    row = connection.execute(_select_versions().where(_VERSION.c.id == version_id)).first()
    if row is None:
        raise NotFoundError(f"there is no benchmark version with id {version_id}", hint="metrology benchmark list")
    return _version(row)


def _supersede(connection: Connection, benchmark_id: int, version: BenchmarkVersion, identity: str) -> str | None:
    holder = connection.execute(
        select(_VERSION.c.id, _VERSION.c.state, _VERSION.c.identity).where(
            _VERSION.c.benchmark_id == benchmark_id,
            _VERSION.c.label == version.version,
            _VERSION.c.state != VersionState.SUPERSEDED.value,
        )
    ).first()
    if holder is None or holder.identity == identity:
        return None
    if holder.state == VersionState.RELEASED:
        raise ConflictError(
            f"{version.name} {version.version} is released with other content and cannot change",
            hint="give the changed files a new version; `metrology benchmark diff` names the smallest bump",
        )
    connection.execute(update(_VERSION).where(_VERSION.c.id == holder.id).values(state=VersionState.SUPERSEDED.value))
    return version.version


def _benchmark_id(connection: Connection, name: str, now: datetime) -> int:
    found = connection.execute(select(_BENCHMARK.c.id).where(_BENCHMARK.c.name == name)).scalar()
    if found is not None:
        return int(found)
    return inserted_id(connection, insert(_BENCHMARK).values(name=name, created_at=now))


def _select_versions() -> Any:
    items = select(func.count()).where(_MEMBER.c.version_id == _VERSION.c.id).scalar_subquery()
    return select(_VERSION, _BENCHMARK.c.name, items.label("items")).join(_BENCHMARK)


def _version(row: Row[Any]) -> StoredVersion:
    return StoredVersion(
        id=row.id,
        benchmark_id=row.benchmark_id,
        name=row.name,
        label=row.label,
        identity=row.identity,
        state=VersionState(row.state),
        origin=Origin(row.origin),
        purpose=Purpose(row.purpose),
        title=row.title,
        construct=row.construct_statement,
        licence=row.licence,
        owner=row.owner,
        canary=row.canary,
        scorer_defaults=row.scorer_defaults,
        warnings=tuple(row.warnings),
        items=row.items,
        created_at=row.created_at,
        released_at=row.released_at,
    )
