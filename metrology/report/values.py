"""How one value is written for people, and how text from outside is made harmless."""

from __future__ import annotations

import unicodedata
from typing import Any

from metrology.analysis.base import Column

UNDEFINED = "-"
# What is left of a zero after rounding errors.
DUST = 1e-12


def safe(text: object) -> str:
    """Return text with control characters and bidirectional marks spelled out: shown, never obeyed."""
    return "".join(
        character if unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn") else _spelled(character)
        for character in str(text)
    )


def _spelled(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def cell(column: Column, value: Any) -> str:
    """Write one value by the kind of its column: shares in percent, differences in points, undefined as ``-``."""
    if value is None:
        return UNDEFINED
    if isinstance(value, float) and abs(value) < DUST:
        value = 0.0
    if column.kind == "score":
        return f"{100 * value:.1f} %"
    if column.kind == "difference":
        return f"{100 * value:+.1f}"
    if column.kind == "probability":
        return "< .001" if value < 0.001 else f"{value:.3f}"
    if column.kind == "count":
        return f"{value:,}"
    if column.kind == "flag":
        return "yes" if value else "no"
    if column.kind == "number" and isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1000 else f"{value:.1f}"
    return safe(value)


def interval(column: Column, low: Any, high: Any) -> str:
    """Write an interval in the unit of its figure, ``[35.1, 49.2]``; empty when there is none.

    A share is shown within 0 to 100 %: with two agents a t interval reaches far beyond, which says "anything".
    """
    if low is None or high is None:
        return ""
    if column.kind == "score":
        low, high = max(low, 0.0), min(high, 1.0)
    return f"[{_bare(column, low)}, {_bare(column, high)}]"


def _bare(column: Column, value: Any) -> str:
    return cell(column, value).removesuffix(" %")
