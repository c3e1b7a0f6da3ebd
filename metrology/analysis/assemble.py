"""Puts an answer together: provenance, and the warnings that every analysis owes its reader."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import metadata
from typing import Any

from metrology.analysis.base import Analysis, Provenance, Table
from metrology.analysis.measured import LOW_COVERAGE, Measured
from metrology.analysis.request import Request
from metrology.analysis.wording import Notices, count, listed, percent
from metrology.resources import platform_version

LIBRARIES = ("numpy", "scipy", "statsmodels")


def assemble(
    name: str,
    question: str,
    measured: Measured,
    request: Request,
    *,
    estimand: str,
    answer: tuple[str, ...],
    tables: Mapping[str, Table],
    notices: Notices,
    methods: tuple[str, ...],
    facts: Mapping[str, Any],
) -> Analysis:
    """Return the finished analysis of what was measured, standard warnings included."""
    _standard_warnings(measured, notices)
    counts = measured.counts
    return Analysis(
        name=name,
        question=question,
        benchmark=measured.version.benchmark,
        version=measured.version.label,
        identity=measured.version.identity,
        estimand=estimand,
        coverage=measured.coverage,
        answer=answer,
        tables=tables,
        warnings=notices.all(),
        facts=facts,
        provenance=Provenance(
            methods=tuple(dict.fromkeys(method for method in methods if method)),
            seed=request.seed,
            level=request.level,
            n={"agents": len(measured.labels), "items": len(counts.item_names), "trials": int(counts.n.sum())},
            campaigns=tuple(campaign.name for campaign in measured.campaigns),
            code_version=platform_version(),
            libraries={library: metadata.version(library) for library in LIBRARIES},
        ),
    )


def _standard_warnings(measured: Measured, notices: Notices) -> None:
    low = [row for row in measured.coverage.agents if row.share is None or row.share < LOW_COVERAGE]
    for row in low[:10]:
        notices.add(
            "LOW_COVERAGE",
            f"{row.agent}: {row.measured} of {row.planned} planned trials were measured ({percent(row.share)}); "
            f"not eligible for ranking below {percent(LOW_COVERAGE)}. Resume or repeat the campaign.",
        )
    if len(low) > 10:
        notices.add("LOW_COVERAGE", f"{len(low) - 10} more agents have low coverage; see the coverage of each.")
    if measured.one_family:
        notices.add(
            "ONE_FAMILY",
            "All items come from one family; intervals hold for other items of it. Items of ten or more families "
            "would let them hold for tasks of other origin.",
        )
    if measured.items_left_out:
        names = listed(f"{item.name} ({item.state})" for item in measured.items_left_out)
        notices.add("ITEMS_LEFT_OUT", f"{count(len(measured.items_left_out), 'item')} not counted: {names}.")
    if measured.items_not_planned:
        names = listed(measured.items_not_planned)
        total = len(measured.items_not_planned)
        notices.add("ITEMS_NOT_PLANNED", f"{count(total, 'item')} of this version in no chosen campaign: {names}.")
    if measured.left_out_controls:
        names = listed(measured.left_out_controls)
        notices.add(
            "CONTROLS_LEFT_OUT",
            f"{names} check the instrument; they are shown but are not members of the population of agents.",
        )
