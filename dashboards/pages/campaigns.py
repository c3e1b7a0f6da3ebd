"""What is being measured now, and how did each trial end? Campaigns, their trials page by page, one trial in full."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st
from lib.analysis_view import page_heading
from lib.campaign_view import show_progress
from lib.figures import NOT_RECORDED, duration, figure, moment
from lib.messages import command, show_command, show_no_results, show_no_version
from lib.plain_text import one_line
from lib.selection import choose, chosen_version
from lib.tables import show_records
from lib.trial_view import show_trial
from lib.workspace_access import read, workspace

if TYPE_CHECKING:
    from metrology.workspace import StoredCampaign

ANY_STATUS = "all"
TRIALS_A_PAGE = 50


def campaign_rows(campaigns: tuple[StoredCampaign, ...]) -> list[dict[str, object]]:
    """Return one row per campaign, newest first."""
    return [
        {
            "campaign": campaign.name,
            "state": campaign.state,
            "source": campaign.origin,
            "trials per item and agent": NOT_RECORDED if campaign.trials is None else campaign.trials,
            "seed": NOT_RECORDED if campaign.seed is None else str(campaign.seed),
            "started": moment(campaign.started_at),
            "finished": moment(campaign.finished_at),
            "note": campaign.note,
        }
        for campaign in campaigns
    ]


def show_trials(campaign: StoredCampaign) -> None:
    """Show the trials of a campaign page by page, and the one that is chosen in full."""
    progress = workspace().progress(campaign.name)
    counts = {str(status): number for status, number in progress.by_status.items()}
    if not counts:
        st.info("No single trials are stored: nothing has finished yet, or the source published counts only.")
        return
    status = choose("Ended as", [ANY_STATUS, *sorted(counts)], "status")
    wanted = None if status == ANY_STATUS else status
    total = sum(counts.values()) if wanted is None else counts[wanted]
    pages = max(1, -(-total // TRIALS_A_PAGE))
    number = st.pagination(pages, key="trials_page", bind="query-params") if pages > 1 else 1
    first = (number - 1) * TRIALS_A_PAGE
    trials = workspace().trials(campaign.name, status=wanted, offset=first, limit=TRIALS_A_PAGE)
    st.caption(f"{first + 1:,} to {first + len(trials):,} of {total:,} trials")
    show_records(
        [
            {
                "trial": trial.id,
                "item": trial.item,
                "agent": trial.agent,
                "number": trial.key.number + 1,
                "ended as": str(trial.status),
                "score": "no verdict" if trial.score is None else figure(trial.score),
                "attempts": trial.attempts,
                "agent's time": duration(trial.duration_seconds),
                "answer": one_line(trial.answer, limit=80),
            }
            for trial in trials
        ],
        key="trials",
        name=f"trials-{first + 1}",
    )
    names = [str(trial.id) for trial in trials]
    # A link may name a trial of another page of the list.
    asked = st.query_params.get("trial", "")
    chosen = choose("Trial to look at", names if asked in names or not asked.isdecimal() else [asked, *names], "trial")
    if chosen is not None:
        show_trial(workspace().trial(int(chosen)))


def main() -> None:
    page_heading("campaigns")
    version = chosen_version()
    if version is None:
        show_no_version()
        return
    campaigns = tuple(sorted(read("campaigns", version), key=lambda campaign: campaign.id, reverse=True))
    if not campaigns:
        show_no_results(version)
        return
    show_records(campaign_rows(campaigns), key="campaigns", name="campaigns")
    names = {campaign.name: campaign for campaign in campaigns}
    campaign = names[choose("Campaign", list(names), "campaign") or campaigns[0].name]
    st.subheader("Progress")
    show_progress(campaign)
    show_command(command("campaign", "status", campaign.name, "--json"))
    st.subheader("Trials")
    show_trials(campaign)


if __name__ == "__main__":
    main()
