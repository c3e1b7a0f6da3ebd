"""Scalar arguments: whole numbers and named options, checked once and in the same words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from metrology.stats.results import StatsInputError


def whole_number(value: Any, name: str, minimum: int = 0) -> int:
    """Return ``value`` as an int; raises :class:`StatsInputError` for fractions, text and values below ``minimum``."""
    try:
        number = int(value)
        whole = bool(number == value)
    except (TypeError, ValueError, OverflowError) as error:
        msg = f"`{name}` must be a whole number, got {value!r}"
        raise StatsInputError(msg) from error
    if not whole or number < minimum:
        msg = f"`{name}` must be a whole number, {minimum} or more, got {value!r}"
        raise StatsInputError(msg)
    return number


def one_of(value: str, options: Sequence[str], name: str) -> str:
    """Return ``value`` if it is one of ``options``; raises :class:`StatsInputError` otherwise."""
    if value not in options:
        msg = f"`{name}` must be one of {', '.join(options)}; got {value!r}"
        raise StatsInputError(msg)
    return value
