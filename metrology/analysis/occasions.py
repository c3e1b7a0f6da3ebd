"""One agent over campaigns: paired differences to the first campaign and the control chart of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import stats as distributions

from metrology.analysis.base import Column
from metrology.analysis.measured import LOW_COVERAGE
from metrology.analysis.source import Occasion
from metrology.analysis.wording import note_of, reasons
from metrology.stats.cells import Cells
from metrology.stats.charts import individuals_chart, laney_p_chart
from metrology.stats.compare import paired_difference
from metrology.stats.errorbars import agent_score
from metrology.stats.results import ControlChart, Estimate

CHARTS = ("individuals", "laney_p")
FEWEST_CAMPAIGNS = 3
FIRM_BASELINE = 20
FALSE_ALARM = 0.0027
"""Chance that a point of a campaign in which nothing moved falls beyond three-sigma limits."""

COLUMNS = (
    Column("agent", "agent"),
    Column("campaign", "campaign"),
    Column("started", "started", "date"),
    Column("position", "number", "count"),
    Column("score", "score", "score"),
    Column("difference", "difference to the first campaign", "difference"),
    Column("low", "low", "difference"),
    Column("high", "high", "difference"),
    Column("common_items", "common items", "count", "items"),
    Column("measured", "trials measured", "count", "trials"),
    Column("planned", "trials planned", "count", "trials"),
    Column("coverage", "coverage", "score"),
    Column("plotted", "plotted", "number"),
    Column("center", "center", "number"),
    Column("lower_limit", "lower limit", "number"),
    Column("upper_limit", "upper limit", "number"),
    Column("beyond", "beyond the limits", "flag"),
    Column("run", "long run on one side", "flag"),
    Column("note", "note"),
)


@dataclass(frozen=True)
class Series:
    """One agent over its campaigns. ``signals`` counts points beyond the limits, None where no chart can be drawn.

    ``runs`` names campaigns that end seven or more on one side: a hint of a slow shift, not a signal, because with 20
    and more campaigns chance alone makes one in several charts.
    """

    rows: tuple[tuple[Any, ...], ...]
    campaigns: int
    change: tuple[float | None, float | None, float | None]
    signals: int | None
    signal_names: tuple[str, ...]
    runs: tuple[str, ...]
    common_items: int
    coverage: float | None
    low_coverage: tuple[tuple[str, float], ...]
    short_baseline: bool
    method: str
    note: str

    @property
    def last_beyond(self) -> bool:
        """True when the newest campaign lies beyond the limits."""
        return bool(self.rows) and bool(self.rows[-1][[column.key for column in COLUMNS].index("beyond")])


def follow(label: str, occasions: tuple[Occasion, ...], *, chart: str, baseline: int | None, level: float) -> Series:
    """Return the points and limits of one agent, campaigns oldest first.

    Points with coverage below ``LOW_COVERAGE`` are shown but not judged. Limits are 3 sigma; with a baseline shorter
    than ``FIRM_BASELINE`` they are t limits with the same false-alarm rate of 0.27 % per point.
    """
    cells = _by_campaign(occasions)
    first = cells.agents[0] if cells.agents else ""
    differences = [_difference(cells, first, name, level) for name in cells.agents]
    judged = [_covered(o) >= LOW_COVERAGE for o in occasions]
    limits, note = _chart(occasions, differences, judged, chart, baseline)
    rows = []
    for i, (occasion, difference) in enumerate(zip(occasions, differences, strict=True)):
        score = agent_score(cells, cells.agents[i], universe="fixed", level=level).value
        rows.append(_row(label, i, occasion, difference, score, limits, judged[i], note))
    signals = None if limits is None else limits.beyond
    last = differences[-1] if len(differences) > 1 else None
    gaps = [(o.campaign, _covered(o)) for o in occasions]
    measured, planned = sum(int(o.n.sum()) for o in occasions), sum(int(o.planned.sum()) for o in occasions)
    return Series(
        rows=tuple(rows),
        campaigns=len(occasions),
        change=(last.value, last.low, last.high) if last else (None, None, None),
        signals=None if signals is None else len(signals),
        signal_names=tuple(occasions[i].campaign for i in signals or ()),
        runs=tuple(occasions[i].campaign for i in (limits.runs if limits else ())),
        common_items=int((cells.n > 0).all(axis=0).sum()) if len(occasions) else 0,
        coverage=measured / planned if planned else None,
        low_coverage=tuple((name, share) for name, share in gaps if share < 1),
        short_baseline=limits is not None and "SHORT_BASELINE" in limits.codes,
        method=limits.method if limits else "paired difference of item means, CR2",
        note=note,
    )


def _by_campaign(occasions: tuple[Occasion, ...]) -> Cells:
    revisions = sorted({revision for occasion in occasions for revision in occasion.revision_ids})
    column = {revision: j for j, revision in enumerate(revisions)}
    shape = len(occasions), len(revisions)
    n, total, squares = np.zeros(shape, dtype=np.int64), np.zeros(shape), np.zeros(shape)
    for i, occasion in enumerate(occasions):
        columns = [column[revision] for revision in occasion.revision_ids]
        n[i, columns], total[i, columns], squares[i, columns] = occasion.n, occasion.total, occasion.total_squares
    return Cells.from_sums(n, total, squares, agents=[str(o.campaign_id) for o in occasions], items=revisions)


def _difference(cells: Cells, first: str, name: str, level: float) -> Estimate:
    if name == first:
        zero = {"items": int((cells.n[0] > 0).sum())}
        return Estimate.of(0.0, method="the first campaign itself", n=zero, codes=(), level=level)
    found = paired_difference(cells, first, name, level=level)
    return replace(found.effect, n={**found.effect.n, "items": found.n.get("items", 0)})


def _covered(occasion: Occasion) -> float:
    planned = int(occasion.planned.sum())
    return int(occasion.n.sum()) / planned if planned else 0.0


def _chart(
    occasions: tuple[Occasion, ...],
    differences: list[Estimate],
    judged: list[bool],
    chart: str,
    baseline: int | None,
) -> tuple[ControlChart | None, str]:
    if len(occasions) < FEWEST_CAMPAIGNS:
        need = f"{FEWEST_CAMPAIGNS} campaigns or more are needed for limits"
        return None, f"no limits with {len(occasions)} campaign{'s' if len(occasions) != 1 else ''}: {need}"
    first = min(baseline or len(occasions), len(occasions))
    used = sum(judged[:first])
    if used < FEWEST_CAMPAIGNS:
        return None, f"no limits: only {used} baseline campaigns have enough coverage"
    limit = _limit(used)
    if chart == "laney_p":
        failed = [float((o.n - o.passed).sum()) if ok else math.nan for o, ok in zip(occasions, judged, strict=True)]
        sizes = [float(o.n.sum()) if ok else math.nan for o, ok in zip(occasions, judged, strict=True)]
        found = laney_p_chart(failed, sizes, baseline=first, limit=limit)
    else:
        found_values = [d.value for d in differences]
        values = [v if ok and v is not None else math.nan for v, ok in zip(found_values, judged, strict=True)]
        found = individuals_chart(values, baseline=first, limit=limit)
    if found.center is None:
        return None, reasons(found.codes) or "no limits are defined for these data"
    return found, reasons(found.codes, skip=("SHORT_BASELINE",))


def _limit(points: int) -> float:
    # A new point and a mean of `points` values: t with points - 1 degrees of freedom, at the rate of 3 sigma.
    if points >= FIRM_BASELINE:
        return 3.0
    return float(distributions.t.ppf(1 - FALSE_ALARM / 2, points - 1)) * math.sqrt(1 + 1 / points)


def _row(
    label: str,
    i: int,
    occasion: Occasion,
    difference: Estimate,
    score: float | None,
    chart: ControlChart | None,
    judged: bool,
    chart_note: str,
) -> tuple[Any, ...]:
    planned = int(occasion.planned.sum())
    drawn = (chart.points[i], chart.center, chart.lower[i], chart.upper[i]) if chart else (None,) * 4
    notes = ["the first campaign itself" if i == 0 else note_of(difference)]
    if not judged:
        notes.append(f"coverage below {100 * LOW_COVERAGE:.0f} %: shown, not judged")
    elif None in drawn:
        notes.append(chart_note or "no limits are defined for this point")
    started = occasion.started_at.isoformat() if occasion.started_at else None
    values = (score, difference.value, difference.low, difference.high)
    counted = (int(difference.n.get("items", 0)), int(occasion.n.sum()), planned, _covered(occasion))
    flags = (chart is not None and i in chart.beyond, chart is not None and i in chart.runs)
    note = "; ".join(text for text in notes if text)
    return (label, occasion.campaign, started, i + 1, *values, *counted, *drawn, *flags, note)
