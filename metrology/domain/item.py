"""Items: one task, as a content-addressed revision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from metrology.identity import content_hash

# The parts whose change means different things: what must be run again, graded again, or neither.
PARTS = ("instruction", "environment", "scorer", "reference", "metadata")
FILE_ROLES = ("environment", "scorer", "reference")


@dataclass(frozen=True)
class ItemRevision:
    """One state of one item. ``identity`` is the hash of everything but the name.

    ``files`` maps each role in ``FILE_ROLES`` to ``{relative path: sha256 digest}``; the bytes live in the blob
    store. Environment files go into the agent's box, scorer files only into the scorer's, reference files
    only to the reference agent. ``artifacts`` are the paths that cross from the agent's box to the scorer's.
    """

    name: str
    instruction: str
    environment: Mapping[str, Any]
    scorer: Mapping[str, Any]
    reference: Mapping[str, Any]
    artifacts: tuple[str, ...] = ()
    files: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    family: str | None = None
    tags: tuple[str, ...] = ()
    human_minutes: float | None = None
    source: str = ""
    visibility: str = "public"
    canary: str | None = None

    def part(self, name: str) -> dict[str, Any]:
        """The content of one of ``PARTS``, as it is hashed."""
        if name == "instruction":
            return {"instruction": self.instruction}
        if name == "environment":
            return {
                "environment": dict(self.environment),
                "artifacts": list(self.artifacts),
                "files": dict(self.files.get("environment", {})),
            }
        if name in ("scorer", "reference"):
            return {name: dict(getattr(self, name)), "files": dict(self.files.get(name, {}))}
        return {
            "family": self.family,
            "tags": sorted(self.tags),
            "human_minutes": self.human_minutes,
            "source": self.source,
            "visibility": self.visibility,
            "canary": self.canary,
        }

    def part_digests(self) -> dict[str, str]:
        """``{part: sha256:...}`` for each of ``PARTS``."""
        return {name: content_hash(self.part(name)) for name in PARTS}

    @property
    def identity(self) -> str:
        """``sha256:...`` over the digests of the parts; the name decorates."""
        return content_hash(self.part_digests())

    @property
    def scorer_identity(self) -> str:
        """The hash that every verdict of this item carries."""
        return content_hash(self.part("scorer"))

    def document(self) -> dict[str, Any]:
        """A JSON-ready record from which :func:`from_document` rebuilds the value."""
        return {
            "name": self.name,
            "instruction": self.instruction,
            "environment": dict(self.environment),
            "scorer": dict(self.scorer),
            "reference": dict(self.reference),
            "artifacts": list(self.artifacts),
            "files": {role: dict(paths) for role, paths in self.files.items()},
            "family": self.family,
            "tags": list(self.tags),
            "human_minutes": self.human_minutes,
            "source": self.source,
            "visibility": self.visibility,
            "canary": self.canary,
        }


def from_document(document: Mapping[str, Any]) -> ItemRevision:
    """Return the :class:`ItemRevision` that wrote ``document``."""
    values = dict(document)
    values["artifacts"] = tuple(values["artifacts"])
    values["tags"] = tuple(values["tags"])
    return ItemRevision(**values)
