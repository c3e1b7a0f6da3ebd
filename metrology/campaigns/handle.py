"""A stored campaign in the hands of a caller: its plan, its state, and running it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from metrology.campaigns.coordinator import STALE_AFTER
from metrology.campaigns.planning import run_campaign, stored_plan
from metrology.campaigns.progress import LiveProgress
from metrology.domain.campaign import CampaignPlan
from metrology.domain.status import Status
from metrology.resources import platform_version
from metrology.storage.campaigns import StoredCampaign, find_campaign, held_by
from metrology.storage.coordinators import lives
from metrology.storage.counting import campaign_progress
from metrology.storage.store import Store
from metrology.storage.tables import CampaignState


@dataclass(frozen=True)
class CampaignStatus:
    """How far a campaign has come; sums are None where no trial says, ``planned`` for recorded results.

    ``coordinated`` says that a coordinator holds it and lives. A campaign that is running without one
    was stopped or killed and waits to be resumed.
    """

    name: str
    state: CampaignState
    planned: int | None
    finished: int
    by_status: Mapping[Status, int]
    attempts: int
    running: int
    cost_usd: float | None
    input_tokens: int | None
    output_tokens: int | None
    started_at: datetime | None
    last_finished_at: datetime | None
    coordinated: bool
    trials_per_second: float | None
    eta_seconds: float | None

    @property
    def standing(self) -> str:
        """The state in one word: "stopped" for a running campaign that nobody runs."""
        return "stopped" if self.state is CampaignState.RUNNING and not self.coordinated else self.state.value


def campaign_status(store: Store, name: str) -> CampaignStatus:
    """Return how far a campaign has come, also while another process runs it.

    The pace is that of the whole run so far; it is None unless the campaign is running.

    Raises:
        NotFoundError: no such campaign.
    """
    with store.read() as conn:
        campaign = find_campaign(conn, name)
        found = campaign_progress(conn, campaign.id)
        held = held_by(conn, campaign.id)
    coordinated = held is not None and lives(held, datetime.now(UTC), STALE_AFTER)
    rate, eta = None, None
    if coordinated and campaign.started_at and found.last_finished_at:
        seconds = (found.last_finished_at - campaign.started_at).total_seconds()
        if seconds > 0 and found.finished and found.planned is not None:
            rate = found.finished / seconds
            eta = (found.planned - found.finished) / rate
    return CampaignStatus(
        name=campaign.name,
        state=campaign.state,
        planned=found.planned,
        finished=found.finished,
        by_status=found.by_status,
        attempts=found.attempts,
        running=found.running,
        cost_usd=found.cost_usd,
        input_tokens=found.input_tokens,
        output_tokens=found.output_tokens,
        started_at=found.started_at,
        last_finished_at=found.last_finished_at,
        coordinated=coordinated,
        trials_per_second=rate,
        eta_seconds=eta,
    )


class CampaignHandle:
    """A planned campaign: ``name``, ``benchmark`` as NAME@VERSION, and what can be done with it."""

    def __init__(self, store: Store, campaign: StoredCampaign, benchmark: str) -> None:
        self._store = store
        self._campaign = campaign
        self.name = campaign.name
        self.benchmark = benchmark

    @property
    def plan(self) -> CampaignPlan:
        """The plan as it was fixed."""
        return stored_plan(self._campaign)

    def run(self, *, concurrency: int = 4, progress: Callable[[LiveProgress], None] | None = None) -> CampaignStatus:
        """Run to the end, or go on after a stop or kill; return how it stands then.

        Raises:
            ConflictError: another coordinator runs it, or it was cancelled.
            StoppedError: the operator stopped it; everything finished is stored.
            StorageError: the store refused a write.
        """
        run_campaign(
            self._store,
            self._campaign,
            platform_version=platform_version(),
            concurrency=concurrency,
            on_progress=progress,
        )
        return campaign_status(self._store, self.name)
