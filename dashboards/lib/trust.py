"""Can this version be trusted? One line per question, each with what it rests on and the page that says more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import metrology as mt
from lib.figures import NOT_ESTIMABLE, coverage, with_interval
from lib.workspace_access import analysis, read

if TYPE_CHECKING:
    from metrology.analysis.base import Analysis


@dataclass(frozen=True)
class Finding:
    """What one question gave: a figure or a verdict in words, and what stands behind it."""

    question: str
    finding: str
    rests_on: str
    page: str


def findings(version: str) -> tuple[Finding, ...]:
    """Return what is known of ``version``, question by question; what cannot be said carries the reason."""
    return tuple(_answer(version, *question) for question in QUESTIONS)


def _answer(
    version: str, question: str, name: str, page: str, reading: Callable[[Analysis], tuple[str, str]]
) -> Finding:
    if name == "validity" and not read("outcome_measures"):
        return Finding(question, NOT_ESTIMABLE, "no production outcomes are imported", page)
    try:
        result = analysis(name, version)
    except mt.MetrologyError as problem:
        return Finding(question, NOT_ESTIMABLE, problem.message, page)
    finding, basis = reading(result)
    covered = coverage(result.coverage.measured, result.coverage.planned)
    return Finding(question, finding, f"{basis}; coverage {covered} trials" if basis else f"coverage {covered}", page)


def _repeatability(result: Analysis) -> tuple[str, str]:
    rows = [row for row in result.table("coefficients").records() if row["name"] == "generalizability"]
    if not rows:
        return NOT_ESTIMABLE, str(result.facts.get("refusal") or "no variance components")
    row = rows[0]
    shown = with_interval(row["value"], row["low"], row["high"], "number")
    sizes = ", ".join(f"{row[key]:,} {key}" for key in ("agents", "items", "trials") if row[key] is not None)
    reason = f"; {row['note']}" if row["note"] else ""
    return f"generalizability {shown}", f"{sizes}; estimand: {row['universe']}{reason}"


def _measuring_items(result: Analysis) -> tuple[str, str]:
    facts = result.facts
    shown = f"alpha {with_interval(facts.get('alpha'), facts.get('alpha_low'), facts.get('alpha_high'), 'number')}"
    suspects, constant = len(result.table("suspects").rows), facts.get("constant_items")
    number = len(constant) if isinstance(constant, list | tuple) else constant
    return f"{suspects} suspect, {number} constant items; {shown}", f"{_sizes(result)}; estimand: {result.estimand}"


def _life_left(result: Analysis) -> tuple[str, str]:
    row = result.table("summary").find(figure="headroom")
    shown = with_interval(row["value"], row["low"], row["high"])
    reason = f"; {row['note']}" if row["note"] else ""
    return f"headroom {shown}", f"{_sizes(result)}; estimand: {result.estimand}{reason}"


def _in_words(result: Analysis) -> tuple[str, str]:
    return (result.answer[0] if result.answer else NOT_ESTIMABLE), f"{_sizes(result)}; estimand: {result.estimand}"


def _sizes(result: Analysis) -> str:
    return ", ".join(f"{value:,} {key.replace('_', ' ')}" for key, value in result.provenance.n.items())


QUESTIONS: tuple[tuple[str, str, str, Callable[[Analysis], tuple[str, str]]], ...] = (
    ("Would it repeat?", "reliability", "reliability", _repeatability),
    ("Which items measure?", "items", "items", _measuring_items),
    ("How much life is left?", "saturation", "saturation", _life_left),
    ("Did the instrument or an agent move?", "drift", "drift", _in_words),
    ("Does it predict production?", "validity", "validity", _in_words),
)
