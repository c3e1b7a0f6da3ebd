"""Results about the length of the tasks an agent can do."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from metrology.stats.results.codes import Status
from metrology.stats.results.estimate import Estimate, Result


@dataclasses.dataclass(frozen=True)
class Horizon(Result):
    """Logistic curve of success on log2 minutes; ``p50`` and ``p80`` are task lengths in minutes."""

    intercept: float | None
    slope: float | None
    p50: Estimate
    p80: Estimate
    se_log2_p50: float | None
    method: str
    n: Mapping[str, int]
    status: Status
    codes: tuple[str, ...]
