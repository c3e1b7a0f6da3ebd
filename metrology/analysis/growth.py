"""How scores grew over time: monthly means, and a date of saturation only when the data identify one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import date
from typing import Any

from metrology.analysis.base import Column, Table
from metrology.analysis.measured import Measured
from metrology.analysis.source import Period
from metrology.analysis.wording import Notices, count, note_of, percent, share_limits
from metrology.stats.errorbars import clustered_mean
from metrology.stats.results import Estimate, Growth
from metrology.stats.saturation import logistic_growth

FEWEST_MONTHS = 4

MONTH_COLUMNS = (
    Column("month", "month", "date"),
    Column("agents", "agents", "count", "agents"),
    Column("trials", "trials", "count", "trials"),
    Column("mean", "mean of agent scores", "score"),
    Column("low", "low", "score"),
    Column("high", "high", "score"),
    Column("best", "best agent's score", "score"),
    Column("note", "note"),
)
GROWTH_COLUMNS = (
    Column("figure", "figure"),
    Column("value", "value", "number"),
    Column("low", "low", "number"),
    Column("high", "high", "number"),
    Column("unit", "unit"),
    Column("note", "note"),
)


def growth_tables(
    periods: Iterable[Period], measured: Measured, level: float, notices: Notices
) -> tuple[Table, Table, list[str]]:
    """Return monthly means over agents, the logistic fit and sentences.

    The fit is over agents at their first month, not over records, because records are not independent. A date is
    given only when the statistics identify an inflection.
    """
    pool = {agent.id for agent, label in zip(measured.agents, measured.labels, strict=True) if label in measured.pool}
    by_month: dict[date, dict[int, tuple[int, float]]] = defaultdict(dict)
    for period in periods:
        if period.agent_id in pool and period.n:
            month = period.day.replace(day=1)
            n, total = by_month[month].get(period.agent_id, (0, 0.0))
            by_month[month][period.agent_id] = (n + period.n, total + period.total)
    rows = tuple(_month(by_month[month], month, level) for month in sorted(by_month))
    months = Table("Month by month", MONTH_COLUMNS, rows)
    if len(by_month) < FEWEST_MONTHS:
        seen = count(len(by_month), "month")
        said = f"Growth over time is not estimable: trials are dated in {seen}, at least {FEWEST_MONTHS} are needed."
        if not by_month:
            said = "Growth over time is not estimable: no trial carries a date."
        return months, Table("Growth", GROWTH_COLUMNS, ()), [said]
    times, scores = _first_scores(by_month)
    growth = logistic_growth(times, scores, level=level)
    return months, _growth_table(growth), _sentences(months, growth, len(times), notices)


def _month(agents: dict[int, tuple[int, float]], month: date, level: float) -> tuple[Any, ...]:
    means = [total / n for n, total in agents.values()]
    if len(means) > 1:
        estimate = clustered_mean(means, level=level)
        mean, low, high, note = estimate.value, estimate.low, estimate.high, note_of(estimate)
    else:
        mean, low, high, note = means[0], None, None, "one agent: no interval"
    trials = sum(n for n, _ in agents.values())
    return (month.isoformat()[:7], len(means), trials, mean, low, high, max(means), note)


def _first_scores(by_month: dict[date, dict[int, tuple[int, float]]]) -> tuple[list[float], list[float]]:
    first: dict[int, tuple[float, float]] = {}
    for month in sorted(by_month):
        for agent, (n, total) in by_month[month].items():
            first.setdefault(agent, (month.year + (month.month - 0.5) / 12, total / n))
    return [time for time, _ in first.values()], [score for _, score in first.values()]


def _growth_table(growth: Growth) -> Table:
    figures: tuple[tuple[str, Estimate, str], ...] = (
        ("asymptote", growth.asymptote, "score"),
        ("midpoint", growth.midpoint, "year"),
        ("scale", growth.scale, "years"),
        ("t95", growth.t95, "year"),
    )
    rows = [(name, value.value, value.low, value.high, unit, note_of(value)) for name, value, unit in figures]
    for name, value in (("aic_logistic", growth.aic_logistic), ("aic_linear", growth.aic_linear)):
        rows.append((name, value, None, None, "AIC", "a criterion without interval; the smaller fits better"))
    return Table("Logistic growth over agents by their first month", GROWTH_COLUMNS, tuple(rows))


def _sentences(months: Table, growth: Growth, agents: int, notices: Notices) -> list[str]:
    records = list(months.records())
    first, last = records[0], records[-1]
    lines = [
        f"Mean score of the agents measured in {first['month']}: {percent(first['mean'])} "
        f"{share_limits(first['low'], first['high'])} ({count(first['agents'], 'agent')}); in {last['month']}: "
        f"{percent(last['mean'])} {share_limits(last['low'], last['high'])} ({count(last['agents'], 'agent')})."
    ]
    t95 = growth.t95
    if t95.value is None or "NOT_IDENTIFIED" in growth.codes:
        notices.add(
            "NOT_IDENTIFIED",
            f"No date of saturation is given: {count(agents, 'agent')} over {count(len(records), 'month')} do not show "
            "where growth bends. Scores past the bend of the curve would be needed.",
        )
        lines.append("When it will be saturated is not identified by these data.")
    else:
        span = f" [{_when(t95.low)} to {_when(t95.high)}]" if t95.low is not None and t95.high is not None else ""
        lines.append(
            f"95 % of the level at which scores flatten out ({percent(growth.asymptote.value)}) is reached about "
            f"{_when(t95.value)}{span}, if agents keep coming as before."
        )
    return lines


def _when(year: float) -> str:
    months = int(year * 12)
    return f"{months // 12}-{months % 12 + 1:02d}"
