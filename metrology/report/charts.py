"""Charts of an analysis by name. Pure functions of the result; the same figures as its tables, with alt text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from metrology.analysis.base import Analysis
from metrology.report import item_charts, score_charts, time_charts, validity_charts, variance_charts

Chart = Any
"""An ``altair.Chart`` or ``altair.LayerChart``."""

SINGLE: Mapping[str, Mapping[str, Callable[[Analysis], Chart | None]]] = {
    "reliability": {
        "scores": score_charts.scores,
        "attempts": score_charts.attempts,
        "components": variance_charts.components,
        "plans": variance_charts.plans,
    },
    "items": {"scatter": item_charts.scatter, "difficulty": item_charts.difficulty},
    "saturation": {"scores": score_charts.scores, "months": time_charts.months},
    "compare": {"forest": score_charts.forest},
}
SEVERAL: Mapping[str, Callable[[Analysis], dict[str, Chart]]] = {
    "drift": time_charts.controls,
    "validity": validity_charts.scatters,
}


def charts(analysis: Analysis) -> dict[str, Chart]:
    """Return the charts of an analysis by name; one that has nothing to draw is left out."""
    drawn = {name: draw(analysis) for name, draw in SINGLE.get(analysis.name, {}).items()}
    found = {name: chart for name, chart in drawn.items() if chart is not None}
    if analysis.name in SEVERAL:
        found |= SEVERAL[analysis.name](analysis)
    return found


def description(chart: Chart) -> str:
    """Return the alt text of a chart."""
    return str(chart.description)
