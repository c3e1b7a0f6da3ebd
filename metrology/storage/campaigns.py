"""Campaigns: the plan as it was fixed, its agents and items, and where it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from metrology.errors import ConflictError, NotFoundError
from metrology.storage.coordinators import HeldBy, acquire, heartbeat, held_by, process_start, release
from metrology.storage.lookup import inserted_id, not_found
from metrology.storage.tables import CampaignState, Origin, core

__all__ = [
    "HeldBy",
    "NewCampaign",
    "PlanIds",
    "StoredCampaign",
    "acquire",
    "add_campaign",
    "campaign_by_id",
    "extend_plan",
    "find_campaign",
    "heartbeat",
    "held_by",
    "list_campaigns",
    "plan_ids",
    "process_start",
    "release",
    "set_state",
]

_CAMPAIGN = core("campaign")
_AGENT = core("campaign_agent")
_ITEM = core("campaign_item")


@dataclass(frozen=True)
class NewCampaign:
    """A campaign to be stored. ``trials`` is None for recorded results whose plan is not known.

    ``agent_ids`` are all agents, check standards included; ``check_standards`` says which of them are.
    """

    name: str
    version_id: int
    origin: Origin
    identity: str
    revision_ids: tuple[int, ...]
    agent_ids: tuple[int, ...]
    trials: int | None
    seed: int | None = None
    check_standards: frozenset[int] = frozenset()
    state: CampaignState = CampaignState.PLANNED
    document: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    import_id: int | None = None
    created_at: datetime | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None


@dataclass(frozen=True)
class StoredCampaign:
    """A campaign without its agents and items."""

    id: int
    name: str
    version_id: int
    origin: Origin
    state: CampaignState
    identity: str
    seed: int | None
    trials: int | None
    document: Mapping[str, Any]
    note: str
    import_id: int | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


@dataclass(frozen=True)
class PlanIds:
    """What a campaign measures, as storage ids in rising order; ``check_standards`` is a part of ``agent_ids``."""

    revision_ids: tuple[int, ...]
    agent_ids: tuple[int, ...]
    check_standards: frozenset[int]


def add_campaign(connection: Connection, campaign: NewCampaign) -> int:
    """Store a campaign with its agents and items and return its id.

    Raises:
        ConflictError: when the name is taken.
    """
    taken = connection.execute(select(_CAMPAIGN.c.id).where(_CAMPAIGN.c.name == campaign.name)).scalar()
    if taken is not None:
        raise ConflictError(f"there is a campaign {campaign.name!r} already", hint="give this one another name")
    campaign_id = inserted_id(
        connection,
        insert(_CAMPAIGN).values(
            name=campaign.name,
            version_id=campaign.version_id,
            origin=campaign.origin.value,
            state=campaign.state.value,
            identity=campaign.identity,
            seed=campaign.seed,
            trials=campaign.trials,
            document=dict(campaign.document),
            note=campaign.note,
            import_id=campaign.import_id,
            created_at=campaign.created_at or datetime.now(UTC),
            started_at=campaign.started_at,
            finished_at=campaign.finished_at,
        ),
    )
    extend_plan(connection, campaign_id, campaign.revision_ids, campaign.agent_ids, campaign.check_standards)
    return campaign_id


def extend_plan(
    connection: Connection,
    campaign_id: int,
    revision_ids: tuple[int, ...],
    agent_ids: tuple[int, ...],
    check_standards: frozenset[int] = frozenset(),
) -> None:
    """Add agents and items to a campaign; those it has are left alone. For recorded campaigns that grow by imports."""
    plan = plan_ids(connection, campaign_id)
    items = sorted(set(revision_ids) - set(plan.revision_ids))
    agents = sorted(set(agent_ids) - set(plan.agent_ids))
    if items:
        connection.execute(insert(_ITEM), [{"campaign_id": campaign_id, "revision_id": item} for item in items])
    if agents:
        connection.execute(
            insert(_AGENT),
            [
                {"campaign_id": campaign_id, "agent_id": agent, "check_standard": agent in check_standards}
                for agent in agents
            ],
        )


def find_campaign(connection: Connection, name: str) -> StoredCampaign:
    """Return the campaign of that name.

    Raises:
        NotFoundError: when there is none; the hint lists the closest.
    """
    row = connection.execute(select(_CAMPAIGN).where(_CAMPAIGN.c.name == name)).first()
    if row is None:
        raise not_found("campaign", name, tuple(connection.execute(select(_CAMPAIGN.c.name)).scalars()))
    return _campaign(row)


def campaign_by_id(connection: Connection, campaign_id: int) -> StoredCampaign:
    """Return one campaign.

    Raises:
        NotFoundError: for an unknown id.
    """
    row = connection.execute(select(_CAMPAIGN).where(_CAMPAIGN.c.id == campaign_id)).first()
    if row is None:
        raise NotFoundError(f"there is no campaign with id {campaign_id}", hint="metrology campaign list")
    return _campaign(row)


def list_campaigns(connection: Connection, version_id: int | None = None) -> tuple[StoredCampaign, ...]:
    """Return all campaigns, or those of one version, oldest first."""
    query = select(_CAMPAIGN).order_by(_CAMPAIGN.c.created_at, _CAMPAIGN.c.id)
    if version_id is not None:
        query = query.where(_CAMPAIGN.c.version_id == version_id)
    return tuple(_campaign(row) for row in connection.execute(query))


def set_state(connection: Connection, campaign_id: int, state: CampaignState, when: datetime) -> None:
    """Set the state of a campaign; ``when`` becomes its start (the first time) or its end.

    Raises:
        NotFoundError: for an unknown id.
    """
    campaign = campaign_by_id(connection, campaign_id)
    values: dict[str, Any] = {"state": state.value}
    if state is CampaignState.RUNNING:
        values |= {"started_at": campaign.started_at or when, "finished_at": None}
    elif state in (CampaignState.FINISHED, CampaignState.CANCELLED):
        values |= {"finished_at": when}
    connection.execute(update(_CAMPAIGN).where(_CAMPAIGN.c.id == campaign_id).values(**values))


def plan_ids(connection: Connection, campaign_id: int) -> PlanIds:
    """Return the agents and item revisions of a campaign; empty for an unknown one."""
    items = connection.execute(
        select(_ITEM.c.revision_id).where(_ITEM.c.campaign_id == campaign_id).order_by(_ITEM.c.revision_id)
    ).scalars()
    agents = connection.execute(
        select(_AGENT.c.agent_id, _AGENT.c.check_standard)
        .where(_AGENT.c.campaign_id == campaign_id)
        .order_by(_AGENT.c.agent_id)
    ).all()
    return PlanIds(
        revision_ids=tuple(items),
        agent_ids=tuple(row.agent_id for row in agents),
        check_standards=frozenset(row.agent_id for row in agents if row.check_standard),
    )


def _campaign(row: Row[Any]) -> StoredCampaign:
    return StoredCampaign(
        id=row.id,
        name=row.name,
        version_id=row.version_id,
        origin=Origin(row.origin),
        state=CampaignState(row.state),
        identity=row.identity,
        seed=row.seed,
        trials=row.trials,
        document=row.document,
        note=row.note,
        import_id=row.import_id,
        created_at=row.created_at,
        started_at=row.started_at,
        finished_at=row.finished_at,
    )
