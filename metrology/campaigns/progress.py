"""How far a running campaign is, and when it will be over."""

from __future__ import annotations

import time
from collections import Counter, deque
from dataclasses import dataclass, field

from metrology.domain.status import Status

# The rate is taken over this many seconds, so that the estimate follows a change of pace.
WINDOW_SECONDS = 30.0


@dataclass(frozen=True)
class LiveProgress:
    """A moment of a running campaign. ``eta_seconds`` is None until a rate is known."""

    planned: int
    finished: int
    by_status: dict[str, int]
    retries: int
    cost_usd: float | None
    trials_per_second: float | None
    eta_seconds: float | None


@dataclass
class ProgressMeter:
    """Counts finished trials and estimates the time that remains from the recent pace."""

    planned: int
    finished: int = 0
    retries: int = 0
    cost_usd: float | None = None
    statuses: Counter[str] = field(default_factory=Counter)
    _marks: deque[tuple[float, int]] = field(default_factory=deque)

    def trial_finished(self, status: Status, cost_usd: float | None) -> None:
        """Count one trial."""
        self.finished += 1
        self.statuses[status.value] += 1
        if cost_usd is not None:
            self.cost_usd = (self.cost_usd or 0.0) + cost_usd

    def snapshot(self) -> LiveProgress:
        """Return where the campaign stands now."""
        now = time.monotonic()
        self._marks.append((now, self.finished))
        while len(self._marks) > 2 and now - self._marks[0][0] > WINDOW_SECONDS:
            self._marks.popleft()
        since, before = self._marks[0]
        rate = (self.finished - before) / (now - since) if now - since > 0 and self.finished > before else None
        remaining = self.planned - self.finished
        return LiveProgress(
            planned=self.planned,
            finished=self.finished,
            by_status=dict(self.statuses),
            retries=self.retries,
            cost_usd=self.cost_usd,
            trials_per_second=rate,
            eta_seconds=remaining / rate if rate else None,
        )
