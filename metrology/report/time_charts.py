"""Charts over time: control charts of drift, and scores month by month."""

from __future__ import annotations

from typing import Any

import altair as alt

from metrology.analysis.base import Analysis
from metrology.report.palette import BLUE, GREY, ORANGE, RED, WIDTH, data, finish

MOST_CONTROLS = 6


def controls(analysis: Analysis) -> dict[str, Any]:
    """One control chart per agent; ``control`` is that of the first agent, others carry the agent's name."""
    rows = list(analysis.table("points").records())
    agents = list(dict.fromkeys(row["agent"] for row in rows))[:MOST_CONTROLS]
    found = {}
    for i, agent in enumerate(agents):
        chart = _control(analysis, agent, [row for row in rows if row["agent"] == agent])
        if chart is not None:
            found["control" if i == 0 else f"control {agent}"] = chart
    return found


def months(analysis: Analysis) -> Any | None:
    """Mean of the agents measured in each month with its interval, and the best agent."""
    records = list(analysis.table("months").records())
    if len(records) < 2:
        return None
    base = alt.Chart(data(records)).encode(x=alt.X("month:O", title="month of the trials"))
    axis = alt.Y("mean:Q", title="score", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1], clamp=True))
    tooltip = ["month:O", "agents:Q", "trials:Q", "mean:Q", "low:Q", "high:Q", "best:Q"]
    chart = alt.layer(
        base.mark_rule(color=GREY).encode(y=alt.Y("low:Q"), y2="high:Q"),
        base.mark_line(color=ORANGE, strokeDash=[4, 3]).encode(y="best:Q"),
        base.mark_line(color=BLUE, point=True).encode(y=axis, tooltip=tooltip),
    ).properties(width=WIDTH, height=240)
    first, last = records[0], records[-1]
    return finish(
        chart,
        title="Scores month by month",
        subtitle="blue: mean of the agents of the month; orange: the best; other agents in other months",
        description=f"Mean {first['mean']:.3f} in {first['month']}, {last['mean']:.3f} in {last['month']}.",
    )


def _control(analysis: Analysis, agent: str, rows: list[dict[str, Any]]) -> Any | None:
    drawn = any(row["center"] is not None for row in rows)
    for row in rows:
        row["shown"] = row["plotted"] if drawn else row["difference"]
        row["signal"] = "signal" if row["beyond"] else "in control"
    rows = [row for row in rows if row["shown"] is not None]
    if not rows:
        return None
    order = [row["campaign"] for row in rows]
    base = alt.Chart(data(rows)).encode(x=alt.X("campaign:N", sort=order, title="campaign, oldest first"))
    laney = analysis.facts.get("chart") == "laney_p" and drawn
    title = "share failed" if laney else "difference to the first campaign"
    axis = alt.Axis(format="%" if laney else "+%")
    colour = alt.Color("signal:N", title=None, scale=alt.Scale(domain=["in control", "signal"], range=[BLUE, RED]))
    layers: list[Any] = []
    if drawn:
        layers += [
            base.mark_line(color=GREY, strokeDash=dash).encode(y=f"{key}:Q")
            for key, dash in (("center", [1, 0]), ("lower_limit", [5, 3]), ("upper_limit", [5, 3]))
        ]
    layers += [
        base.mark_line(color=BLUE, opacity=0.5).encode(y="shown:Q"),
        base.mark_point(filled=True, size=70).encode(
            y=alt.Y("shown:Q", title=title, axis=axis),
            color=colour,
            tooltip=["campaign:N", "started:N", "score:Q", "difference:Q", "low:Q", "high:Q", "common_items:Q",
                     "coverage:Q", "note:N"],
        ),
    ]  # fmt: skip
    signals = sum(row["signal"] == "signal" for row in rows)
    return finish(
        alt.layer(*layers).properties(width=WIDTH, height=240),
        title=f"Did {agent} move?",
        subtitle=f"{analysis.benchmark} {analysis.version}; {analysis.estimand.split(':')[0]}; {len(rows)} campaigns",
        description=f"{len(rows)} campaigns of {agent}; {signals} signals" + ("." if drawn else "; no limits yet."),
    )
