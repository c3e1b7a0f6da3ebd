"""Agent configurations: model + harness + operations, and what differs between two of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from metrology.identity import content_hash

PARTS = ("model", "harness", "operations")
BRIEF = 72

# Where a run happened is not what was measured. These keys may stand in an agent file, are kept for
# running, and never enter the identity.
VOLATILE = frozenset(
    {
        "host", "hostname", "port", "base_url", "url", "folder", "path", "directory", "working_directory",
        "start_time", "started", "started_at", "time", "date", "pid", "user", "log_directory", "run_id",
    }
)  # fmt: skip

# A name that the provider may point at another model tomorrow.
MOVING_WORDS = ("latest", "stable", "current", "default", "preview", "main", "head", "nightly")

# Stands for the value that one of two configurations does not have.
NOT_SET = "(not set)"


@dataclass(frozen=True)
class AgentConfiguration:
    """One agent: what is asked (model), how it is driven (harness), under what conditions (operations).

    ``name`` and ``volatile`` decorate; ``identity`` is the hash of the three parts only.
    """

    name: str
    model: Mapping[str, Any]
    harness: Mapping[str, Any]
    operations: Mapping[str, Any]
    volatile: Mapping[str, Any] = field(default_factory=dict)

    def content(self) -> dict[str, Any]:
        """The three parts, as they are hashed."""
        return {part: dict(getattr(self, part)) for part in PARTS}

    @property
    def identity(self) -> str:
        """``sha256:...`` of model, harness and operations."""
        return content_hash(self.content())

    @property
    def moving_alias(self) -> str | None:
        """The part of the model's name that says its meaning may change, or None."""
        requested = str(self.model.get("requested", "")).lower()
        words = requested.replace(":", "-").replace("@", "-").replace("_", "-").replace("/", "-").split("-")
        return next((word for word in MOVING_WORDS if word in words), None)


@dataclass(frozen=True)
class Change:
    """One value that differs between two configurations; a value that is not there is ``(not set)``."""

    part: str
    key: str
    before: Any
    after: Any

    def __str__(self) -> str:
        return f"{self.part}.{self.key}: {self.before} -> {self.after}"


@dataclass(frozen=True)
class AgentDifference:
    """What differs between two agents, and to what a difference of their scores may be attributed."""

    changes: tuple[Change, ...]

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts that differ, in the order model, harness, operations."""
        return tuple(part for part in PARTS if any(change.part == part for change in self.changes))

    @property
    def same(self) -> bool:
        """True when both are one configuration, whatever they are called."""
        return not self.changes

    @property
    def attribution(self) -> str:
        """The effect that a score difference shows, in words; refuses when more than one part changed."""
        if self.same:
            return "same agent configuration"
        if len(self.parts) == 1:
            return f"{self.parts[0]} effect"
        return f"not attributable: {' and '.join(self.parts)} differ"

    def describe(self) -> str:
        """One line: which parts differ and how."""
        if self.same:
            return "same agent configuration"
        detail = "; ".join(f"{c.key} {_brief(c.before)} -> {_brief(c.after)}" for c in self.changes)
        if len(self.parts) == 1:
            return f"{self.parts[0]} only: {detail}"
        return f"{' and '.join(self.parts)} differ: effect cannot be attributed ({detail})"


def _brief(value: Any) -> str:
    """A value short enough for one line among others; :attr:`AgentDifference.changes` has it whole."""
    text = str(value)
    return text if len(text) <= BRIEF else f"{text[: BRIEF - 3]}..."


def difference(first: AgentConfiguration, second: AgentConfiguration) -> AgentDifference:
    """Return every value that differs between two configurations, volatile fields left out."""
    changes: list[Change] = []
    for part in PARTS:
        before, after = _flat(getattr(first, part)), _flat(getattr(second, part))
        changes.extend(
            Change(part, key, before.get(key, NOT_SET), after.get(key, NOT_SET))
            for key in sorted(before.keys() | after.keys())
            # Compared as they are hashed: true is not 1, and 2 is 2.0.
            if (key in before) != (key in after) or content_hash(before[key]) != content_hash(after[key])
        )
    return AgentDifference(tuple(changes))


def split_volatile(table: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return (what counts, what is volatile) of one part of an agent file."""
    kept = {key: value for key, value in table.items() if key.lower() not in VOLATILE}
    return kept, {key: value for key, value in table.items() if key.lower() in VOLATILE}


def _flat(value: Any, prefix: str = "") -> dict[str, Any]:
    """Values by dotted path. Empty tables and dots in keys keep their own look: they count in the hash too."""
    if isinstance(value, Mapping) and (value or not prefix):
        paths = {key: str(key).replace(".", "\\.") for key in value}
        return {
            path: leaf
            for key, inner in value.items()
            for path, leaf in _flat(inner, f"{prefix}.{paths[key]}" if prefix else paths[key]).items()
        }
    return {prefix: value}
