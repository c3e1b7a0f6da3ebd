"""Results about headroom, growth and trend."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from metrology.stats.results.codes import Status
from metrology.stats.results.estimate import Estimate, Result


@dataclasses.dataclass(frozen=True)
class Saturation(Result):
    """How much room a benchmark has left; shares and scores on 0..1, ``negative_discrimination`` counts items."""

    n_items: int
    all_pass: int | None
    all_fail: int | None
    ceiling_share: float | None
    top_score: float | None
    headroom: float | None
    mean_item_variance: float | None
    pairs_separated: float | None
    negative_discrimination: int | None
    n: Mapping[str, int]
    status: Status
    codes: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class SaturationIndex(Result):
    """S = exp(-R^2) with R the gap between two ranks over its standard error."""

    index: float | None
    normalized_gap: float | None
    gap: float | None
    standard_error: float | None
    top: float | None
    other: float | None
    effective_n: float | None
    method: str
    n: Mapping[str, int]
    status: Status
    codes: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Growth(Result):
    """Logistic growth of scores over time; ``t95`` (95 % of the asymptote) only where an inflection was seen."""

    asymptote: Estimate
    midpoint: Estimate
    scale: Estimate
    t95: Estimate
    residual_sd: float | None
    log_likelihood: float | None
    aic_logistic: float | None
    aic_linear: float | None
    n: Mapping[str, int]
    status: Status
    codes: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Trend(Result):
    """A robust straight line: slope with interval, intercept."""

    slope: Estimate
    intercept: float | None
    n: Mapping[str, int]
    status: Status
    codes: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class MannKendall(Result):
    """Rank test for a monotone trend."""

    s: float | None
    variance: float | None
    z: float | None
    p: float | None
    tau: float | None
    n: Mapping[str, int]
    status: Status
    codes: tuple[str, ...]
