"""How much life is left? Headroom, items that all pass or all fail, and whether the best can still be told apart."""

from __future__ import annotations

import streamlit as st
from lib.analysis_view import Section, ask, page_heading, show_answer, show_charts, show_origin, show_sections
from lib.tables import Joined

DEFAULT_RANK = 5
SECTIONS = (
    Section("summary", "Signs of saturation",
            ("label", Joined("value", "value", "low", "high"), "n", "unit", "note"), folded=False),
    Section("scores", "Scores",
            ("agent", Joined("score", "score", "low", "high"), "items", "coverage", "control", "note")),
    Section("months", "By month",
            ("month", "agents", "trials", Joined("mean score", "mean", "low", "high"), "best", "note")),
    Section("growth", "Growth over time", ("figure", Joined("value", "value", "low", "high"), "note")),
)  # fmt: skip


def main() -> None:
    page_heading("saturation")
    rank = st.number_input(
        "Compare the best agent with the agent at rank", min_value=2, max_value=100, value=DEFAULT_RANK, step=1,
        key="rank", bind="query-params", width=320,
    )  # fmt: skip
    given = None if rank == DEFAULT_RANK else rank
    result = ask("saturation", rank=given)
    if result is None:
        return
    show_answer(result)
    show_charts(result, {"scores": "Scores and headroom", "months": "Over time"})
    show_sections(result, SECTIONS)
    show_origin(result, rank=given)


if __name__ == "__main__":
    main()
