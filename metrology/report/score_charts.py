"""Charts of agents: scores with both intervals, pass@k and pass^k curves, differences."""

from __future__ import annotations

from typing import Any

import altair as alt

from metrology.analysis.base import Analysis
from metrology.report.palette import BLUE, GREY, ORANGE, RED, WIDTH, cut, data, finish, height

CURVES = {"pass_at_k": "pass@k: at least one of k", "pass_hat_k": "pass^k: all of k"}
MOST_CURVES = 6


def scores(analysis: Analysis) -> Any | None:
    """Scores of the agents, best first: thin line = task population, thick line = fixed suite."""
    fixed = "agents" in analysis.tables
    table = analysis.table("agents" if fixed else "scores")
    low, high = ("low_population", "high_population") if fixed else ("low", "high")
    records = sorted((r for r in table.records() if r["score"] is not None), key=lambda r: -r["score"])
    if not records:
        return None
    records, remark = cut(records, "agents")
    base = alt.Chart(data(records)).encode(y=alt.Y("agent:N", sort=None, title=None))
    tooltip = ["agent:N", "score:Q", f"{low}:Q", f"{high}:Q", "items:Q", "coverage:Q", "note:N"]
    layers = [base.mark_rule(color=GREY).encode(x=alt.X(f"{low}:Q"), x2=f"{high}:Q")]
    if fixed:
        layers.append(base.mark_rule(color=BLUE, strokeWidth=4).encode(x="low_fixed:Q", x2="high_fixed:Q"))
    layers.append(
        base.mark_point(filled=True, size=60, color=BLUE).encode(
            x=alt.X("score:Q", title="score", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1], clamp=True)),
            tooltip=tooltip,
        )
    )
    best = records[0]
    return finish(
        alt.layer(*layers).properties(width=WIDTH, height=height(len(records))),
        title=f"Scores{remark}",
        subtitle=_subtitle(analysis, "thin: tasks like these; thick: these items" if fixed else "tasks like these"),
        description=f"Scores of {len(records)} agents with intervals; best is {best['agent']} at {best['score']:.3f}.",
    )


def attempts(analysis: Analysis) -> Any | None:
    """pass@k and pass^k against k for the first agents that were tried more than once."""
    rows = [r for r in analysis.table("attempts").records() if r["pass_at_k"] is not None]
    agents = [agent for agent in dict.fromkeys(r["agent"] for r in rows) if sum(r["agent"] == agent for r in rows) > 1]
    shown = agents[:MOST_CURVES]
    records = [
        {"agent": r["agent"], "k": r["k"], "curve": label, "value": r[key], "items_used": r["items_used"],
         "items_planned": r["items_planned"], "low": r[f"{key}_low"], "high": r[f"{key}_high"]}
        for r in rows if r["agent"] in shown for key, label in CURVES.items()
    ]  # fmt: skip
    if not records:
        return None
    remark = f" (first {MOST_CURVES} of {len(agents)} agents)" if len(agents) > MOST_CURVES else ""
    chart = (
        alt.Chart(data(records))
        .mark_line(point=True)
        .encode(
            x=alt.X("k:Q", title="tries k", axis=alt.Axis(tickMinStep=1)),
            y=alt.Y("value:Q", title="share of items", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1])),
            color=alt.Color("agent:N"),
            strokeDash=alt.StrokeDash("curve:N", title=None),
            tooltip=["agent:N", "curve:N", "k:Q", "value:Q", "low:Q", "high:Q", "items_used:Q", "items_planned:Q"],
        )
        .properties(width=WIDTH, height=260)
    )
    return finish(
        chart,
        title=f"Does it pass again?{remark}",
        subtitle=_subtitle(analysis, "over items with k trials"),
        description=f"pass@k rises and pass^k falls with k for {len(shown)} agents; see the table for items used.",
    )


def forest(analysis: Analysis) -> Any | None:
    """Differences with intervals; the line at zero means no difference."""
    rows = [r for r in analysis.table("pairs").records() if r["difference"] is not None]
    if not rows:
        return None
    for row in rows:
        row["pair"] = f"{row['candidate']} - {row['baseline']}"
    records, remark = cut(rows, "pairs")
    base = alt.Chart(data(records)).encode(y=alt.Y("pair:N", sort=None, title=None))
    axis = alt.X("difference:Q", title="difference of scores on common items", axis=alt.Axis(format="+%"))
    chart = alt.layer(
        alt.Chart(data([{"zero": 0}])).mark_rule(color=RED, strokeDash=[4, 4]).encode(x="zero:Q"),
        base.mark_rule(color=GREY).encode(x="low:Q", x2="high:Q"),
        base.mark_point(filled=True, size=60, color=ORANGE).encode(
            x=axis,
            tooltip=["pair:N", "difference:Q", "low:Q", "high:Q", "p_adjusted:Q", "common_items:Q", "items:Q",
                     "attribution:N", "changes:N"],
        ),
    ).properties(width=WIDTH, height=height(len(records)))  # fmt: skip
    return finish(
        chart,
        title=f"Differences{remark}",
        subtitle=_subtitle(analysis, "paired on common items"),
        description=f"{len(records)} paired differences with intervals; the red line is no difference.",
    )


def _subtitle(analysis: Analysis, what: str) -> str:
    coverage = analysis.coverage
    share = "" if coverage.share is None else f", coverage {100 * coverage.share:.1f} %"
    return f"{analysis.benchmark} {analysis.version}; {what}; {coverage.measured:,} trials{share}"
