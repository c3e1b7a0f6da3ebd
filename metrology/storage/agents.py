"""Agent configurations. Two may share a name, never an identity."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, insert, select, update

from metrology.domain.agent import AgentConfiguration
from metrology.errors import NotFoundError
from metrology.identity import PREFIX
from metrology.storage.lookup import inserted_id, not_found
from metrology.storage.tables import core

_AGENT = core("agent")


@dataclass(frozen=True)
class StoredAgent:
    """A registered agent configuration."""

    id: int
    name: str
    identity: str
    configuration: AgentConfiguration
    moving_alias: str | None
    created_at: datetime


class AddedAgent(NamedTuple):
    """The agent as it is stored, and whether it is new."""

    agent: StoredAgent
    created: bool


def add_agent(connection: Connection, configuration: AgentConfiguration, *, when: datetime | None = None) -> AddedAgent:
    """Register an agent and return it; the same configuration again is the agent that is there.

    Its name stays what it was first called; where it runs (``volatile``) is taken from the newest registration.
    """
    identity = configuration.identity
    row = connection.execute(select(_AGENT).where(_AGENT.c.identity == identity)).first()
    if row is not None:
        volatile = dict(configuration.volatile)
        if volatile and volatile != row.volatile:
            connection.execute(update(_AGENT).where(_AGENT.c.id == row.id).values(volatile=volatile))
            row = connection.execute(select(_AGENT).where(_AGENT.c.id == row.id)).one()
        return AddedAgent(_agent(row), created=False)
    created_at = when or datetime.now(UTC)
    identifier = inserted_id(
        connection,
        insert(_AGENT).values(
            name=configuration.name,
            identity=identity,
            model=dict(configuration.model),
            harness=dict(configuration.harness),
            operations=dict(configuration.operations),
            volatile=dict(configuration.volatile),
            moving_alias=configuration.moving_alias,
            created_at=created_at,
        ),
    )
    stored = StoredAgent(
        identifier, configuration.name, identity, configuration, configuration.moving_alias, created_at
    )
    return AddedAgent(stored, created=True)


def find_agent(connection: Connection, name_or_identity: str) -> StoredAgent:
    """Return the agent of that name, the newest of several, or of that identity or its beginning.

    Raises:
        NotFoundError: when there is none, or the beginning of an identity fits several.
    """
    query = select(_AGENT).order_by(_AGENT.c.id.desc())
    if name_or_identity.startswith(PREFIX):
        rows = connection.execute(
            query.where(_AGENT.c.identity.startswith(name_or_identity, autoescape=True)).limit(2)
        ).all()
        if len(rows) > 1:
            raise NotFoundError(
                f"{name_or_identity} is the beginning of several agents", hint="give more digits of the identity"
            )
    else:
        rows = connection.execute(query.where(_AGENT.c.name == name_or_identity).limit(1)).all()
    if not rows:
        names = tuple(connection.execute(select(_AGENT.c.name).distinct()).scalars())
        raise not_found("agent", name_or_identity, names)
    return _agent(rows[0])


def list_agents(connection: Connection) -> tuple[StoredAgent, ...]:
    """Return all agents by name, oldest first."""
    return tuple(_agent(row) for row in connection.execute(select(_AGENT).order_by(_AGENT.c.name, _AGENT.c.id)))


def agents_by_id(connection: Connection, ids: Iterable[int]) -> dict[int, StoredAgent]:
    """Return ``{id: agent}`` of those ids that exist."""
    query = select(_AGENT).where(_AGENT.c.id.in_(sorted(set(ids)))).order_by(_AGENT.c.id)
    return {row.id: _agent(row) for row in connection.execute(query)}


def _agent(row: Row[Any]) -> StoredAgent:
    configuration = AgentConfiguration(
        name=row.name, model=row.model, harness=row.harness, operations=row.operations, volatile=row.volatile
    )
    return StoredAgent(row.id, row.name, row.identity, configuration, row.moving_alias, row.created_at)
