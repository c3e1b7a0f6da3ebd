"""Charts of the variance split and of what other plans would give."""

from __future__ import annotations

from typing import Any

import altair as alt

from metrology.analysis.base import Analysis
from metrology.report.palette import WIDTH, data, finish


def components(analysis: Analysis) -> Any | None:
    """One bar: how much of the variance of a single trial comes from where."""
    records = [r for r in analysis.table("components").records() if r["share"] is not None]
    if not records:
        return None
    chart = (
        alt.Chart(data(records))
        .mark_bar()
        .encode(
            x=alt.X("share:Q", title="share of one trial's variance", axis=alt.Axis(format="%"), stack="zero"),
            color=alt.Color("label:N", title=None, sort=[r["label"] for r in records]),
            order=alt.Order("component:N"),
            tooltip=["label:N", "share:Q", "variance:Q", "se:Q", "note:N"],
        )
        .properties(width=WIDTH, height=50)
    )
    parts = ", ".join(f"{r['label']} {100 * r['share']:.0f} %" for r in records)
    return finish(
        chart,
        title="Where the spread comes from",
        subtitle=f"{analysis.benchmark} {analysis.version}; {analysis.facts.get('method')}",
        description=f"Variance of a single trial: {parts}.",
    )


def plans(analysis: Analysis) -> Any | None:
    """Generalizability against the number of items, one line per number of trials."""
    rows = analysis.table("plans").records()
    records = [r for r in rows if r["universe"] == "items" and r["generalizability"] is not None]
    if not records:
        return None
    chart = (
        alt.Chart(data(records))
        .mark_line(point=True)
        .encode(
            x=alt.X("items:Q", title="items", scale=alt.Scale(zero=False)),
            y=alt.Y("generalizability:Q", title="generalizability", scale=alt.Scale(domain=[0, 1])),
            color=alt.Color("trials:O", title="trials per item"),
            tooltip=["items:Q", "trials:Q", "runs_per_agent:Q", "generalizability:Q", "dependability:Q",
                     "sem_absolute:Q"],
        )
        .properties(width=WIDTH, height=240)
    )  # fmt: skip
    now, best = records[0], max(records, key=lambda r: r["generalizability"])
    return finish(
        chart,
        title="What another plan would give",
        subtitle=f"now {now['items']} items x {now['trials']} trials: {now['generalizability']:.2f}; tasks like these",
        description=(
            f"Generalizability {now['generalizability']:.2f} now; {best['generalizability']:.2f} with {best['items']} "
            f"items x {best['trials']} trials."
        ),
    )
