"""Counts over trials: how they ended, when they ran, how far a campaign has come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy import Connection, Integer, cast, extract, func, select

from metrology.domain.status import WITH_VERDICT, Status
from metrology.storage.campaigns import campaign_by_id, plan_ids
from metrology.storage.tables import core

_CAMPAIGN = core("campaign")
_TRIAL = core("trial")
_ATTEMPT = core("attempt")
_CELL = core("cell")
_SPENT = ("cost_usd", "input_tokens", "cached_input_tokens", "cache_write_tokens", "output_tokens")


@dataclass(frozen=True)
class AgentPeriod:
    """Trials with a verdict of one agent that started in one month; ``day`` is the first of it."""

    agent_id: int
    day: date
    n: int
    total: float
    passed: int


@dataclass(frozen=True)
class CampaignProgress:
    """How far a campaign has come. Sums of what was measured; None where no trial says.

    ``planned`` is None for recorded results whose plan is not known. ``attempts`` counts all, also of trials that
    are not over; ``running`` are attempts without an end.
    """

    planned: int | None
    finished: int
    by_status: Mapping[Status, int]
    attempts: int
    running: int
    cost_usd: float | None
    input_tokens: int | None
    cached_input_tokens: int | None
    cache_write_tokens: int | None
    output_tokens: int | None
    started_at: datetime | None
    last_finished_at: datetime | None


def status_counts(
    connection: Connection, version_id: int, campaign_ids: Sequence[int] | None = None
) -> dict[tuple[int, Status], int]:
    """Return finished trials by agent and status; sources that published counts only have no trials to count."""
    query = (
        select(_TRIAL.c.agent_id, _TRIAL.c.status, func.count())
        .where(_TRIAL.c.campaign_id.in_(_campaigns(connection, version_id, campaign_ids)))
        .group_by(_TRIAL.c.agent_id, _TRIAL.c.status)
        .order_by(_TRIAL.c.agent_id, _TRIAL.c.status)
    )
    return {(agent, Status(status)): count for agent, status, count in connection.execute(query)}


def periods(
    connection: Connection, version_id: int, campaign_ids: Sequence[int] | None = None
) -> tuple[AgentPeriod, ...]:
    """Return trials with a verdict by agent and month of their start (UTC); trials without a time are left out."""
    # SQLite keeps UTC text, PostgreSQL a moment: there the zone of the session must not decide.
    moment = _TRIAL.c.started_at if connection.dialect.name == "sqlite" else func.timezone("UTC", _TRIAL.c.started_at)
    year, month = extract("year", moment), extract("month", moment)
    query = (
        select(
            _TRIAL.c.agent_id,
            cast(year, Integer),
            cast(month, Integer),
            func.count(),
            func.sum(_TRIAL.c.score),
            func.sum(cast(_TRIAL.c.passed, Integer)),
        )
        .where(
            _TRIAL.c.campaign_id.in_(_campaigns(connection, version_id, campaign_ids)),
            _TRIAL.c.started_at.is_not(None),
            _TRIAL.c.score.is_not(None),
            _TRIAL.c.status.in_(sorted(WITH_VERDICT)),
        )
        .group_by(_TRIAL.c.agent_id, year, month)
        .order_by(_TRIAL.c.agent_id, year, month)
    )
    return tuple(
        AgentPeriod(agent, date(in_year, in_month, 1), n, float(total), int(passed or 0))
        for agent, in_year, in_month, n, total, passed in connection.execute(query)
    )


def campaign_progress(connection: Connection, campaign_id: int) -> CampaignProgress:
    """Return how far a campaign has come.

    Raises:
        NotFoundError: for an unknown id.
    """
    campaign = campaign_by_id(connection, campaign_id)
    plan = plan_ids(connection, campaign_id)
    ended = connection.execute(
        select(
            _TRIAL.c.status, func.count(), func.sum(_TRIAL.c.attempts), *(func.sum(_TRIAL.c[name]) for name in _SPENT)
        )
        .where(_TRIAL.c.campaign_id == campaign_id)
        .group_by(_TRIAL.c.status)
        .order_by(_TRIAL.c.status)
    ).all()
    by_status = {Status(row[0]): row[1] for row in ended}
    spent = {name: _total([row[place] for row in ended]) for place, name in enumerate(_SPENT, start=3)}
    tries = connection.execute(
        select(
            func.count().label("all"),
            (func.count() - func.count(_ATTEMPT.c.status)).label("running"),
            func.max(_ATTEMPT.c.finished_at).label("last"),
        ).where(_ATTEMPT.c.campaign_id == campaign_id)
    ).one()
    counted = connection.execute(
        select(func.coalesce(func.sum(_CELL.c.n + _CELL.c.missing), 0)).where(_CELL.c.campaign_id == campaign_id)
    ).scalar_one()
    planned = None if campaign.trials is None else len(plan.revision_ids) * len(plan.agent_ids) * campaign.trials
    return CampaignProgress(
        planned=planned,
        finished=int(counted),
        by_status=by_status,
        attempts=max(tries.all, sum(row[2] for row in ended)),
        running=tries.running,
        cost_usd=spent["cost_usd"],
        input_tokens=_whole(spent["input_tokens"]),
        cached_input_tokens=_whole(spent["cached_input_tokens"]),
        cache_write_tokens=_whole(spent["cache_write_tokens"]),
        output_tokens=_whole(spent["output_tokens"]),
        started_at=campaign.started_at,
        last_finished_at=tries.last,
    )


def _campaigns(connection: Connection, version_id: int, chosen: Sequence[int] | None) -> list[int]:
    query = select(_CAMPAIGN.c.id).where(_CAMPAIGN.c.version_id == version_id)
    if chosen is not None:
        query = query.where(_CAMPAIGN.c.id.in_(sorted(set(chosen))))
    return list(connection.execute(query).scalars())


def _total(values: Sequence[Any]) -> Any:
    """Return the sum of what is known, None where nothing is."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _whole(value: object) -> int | None:
    # PostgreSQL sums big integers to a decimal.
    return None if value is None else int(str(value))
