"""Production figures: what an agent did outside the benchmark."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import islice

from sqlalchemy import Connection, func, insert, select, update

from metrology.domain.observation import Observation
from metrology.storage.tables import core

_OBSERVATION = core("observation")
_AGENT = core("agent")
_CHUNK = 2_000


@dataclass(frozen=True)
class StoredObservation:
    """One production figure; ``agent_id`` is the registered agent of that name, None when there is none."""

    id: int
    import_id: int
    agent_id: int | None
    observation: Observation


@dataclass(frozen=True)
class MeasureSummary:
    """One measure in one segment: how many figures there are, of how many agents."""

    measure: str
    segment: str
    figures: int
    agents: int


def add_observations(connection: Connection, import_id: int, observations: Iterable[Observation]) -> int:
    """Store figures and return how many; names of registered agents are joined, the newest of several of one name."""
    rows = connection.execute(select(_AGENT.c.name, _AGENT.c.id).order_by(_AGENT.c.id))
    ids = {row.name: row.id for row in rows}
    pending, count = iter(observations), 0
    while chunk := list(islice(pending, _CHUNK)):
        connection.execute(
            insert(_OBSERVATION),
            [
                {
                    "import_id": import_id,
                    "agent_name": one.agent,
                    "agent_id": ids.get(one.agent),
                    "period_start": _midnight(one.period_start),
                    "period_end": _midnight(one.period_end),
                    "segment": one.segment,
                    "measure": one.measure,
                    "value": one.value,
                    "n": one.n,
                    "censored": one.censored,
                }
                for one in chunk
            ],
        )
        count += len(chunk)
    return count


def join_agent(connection: Connection, agent_id: int, name: str) -> int:
    """Join figures that name an agent no one had registered before to ``agent_id``; return how many."""
    result = connection.execute(
        update(_OBSERVATION)
        .where(_OBSERVATION.c.agent_name == name, _OBSERVATION.c.agent_id.is_(None))
        .values(agent_id=agent_id)
    )
    return result.rowcount


def observations(
    connection: Connection,
    *,
    agent_ids: Iterable[int] | None = None,
    measure: str | None = None,
    segment: str | None = None,
) -> tuple[StoredObservation, ...]:
    """Return figures in the order they came; without a choice of agents also those of unregistered ones."""
    query = select(_OBSERVATION).order_by(_OBSERVATION.c.id)
    if agent_ids is not None:
        query = query.where(_OBSERVATION.c.agent_id.in_(sorted(set(agent_ids))))
    if measure is not None:
        query = query.where(_OBSERVATION.c.measure == measure)
    if segment is not None:
        query = query.where(_OBSERVATION.c.segment == segment)
    return tuple(
        StoredObservation(
            id=row.id,
            import_id=row.import_id,
            agent_id=row.agent_id,
            observation=Observation(
                agent=row.agent_name,
                period_start=_day(row.period_start),
                period_end=_day(row.period_end),
                segment=row.segment,
                measure=row.measure,
                value=row.value,
                n=row.n,
                censored=row.censored,
            ),
        )
        for row in connection.execute(query)
    )


def measures(connection: Connection) -> tuple[MeasureSummary, ...]:
    """Return which measures and segments there are."""
    query = (
        select(
            _OBSERVATION.c.measure,
            _OBSERVATION.c.segment,
            func.count().label("figures"),
            func.count(_OBSERVATION.c.agent_name.distinct()).label("agents"),
        )
        .group_by(_OBSERVATION.c.measure, _OBSERVATION.c.segment)
        .order_by(_OBSERVATION.c.measure, _OBSERVATION.c.segment)
    )
    return tuple(MeasureSummary(row.measure, row.segment, row.figures, row.agents) for row in connection.execute(query))


def _midnight(day: date | None) -> datetime | None:
    return None if day is None else datetime(day.year, day.month, day.day, tzinfo=UTC)


def _day(moment: datetime | None) -> date | None:
    return None if moment is None else moment.date()
