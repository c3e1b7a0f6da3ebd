"""Is A better than B? Differences on common items, and groups within which there is no order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st
from lib.analysis_view import Section, ask, page_heading, show_answer, show_charts, show_origin, show_sections
from lib.choices import measured_agents
from lib.selection import choose
from lib.tables import Joined

if TYPE_CHECKING:
    from metrology.analysis.base import Table

PAIR_VIEW = (
    "baseline", "candidate", "baseline_score", "candidate_score",
    Joined("difference (candidate - baseline)", "difference", "low", "high"),
    "p_adjusted", "common_items", "attribution", "changes", "p",
    "only_baseline_better", "only_candidate_better", "note",
)  # fmt: skip
ALL_PAIRS, ONE_PAIR = "all pairs", "one pair"
SECTIONS = (
    Section(
        "ranking",
        "Groups that cannot be told apart",
        ("rank_group", "agent", Joined("score", "score", "low", "high"), "items", "coverage", "eligible", "note"),
        folded=False,
        explanation="Within a group there is no order: agents stand there by name.",
    ),
    Section("pairs", "Differences on common items", PAIR_VIEW, folded=False),
    Section("isolating", "Pairs that differ in one part only: what a difference may be attributed to"),
    Section("limits", "How trials ended"),
)


def without_order(ranking: Table) -> Table:
    """Return the ranking with the agents of each group by name: their scores do not order them."""
    group, agent = ranking.keys.index("rank_group"), ranking.keys.index("agent")
    groups = list(dict.fromkeys(ranking.values("rank_group")))
    return replace(ranking, rows=tuple(sorted(ranking.rows, key=lambda row: (groups.index(row[group]), row[agent]))))


def main() -> None:
    page_heading("compare")
    measured = ask("reliability")
    if measured is None:
        return
    agents = measured_agents(measured)
    baseline = candidate = None
    if len(agents) > 1 and choose("Compare", (ALL_PAIRS, ONE_PAIR), "pairs") == ONE_PAIR:
        left, right = st.columns(2)
        with left:
            baseline = choose("Baseline", agents, "baseline")
        with right:
            candidate = choose("Candidate", [agent for agent in agents if agent != baseline], "candidate")
    result = ask("compare", baseline=baseline, candidate=candidate)
    if result is None:
        return
    result = replace(result, tables={**result.tables, "ranking": without_order(result.table("ranking"))})
    show_answer(result)
    show_charts(result, {"forest": "Differences with intervals"})
    show_sections(result, SECTIONS)
    show_origin(result, baseline=baseline, candidate=candidate)


if __name__ == "__main__":
    main()
