"""Results about the agreement of raters, graders or repeated verdicts."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from metrology.stats.results.codes import Status
from metrology.stats.results.estimate import Estimate, Result


@dataclasses.dataclass(frozen=True)
class Agreement(Result):
    """Chance-corrected agreement: ``estimate`` = (observed - expected)/(1 - expected), both agreements on 0..1."""

    estimate: Estimate
    observed: float | None
    expected: float | None
    n: Mapping[str, int]
    status: Status
    codes: tuple[str, ...]
