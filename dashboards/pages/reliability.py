"""Would it repeat? Scores under both estimands, repeats, where the variance comes from, what a longer plan gives."""

from __future__ import annotations

import streamlit as st
from lib.analysis_view import Section, ask, page_heading, show_answer, show_charts, show_origin, show_sections
from lib.tables import Covered, Joined, Span

SECTIONS = (
    Section(
        "agents",
        "Scores",
        (
            "agent",
            Joined("score, tasks like these", "score", "low_population", "high_population"),
            Joined("score, these very items", "score", "low_fixed", "high_fixed"),
            Covered(),
            Span("if the missing had failed, passed", "lowest_possible", "highest_possible"),
            "items", "trials", "eligible", "control", "note",
        ),
        folded=False,
        explanation="Mean of item means on 0 to 1. Agents in the order of the plan, not a ranking: see Compare.",
    ),
    Section(
        "attempts",
        "Repeated tries: at least one passes, all pass",
        (
            "agent", "k",
            Joined("pass@k (at least one passes)", "pass_at_k", "pass_at_k_low", "pass_at_k_high"),
            Joined("pass^k (all pass)", "pass_hat_k", "pass_hat_k_low", "pass_hat_k_high"),
            "items_used", "items_planned", "note",
        ),
        folded=False,
    ),
    Section("coefficients", "Would the order of the agents come out again?",
            ("name", "universe", Joined("value", "value", "low", "high"), "agents", "items", "trials", "method",
             "note"),
            folded=False),
    Section("components", "Where the variance comes from", explanation="Variance of single trials on 0 to 1, squared."),
    Section("plans", "What another plan would give"),
    Section("attempts_by_item", "Repeated tries, item by item"),
    Section("missing", "Trials without a verdict"),
    Section("unmeasured", "Planned and never measured"),
)  # fmt: skip


def main() -> None:
    page_heading("reliability")
    k = st.number_input(
        "k, tries per item (adds a table item by item)", min_value=1, max_value=1000, value=None, step=1, key="k",
        bind="query-params", width=320,
    )  # fmt: skip
    result = ask("reliability", k=k)
    if result is None:
        return
    show_answer(result)
    show_charts(result, {"scores": "Scores", "attempts": "Repeats", "components": "Variance", "plans": "Plans"})
    show_sections(result, SECTIONS)
    show_origin(result, k=k)


if __name__ == "__main__":
    main()
