"""Charts of items: difficulty against discrimination, and the spread of difficulty."""

from __future__ import annotations

from typing import Any

import altair as alt

from metrology.analysis.base import Analysis
from metrology.report.palette import BLUE, GREY, RED, WIDTH, data, finish

MOST_ITEMS = 4_000


def scatter(analysis: Analysis) -> Any | None:
    """Difficulty and discrimination of each item with the interval of the discrimination; suspects are red."""
    every = [r for r in analysis.table("items").records() if r["item_rest"] is not None]
    if not every:
        return None
    records = sorted(every, key=lambda r: r["item_rest"])[:MOST_ITEMS]
    remark = f" (the {MOST_ITEMS:,} least discriminating of {len(every):,})" if len(every) > MOST_ITEMS else ""
    base = alt.Chart(data(records)).encode(
        x=alt.X("difficulty:Q", title="mean score (left = hard)", axis=alt.Axis(format="%"))
    )
    colour = alt.Color(
        "class:N", title=None, scale=alt.Scale(domain=["ok", "suspect"], range=[BLUE, RED]), legend=alt.Legend()
    )
    layers = [
        alt.Chart(data([{"zero": 0}])).mark_rule(color=GREY, strokeDash=[4, 4]).encode(y="zero:Q"),
        base.mark_point(filled=True, size=45, opacity=0.8).encode(
            y=alt.Y("item_rest:Q", title="item-rest correlation"),
            color=colour,
            tooltip=["item:N", "family:N", "difficulty:Q", "item_rest:Q", "item_rest_low:Q", "item_rest_high:Q",
                     "agents:Q", "trials:Q", "note:N"],
        ),
    ]  # fmt: skip
    if len(records) <= 200:
        layers.insert(1, base.mark_rule(color=GREY, opacity=0.35).encode(y="item_rest_low:Q", y2="item_rest_high:Q"))
    suspects = sum(r["class"] == "suspect" for r in records)
    return finish(
        alt.layer(*layers).properties(width=WIDTH, height=320),
        title=f"Difficulty and discrimination{remark}",
        subtitle=f"{analysis.benchmark} {analysis.version}; {analysis.facts['agents_used']} agents",
        description=f"{len(records)} items; {suspects} lie below zero, where stronger agents do worse.",
    )


def difficulty(analysis: Analysis) -> Any | None:
    """How many items are how hard."""
    records = [r for r in analysis.table("items").records() if r["difficulty"] is not None]
    if not records:
        return None
    bins = [0] * 10
    for record in records:
        bins[min(9, max(0, int(record["difficulty"] * 10)))] += 1
    rows = [{"from": i / 10, "to": (i + 1) / 10, "items": n} for i, n in enumerate(bins)]
    chart = (
        alt.Chart(data(rows))
        .mark_bar(color=BLUE)
        .encode(
            x=alt.X("from:Q", title="mean score (left = hard)", axis=alt.Axis(format="%"), bin="binned"),
            x2="to:Q",
            y=alt.Y("items:Q", title="items"),
            tooltip=["from:Q", "to:Q", "items:Q"],
        )
        .properties(width=WIDTH, height=180)
    )
    return finish(
        chart,
        title="How hard the items are",
        subtitle=f"{analysis.benchmark} {analysis.version}; {len(records):,} items",
        description=f"{bins[9]} of {len(records)} items have a mean of 90 % or more, {bins[0]} below 10 %.",
    )
