"""Joins production outcomes to measured agents: by registered agent, by name, by model; the rest is named."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from metrology.analysis.measured import Measured
from metrology.analysis.source import Outcome

VENDOR_KEYS = ("vendor", "organization", "family")


@dataclass(frozen=True)
class Joined:
    """The outcome of one measured agent, its periods pooled (weighted by cases where all counts are known)."""

    label: str
    value: float
    n: int | None
    censored: bool
    joined_by: str


@dataclass(frozen=True)
class OutcomeGroup:
    """All outcomes of one measure in one segment, and why others could not be used."""

    measure: str
    segment: str
    joined: tuple[Joined, ...]
    left_out: tuple[tuple[str, str], ...]


def group_outcomes(outcomes: Iterable[Outcome], measured: Measured) -> tuple[OutcomeGroup, ...]:
    """Return one group per measure and segment, in the order of first appearance."""
    groups: dict[tuple[str, str], list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        groups[outcome.measure, outcome.segment].append(outcome)
    return tuple(_group(measure, segment, rows, measured) for (measure, segment), rows in groups.items())


def vendor(measured: Measured, label: str) -> str | None:
    """Who makes the model of an agent, when its configuration says so."""
    model = measured.reference(label).configuration.model
    return next((str(model[key]) for key in VENDOR_KEYS if model.get(key)), None)


def outcome_reliability(joined: Iterable[Joined]) -> float | None:
    """Share of the outcome's variance that is not binomial noise; None unless all are rates with a number of cases.

    1 - mean(v (1 - v) / n) / var(v): may be negative when noise explains all of the spread.
    """
    rows = tuple(joined)
    if len(rows) < 3 or any(not row.n or not 0 <= row.value <= 1 for row in rows):
        return None
    values = np.array([row.value for row in rows])
    cases = np.array([row.n or 1 for row in rows], dtype=float)
    spread = float(values.var(ddof=1))
    if spread == 0:
        return None
    return float(1 - np.mean(values * (1 - values) / cases) / spread)


def _group(measure: str, segment: str, rows: list[Outcome], measured: Measured) -> OutcomeGroup:
    found: dict[str, list[tuple[Outcome, str]]] = defaultdict(list)
    left_out: dict[str, str] = {}
    for outcome in rows:
        label, how = _partner(outcome, measured)
        if label is None:
            left_out[outcome.agent_name] = how
        else:
            found[label].append((outcome, how))
    for label in measured.pool:
        if label not in found:
            left_out[label] = "measured, but no outcome"
    joined = tuple(_pooled(label, entries) for label, entries in found.items())
    return OutcomeGroup(measure, segment, joined, tuple(left_out.items()))


def _partner(outcome: Outcome, measured: Measured) -> tuple[str | None, str]:
    pool = [label for label in measured.labels if label in set(measured.pool)]
    references = {label: measured.reference(label) for label in pool}
    for label, agent in references.items():
        if outcome.agent_id == agent.id or outcome.agent_name == agent.identity:
            return label, "agent"
    named = [label for label, agent in references.items() if agent.name == outcome.agent_name]
    if len(named) == 1:
        return named[0], "name"
    if named:
        return None, f"the name belongs to {len(named)} measured configurations; use the identity"
    models = [
        label for label, agent in references.items() if agent.configuration.model.get("requested") == outcome.agent_name
    ]
    if len(models) == 1:
        return models[0], "model"
    if models:
        return None, f"the model was measured in {len(models)} configurations; name one"
    controls = {measured.reference(label).name for label in measured.labels} - {
        agent.name for agent in references.values()
    }
    if outcome.agent_name in controls:
        return None, "a control: it checks the instrument and is no member of the population"
    return None, "outcome, but not measured"


def _pooled(label: str, entries: list[tuple[Outcome, str]]) -> Joined:
    outcomes = [outcome for outcome, _ in entries]
    values = np.array([outcome.value for outcome in outcomes])
    cases = [outcome.n for outcome in outcomes]
    known = [n for n in cases if n]
    if len(known) == len(cases):
        value = float(np.average(values, weights=np.array(known, dtype=float)))
        total: int | None = sum(known)
    else:
        value, total = float(values.mean()), None
    return Joined(label, value, total, any(outcome.censored for outcome in outcomes), entries[0][1])
