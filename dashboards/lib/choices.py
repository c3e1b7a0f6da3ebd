"""Choices that several pages offer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from lib.selection import choose

if TYPE_CHECKING:
    from metrology.analysis.base import Analysis

ANY = "all"


def one_or_any(
    label: str, options: Iterable[str], *, key: str, any_label: str, name: Callable[[str], Any] = str
) -> str | None:
    """Return the option chosen, or None when the reader wants all of them."""
    listed = [ANY, *(option for option in options if option != ANY)]
    chosen = choose(label, listed, key, name=lambda option: any_label if option == ANY else name(option))
    return None if chosen == ANY else chosen


def measured_agents(result: Analysis) -> list[str]:
    """Return the labels of the agents of an answer, by name."""
    return sorted(row.agent for row in result.coverage.agents)
