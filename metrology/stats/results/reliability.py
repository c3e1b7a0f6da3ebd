"""Results about the consistency of one agent's trials and of the halves of a test."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from metrology.stats.results.codes import Status
from metrology.stats.results.estimate import Estimate, Result


@dataclasses.dataclass(frozen=True)
class TaskVariation(Result):
    """Variance of one agent's single-trial scores between and within items, and shares of items (0..1).

    ``flaky_share`` is a lower bound that grows with the number of trials: compare it only at equal trials per item.
    """

    mean: float | None
    between: float | None
    within: float | None
    total: float | None
    variance_of_task_means: float | None
    flaky_share: float | None
    all_pass_share: float | None
    all_fail_share: float | None
    n: Mapping[str, int]
    status: Status
    codes: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class SplitHalf(Result):
    """Correlation of two halves of the items and the reliabilities of the whole test that follow from it."""

    correlation: Estimate
    spearman_brown: Estimate
    flanagan_rulon: Estimate
    n: Mapping[str, int]
    status: Status
    codes: tuple[str, ...]
