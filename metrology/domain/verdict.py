"""What a scorer said about what an agent left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Verdict:
    """A score in [0, 1] with its evidence. ``scorer`` is the hash of the scorer at grading time."""

    score: float
    passed: bool
    scorer: str
    criteria: Mapping[str, float] = field(default_factory=dict)
    evidence: str = ""
