"""What happened in production."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Observation:
    """One production figure: agent, period, segment, measure, value, how many cases, censored or not.

    ``n`` is the number of cases behind ``value`` (None when the source does not say). A censored observation has
    cases still open, so that its value may yet move.
    """

    agent: str
    period_start: date | None
    period_end: date | None
    segment: str
    measure: str
    value: float
    n: int | None = None
    censored: bool = False
