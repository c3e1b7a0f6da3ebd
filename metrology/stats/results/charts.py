"""Results of control charts and check standards; all positions are 0-based."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from metrology.stats.results.codes import Status
from metrology.stats.results.estimate import Result


@dataclasses.dataclass(frozen=True)
class ControlChart(Result):
    """A Shewhart-type chart: plotted points, limits per point, positions beyond the limits and of long runs."""

    method: str
    center: float | None
    sigma: float | None
    points: tuple[float | None, ...]
    lower: tuple[float | None, ...]
    upper: tuple[float | None, ...]
    beyond: tuple[int, ...]
    runs: tuple[int, ...]
    dispersion_ratio: float | None
    n: Mapping[str, int]
    status: Status
    codes: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Cusum(Result):
    """Two cumulative sums in units of sigma; ``low_side`` is never positive."""

    high_side: tuple[float | None, ...]
    low_side: tuple[float | None, ...]
    beyond_high: tuple[int, ...]
    beyond_low: tuple[int, ...]
    center: float | None
    sigma: float | None
    method: str
    n: Mapping[str, int]
    status: Status
    codes: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class CheckStandard(Result):
    """A frozen agent measured on several occasions: short-term and occasion sd with their limits."""

    mean: float | None
    repeatability_sd: float | None
    occasion_sd: float | None
    repeatability_sd_limit: float | None
    lower: float | None
    upper: float | None
    between_variance: float | None
    n: Mapping[str, int]
    status: Status
    codes: tuple[str, ...]
