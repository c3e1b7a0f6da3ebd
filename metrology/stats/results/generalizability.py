"""Results of generalizability theory: variance components and decision studies."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from metrology.stats.results.codes import Status
from metrology.stats.results.estimate import Estimate, Result


@dataclasses.dataclass(frozen=True)
class VarianceComponents(Result):
    """Variance of a single score split by source; mappings are keyed by component name.

    ``raw`` may be negative, ``used`` is ``max(0, raw)`` and feeds every figure downstream. ``se`` are normal-theory
    standard errors of ``raw`` (unreliable at few degrees of freedom). ``mean_squares`` and ``df`` are empty where
    the method has none. ``criterion`` is -2 restricted log-likelihood (REML only). ``generalizability`` (relative)
    and ``dependability`` (absolute) hold at the observed numbers of items and trials, as do the error variances of
    one agent's mean score, ``relative_error`` and ``absolute_error``.
    """

    design: str
    method: str
    raw: Mapping[str, float | None]
    used: Mapping[str, float | None]
    se: Mapping[str, float | None]
    mean_squares: Mapping[str, float | None]
    df: Mapping[str, int]
    grand_mean: Estimate
    criterion: float | None
    generalizability: Estimate
    dependability: Estimate
    relative_error: float | None
    absolute_error: float | None
    n: Mapping[str, int]
    status: Status
    codes: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class DStudy(Result):
    """What a benchmark of ``n_items`` items x ``n_trials`` trials would reach; errors are on the score scale.

    ``universe`` is ``items`` (the items are a sample) or ``fixed`` (these items only).
    """

    n_items: int
    n_trials: int
    universe: str
    generalizability: float | None
    dependability: float | None
    sem_relative: float | None
    sem_absolute: float | None
    status: Status
    codes: tuple[str, ...]
