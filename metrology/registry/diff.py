"""Compares two versions item by item, and says which bump of the version the difference requires.

The policy: what was measured stays comparable only as far as the same thing was measured.
metadata or reference solution -> patch (results stay valid), scorer -> minor (grade again), instruction,
environment or the set of items -> major (run again).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum

import semver

from metrology.domain.benchmark import BenchmarkVersion
from metrology.domain.item import PARTS, ItemRevision
from metrology.identity import content_hash, normalised_text
from metrology.registry.records import is_moving_image
from metrology.storage import benchmarks
from metrology.storage.benchmarks import StoredVersion
from metrology.storage.store import Store

LINE_ENDS = "bytes differ, text equal after newline normalisation"
MOVING_IMAGE = "image is a moving tag: not reproducible"


class Bump(IntEnum):
    """How far a version number must move."""

    NONE = 0
    PATCH = 1
    MINOR = 2
    MAJOR = 3

    @property
    def words(self) -> str:
        """What the bump means for results that were measured before."""
        return {
            Bump.NONE: "same content: results may be pooled",
            Bump.PATCH: "results stay valid: nothing that an agent or a scorer sees changed",
            Bump.MINOR: "scorers changed: grade the recorded answers again before comparing",
            Bump.MAJOR: "the tasks changed: run again, results are not comparable",
        }[self]


BUMP_OF = {
    "instruction": Bump.MAJOR,
    "environment": Bump.MAJOR,
    "scorer": Bump.MINOR,
    "reference": Bump.PATCH,
    "metadata": Bump.PATCH,
}


@dataclass(frozen=True)
class PartChange:
    """A part of an item that differs, with what can be said about how."""

    part: str
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.part} ({'; '.join(self.notes)})" if self.notes else self.part


@dataclass(frozen=True)
class ItemChange:
    """One item that was added, removed or changed."""

    name: str
    change: str
    parts: tuple[PartChange, ...] = ()

    @property
    def bump(self) -> Bump:
        """The bump that this item alone requires."""
        return max((BUMP_OF[part.part] for part in self.parts), default=Bump.MAJOR)

    def __str__(self) -> str:
        return f"{self.name}: {self.change}" + (f" {', '.join(map(str, self.parts))}" if self.parts else "")


@dataclass(frozen=True)
class VersionDifference:
    """What differs between two versions, and whether their labels say so.

    ``description`` names the keys of the benchmark's own description that differ, ``labelled`` is the bump between
    the labels, None when the later label is not higher or one of them is no semantic version.
    """

    before: str
    after: str
    items: tuple[ItemChange, ...]
    description: tuple[str, ...]
    required: Bump
    labelled: Bump | None
    notes: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """True when both versions have one content."""
        return self.required is Bump.NONE

    @property
    def sufficient(self) -> bool:
        """Whether the label moved as far as the content; in 0.y.z a minor step may break anything."""
        if self.same:
            return self.labelled is not None or self.before == self.after
        if self.labelled is None:
            return False
        early = semver.Version.parse(self.before).major == 0 and semver.Version.parse(self.after).major == 0
        return self.labelled >= (min(self.required, Bump.MINOR) if early else self.required)

    def describe(self) -> str:
        """Return the difference in words, one item a line."""
        lines = [f"{self.before} -> {self.after}: {self.required.words}"]
        lines.extend(f"  {change}" for change in self.items)
        if self.description:
            lines.append(f"  benchmark description: {', '.join(self.description)}")
        lines.extend(f"  {note}" for note in self.notes)
        if not self.sufficient:
            lines.append(f"  the label does not say so: at least a {self.required.name.lower()} step is required")
        return "\n".join(lines)


def compare(
    before: BenchmarkVersion, after: BenchmarkVersion, read: Callable[[str], bytes] | None = None
) -> VersionDifference:
    """Return the difference of two versions of a benchmark.

    ``read`` returns the bytes of a blob digest; without it, files that differ only in line ends are not told from
    others. Between labels that are no semantic versions no bump is told.
    """
    old, new = {item.name: item for item in before.items}, {item.name: item for item in after.items}
    changes = [ItemChange(name, "removed") for name in old.keys() - new.keys()]
    changes += [ItemChange(name, "added") for name in new.keys() - old.keys()]
    for name in old.keys() & new.keys():
        parts = tuple(_part_changes(old[name], new[name], read))
        if parts:
            changes.append(ItemChange(name, "changed", parts))
    first, second = before.content(), after.content()
    description = tuple(key for key in first if key != "items" and first[key] != second[key])
    required = max([change.bump for change in changes] + [Bump.PATCH] * bool(description), default=Bump.NONE)
    notes = dict.fromkeys(note for version in (before, after) for note in version.warnings)
    return VersionDifference(
        before=before.version,
        after=after.version,
        items=tuple(sorted(changes, key=lambda change: change.name)),
        description=description,
        required=required,
        labelled=_labelled(before.version, after.version),
        notes=tuple(notes),
    )


def compare_stored(store: Store, before: StoredVersion, after: StoredVersion) -> VersionDifference:
    """Return the difference of two stored versions; a file that differs only in line ends is said to."""
    return compare(stored_content(store, before), stored_content(store, after), store.blobs.get)


def stored_content(store: Store, stored: StoredVersion) -> BenchmarkVersion:
    """Return a stored version as the value that was registered."""
    with store.read() as connection:
        items = benchmarks.version_items(connection, stored.id)
    return BenchmarkVersion(
        name=stored.name,
        version=stored.label,
        purpose=stored.purpose,
        title=stored.title,
        construct=stored.construct,
        licence=stored.licence,
        owner=stored.owner,
        items=tuple(item.revision for item in items),
        canary=stored.canary,
        scorer_defaults=stored.scorer_defaults or None,
        warnings=stored.warnings,
    )


def _part_changes(
    before: ItemRevision, after: ItemRevision, read: Callable[[str], bytes] | None
) -> Iterator[PartChange]:
    for part in PARTS:
        if content_hash(before.part(part)) == content_hash(after.part(part)):
            continue
        notes = []
        if _plain(before, part, read) == _plain(after, part, read):
            notes.append(LINE_ENDS)
        images = [item.environment.get("image") for item in (before, after)]
        if part == "environment" and any(image is not None and is_moving_image(image) for image in images):
            notes.append(MOVING_IMAGE)
        yield PartChange(part, tuple(notes))


def _plain(item: ItemRevision, part: str, read: Callable[[str], bytes] | None) -> object:
    """The content of a part with all line ends as LF."""
    content = item.part(part)
    if read is not None and "files" in content:
        content["files"] = {path: normalised_text(read(digest)) for path, digest in content["files"].items()}
    return _with_plain_text(content)


def _with_plain_text(value: object) -> object:
    if isinstance(value, str):
        return value.replace("\r\n", "\n").replace("\r", "\n")
    if isinstance(value, dict):
        return {key: _with_plain_text(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_with_plain_text(inner) for inner in value]
    return value


def _labelled(before: str, after: str) -> Bump | None:
    if not (semver.Version.is_valid(before) and semver.Version.is_valid(after)):
        return None
    first, second = semver.Version.parse(before), semver.Version.parse(after)
    if second <= first:
        return None
    if second.major != first.major:
        return Bump.MAJOR
    if second.minor != first.minor:
        return Bump.MINOR
    return Bump.PATCH
