"""Whether cells say what their trials say: the counts that the statistics read are kept beside the trials."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, and_, case, func, select

from metrology.domain.status import WITH_VERDICT
from metrology.storage.tables import core

_TRIAL = core("trial")
_CELL = core("cell")
_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Miscount:
    """A cell whose counts are not those of its trials."""

    campaign_id: int
    revision_id: int
    agent_id: int
    counted: tuple[int, int, float]
    stored: tuple[int, int, float] | None


def miscounted_cells(connection: Connection, limit: int = 20) -> tuple[Miscount, ...]:
    """Return cells that differ from a recount of their trials in (n, missing, total); cells without trials are fine."""
    verdict = and_(_TRIAL.c.status.in_(sorted(WITH_VERDICT)), _TRIAL.c.score.is_not(None))
    key = (_TRIAL.c.campaign_id, _TRIAL.c.revision_id, _TRIAL.c.agent_id)
    recount = (
        select(
            *key,
            func.sum(case((verdict, 1), else_=0)).label("n"),
            func.sum(case((verdict, 0), else_=1)).label("missing"),
            func.sum(case((verdict, _TRIAL.c.score), else_=0.0)).label("total"),
        )
        .group_by(*key)
        .subquery()
    )
    same_cell = and_(
        _CELL.c.campaign_id == recount.c.campaign_id,
        _CELL.c.revision_id == recount.c.revision_id,
        _CELL.c.agent_id == recount.c.agent_id,
    )
    differs = (
        _CELL.c.n.is_(None)
        | (_CELL.c.n != recount.c.n)
        | (_CELL.c.missing != recount.c.missing)
        | (func.abs(_CELL.c.total - recount.c.total) > _TOLERANCE)
    )
    query = (
        select(recount, _CELL.c.n.label("n_stored"), _CELL.c.missing.label("missing_stored"), _CELL.c.total)
        .select_from(recount.outerjoin(_CELL, same_cell))
        .where(differs)
        .limit(limit)
    )
    return tuple(
        Miscount(row[0], row[1], row[2], (row[3], row[4], row[5]), None if row[6] is None else (row[6], row[7], row[8]))
        for row in connection.execute(query)
    )
