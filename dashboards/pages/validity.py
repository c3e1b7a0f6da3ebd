"""Does it predict what happens in production? Scores against outcomes, one pair per agent."""

from __future__ import annotations

from lib.analysis_view import Section, ask, page_heading, show_answer, show_charts, show_origin, show_sections
from lib.choices import one_or_all
from lib.messages import command, show_empty, show_no_version
from lib.selection import chosen_version
from lib.tables import Joined, Span
from lib.workspace_access import read

SECTIONS = (
    Section(
        "correlations",
        "Agreement with production",
        ("measure", "segment", "method", Joined("correlation", "value", "low", "high"), "p", "p_permutation", "agents",
         "families", Span("leaving one agent out", "loo_low", "loo_high"), "ceiling", "note"),
        folded=False,
    ),
    Section(
        "pairs",
        "One row per agent",
        ("measure", "segment", "agent", "family", Joined("score", "score", "score_low", "score_high"), "outcome",
         "outcome_n", "censored", "joined_by", "note"),
        folded=False,
    ),
    Section("left_out", "Left out, and why"),
)  # fmt: skip


def main() -> None:
    page_heading("validity")
    if chosen_version() is None:
        show_no_version()
        return
    measures = list(dict.fromkeys(summary.measure for summary in read("outcome_measures")))
    if not measures:
        show_empty(
            "No production outcomes are imported yet. A table with agent, period, segment, measure, value and n is "
            "enough; the same agents must have been measured here.",
            command("outcomes", "import", "OUTCOMES.csv"),
        )
        return
    measure = one_or_all("Measure", measures, key="measure")
    result = ask("validity", measure=measure)
    if result is None:
        return
    show_answer(result)
    show_charts(result, {})
    show_sections(result, SECTIONS)
    show_origin(result, measure=measure)


if __name__ == "__main__":
    main()
