"""Second verdicts: re-grading adds one, and what is in force moves with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, insert, select, update

from metrology.domain.status import Status
from metrology.domain.verdict import Verdict
from metrology.errors import NotFoundError
from metrology.storage.bulk import recount_cells
from metrology.storage.tables import core

_TRIAL = core("trial")
_VERDICT = core("verdict")


@dataclass(frozen=True)
class Regraded:
    """A new verdict of a stored trial; ``status`` is how the trial ended as it is seen now."""

    trial_id: int
    verdict: Verdict
    status: Status = Status.COMPLETED


def record_verdicts(
    connection: Connection, regraded: Sequence[Regraded], platform_version: str, when: datetime
) -> None:
    """Add verdicts to stored trials and put them in force; earlier verdicts stay on record.

    Raises:
        NotFoundError: for an unknown trial; roll the transaction back then.
    """
    touched: dict[int, set[int]] = {}
    for one in regraded:
        old = connection.execute(
            select(_TRIAL.c.campaign_id, _TRIAL.c.revision_id).where(_TRIAL.c.id == one.trial_id).with_for_update()
        ).first()
        if old is None:
            raise NotFoundError(f"there is no trial with id {one.trial_id}", hint="metrology campaign status NAME")
        verdict = one.verdict
        connection.execute(
            insert(_VERDICT).values(
                trial_id=one.trial_id,
                scorer_identity=verdict.scorer,
                score=verdict.score,
                passed=verdict.passed,
                criteria=dict(verdict.criteria),
                evidence=verdict.evidence,
                platform_version=platform_version,
                created_at=when,
            )
        )
        connection.execute(
            update(_TRIAL)
            .where(_TRIAL.c.id == one.trial_id)
            .values(status=one.status.value, score=verdict.score, passed=verdict.passed)
        )
        touched.setdefault(old.campaign_id, set()).add(old.revision_id)
    for campaign_id, revisions in touched.items():
        # Counted anew: taking a score out of a floating sum would leave its rounding behind.
        recount_cells(connection, campaign_id, revisions)
