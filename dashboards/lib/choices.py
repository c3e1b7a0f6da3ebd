"""Choices that several pages offer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lib.selection import choose

if TYPE_CHECKING:
    from metrology.analysis.base import Analysis

ALL = "all"


def one_or_all(label: str, options: Iterable[str], *, key: str) -> str | None:
    """Return the option chosen, or None when the reader wants all of them."""
    chosen = choose(label, [ALL, *(option for option in options if option != ALL)], key)
    return None if chosen == ALL else chosen


def measured_agents(result: Analysis) -> list[str]:
    """Return the labels of the agents of an answer, by name."""
    return sorted(row.agent for row in result.coverage.agents)
