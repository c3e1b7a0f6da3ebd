"""Trials one by one, for lists and detail pages. Statistics read cells instead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, func, select

from metrology.domain.status import Status
from metrology.domain.trial import TrialKey, Usage
from metrology.errors import NotFoundError
from metrology.storage.tables import core

_TRIAL = core("trial")
_ATTEMPT = core("attempt")
_VERDICT = core("verdict")
_ITEM = core("item")
_REVISION = core("item_revision")
_AGENT = core("agent")


@dataclass(frozen=True)
class StoredTrial:
    """A finished trial; ``score`` and ``passed`` are the verdict in force, None where there is none."""

    id: int
    campaign_id: int
    key: TrialKey
    item: str
    agent: str
    status: Status
    score: float | None
    passed: bool | None
    attempts: int
    started_at: datetime | None
    duration_seconds: float | None
    usage: Usage
    answer: str
    transcript: str | None
    model_served: str | None
    detail: str
    source_line: int | None


@dataclass(frozen=True)
class StoredAttempt:
    """One try of a trial; ``status`` and ``finished_at`` are None while it runs."""

    number: int
    status: Status | None
    started_at: datetime
    finished_at: datetime | None
    detail: str


@dataclass(frozen=True)
class StoredVerdict:
    """What a scorer of ours said; the newest is in force."""

    id: int
    scorer: str
    score: float
    passed: bool
    criteria: Mapping[str, float]
    evidence: str
    platform_version: str
    created_at: datetime


@dataclass(frozen=True)
class TrialRecord:
    """A trial with all its attempts and verdicts, oldest first."""

    trial: StoredTrial
    attempts: tuple[StoredAttempt, ...]
    verdicts: tuple[StoredVerdict, ...]


def list_trials(
    connection: Connection,
    campaign_id: int,
    *,
    status: Status | None = None,
    revision_id: int | None = None,
    agent_id: int | None = None,
    offset: int = 0,
    limit: int = 100,
) -> tuple[StoredTrial, ...]:
    """Return one page of the trials of a campaign, by item revision, agent and number."""
    query = (
        _narrowed(_select(), campaign_id, status, revision_id, agent_id)
        .order_by(_TRIAL.c.revision_id, _TRIAL.c.agent_id, _TRIAL.c.number)
        .offset(offset)
        .limit(limit)
    )
    return tuple(_trial(row) for row in connection.execute(query))


def count_trials(
    connection: Connection,
    campaign_id: int,
    *,
    status: Status | None = None,
    revision_id: int | None = None,
    agent_id: int | None = None,
) -> int:
    """Return how many trials :func:`list_trials` pages through."""
    query = select(func.count()).select_from(_TRIAL)
    return int(connection.execute(_narrowed(query, campaign_id, status, revision_id, agent_id)).scalar_one())


def trial(connection: Connection, trial_id: int) -> TrialRecord:
    """Return a trial with its attempts and verdicts.

    Raises:
        NotFoundError: for an unknown id.
    """
    row = connection.execute(_select().where(_TRIAL.c.id == trial_id)).first()
    if row is None:
        raise NotFoundError(f"there is no trial with id {trial_id}", hint="metrology campaign status NAME lists trials")
    found = _trial(row)
    attempts = connection.execute(
        select(_ATTEMPT)
        .where(
            _ATTEMPT.c.campaign_id == found.campaign_id,
            _ATTEMPT.c.revision_id == found.key.revision_id,
            _ATTEMPT.c.agent_id == found.key.agent_id,
            _ATTEMPT.c.trial_number == found.key.number,
        )
        .order_by(_ATTEMPT.c.number)
    )
    verdicts = connection.execute(select(_VERDICT).where(_VERDICT.c.trial_id == trial_id).order_by(_VERDICT.c.id))
    return TrialRecord(
        found,
        tuple(
            StoredAttempt(
                number=tried.number,
                status=None if tried.status is None else Status(tried.status),
                started_at=tried.started_at,
                finished_at=tried.finished_at,
                detail=tried.detail or "",
            )
            for tried in attempts
        ),
        tuple(
            StoredVerdict(
                id=said.id,
                scorer=said.scorer_identity,
                score=said.score,
                passed=said.passed,
                criteria=said.criteria,
                evidence=said.evidence,
                platform_version=said.platform_version,
                created_at=said.created_at,
            )
            for said in verdicts
        ),
    )


def _select() -> Select[Any]:
    # The joins are on keys and after the narrowing, so a page costs its own rows only.
    return select(_TRIAL, _ITEM.c.name.label("item"), _AGENT.c.name.label("agent")).select_from(
        _TRIAL.join(_REVISION, _REVISION.c.id == _TRIAL.c.revision_id)
        .join(_ITEM, _ITEM.c.id == _REVISION.c.item_id)
        .join(_AGENT, _AGENT.c.id == _TRIAL.c.agent_id)
    )


def _narrowed(
    query: Select[Any], campaign_id: int, status: Status | None, revision_id: int | None, agent_id: int | None
) -> Select[Any]:
    query = query.where(_TRIAL.c.campaign_id == campaign_id)
    if status is not None:
        query = query.where(_TRIAL.c.status == status.value)
    if revision_id is not None:
        query = query.where(_TRIAL.c.revision_id == revision_id)
    if agent_id is not None:
        query = query.where(_TRIAL.c.agent_id == agent_id)
    return query


def _trial(row: Row[Any]) -> StoredTrial:
    return StoredTrial(
        id=row.id,
        campaign_id=row.campaign_id,
        key=TrialKey(row.revision_id, row.agent_id, row.number),
        item=row.item,
        agent=row.agent,
        status=Status(row.status),
        score=row.score,
        passed=row.passed,
        attempts=row.attempts,
        started_at=row.started_at,
        duration_seconds=row.duration_seconds,
        usage=Usage(row.input_tokens, row.cached_input_tokens, row.cache_write_tokens, row.output_tokens, row.cost_usd),
        answer=row.answer or "",
        transcript=row.transcript,
        model_served=row.model_served,
        detail=row.detail or "",
        source_line=row.source_line,
    )
