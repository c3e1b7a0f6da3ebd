"""Trials, which are measured, and attempts, which infrastructure trouble may force several of."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from metrology.domain.status import Status
from metrology.domain.verdict import Verdict


@dataclass(frozen=True)
class Usage:
    """What was spent, in the four token buckets and US dollars; None where it was not measured, never 0."""

    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    cache_write_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True)
class TrialKey:
    """One planned repetition: storage ids of item revision and agent, and the trial's number from 0."""

    revision_id: int
    agent_id: int
    number: int


@dataclass(frozen=True)
class Attempt:
    """One try of a trial, in a fresh box; ``number`` counts from 0 within the trial."""

    number: int
    status: Status
    started_at: datetime
    finished_at: datetime
    detail: str = ""


@dataclass(frozen=True)
class FinishedTrial:
    """A trial that is over: how it ended, the verdict if there is one, and what it took.

    ``attempt`` is the last one; earlier ones were stored when they failed. ``duration_seconds`` is the wall
    time of the agent in the last attempt. ``transcript`` is a blob digest.
    """

    key: TrialKey
    status: Status
    verdict: Verdict | None
    attempt: Attempt
    duration_seconds: float
    usage: Usage
    answer: str = ""
    transcript: str | None = None
    model_served: str | None = None
