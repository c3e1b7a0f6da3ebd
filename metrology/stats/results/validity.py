"""Results about the correlation of benchmark scores with outcomes."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from metrology.stats.results.codes import Status
from metrology.stats.results.estimate import Estimate, Result


@dataclasses.dataclass(frozen=True)
class Correlation(Result):
    """A correlation with its interval, test statistic, p and permutation p (``None`` where not offered)."""

    estimate: Estimate
    statistic: float | None
    p: float | None
    p_permutation: float | None
    method: str
    n: Mapping[str, int]
    status: Status
    codes: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class LeaveOneOut(Result):
    """The correlation recomputed without each agent in turn, and its range."""

    low: float | None
    high: float | None
    values: tuple[float | None, ...]
    n: Mapping[str, int]
    status: Status
    codes: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Disattenuated(Result):
    """A correlation corrected for unreliability.

    ``estimate`` is raw and may exceed 1, ``reported`` is clipped to +-1, ``ceiling`` is the largest correlation
    these reliabilities allow to observe.
    """

    estimate: Estimate
    reported: float | None
    ceiling: float | None
    n: Mapping[str, int]
    status: Status
    codes: tuple[str, ...]
