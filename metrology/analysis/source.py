"""What an analysis may read. Counts per cell are sufficient, so a million trials arrive as a few thousand numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from metrology.domain.agent import AgentConfiguration
from metrology.domain.status import Status

Counts = NDArray[np.int64]
Sums = NDArray[np.float64]


@dataclass(frozen=True)
class VersionReference:
    """The benchmark version that was asked for."""

    id: int
    benchmark: str
    label: str
    identity: str


@dataclass(frozen=True)
class ItemReference:
    """One item of the version with its state and family."""

    revision_id: int
    name: str
    state: str
    family: str | None


@dataclass(frozen=True)
class AgentReference:
    """One registered agent."""

    id: int
    name: str
    identity: str
    configuration: AgentConfiguration


@dataclass(frozen=True)
class CampaignReference:
    """One campaign of the version; ``check_standards`` are ids of agents pinned to watch the instrument."""

    id: int
    name: str
    started_at: datetime | None
    check_standards: frozenset[int]


@dataclass(frozen=True)
class CellCounts:
    """Agents x items: trials with a verdict, passed, sum of scores, of squares, without verdict, planned."""

    revision_ids: tuple[int, ...]
    item_names: tuple[str, ...]
    families: tuple[str | None, ...]
    agent_ids: tuple[int, ...]
    n: Counts
    passed: Counts
    total: Sums
    total_squares: Sums
    missing: Counts
    planned: Counts


@dataclass(frozen=True)
class Occasion:
    """What one agent did in one campaign, by item revision."""

    campaign_id: int
    campaign: str
    started_at: datetime | None
    revision_ids: tuple[int, ...]
    n: Counts
    passed: Counts
    total: Sums
    total_squares: Sums
    missing: Counts
    planned: Counts


@dataclass(frozen=True)
class Period:
    """Trials of one agent in one period (the first day of it)."""

    agent_id: int
    day: date
    n: int
    total: float
    passed: int


@dataclass(frozen=True)
class Outcome:
    """One production figure as stored; ``agent_id`` when its name is a registered agent."""

    agent_name: str
    agent_id: int | None
    segment: str
    measure: str
    value: float
    n: int | None
    censored: bool


class Source(Protocol):
    """The reads of an analysis; one consistent snapshot. Unknown names raise NotFoundError."""

    def version(self, benchmark: str, label: str | None) -> VersionReference:
        """The version called ``label``, or the newest."""

    def items(self, version_id: int) -> tuple[ItemReference, ...]:
        """All items of the version, also those that do not count."""

    def campaigns(self, version_id: int) -> tuple[CampaignReference, ...]:
        """All campaigns of the version, oldest first."""

    def agents(self, ids: tuple[int, ...]) -> Mapping[int, AgentReference]:
        """The agents with these ids."""

    def cells(self, version_id: int, campaign_ids: tuple[int, ...] | None) -> CellCounts:
        """Counts of every counted item and every agent, campaigns pooled."""

    def occasions(self, version_id: int, agent_id: int) -> tuple[Occasion, ...]:
        """One entry per campaign in which the agent was measured, oldest first."""

    def status_counts(self, version_id: int, campaign_ids: tuple[int, ...] | None) -> Mapping[tuple[int, Status], int]:
        """Finished trials by agent and status."""

    def periods(self, version_id: int) -> tuple[Period, ...]:
        """Trials by agent and month; trials without a time are left out."""

    def outcomes(self, measure: str | None, segment: str | None) -> tuple[Outcome, ...]:
        """Production figures, all measures and segments unless named."""


def plain(value: Any) -> Any:
    """Return numpy scalars as Python values, so that results hold plain values only."""
    return value.item() if isinstance(value, np.generic) else value
