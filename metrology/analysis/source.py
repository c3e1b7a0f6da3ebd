"""What an analysis may read. Counts per cell are sufficient, so a million trials arrive as a few thousand numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date, datetime
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from metrology.domain.agent import AgentConfiguration
from metrology.domain.status import Status
from metrology.storage.agents import agents_by_id
from metrology.storage.benchmarks import find_version
from metrology.storage.campaigns import list_campaigns, plan_ids
from metrology.storage.items import item_summaries
from metrology.storage.observations import observations
from metrology.storage.reads import cell_table, occasion_cells, periods, status_counts

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
    """Agents x items: trials with a verdict, passed, sum of scores, of squares, without verdict, planned.

    ``check_standards`` are ids of agents that were only ever measured to watch the instrument.
    """

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
    check_standards: frozenset[int] = frozenset()


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

    def periods(self, version_id: int, campaign_ids: tuple[int, ...] | None) -> tuple[Period, ...]:
        """Trials by agent and month; trials without a time are left out."""

    def outcomes(self, measure: str | None, segment: str | None) -> tuple[Outcome, ...]:
        """Production figures, all measures and segments unless named."""


class StoreSource:
    """The reads over one connection of ``Store.read()``; figures of one analysis come from one snapshot."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def version(self, benchmark: str, label: str | None) -> VersionReference:
        """The version of that label or identity, or the newest that is not superseded."""
        found = find_version(self._connection, benchmark, label)
        return VersionReference(found.id, found.name, found.label, found.identity)

    def items(self, version_id: int) -> tuple[ItemReference, ...]:
        """All items of the version, also those that do not count."""
        rows = item_summaries(self._connection, version_id)
        return tuple(ItemReference(row.revision_id, row.name, row.state.value, row.family) for row in rows)

    def campaigns(self, version_id: int) -> tuple[CampaignReference, ...]:
        """All campaigns of the version, in the order in which they started."""
        rows = list_campaigns(self._connection, version_id)
        found = [
            CampaignReference(row.id, row.name, row.started_at, plan_ids(self._connection, row.id).check_standards)
            for row in sorted(rows, key=lambda row: (row.started_at or row.created_at, row.id))
        ]
        return tuple(found)

    def agents(self, ids: tuple[int, ...]) -> Mapping[int, AgentReference]:
        """The agents with these ids."""
        rows = agents_by_id(self._connection, ids)
        return {row.id: AgentReference(row.id, row.name, row.identity, row.configuration) for row in rows.values()}

    def cells(self, version_id: int, campaign_ids: tuple[int, ...] | None) -> CellCounts:
        """Counts of every counted item and every agent, campaigns pooled."""
        return _taken(CellCounts, cell_table(self._connection, version_id, campaign_ids=campaign_ids))

    def occasions(self, version_id: int, agent_id: int) -> tuple[Occasion, ...]:
        """One entry per campaign that planned the agent, oldest first."""
        return tuple(_taken(Occasion, row) for row in occasion_cells(self._connection, version_id, agent_id))

    def status_counts(self, version_id: int, campaign_ids: tuple[int, ...] | None) -> Mapping[tuple[int, Status], int]:
        """Finished trials by agent and status."""
        return status_counts(self._connection, version_id, campaign_ids)

    def periods(self, version_id: int, campaign_ids: tuple[int, ...] | None) -> tuple[Period, ...]:
        """Trials by agent and month; trials without a time are left out."""
        return tuple(_taken(Period, row) for row in periods(self._connection, version_id, campaign_ids))

    def outcomes(self, measure: str | None, segment: str | None) -> tuple[Outcome, ...]:
        """Production figures, all measures and segments unless named."""
        return tuple(
            Outcome(
                agent_name=row.observation.agent,
                agent_id=row.agent_id,
                segment=row.observation.segment,
                measure=row.observation.measure,
                value=row.observation.value,
                n=row.observation.n,
                censored=row.observation.censored,
            )
            for row in observations(self._connection, measure=measure, segment=segment)
        )


Taken = TypeVar("Taken", CellCounts, Occasion, Period)


def _taken(kind: type[Taken], row: Any) -> Taken:
    return kind(**{field.name: getattr(row, field.name) for field in fields(kind)})
