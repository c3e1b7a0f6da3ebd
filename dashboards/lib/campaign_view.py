"""How far a campaign is, live while it runs, and how its trials ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import streamlit as st

import metrology as mt
from lib.figures import coverage, duration, figure, moment
from lib.messages import show_problem
from lib.plain_text import one_line
from lib.tables import show_records
from lib.workspace_access import workspace

if TYPE_CHECKING:
    from metrology.workspace import StoredCampaign

REFRESH_SECONDS = 2
RUNNING = "running"
NOT_YET = "not known yet"


def show_progress(campaign: StoredCampaign) -> None:
    """Show the progress of a campaign; while it runs, the part redraws itself."""
    every = REFRESH_SECONDS if campaign.state == RUNNING else None
    st.fragment(_draw_progress, run_every=every)(campaign.name, every is not None)


def _draw_progress(name: str, was_running: bool) -> None:
    try:
        progress = workspace().progress(name)
    except mt.MetrologyError as problem:
        show_problem(problem)
        return
    planned, finished = progress.planned, progress.finished
    if planned:
        st.progress(min(1.0, finished / planned))
    running = progress.state == RUNNING
    figures = {
        "Finished": coverage(finished, planned) if planned else f"{finished:,}, plan not known",
        "Attempts": figure(progress.attempts, "count"),
        "Running now": figure(progress.running, "count"),
        "Pace": _live(progress.trials_per_second, running, lambda pace: f"{pace:.2f} trials/s"),
        "Time left": _live(progress.eta_seconds, running, duration),
        "Spent": "not recorded" if progress.cost_usd is None else f"{progress.cost_usd:,.4f} USD",
        "Started": moment(progress.started_at),
        "Last finished": moment(progress.last_finished_at),
    }
    with st.container(horizontal=True, gap="medium"):
        for own_label, text in figures.items():
            with st.container(width=190):
                st.caption(own_label)
                st.text(one_line(text))
    if running:
        st.caption("Running; redrawn every two seconds.")
    show_records(_by_status(progress.by_status), key=f"statuses_{name}")
    if was_running and not running:
        # The rest of the page was drawn while the campaign ran.
        st.rerun()


def _live(value: float | None, running: bool, shown: Callable[[float], str]) -> str:
    if not running:
        return "not running"
    return NOT_YET if value is None else shown(value)


def _by_status(counts: Any) -> list[dict[str, Any]]:
    total = sum(counts.values())
    return [
        {
            "ended as": str(status),
            "kind": status_class(str(status)),
            "counts in the score": "yes" if status_class(str(status)) == "ended" else "no: missing, not failed",
            "trials": number,
            "share": f"{number / total:.3f}",
        }
        for status, number in sorted(counts.items())
    ]


def status_class(status: str) -> str:
    """Return what a status means for the figures, in the words of the platform."""
    return str(mt.Status(status).status_class)
