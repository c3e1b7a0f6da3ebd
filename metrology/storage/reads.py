"""Grouped reads for the statistics: a million trials arrive as the counts of their cells, in numpy arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import ColumnElement, Connection, func, select

from metrology.domain.lifecycle import ItemState
from metrology.storage.counting import (
    AgentPeriod,
    CampaignProgress,
    campaign_progress,
    periods,
    status_counts,
)
from metrology.storage.tables import core

__all__ = [
    "AgentPeriod",
    "CampaignProgress",
    "CellTable",
    "OccasionCells",
    "campaign_progress",
    "cell_table",
    "occasion_cells",
    "periods",
    "status_counts",
]

Counts = npt.NDArray[np.int64]
Sums = npt.NDArray[np.float64]

_CAMPAIGN = core("campaign")
_CAMPAIGN_AGENT = core("campaign_agent")
_CAMPAIGN_ITEM = core("campaign_item")
_CELL = core("cell")
_ITEM = core("item")
_REVISION = core("item_revision")
_AGENT = core("agent")
_COUNTED = tuple(state.value for state in ItemState if state.counts)
_SUMS = ("n", "passed", "total", "total_squares", "missing")


@dataclass(frozen=True)
class CellTable:
    """Counts of agents x items, campaigns pooled; every planned item and agent has its place, measured or not.

    Arrays have the shape [agents, items]: ``n`` trials with a verdict, ``passed`` of them, ``total`` and
    ``total_squares`` of their scores, ``missing`` trials without a verdict, ``planned`` trials. ``check_standards``
    are the agents that were only ever measured to watch the instrument.
    """

    revision_ids: tuple[int, ...]
    item_names: tuple[str, ...]
    families: tuple[str | None, ...]
    agent_ids: tuple[int, ...]
    agent_names: tuple[str, ...]
    n: Counts
    passed: Counts
    total: Sums
    total_squares: Sums
    missing: Counts
    planned: Counts
    campaign_ids: tuple[int, ...]
    check_standards: frozenset[int]


@dataclass(frozen=True)
class OccasionCells:
    """What one agent did in one campaign, by item revision: arrays as in :class:`CellTable`, one entry per item."""

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


def cell_table(
    connection: Connection,
    version_id: int,
    *,
    campaign_ids: Sequence[int] | None = None,
    agent_ids: Sequence[int] | None = None,
    counted_only: bool = True,
) -> CellTable:
    """Return the counts of a version: all its campaigns and agents, or the chosen ones.

    ``counted_only`` leaves out quarantined and retired items. Where the plan of a recorded campaign is not known,
    ``planned`` is what was seen, with or without a verdict. A version without campaigns gives arrays of no rows.
    """
    campaigns = connection.execute(
        select(_CAMPAIGN.c.id, _CAMPAIGN.c.trials).where(*_chosen(version_id, campaign_ids)).order_by(_CAMPAIGN.c.id)
    ).all()
    ids = [row.id for row in campaigns]
    agents = _agents(connection, ids, agent_ids)
    items = _items(connection, ids, counted_only=counted_only)
    agent_place = {row.id: place for place, row in enumerate(agents)}
    item_place = {row.id: place for place, row in enumerate(items)}
    shape = (len(agents), len(items))
    arrays = _empty(shape)
    planned = np.zeros(shape, dtype=np.int64)
    members = _members(connection, ids)
    for campaign in campaigns:
        cells = _cells(connection, campaign.id, agent_ids)
        rows = [agent_place.get(agent, -1) for agent in cells[0]]
        columns = [item_place.get(revision, -1) for revision in cells[1]]
        place = (np.array(rows, dtype=np.intp), np.array(columns, dtype=np.intp))
        known = (place[0] >= 0) & (place[1] >= 0)
        place = (place[0][known], place[1][known])
        for name, values in zip(_SUMS, cells[2:], strict=True):
            # A cell stands once in a campaign, so plain indexing adds each.
            arrays[name][place] += np.array(values, dtype=arrays[name].dtype)[known]
        seen = np.zeros(shape, dtype=np.int64)
        seen[place] = (np.array(cells[2], dtype=np.int64) + np.array(cells[6], dtype=np.int64))[known]
        planned += np.maximum(_planned(members[campaign.id], campaign.trials, agent_place, item_place, shape), seen)
    return CellTable(
        revision_ids=tuple(row.id for row in items),
        item_names=tuple(row.name for row in items),
        families=tuple(row.family for row in items),
        agent_ids=tuple(row.id for row in agents),
        agent_names=tuple(row.name for row in agents),
        planned=planned,
        campaign_ids=tuple(ids),
        check_standards=frozenset(row.id for row in agents if row.watched),
        **arrays,
    )


def occasion_cells(
    connection: Connection, version_id: int, agent_id: int, *, counted_only: bool = True
) -> tuple[OccasionCells, ...]:
    """Return one entry per campaign of the version that planned the agent, oldest first: what drift is seen in."""
    query = (
        select(_CAMPAIGN.c.id, _CAMPAIGN.c.name, _CAMPAIGN.c.started_at)
        .join(_CAMPAIGN_AGENT)
        .where(_CAMPAIGN.c.version_id == version_id, _CAMPAIGN_AGENT.c.agent_id == agent_id)
        .order_by(func.coalesce(_CAMPAIGN.c.started_at, _CAMPAIGN.c.created_at), _CAMPAIGN.c.id)
    )
    occasions = []
    for row in connection.execute(query).all():
        table = cell_table(
            connection, version_id, campaign_ids=(row.id,), agent_ids=(agent_id,), counted_only=counted_only
        )
        occasions.append(
            OccasionCells(
                campaign_id=row.id,
                campaign=row.name,
                started_at=row.started_at,
                revision_ids=table.revision_ids,
                n=table.n[0],
                passed=table.passed[0],
                total=table.total[0],
                total_squares=table.total_squares[0],
                missing=table.missing[0],
                planned=table.planned[0],
            )
        )
    return tuple(occasions)


def _chosen(version_id: int, campaign_ids: Sequence[int] | None) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = [_CAMPAIGN.c.version_id == version_id]
    if campaign_ids is not None:
        conditions.append(_CAMPAIGN.c.id.in_(sorted(set(campaign_ids))))
    return conditions


def _agents(connection: Connection, campaigns: Sequence[int], chosen: Sequence[int] | None) -> Sequence[Any]:
    # Watched: a check standard in each campaign it was part of.
    query = (
        select(
            _AGENT.c.id,
            _AGENT.c.name,
            (func.count() == func.count(func.nullif(_CAMPAIGN_AGENT.c.check_standard, False))).label("watched"),
        )
        .join(_CAMPAIGN_AGENT)
        .where(_CAMPAIGN_AGENT.c.campaign_id.in_(campaigns))
        .group_by(_AGENT.c.id, _AGENT.c.name)
        .order_by(_AGENT.c.name, _AGENT.c.id)
    )
    if chosen is not None:
        query = query.where(_AGENT.c.id.in_(sorted(set(chosen))))
    return connection.execute(query).all()


def _items(connection: Connection, campaigns: Sequence[int], *, counted_only: bool) -> Sequence[Any]:
    planned = select(_CAMPAIGN_ITEM.c.revision_id).where(_CAMPAIGN_ITEM.c.campaign_id.in_(campaigns))
    query = (
        select(_REVISION.c.id, _ITEM.c.name, _REVISION.c.family)
        .join(_ITEM)
        .where(_REVISION.c.id.in_(planned))
        .order_by(_ITEM.c.name, _REVISION.c.id)
    )
    if counted_only:
        query = query.where(_ITEM.c.state.in_(_COUNTED))
    return connection.execute(query).all()


def _members(connection: Connection, campaigns: Sequence[int]) -> dict[int, tuple[list[int], list[int]]]:
    """Return the planned (agents, item revisions) of each campaign."""
    members: dict[int, tuple[list[int], list[int]]] = {campaign: ([], []) for campaign in campaigns}
    agents = select(_CAMPAIGN_AGENT.c.campaign_id, _CAMPAIGN_AGENT.c.agent_id)
    for campaign, agent in connection.execute(agents.where(_CAMPAIGN_AGENT.c.campaign_id.in_(campaigns))):
        members[campaign][0].append(agent)
    items = select(_CAMPAIGN_ITEM.c.campaign_id, _CAMPAIGN_ITEM.c.revision_id)
    for campaign, revision in connection.execute(items.where(_CAMPAIGN_ITEM.c.campaign_id.in_(campaigns))):
        members[campaign][1].append(revision)
    return members


def _cells(connection: Connection, campaign_id: int, agent_ids: Sequence[int] | None) -> list[Sequence[Any]]:
    """Return the cells of a campaign by column: agents, revisions, then ``_SUMS``."""
    query = select(_CELL.c.agent_id, _CELL.c.revision_id, *(_CELL.c[name] for name in _SUMS))
    query = query.where(_CELL.c.campaign_id == campaign_id)
    if agent_ids is not None:
        query = query.where(_CELL.c.agent_id.in_(sorted(set(agent_ids))))
    rows = connection.execute(query).all()
    return list(zip(*rows, strict=True)) if rows else [()] * (2 + len(_SUMS))


def _empty(shape: tuple[int, int]) -> dict[str, Any]:
    floats = ("total", "total_squares")
    return {name: np.zeros(shape, dtype=np.float64 if name in floats else np.int64) for name in _SUMS}


def _planned(
    members: tuple[list[int], list[int]],
    trials: int | None,
    agent_place: dict[int, int],
    item_place: dict[int, int],
    shape: tuple[int, int],
) -> Counts:
    planned = np.zeros(shape, dtype=np.int64)
    if trials is not None:
        rows = [agent_place[agent] for agent in members[0] if agent in agent_place]
        columns = [item_place[revision] for revision in members[1] if revision in item_place]
        planned[np.ix_(rows, columns)] = trials
    return planned
