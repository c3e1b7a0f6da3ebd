"""From the text of a period to its first and last day."""

from __future__ import annotations

import calendar
import re
from datetime import date, timedelta
from typing import NamedTuple

from metrology.exchange.account import Refusal
from metrology.exchange.fields import shown

_YEAR = re.compile(r"(\d{4})")
_QUARTER = re.compile(r"(\d{4})-?Q([1-4])", re.IGNORECASE)
_MONTH = re.compile(r"(\d{4})-(\d{1,2})")
_WEEK = re.compile(r"(\d{4})-?W(\d{1,2})", re.IGNORECASE)


class Period(NamedTuple):
    """First and last day, both inside; None where the source does not say."""

    start: date | None
    end: date | None


def period(text: str) -> Period | Refusal:
    """Return the days of ``YYYY``, ``YYYY-Qn``, ``YYYY-MM``, ``YYYY-Www`` (ISO week), ``YYYY-MM-DD`` or ``start/end``.

    A blank text is a period that is not known.
    """
    if not text:
        return Period(None, None)
    try:
        return _period(text)
    except ValueError:
        return Refusal("period", f"not a period: {shown(text)}")


def period_between(start: str, end: str) -> Period | Refusal:
    """Return the period from the first day of ``start`` to the last day of ``end``; one of them may be blank."""
    first, last = period(start), period(end)
    if isinstance(first, Refusal):
        return Refusal("start", first.reason)
    if isinstance(last, Refusal):
        return Refusal("end", last.reason)
    if first.start is not None and last.end is not None and last.end < first.start:
        return Refusal("end", f"before the start: {shown(end)}")
    return Period(first.start, last.end)


def _period(text: str) -> Period:
    if "/" in text:
        first, last = text.split("/", 1)
        days = period_between(first.strip(), last.strip())
        if isinstance(days, Refusal):
            raise ValueError(days.reason)
        return days
    if match := _YEAR.fullmatch(text):
        year = int(match[1])
        return Period(date(year, 1, 1), date(year, 12, 31))
    if match := _QUARTER.fullmatch(text):
        year, month = int(match[1]), 3 * int(match[2])
        return Period(date(year, month - 2, 1), _month_end(year, month))
    if match := _MONTH.fullmatch(text):
        year, month = int(match[1]), int(match[2])
        return Period(date(year, month, 1), _month_end(year, month))
    if match := _WEEK.fullmatch(text):
        monday = date.fromisocalendar(int(match[1]), int(match[2]), 1)
        return Period(monday, monday + timedelta(days=6))
    day = date.fromisoformat(text)
    return Period(day, day)


def _month_end(year: int, month: int) -> date:
    return date(year, month, calendar.monthrange(year, month)[1])
