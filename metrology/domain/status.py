"""How a trial ended. A status is never a boolean: no verdict is not a zero."""

from __future__ import annotations

from enum import StrEnum


class StatusClass(StrEnum):
    """What a status means for the measurement."""

    ENDED = "ended"
    INFRASTRUCTURE = "infrastructure"
    INSTRUMENT = "instrument"
    OPERATOR = "operator"
    UNKNOWN = "unknown"
    INTEGRITY = "integrity"


class Status(StrEnum):
    """How one trial (or one attempt) ended."""

    COMPLETED = "completed"
    AGENT_TIMEOUT = "agent_timeout"
    AGENT_ERROR = "agent_error"
    LIMIT_REACHED = "limit_reached"
    REFUSED = "refused"
    SANDBOX_ERROR = "sandbox_error"
    RATE_LIMITED = "rate_limited"
    PROVIDER_ERROR = "provider_error"
    OUT_OF_RESOURCES = "out_of_resources"
    INTERRUPTED = "interrupted"
    SCORER_ERROR = "scorer_error"
    SCORER_TIMEOUT = "scorer_timeout"
    JUDGE_ERROR = "judge_error"
    SIMULATOR_ERROR = "simulator_error"
    CANCELLED = "cancelled"
    CONFIG_ERROR = "config_error"
    UNKNOWN_ERROR = "unknown_error"
    HELD = "held"
    INVALID = "invalid"

    @property
    def status_class(self) -> StatusClass:
        """The class that decides what the status means for the figures."""
        return CLASS_OF[self]

    @property
    def has_verdict(self) -> bool:
        """True when the scorer looked at what the agent left, so that the trial counts."""
        return self.status_class is StatusClass.ENDED

    @property
    def is_retried(self) -> bool:
        """True when the trial is run again as a whole in a fresh box: the infrastructure failed, not the agent."""
        return self.status_class is StatusClass.INFRASTRUCTURE


CLASS_OF: dict[Status, StatusClass] = {
    Status.COMPLETED: StatusClass.ENDED,
    Status.AGENT_TIMEOUT: StatusClass.ENDED,
    Status.AGENT_ERROR: StatusClass.ENDED,
    Status.LIMIT_REACHED: StatusClass.ENDED,
    Status.REFUSED: StatusClass.ENDED,
    Status.SANDBOX_ERROR: StatusClass.INFRASTRUCTURE,
    Status.RATE_LIMITED: StatusClass.INFRASTRUCTURE,
    Status.PROVIDER_ERROR: StatusClass.INFRASTRUCTURE,
    Status.OUT_OF_RESOURCES: StatusClass.INFRASTRUCTURE,
    # The coordinator died while the attempt ran: nothing is known of the agent, so it is run again.
    Status.INTERRUPTED: StatusClass.INFRASTRUCTURE,
    Status.SCORER_ERROR: StatusClass.INSTRUMENT,
    Status.SCORER_TIMEOUT: StatusClass.INSTRUMENT,
    Status.JUDGE_ERROR: StatusClass.INSTRUMENT,
    Status.SIMULATOR_ERROR: StatusClass.INSTRUMENT,
    Status.CANCELLED: StatusClass.OPERATOR,
    Status.CONFIG_ERROR: StatusClass.OPERATOR,
    Status.UNKNOWN_ERROR: StatusClass.UNKNOWN,
    Status.HELD: StatusClass.INTEGRITY,
    Status.INVALID: StatusClass.INTEGRITY,
}

WITH_VERDICT: frozenset[Status] = frozenset(status for status in Status if status.has_verdict)
