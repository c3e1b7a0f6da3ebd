"""Results about the common value of several laboratories, runs or epochs."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from metrology.stats.results.codes import Status
from metrology.stats.results.estimate import Estimate, Result


@dataclasses.dataclass(frozen=True)
class Consensus(Result):
    """Random-effects mean, variance between the results, homogeneity test, ``i2`` in percent."""

    mean: Estimate
    between_variance: float | None
    q: float | None
    p_q: float | None
    i2: float | None
    method: str
    n: Mapping[str, int]
    status: Status
    codes: tuple[str, ...]
