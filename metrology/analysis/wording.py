"""How figures and reasons are put into words; the same everywhere."""

from __future__ import annotations

from collections.abc import Iterable

from metrology.analysis.base import Notice
from metrology.stats.results import Estimate

# What each code of the statistics means, and what would be needed. Codes that only inform have no entry.
REASONS: dict[str, str] = {
    "NO_DATA": "nothing was measured",
    "UNBALANCED": "cells hold different numbers of trials",
    "DISCONNECTED": "agents and items fall into groups without a link; agents with common items are needed",
    "CONFOUNDED": "not estimable with one trial: trial noise cannot be told from agent-by-item differences; "
    "at least two trials per item are needed",
    "NO_OVERLAP": "no common items",
    "NO_PAIRS": "no unit was measured twice",
    "TOO_FEW_AGENTS": "too few agents",
    "TOO_FEW_ITEMS": "too few items",
    "TOO_FEW_TRIALS": "too few trials per item for all items",
    "TOO_FEW_CLUSTERS": "only one family of items; at least two are needed",
    "TOO_FEW_UNITS": "too few units; at least two are needed",
    "TOO_FEW_POINTS": "too few points",
    "FEW_AGENTS": "30 agents or fewer: rank items by it, do not cut",
    "FEW_CLUSTERS": "fewer than 10 families: the interval is wide for that reason",
    "CLUSTERED_AGENTS": "agents of one vendor are related: the effective number is that of vendors",
    "SHORT_BASELINE": "fewer than 20 baseline points: limits are provisional",
    "ZERO_VARIANCE": "all values are equal: no spread to estimate an error from",
    "ZERO_DENOMINATOR": "the denominator is zero",
    "CONSTANT_ITEM": "every agent has the same result on this item",
    "CONSTANT_ITEMS": "some items have the same result for every agent",
    "SEPARATION": "all pass or all fail",
    "DEGENERATE_CI": "a correlation of exactly one has no interval",
    "NEGATIVE_ESTIMATE": "the raw estimate is negative; zero is used downstream",
    "NEGATIVE_DISCRIMINATION": "stronger agents do worse on it: look at key and scorer",
    "NON_POSITIVE_RELIABILITY": "reliability is not positive",
    "OVERCORRECTED": "corrected beyond one",
    "BOUNDARY": "the estimate stands at its bound of zero",
    "PRIOR_DOMINATED": "the prior, not the data, decides",
    "NOT_IDENTIFIED": "not identified by these data",
    "NOT_CONVERGED": "the optimiser did not converge",
    "WRONG_SIGN": "the slope has the wrong sign",
    "EXTRAPOLATION": "outside the observed range",
    "MISSING": "some cells are empty",
    "REFUSED": "refused",
}
INFORMATIVE = frozenset({"MISSING", "ZERO_ERROR", "NO_DISCORDANT", "CEILING", "FLOOR"})


def percent(value: float | None) -> str:
    """A share as ``42.0 %``, or ``undefined``."""
    return "undefined" if value is None else f"{100 * value:.1f} %"


def points(value: float | None) -> str:
    """A difference of shares as ``+3.2 points``, or ``undefined``."""
    return "undefined" if value is None else f"{100 * value:+.1f} points"


def limits(low: float | None, high: float | None) -> str:
    """An interval of differences as ``[-3.1, 9.2]``, or ``[no interval]``."""
    if low is None or high is None:
        return "[no interval]"
    return f"[{100 * low:.1f}, {100 * high:.1f}]"


def share_limits(low: float | None, high: float | None) -> str:
    """An interval of a share as ``[35.1, 49.2]``, shown within 0 to 100, or ``[no interval]``."""
    return limits(None if low is None else max(low, 0.0), None if high is None else min(high, 1.0))


def share(estimate: Estimate) -> str:
    """Value and interval of a share: ``42.0 % [35.1, 49.2]``."""
    return f"{percent(estimate.value)} {share_limits(estimate.low, estimate.high)}"


def number(value: float | None, digits: int = 2) -> str:
    """A coefficient with fixed digits, or ``undefined``."""
    return "undefined" if value is None else f"{value:.{digits}f}"


def bracket(low: float | None, high: float | None, digits: int = 2) -> str:
    """An interval of coefficients, or ``[no interval]``."""
    if low is None or high is None:
        return "[no interval]"
    return f"[{low:.{digits}f}, {high:.{digits}f}]"


def count(n: int, singular: str, plural: str | None = None) -> str:
    """``1 item`` or ``3 items``, with thin groups of thousands."""
    return f"{n:,} {singular if n == 1 else plural or singular + 's'}"


def listed(names: Iterable[str], most: int = 5) -> str:
    """Names joined by commas; beyond ``most`` the rest is counted."""
    every = list(names)
    shown = ", ".join(every[:most])
    return f"{shown} and {len(every) - most} more" if len(every) > most else shown


def reasons(codes: Iterable[str], *, skip: Iterable[str] = ()) -> str:
    """The sentences of codes that limit a figure, joined; empty when there is none."""
    left_out = INFORMATIVE | set(skip)
    return "; ".join(REASONS.get(code, code) for code in dict.fromkeys(codes) if code not in left_out)


def note_of(*estimates: Estimate) -> str:
    """Why a value or interval is missing or doubtful, from one or several estimates; never empty for a missing one."""
    text = reasons(code for estimate in estimates for code in estimate.codes)
    incomplete = any(estimate.value is None or estimate.low is None for estimate in estimates)
    if incomplete and not text:
        every = "; ".join(REASONS.get(c, c) for e in estimates for c in e.codes)
        return every or "no interval is defined for these data"
    return text


class Notices:
    """Collects warnings, each code and sentence once, in the order in which they were found."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], Notice] = {}

    def add(self, code: str, sentence: str) -> None:
        """Add a warning."""
        self._found.setdefault((code, sentence), Notice(code, sentence))

    def all(self) -> tuple[Notice, ...]:
        """All warnings."""
        return tuple(self._found.values())
