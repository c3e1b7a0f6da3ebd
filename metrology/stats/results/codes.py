"""Status and codes: how a result says that a figure is missing, doubtful or only informative."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

Status = Literal["ok", "warn", "undefined", "refused"]
"""``ok``; ``warn`` (value given, read the codes); ``undefined`` (no value exists); ``refused`` (must not be used)."""

SIZE_CODES = frozenset(
    {
        "TOO_FEW_AGENTS",
        "TOO_FEW_ITEMS",
        "TOO_FEW_TRIALS",
        "TOO_FEW_CLUSTERS",
        "TOO_FEW_UNITS",
        "TOO_FEW_POINTS",
        "FEW_AGENTS",
        "FEW_CLUSTERS",
        "FEW_ANCHORS",
        "CLUSTERED_AGENTS",
        "SHORT_BASELINE",
    }
)
"""Codes about sample size; they stand before all others."""

INFORMATIVE_CODES = frozenset({"MISSING", "ZERO_ERROR", "NO_DISCORDANT", "CEILING", "FLOOR"})
"""Codes that a result with status ``ok`` may carry."""


def ordered_codes(codes: Iterable[str]) -> tuple[str, ...]:
    """Return the codes once each, those about sample size first, otherwise in the order given."""
    once = tuple(dict.fromkeys(codes))
    return tuple(c for c in once if c in SIZE_CODES) + tuple(c for c in once if c not in SIZE_CODES)


def negative_estimate(value: float, scale: float = 1.0) -> list[str]:
    """Return the code NEGATIVE_ESTIMATE for a value below 0 by more than rounding noise of ``scale``, else nothing."""
    return ["NEGATIVE_ESTIMATE"] if value < -1e-12 * scale else []


def status_of(codes: Iterable[str]) -> Literal["ok", "warn"]:
    """Return the status of a result that has a value: ``warn`` as soon as one code is more than informative."""
    return "ok" if all(code in INFORMATIVE_CODES for code in codes) else "warn"
