"""Trials, their attempts and verdicts. A finished trial, its verdict and its cell are one transaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, select, update
from sqlalchemy.exc import IntegrityError

from metrology.domain.status import Status
from metrology.domain.trial import FinishedTrial, TrialKey
from metrology.errors import ConflictError
from metrology.storage.bulk import (
    KEY_COLUMNS,
    OPTIONAL_COLUMNS,
    CellCounter,
    add_to_cells,
    insert_rows,
    json_text,
    reserve_ids,
    time_converter,
)
from metrology.storage.regrading import Regraded, record_verdicts
from metrology.storage.tables import core
from metrology.storage.trial_reads import (
    StoredAttempt,
    StoredTrial,
    StoredVerdict,
    TrialRecord,
    count_trials,
    list_trials,
    trial,
)

__all__ = [
    "Regraded",
    "StoredAttempt",
    "StoredTrial",
    "StoredVerdict",
    "TrialRecord",
    "attempt_counts",
    "close_interrupted",
    "count_trials",
    "finished_keys",
    "list_trials",
    "record_failed_attempts",
    "record_finished",
    "record_starts",
    "record_verdicts",
    "reopen_missing",
    "trial",
]

_TRIAL = core("trial")
_ATTEMPT = core("attempt")
# A trial that was run here has no line of a file.
_TRIAL_COLUMNS = ("id", *KEY_COLUMNS, *(column for column in OPTIONAL_COLUMNS if column != "source_line"))
_VERDICT_COLUMNS = (
    "trial_id",
    "scorer_identity",
    "score",
    "passed",
    "criteria",
    "evidence",
    "platform_version",
    "created_at",
)
_ATTEMPT_KEY = ("revision_id", "agent_id", "trial_number", "number")
_ATTEMPT_COLUMNS = (*_ATTEMPT_KEY, "status", "started_at", "finished_at", "detail")
_CLOSE_ATTEMPT = (
    f"ON CONFLICT (campaign_id, {', '.join(_ATTEMPT_KEY)}) "
    "DO UPDATE SET status = excluded.status, finished_at = excluded.finished_at, detail = excluded.detail"
)
_RETRIED = tuple(status.value for status in Status if status.is_retried)


def record_starts(connection: Connection, campaign_id: int, starts: Sequence[tuple[TrialKey, int, datetime]]) -> None:
    """Note that attempts begin: (trial, number of the attempt, time). Until they end their status is None."""
    convert = time_converter(connection)
    rows = [(key.revision_id, key.agent_id, key.number, number, convert(at)) for key, number, at in starts]
    insert_rows(connection, "attempt", (*_ATTEMPT_KEY, "started_at"), rows, fixed={"campaign_id": campaign_id})


def record_failed_attempts(connection: Connection, campaign_id: int, failed: Sequence[FinishedTrial]) -> None:
    """Close the attempts of trials that will be tried again; the trials themselves are not over."""
    convert = time_converter(connection)
    rows = [
        (
            over.key.revision_id,
            over.key.agent_id,
            over.key.number,
            over.attempt.number,
            over.attempt.status.value,
            convert(over.attempt.started_at),
            convert(over.attempt.finished_at),
            over.attempt.detail or None,
        )
        for over in failed
    ]
    _close_attempts(connection, campaign_id, rows)


def record_finished(
    connection: Connection, campaign_id: int, finished: Sequence[FinishedTrial], platform_version: str
) -> None:
    """Store trials that are over: trial, verdict, last attempt and cell. Batches of some tens are cheapest.

    Raises:
        ConflictError: when one of them is stored already; roll the transaction back then.
    """
    if not finished:
        return
    convert = time_converter(connection)
    trials, verdicts, attempts, kinds = [], [], [], []
    for identifier, over in zip(reserve_ids(connection, "trial", len(finished)), finished, strict=True):
        key, usage, verdict, attempt = over.key, over.usage, over.verdict, over.attempt
        score, passed = (None, None) if verdict is None else (verdict.score, verdict.passed)
        place, status = (key.revision_id, key.agent_id, key.number), over.status.value
        started, ended = convert(attempt.started_at), convert(attempt.finished_at)
        kinds.append((*place, status, score, passed))
        attempts.append((*place, attempt.number, attempt.status.value, started, ended, attempt.detail or None))
        trials.append(
            (
                identifier,
                *place,
                status,
                score,
                passed,
                attempt.number + 1,
                started,
                over.duration_seconds,
                usage.input_tokens,
                usage.cached_input_tokens,
                usage.cache_write_tokens,
                usage.output_tokens,
                usage.cost_usd,
                over.answer or None,
                over.transcript,
                over.model_served,
                attempt.detail or None,
            )
        )
        if verdict is not None:
            verdicts.append(
                (
                    identifier,
                    verdict.scorer,
                    verdict.score,
                    verdict.passed,
                    json_text(dict(verdict.criteria)),
                    verdict.evidence,
                    platform_version,
                    ended,
                )
            )
    try:
        insert_rows(connection, "trial", _TRIAL_COLUMNS, trials, fixed={"campaign_id": campaign_id})
    except IntegrityError as error:
        if "uq_trial" not in str(error) and "UNIQUE" not in str(error):
            raise
        raise ConflictError(
            "a trial that is to be stored is stored already", hint="another coordinator ran this campaign; resume it"
        ) from error
    insert_rows(connection, "verdict", _VERDICT_COLUMNS, verdicts)
    _close_attempts(connection, campaign_id, attempts)
    cells = CellCounter(connection, campaign_id)
    cells.add(kinds)
    cells.store()


def finished_keys(connection: Connection, campaign_id: int) -> set[TrialKey]:
    """Return the trials of a campaign that are over, with or without verdict."""
    query = select(_TRIAL.c.revision_id, _TRIAL.c.agent_id, _TRIAL.c.number).where(_TRIAL.c.campaign_id == campaign_id)
    return {TrialKey(*row) for row in connection.execute(query)}


def attempt_counts(connection: Connection, campaign_id: int) -> dict[TrialKey, int]:
    """Return how many attempts each trial had that has some and is not over: the number of its next attempt."""
    over = select(_TRIAL.c.id).where(
        _TRIAL.c.campaign_id == _ATTEMPT.c.campaign_id,
        _TRIAL.c.revision_id == _ATTEMPT.c.revision_id,
        _TRIAL.c.agent_id == _ATTEMPT.c.agent_id,
        _TRIAL.c.number == _ATTEMPT.c.trial_number,
    )
    query = select(_ATTEMPT.c.revision_id, _ATTEMPT.c.agent_id, _ATTEMPT.c.trial_number, _ATTEMPT.c.number).where(
        _ATTEMPT.c.campaign_id == campaign_id, ~over.exists()
    )
    counts: dict[TrialKey, int] = {}
    for revision, agent, trial_number, number in connection.execute(query):
        key = TrialKey(revision, agent, trial_number)
        counts[key] = max(counts.get(key, 0), number + 1)
    return counts


def close_interrupted(connection: Connection, campaign_id: int, when: datetime) -> int:
    """Close attempts that a dead coordinator left running as interrupted; return how many there were."""
    result = connection.execute(
        update(_ATTEMPT)
        .where(_ATTEMPT.c.campaign_id == campaign_id, _ATTEMPT.c.status.is_(None))
        .values(status=Status.INTERRUPTED.value, finished_at=when)
    )
    return result.rowcount


def reopen_missing(connection: Connection, campaign_id: int) -> int:
    """Take back trials that the infrastructure kept from a verdict, so that a resume runs them again.

    Their attempts stay on record. Trials that the scorer or a person set aside are not touched. Returns how many.
    """
    chosen = (
        _TRIAL.c.campaign_id == campaign_id,
        _TRIAL.c.status.in_(_RETRIED),
        _TRIAL.c.score.is_(None),
    )
    rows = connection.execute(select(_TRIAL.c.revision_id, _TRIAL.c.agent_id).where(*chosen)).all()
    if not rows:
        return 0
    cells = Counter((row.revision_id, row.agent_id) for row in rows)
    add_to_cells(
        connection,
        [(campaign_id, *key, 0, 0, 0.0, 0.0, -count) for key, count in sorted(cells.items())],
    )
    connection.execute(delete(_TRIAL).where(*chosen))
    return len(rows)


def _close_attempts(connection: Connection, campaign_id: int, rows: Sequence[tuple[Any, ...]]) -> None:
    # Whether the start of an attempt was noted before or not, it is there afterwards.
    insert_rows(
        connection, "attempt", _ATTEMPT_COLUMNS, rows, fixed={"campaign_id": campaign_id}, suffix=_CLOSE_ATTEMPT
    )
