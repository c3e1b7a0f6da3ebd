"""How figures read: a value never without its interval, and an undefined one never as a number."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

NOT_ESTIMABLE = "not estimable"
NOT_RECORDED = "not recorded"
SMALLEST = 0.0001


def figure(value: Any, kind: str = "score") -> str:
    """Return one figure as text; ``kind`` is a column kind of :class:`metrology.analysis.base.Column`."""
    if value is None:
        return NOT_ESTIMABLE
    if kind == "count":
        return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"
    if kind == "difference":
        return f"{value:+.3f}"
    if kind == "probability":
        return "< 0.001" if value < 0.001 else f"{value:.3f}"
    if kind == "score":
        return f"{value:.3f}"
    if 0 < abs(value) < SMALLEST:
        return f"< {SMALLEST}" if value > 0 else f"> -{SMALLEST}"
    return f"{value:.4g}"


def with_interval(value: Any, low: Any, high: Any, kind: str = "score") -> str:
    """Return ``value [low, high]``; says so when the value stands without an interval."""
    if value is None:
        if low is None and high is None:
            return NOT_ESTIMABLE
        return f"{NOT_ESTIMABLE}, bounds [{_limit(low, kind)}, {_limit(high, kind)}]"
    if low is None and high is None:
        return f"{figure(value, kind)} (no interval)"
    return f"{figure(value, kind)} [{_limit(low, kind)}, {_limit(high, kind)}]"


def span(low: Any, high: Any, kind: str = "score") -> str:
    """Return two bounds, ``low to high``."""
    if low is None and high is None:
        return NOT_ESTIMABLE
    return f"{_limit(low, kind)} to {_limit(high, kind)}"


def coverage(measured: int | None, planned: int | None) -> str:
    """Return trials with a verdict of those planned, with their share."""
    if measured is None or planned is None:
        return NOT_RECORDED
    if not planned:
        return "nothing planned"
    return f"{measured:,} of {planned:,} ({measured / planned:.3f})"


def moment(value: datetime | date | None) -> str:
    """Return a time in UTC to the second, or a date."""
    if value is None:
        return NOT_RECORDED
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S UTC")
    return value.isoformat()


def duration(seconds: float | None) -> str:
    """Return a time span in the two largest units that matter."""
    if seconds is None:
        return NOT_RECORDED
    if seconds < 60:
        return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"
    whole = timedelta(seconds=round(seconds))
    hours, rest = divmod(whole.seconds, 3600)
    minutes, left = divmod(rest, 60)
    if whole.days:
        return f"{whole.days} d {hours} h"
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {left} s"


def short_identity(identity: str) -> str:
    """Return the first 12 hexadecimal digits of a content hash with its prefix."""
    algorithm, separator, digits = identity.partition(":")
    return f"{algorithm}:{digits[:12]}" if separator else identity[:12]


def _limit(value: Any, kind: str) -> str:
    return "open" if value is None else figure(value, kind)
