"""Did the instrument or the agent move? Campaign by campaign, on common items, with control limits."""

from __future__ import annotations

from collections.abc import Mapping

from metrology.analysis.assemble import assemble
from metrology.analysis.base import FIXED_SUITE, Analysis, Column, Table
from metrology.analysis.measured import Measured, load
from metrology.analysis.occasions import CHARTS, COLUMNS, FALSE_ALARM, Series, follow
from metrology.analysis.question import Option, Question
from metrology.analysis.request import Request
from metrology.analysis.source import Occasion, Source
from metrology.analysis.wording import Notices, count, limits, listed, percent, points
from metrology.errors import InputError

NAME = "drift"
TEXT = "Did scores move between campaigns, and was it the instrument or the agent?"
MOST_AGENTS = 20

VERDICT_COLUMNS = (
    Column("agent", "agent"),
    Column("check_standard", "check standard", "flag"),
    Column("campaigns", "campaigns", "count", "campaigns"),
    Column("change", "last campaign - first", "difference"),
    Column("change_low", "low", "difference"),
    Column("change_high", "high", "difference"),
    Column("signals", "signals", "count"),
    Column("verdict", "verdict"),
    Column("note", "note"),
)


def analyse(source: Source, request: Request) -> Analysis:
    """Answer for ``agent``, else for the check standards, else for every agent measured in two or more campaigns.

    Points are paired differences to the first campaign on the items common to both, which takes the items' difficulty
    out; trials that infrastructure trouble took are missing, not failed, and shown as coverage.
    """
    request.check_options(tuple(option.name for option in OPTIONS))
    chart, baseline = request.option("chart", str, "individuals"), request.option("baseline", int)
    if chart not in CHARTS:
        raise InputError(f"unknown chart {chart!r}", field="chart", hint=f"charts: {', '.join(CHARTS)}")
    if baseline is not None and baseline < 2:
        raise InputError(f"baseline {baseline} is not 2 or more", field="baseline", hint="20 or more make firm limits")
    measured = load(source, request)
    notices = Notices()
    standards = frozenset(i for campaign in measured.campaigns for i in campaign.check_standards)
    series = {}
    for label in _chosen(measured, standards, request) if len(measured.campaigns) > 1 or request.options else ():
        agent = measured.reference(label)
        wanted = {campaign.id for campaign in measured.campaigns}
        occasions = tuple(o for o in source.occasions(measured.version.id, agent.id) if o.campaign_id in wanted)
        occasions = tuple(_counted(o, measured) for o in occasions)
        if len(occasions) > 1 or request.option("agent", str) is not None:
            series[label] = follow(label, occasions, chart=chart, baseline=baseline, level=request.level)
        if len(series) == MOST_AGENTS:
            notices.add("TOO_MANY_AGENTS", f"The first {MOST_AGENTS} agents are followed; name an agent for others.")
            break
    verdicts = _verdicts(series, standards, measured)
    _warn(series, notices)
    return assemble(
        NAME,
        TEXT,
        measured,
        request,
        estimand=FIXED_SUITE,
        answer=_sentences(verdicts, series),
        tables={
            "verdicts": verdicts,
            "points": Table("Campaign by campaign", COLUMNS, tuple(row for s in series.values() for row in s.rows)),
        },
        notices=notices,
        methods=tuple(s.method for s in series.values()),
        facts={"agents": len(series), "campaigns": len(measured.campaigns), "chart": chart},
    )


def _chosen(measured: Measured, standards: frozenset[int], request: Request) -> tuple[str, ...]:
    name = request.option("agent", str)
    if name is not None:
        return (measured.find(name),)
    pinned = tuple(
        label for label, agent in zip(measured.labels, measured.agents, strict=True) if agent.id in standards
    )
    rest = tuple(label for label in measured.labels if label not in pinned)
    return pinned + rest


def _counted(occasion: Occasion, measured: Measured) -> Occasion:
    counted = set(measured.counts.revision_ids)
    keep = [j for j, revision in enumerate(occasion.revision_ids) if revision in counted]
    if len(keep) == len(occasion.revision_ids):
        return occasion
    arrays = {name: getattr(occasion, name)[keep] for name in ("n", "passed", "total", "total_squares", "missing",
                                                               "planned")}  # fmt: skip
    revisions = tuple(occasion.revision_ids[j] for j in keep)
    return Occasion(occasion.campaign_id, occasion.campaign, occasion.started_at, revisions, **arrays)


def _verdicts(series: Mapping[str, Series], standards: frozenset[int], measured: Measured) -> Table:
    rows = []
    for label, s in series.items():
        pinned = measured.reference(label).id in standards
        change, low, high = s.change
        note = s.note or ("" if low is not None else "no interval is defined for these data")
        if change is None and not note:
            note = "no common items"
        rows.append((label, pinned, s.campaigns, change, low, high, s.signals, _verdict(s, pinned=pinned), note))
    return Table("What moved", VERDICT_COLUMNS, tuple(rows))


def _verdict(series: Series, *, pinned: bool) -> str:
    _, low, high = series.change
    differs = low is not None and high is not None and not low <= 0 <= high
    if series.signals is None:
        if series.campaigns < 2 or low is None:
            return "not estimable"
        return "the last campaign differs from the first" if differs else "no difference shown, too few for a chart"
    if not series.signals:
        return "no signal, but the last campaign differs from the first" if differs else "no signal"
    if series.last_beyond:
        return "moved: the instrument or its surroundings" if pinned else "moved: agent or instrument"
    return "beyond the limits before, inside them now"


def _warn(series: Mapping[str, Series], notices: Notices) -> None:
    short = [label for label, s in series.items() if s.short_baseline]
    if short:
        notices.add(
            "SHORT_BASELINE",
            f"{listed(short)}: fewer than 20 campaigns set the limits; Student's t widens them; provisional. "
            "Repeat the check standard in every campaign until 20 stand.",
        )
    for label, s in series.items():
        gaps = [f"{name} ({percent(share)})" for name, share in s.low_coverage]
        if gaps:
            notices.add(
                "INFRASTRUCTURE",
                f"{label}: trials without a verdict in {listed(gaps)}; they are missing, not failed, and no drift.",
            )


def _sentences(verdicts: Table, series: Mapping[str, Series]) -> tuple[str, ...]:
    if not series:
        return (
            "Drift is not estimable: no agent was measured in two campaigns. Pin a check standard and repeat it in "
            "every campaign.",
        )
    lines = []
    records = list(verdicts.records())
    standards = [record for record in records if record["check_standard"]]
    for record in (standards or records)[:5]:
        s = series[record["agent"]]
        lines.append(
            f"{record['agent']}{' (check standard)' if record['check_standard'] else ''}: {record['verdict']} over "
            f"{count(record['campaigns'], 'campaign')}; last against first {points(record['change'])} "
            f"{limits(record['change_low'], record['change_high'])} on {count(s.common_items, 'common item')}, "
            f"coverage {percent(s.coverage)}."
        )
        if s.signals:
            lines.append(f"Beyond the limits: {listed(s.signal_names)} (chance alone: {FALSE_ALARM:.2%} of points).")
        if s.runs:
            lines.append(f"Seven or more on one side, ending at {listed(s.runs)}: a slow shift is possible.")
    if not standards:
        lines.append(
            "There is no check standard, so a moved instrument cannot be told from moved agents; pin one agent."
        )
    elif any(r["signals"] for r in records if not r["check_standard"]) and not any(r["signals"] for r in standards):
        moved = listed(r["agent"] for r in records if r["signals"])
        lines.append(f"The check standard stood still while {moved} moved: not the instrument, the agent moved.")
    return tuple(lines)


OPTIONS = (
    Option("agent", "text", "", "the agent to follow (default: check standards, then all)"),
    Option("chart", "text", "individuals", "individuals or laney_p"),
    Option("baseline", "int", "", "how many first campaigns set the limits (default: all)"),
)
QUESTION = Question(NAME, TEXT, OPTIONS, analyse)
