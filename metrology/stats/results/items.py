"""Results of item analysis, differential item functioning and item drift."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from metrology.stats.results.codes import Status
from metrology.stats.results.estimate import Estimate, Result


@dataclasses.dataclass(frozen=True)
class ItemRow(Result):
    """One item: ``difficulty`` (mean score), item-rest correlation, alpha of the test without it."""

    item: str
    difficulty: Estimate
    item_rest: Estimate
    alpha_if_deleted: float | None
    codes: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class ItemTable(Result):
    """All items in the order of the cells, and alpha of the whole test."""

    items: tuple[ItemRow, ...]
    alpha: Estimate
    n: Mapping[str, int]
    status: Status
    codes: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class DifRow(Result):
    """Mantel-Haenszel figures of one item; the odds ratio is reference / focal."""

    item: str
    odds_ratio: Estimate
    log_odds_ratio_variance: float | None
    chi2: float | None
    p: float | None
    delta: float | None
    ets_class: str | None
    standardized_p_difference: float | None
    codes: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class DifTable(Result):
    """Differential item functioning of all items; ``flagged`` holds item labels."""

    items: tuple[DifRow, ...]
    flagged: tuple[str, ...]
    n: Mapping[str, int]
    status: Status
    codes: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class DeltaPlot(Result):
    """Angoff's delta plot: major axis, signed distance of each item, ``flagged`` 0-based positions."""

    slope: float | None
    intercept: float | None
    distance: tuple[float | None, ...]
    flagged: tuple[int, ...]
    n: Mapping[str, int]
    status: Status
    codes: tuple[str, ...]
