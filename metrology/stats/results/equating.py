"""Results of equating two versions of a benchmark."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from metrology.stats.results.codes import Status
from metrology.stats.results.estimate import Estimate, Result


@dataclasses.dataclass(frozen=True)
class Equating(Result):
    """Scores ``x`` of the old version and what they are worth on the new one, ``y``, in points.

    ``slope`` and ``intercept`` exist for straight-line methods, ``shift`` for mean equating; ``se`` is None per point
    where the method offers none.
    """

    design: str
    method: str
    slope: float | None
    intercept: float | None
    shift: Estimate | None
    x: tuple[float, ...]
    y: tuple[float | None, ...]
    se: tuple[float | None, ...]
    n: Mapping[str, int]
    status: Status
    codes: tuple[str, ...]
