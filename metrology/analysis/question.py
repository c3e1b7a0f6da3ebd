"""What an entry point of the group ``metrology.analyses`` names: a question and the function that answers it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from metrology.analysis.base import Analysis
from metrology.analysis.request import Request
from metrology.analysis.source import Source

GROUP = "metrology.analyses"


@dataclass(frozen=True)
class Option:
    """One option of an analysis; ``kind`` is int, float, text or list (comma-separated)."""

    name: str
    kind: str
    default: str
    help: str


@dataclass(frozen=True)
class Question:
    """A question a maintainer asks, with its options and the function that answers it from a source."""

    name: str
    text: str
    options: tuple[Option, ...]
    analyse: Callable[[Source, Request], Analysis]
