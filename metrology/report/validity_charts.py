"""Chart of scores against production outcomes."""

from __future__ import annotations

from typing import Any

import altair as alt

from metrology.analysis.base import Analysis
from metrology.report.palette import BLUE, GREY, WIDTH, data, finish

MOST_MEASURES = 6


def scatters(analysis: Analysis) -> dict[str, Any]:
    """One scatter per measure and segment; ``scatter`` is the first, others carry measure and segment."""
    rows = list(analysis.table("pairs").records())
    groups = list(dict.fromkeys((row["measure"], row["segment"]) for row in rows))[:MOST_MEASURES]
    found = {}
    for i, (measure, segment) in enumerate(groups):
        chosen = [r for r in rows if (r["measure"], r["segment"]) == (measure, segment) and r["score"] is not None]
        if chosen:
            name = "scatter" if i == 0 else f"scatter {measure} {segment}".rstrip()
            found[name] = _scatter(analysis, measure, segment, chosen)
    return found


def _scatter(analysis: Analysis, measure: str, segment: str, rows: list[dict[str, Any]]) -> Any:
    base = alt.Chart(data(rows)).encode(y=alt.Y("outcome:Q", title=measure, scale=alt.Scale(zero=False)))
    score = alt.X("score:Q", title="score", scale=alt.Scale(zero=False))
    chart = alt.layer(
        base.mark_rule(color=GREY, opacity=0.6).encode(x=alt.X("score_low:Q"), x2="score_high:Q"),
        base.mark_point(filled=True, size=70, color=BLUE).encode(
            x=score,
            tooltip=["agent:N", "family:N", "score:Q", "score_low:Q", "score_high:Q", "outcome:Q", "outcome_n:Q",
                     "joined_by:N", "note:N"],
        ),
        base.mark_text(align="left", dx=7, fontSize=10).encode(x=score, text="agent:N"),
    ).properties(width=WIDTH, height=320)  # fmt: skip
    row = analysis.table("correlations").find(measure=measure, segment=segment, method="Pearson")
    value, low, high = row["value"], row["low"], row["high"]
    said = "undefined" if value is None else f"{value:.2f}"
    limits = f" [{low:.2f}, {high:.2f}]" if low is not None and high is not None else ""
    return finish(
        chart,
        title=f"Score and {measure}{f' ({segment})' if segment else ''}",
        subtitle=f"{analysis.benchmark} {analysis.version}; Pearson {said}{limits}; {len(rows)} agents",
        description=f"{len(rows)} agents by score and {measure}; Pearson correlation {said}{limits}.",
    )
