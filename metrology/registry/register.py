"""Registers a benchmark's folder in the store, and releases a version: immutable from then on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import semver

from metrology.domain.benchmark import BenchmarkVersion, VersionState
from metrology.domain.lifecycle import ItemState
from metrology.errors import ConflictError, NotFoundError
from metrology.registry.diff import VersionDifference, compare, compare_stored, stored_content
from metrology.registry.manifest import Loaded, load_benchmark
from metrology.storage import benchmarks
from metrology.storage.benchmarks import StoredVersion
from metrology.storage.store import Store
from metrology.storage.tables import Origin

# How many changed items a refusal names; the rest is counted.
NAMED_ITEMS = 12


@dataclass(frozen=True)
class Registration:
    """What registering did.

    ``label`` is the version's stored label (a released content keeps its own), ``created`` is False when the content
    was there already, ``superseded`` the label of a draft that this one replaced.
    """

    version: BenchmarkVersion
    version_id: int
    label: str
    created: bool
    superseded: str | None
    warnings: tuple[str, ...]


def register(store: Store, folder: Path | str) -> Registration:
    """Read a benchmark's folder and store it as a draft; the same content again adds nothing.

    Raises:
        InputError, InputErrors: the folder is not right; nothing is stored.
        ConflictError: its label is released with other content; the message names the items and parts that differ.
        StorageError: the store cannot be written.
    """
    loaded = load_benchmark(folder)
    _refuse_changed_release(store, loaded)
    for digest, data in loaded.blobs.items():
        stored = store.blobs.put(data)
        assert stored == digest, "the blob store names content by the same digest"
    with store.write() as connection:
        done = benchmarks.add_version(connection, loaded.version, origin=Origin.LIVE)
    warnings = [*loaded.warnings]
    if done.superseded is not None:
        warnings.append(
            f"{loaded.version.name} {done.superseded} was registered before with other content; that draft is "
            "superseded, and its results are not pooled with those of the new one"
        )
    if done.label != loaded.version.version:
        warnings.append(
            f"this content is already released as {done.label}; the label {loaded.version.version} is not used"
        )
    return Registration(
        version=loaded.version,
        version_id=done.version_id,
        label=done.label,
        created=done.created,
        superseded=done.superseded,
        warnings=tuple(warnings),
    )


def release(
    store: Store, name: str, label: str, *, folder: Path | str | None = None, actor: str = "metrology"
) -> StoredVersion:
    """Make a registered version immutable and return it; its draft items become active.

    With ``folder``, the files must still be what was registered.

    Raises:
        NotFoundError: no such version.
        ConflictError: the files differ from what was registered, the version was superseded, or its label did not
            move as far from the release before as its content did.
        StorageError: the store cannot be written.
    """
    if folder is not None:
        _refuse_other_files(store, name, label, load_benchmark(folder))
    with store.read() as connection:
        stored = benchmarks.find_version(connection, name, label)
        previous = _release_before(benchmarks.list_versions(connection), stored)
    if previous is not None:
        change = compare_stored(store, previous, stored)
        if not change.sufficient:
            raise ConflictError(
                f"{name} {label} needs a {change.required.name.lower()} step after {previous.label}: "
                f"{change.required.words}",
                hint=f"set the version to {_next(previous.label, change)} and register it again",
            )
    now = datetime.now(UTC)
    with store.write() as connection:
        benchmarks.set_released(connection, stored.id, now)
        for item in benchmarks.item_summaries(connection, stored.id):
            if item.state is ItemState.DRAFT:
                reason = f"released with {name} {label}"
                benchmarks.add_lifecycle_event(connection, item.item_id, ItemState.ACTIVE, actor, reason, {}, now)
        return benchmarks.find_version(connection, name, label)


def _refuse_changed_release(store: Store, loaded: Loaded) -> None:
    version = loaded.version
    with store.read() as connection:
        try:
            stored = benchmarks.find_version(connection, version.name, version.version)
        except NotFoundError:
            return
    if stored.state is VersionState.RELEASED and stored.identity != version.identity:
        change = _from_store(store, stored, loaded)
        raise ConflictError(
            f"{version.name} {version.version} is released and cannot change, but its files did: {_named(change)}",
            hint=f"restore the files, or set the version to {_next(version.version, change)}",
        )


def _refuse_other_files(store: Store, name: str, label: str, loaded: Loaded) -> None:
    with store.read() as connection:
        stored = benchmarks.find_version(connection, name, label)
    if loaded.version.name != name or loaded.version.version != label:
        raise ConflictError(
            f"the folder holds {loaded.version.name} {loaded.version.version}, not {name} {label}",
            hint="give the folder of the version that is to be released",
        )
    if stored.identity != loaded.version.identity:
        raise ConflictError(
            f"the files of {name} {label} are not what was registered: {_named(_from_store(store, stored, loaded))}",
            hint="register the folder again, then release",
        )


def _from_store(store: Store, stored: StoredVersion, loaded: Loaded) -> VersionDifference:
    def read(digest: str) -> bytes:
        return loaded.blobs[digest] if digest in loaded.blobs else store.blobs.get(digest)

    return compare(stored_content(store, stored), loaded.version, read)


def _named(change: VersionDifference) -> str:
    """The items and parts that differ, in one line."""
    named = [str(item) for item in change.items[:NAMED_ITEMS]]
    if len(change.items) > NAMED_ITEMS:
        named.append(f"and {len(change.items) - NAMED_ITEMS} more items")
    if change.description:
        named.append(f"benchmark description: {', '.join(change.description)}")
    return "; ".join(named)


def _release_before(versions: tuple[StoredVersion, ...], stored: StoredVersion) -> StoredVersion | None:
    """The highest released version of the same benchmark below this one."""
    wanted = semver.Version.parse(stored.label)
    lower = [
        (semver.Version.parse(version.label), version)
        for version in versions
        if version.name == stored.name
        and version.state is VersionState.RELEASED
        and version.id != stored.id
        and semver.Version.is_valid(version.label)
        and semver.Version.parse(version.label) < wanted
    ]
    return max(lower, key=lambda pair: pair[0])[1] if lower else None


def _next(label: str, change: VersionDifference) -> str:
    return str(semver.Version.parse(label).next_version(change.required.name.lower()))
