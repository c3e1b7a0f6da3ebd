"""Results of the search for change points in a series."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from metrology.stats.results.codes import Status
from metrology.stats.results.estimate import Result


@dataclasses.dataclass(frozen=True)
class ChangePoints(Result):
    """Where the level of a series changes.

    ``last_index`` holds the 1-based last point of every segment but the last, ``means`` the mean of every segment.
    ``statistic`` and ``p`` belong to tests of a single change, ``penalty`` to penalised segmentation.
    """

    last_index: tuple[int, ...]
    means: tuple[float, ...]
    statistic: float | None
    p: float | None
    penalty: float | None
    method: str
    n: Mapping[str, int]
    status: Status
    codes: tuple[str, ...]
