"""Results of tests, comparisons of two agents, equivalence and planning."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from metrology.stats.results.codes import Status
from metrology.stats.results.estimate import Estimate, Result


@dataclasses.dataclass(frozen=True)
class Test(Result):
    """A hypothesis test: statistic, degrees of freedom (where they exist) and two-sided p."""

    __test__ = False  # the name is the field's term; pytest must not collect it

    statistic: float | None
    df: float | None
    p: float | None
    method: str
    n: Mapping[str, int]
    status: Status
    codes: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Comparison(Result):
    """Two agents compared: ``effect`` is candidate against baseline; the last three are ``None`` for pure tests."""

    effect: Estimate
    statistic: float | None
    df: float | None
    p: float | None
    method: str
    baseline: Estimate | None
    candidate: Estimate | None
    correlation: float | None
    n: Mapping[str, int]
    status: Status
    codes: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Equivalence(Result):
    """Two one-sided tests against +-``bound``; ``equivalent`` is ``None`` where no claim may be made."""

    difference: Estimate
    bound: float
    t_lower: float | None
    p_lower: float | None
    t_upper: float | None
    p_upper: float | None
    p: float | None
    df: float | None
    equivalent: bool | None
    method: str
    n: Mapping[str, int]
    status: Status
    codes: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class PowerPlan(Result):
    """A planned sample size ``n`` (real-valued, not rounded) with the difference, level and power it belongs to."""

    n: float | None
    difference: float | None
    alpha: float
    power: float
    method: str
    status: Status
    codes: tuple[str, ...]
