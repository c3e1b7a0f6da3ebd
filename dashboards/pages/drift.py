"""Did the instrument move, or the agent? Every agent that was measured more than once, on the items in common."""

from __future__ import annotations

import streamlit as st
from lib.analysis_view import Section, ask, page_heading, show_answer, show_charts, show_origin, show_sections
from lib.choices import measured_agents, one_or_all
from lib.selection import choose
from lib.tables import Covered, Joined, Span

# The first one is what the analysis does unless told otherwise.
CHARTS = ("individuals", "laney_p")
SECTIONS = (
    Section(
        "verdicts",
        "What moved",
        ("agent", "check_standard", "campaigns", Joined("last campaign - first", "change", "change_low", "change_high"),
         "signals", "verdict", "note"),
        folded=False,
    ),
    Section(
        "points",
        "Points of the chart",
        ("agent", "campaign", "started", "score",
         Joined("difference to the first campaign", "difference", "low", "high"), "common_items",
         Covered(), "center", Span("control limits", "lower_limit", "upper_limit"), "beyond", "run", "note"),
        explanation="One point per campaign of this version. Another version is another chart: its items differ.",
    ),
)  # fmt: skip


def main() -> None:
    page_heading("drift")
    measured = ask("reliability")
    if measured is None:
        return
    agent_place, chart_place = st.columns(2)
    with agent_place:
        agent = one_or_all(
            "Agent (all: check standards, else everyone measured twice)", measured_agents(measured), key="agent"
        )
    with chart_place:
        kind = choose("Control chart of paired differences (individuals) or failures (laney_p)", CHARTS, "chart")
    chart = None if kind == CHARTS[0] else kind
    result = ask("drift", agent=agent, chart=chart)
    if result is None:
        return
    show_answer(result)
    show_charts(result, {})
    show_sections(result, SECTIONS)
    show_origin(result, agent=agent, chart=chart)


if __name__ == "__main__":
    main()
