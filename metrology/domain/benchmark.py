"""Benchmarks: the instrument and one state of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from metrology.domain.item import ItemRevision
from metrology.identity import content_hash


class Purpose(StrEnum):
    """What the instrument is for; fitness is judged by purpose."""

    EVALUATION = "evaluation"
    TRAINING = "training"


class VersionState(StrEnum):
    """State of one version: a draft may be replaced, a released one never changes."""

    DRAFT = "draft"
    RELEASED = "released"
    SUPERSEDED = "superseded"


@dataclass(frozen=True)
class BenchmarkVersion:
    """One state of a benchmark. ``identity`` is its content hash; ``version`` is a label and not part of it."""

    name: str
    version: str
    purpose: Purpose
    title: str
    construct: str
    licence: str
    owner: str
    items: tuple[ItemRevision, ...]
    canary: str | None = None
    scorer_defaults: Mapping[str, Any] | None = None
    warnings: tuple[str, ...] = ()

    def content(self) -> dict[str, Any]:
        """What is hashed: the description and the identity of each item, order and label left out."""
        return {
            "name": self.name,
            "purpose": self.purpose.value,
            "title": self.title,
            "construct": self.construct,
            "licence": self.licence,
            "owner": self.owner,
            "canary": self.canary,
            "items": {item.name: item.identity for item in self.items},
        }

    @property
    def identity(self) -> str:
        """``sha256:...`` of :meth:`content`."""
        return content_hash(self.content())
