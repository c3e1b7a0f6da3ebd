"""The estimate with its interval, the base of all results, and the one error of the statistics."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from typing import Any

from metrology.stats.results.codes import Status, ordered_codes, status_of


class StatsInputError(ValueError):
    """The call itself is wrong: shapes, labels, options or values that no data set could have."""


def finite(value: float | None) -> float | None:
    """Return ``value`` as a plain float, or ``None`` where it is missing, NaN or infinite."""
    if value is None:
        return None
    number = float(value)
    return number if math.isfinite(number) else None


def _plain(value: Any) -> Any:
    if isinstance(value, Result):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value


@dataclasses.dataclass(frozen=True)
class Result:
    """Base of every result class."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as nested dicts and lists that ``json.dumps`` accepts as they are."""
        return {field.name: _plain(getattr(self, field.name)) for field in dataclasses.fields(self)}


@dataclasses.dataclass(frozen=True)
class Estimate(Result):
    """One figure with its standard error and two-sided interval at confidence ``level``.

    ``method`` names estimator and interval in words; ``n`` maps what was counted (agents, items, trials, clusters,
    items_used, ...) to a count. ``value`` is ``None`` exactly when ``status`` is ``undefined`` or ``refused``;
    ``se``, ``low``, ``high`` and ``df`` are ``None`` wherever they do not exist.
    """

    value: float | None
    se: float | None
    low: float | None
    high: float | None
    level: float | None
    method: str
    n: Mapping[str, int]
    status: Status
    codes: tuple[str, ...]
    df: float | None = None

    @classmethod
    def of(
        cls,
        value: float,
        *,
        method: str,
        n: Mapping[str, int],
        codes: Iterable[str] = (),
        se: float | None = None,
        low: float | None = None,
        high: float | None = None,
        level: float | None = None,
        df: float | None = None,
    ) -> Estimate:
        """Return an estimate that has a value; orders the codes and derives the status from them."""
        kept = ordered_codes(codes)
        return cls(
            value=float(value),
            se=finite(se),
            low=finite(low),
            high=finite(high),
            level=level,
            method=method,
            n=dict(n),
            status=status_of(kept),
            codes=kept,
            df=finite(df),
        )

    @classmethod
    def without_value(
        cls,
        status: Status,
        codes: Iterable[str],
        *,
        method: str,
        n: Mapping[str, int],
        level: float | None = None,
        low: float | None = None,
        high: float | None = None,
    ) -> Estimate:
        """Return an estimate without a value: ``status`` is ``undefined`` or ``refused``, ``codes`` say why."""
        return cls(
            value=None,
            se=None,
            low=finite(low),
            high=finite(high),
            level=level,
            method=method,
            n=dict(n),
            status=status,
            codes=ordered_codes(codes),
        )
