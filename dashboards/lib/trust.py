"""Can this version be trusted? One line per question, each with what it rests on and the page that says more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import metrology as mt
from lib.figures import NOT_ESTIMABLE, coverage, with_interval
from lib.workspace_access import analysis, read

if TYPE_CHECKING:
    from metrology.analysis.base import Analysis


# How the analysis calls the two estimands in its table of coefficients.
ESTIMANDS = {"items": "task population", "fixed": "fixed suite"}


class Reading(NamedTuple):
    """The words that one analysis comes down to, and what they rest on."""

    finding: str
    rests_on: str


@dataclass(frozen=True)
class Finding:
    """What one question gave: a figure or a verdict in words, and what stands behind it."""

    page: str
    finding: str
    rests_on: str


def findings(version: str) -> tuple[Finding, ...]:
    """Return what is known of ``version``, question by question; what cannot be said carries the reason."""
    return tuple(_answer(version, page, reading) for page, reading in READINGS)


def _answer(version: str, page: str, reading: Callable[[Analysis], Reading]) -> Finding:
    if page == "validity" and not read("outcome_measures"):
        return Finding(page, NOT_ESTIMABLE, "no production outcomes are imported")
    try:
        result = analysis(page, version)
    except mt.MetrologyError as problem:
        return Finding(page, NOT_ESTIMABLE, problem.message)
    found = reading(result)
    covered = coverage(result.coverage.measured, result.coverage.planned)
    return Finding(page, found.finding, f"{found.rests_on}; coverage {covered} trials")


def _repeatability(result: Analysis) -> Reading:
    rows = [row for row in result.table("coefficients").records() if row["value"] is not None]
    if not rows:
        return Reading(NOT_ESTIMABLE, f"{result.facts.get('refusal') or 'no variance components'}; {_sizes(result)}")
    # The first one with an interval: a coefficient without one is no answer yet.
    row = next((row for row in rows if row["low"] is not None), rows[0])
    sizes = ", ".join(f"{key} {row[key]:,}" for key in ("agents", "items", "trials") if row[key] is not None)
    return Reading(
        f"{row['name']} {with_interval(row['value'], row['low'], row['high'], 'number')}",
        _joined(sizes, f"estimand: {ESTIMANDS.get(row['universe'], row['universe'])}", row["note"]),
    )


def _measuring_items(result: Analysis) -> Reading:
    facts = result.facts
    alpha = with_interval(facts["alpha"], facts["alpha_low"], facts["alpha_high"], "number")
    return Reading(
        f"{facts['suspects']:,} of {facts['items_used']:,} items suspect, {facts['constant_items']:,} constant; "
        f"alpha {alpha}",
        _joined(_sizes(result), f"estimand: {result.estimand}"),
    )


def _life_left(result: Analysis) -> Reading:
    return _in_words(result, sentences=3)


def _in_words(result: Analysis, sentences: int = 1) -> Reading:
    said = " ".join(result.answer[:sentences]) or NOT_ESTIMABLE
    return Reading(said, _joined(_sizes(result), f"estimand: {result.estimand}"))


def _sizes(result: Analysis) -> str:
    return ", ".join(f"{key.replace('_', ' ')} {value:,}" for key, value in result.provenance.n.items())


def _joined(*parts: str) -> str:
    return "; ".join(part for part in parts if part)


READINGS: tuple[tuple[str, Callable[[Analysis], Reading]], ...] = (
    ("reliability", _repeatability),
    ("items", _measuring_items),
    ("saturation", _life_left),
    ("drift", _in_words),
    ("validity", _in_words),
)
