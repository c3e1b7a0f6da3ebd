"""Where the spread of scores comes from: agents, items, their interplay, trials; and what another plan would give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from metrology.analysis.base import Column, Table
from metrology.analysis.blocks import complete_block
from metrology.analysis.wording import Notices, count, note_of, number, reasons
from metrology.errors import InputError
from metrology.stats.cells import Cells
from metrology.stats.generalizability import d_study, variance_components
from metrology.stats.reliability import cronbach_alpha
from metrology.stats.results import VarianceComponents

ONE_TRIAL = "not estimable with one trial"
LARGEST_REML = 200_000_000
"""Largest (smaller side)^2 x (larger side) of an unbalanced table: beyond it the fit takes minutes on two cores."""

LABELS = {
    "agent": "agents differ",
    "item": "items differ in difficulty",
    "agent:item": "agents differ item by item",
    "trial": "trials of one agent on one item differ",
    "residual": "agent by item and trial noise together",
}

COMPONENT_COLUMNS = (
    Column("component", "component"),
    Column("label", "what it is"),
    Column("variance", "variance used", "number"),
    Column("raw", "raw estimate", "number"),
    Column("se", "standard error", "number"),
    Column("share", "share of one trial's variance", "score"),
    Column("mean_square", "mean square", "number"),
    Column("df", "degrees of freedom", "number"),
    Column("note", "note"),
)
COEFFICIENT_COLUMNS = (
    Column("name", "coefficient"),
    Column("universe", "universe"),
    Column("value", "value", "number"),
    Column("low", "low", "number"),
    Column("high", "high", "number"),
    Column("agents", "agents", "count", "agents"),
    Column("items", "items", "count", "items"),
    Column("trials", "trials per cell", "count", "trials"),
    Column("method", "method"),
    Column("note", "note"),
)
PLAN_COLUMNS = (
    Column("items", "items", "count", "items"),
    Column("trials", "trials per item", "count", "trials"),
    Column("runs_per_agent", "runs per agent", "count", "trials"),
    Column("universe", "universe"),
    Column("generalizability", "generalizability", "number"),
    Column("dependability", "dependability", "number"),
    Column("sem_relative", "relative standard error", "score"),
    Column("sem_absolute", "absolute standard error", "score"),
    Column("note", "note"),
)


@dataclass(frozen=True)
class VarianceAnswer:
    """Variance split of a pool of agents with its tables; ``components`` is None where it was refused."""

    components: VarianceComponents | None
    tables: dict[str, Table]
    sentences: tuple[str, ...]
    trials: int
    balanced: bool
    refusal: str = ""


def split(cells: Cells, plans: tuple[tuple[int, int], ...], level: float, notices: Notices) -> VarianceAnswer:
    """Split the variance of the pool: ANOVA where every cell holds the same number of trials, else REML.

    Refused in words when fewer than two agents or items were measured, or when an unbalanced table is beyond
    ``LARGEST_REML``.
    """
    n = cells.n
    trials = int(np.median(n[n > 0])) if (n > 0).any() else 0
    balanced = bool(n.size and (n == n.flat[0]).all() and n.flat[0] > 0)
    refusal = _refusal(cells, balanced=balanced)
    if refusal:
        notices.add("NOT_ESTIMABLE", f"Variance is not split: {refusal}")
        empty = {
            "components": Table("Variance components", COMPONENT_COLUMNS, ()),
            "coefficients": Table("Reliability coefficients", COEFFICIENT_COLUMNS, ()),
            "plans": Table("What another plan would give", PLAN_COLUMNS, ()),
        }
        return VarianceAnswer(
            None,
            empty,
            (f"Reliability of the comparison between agents is not estimable: {refusal}",),
            trials,
            balanced,
            refusal,
        )
    method = "anova" if balanced else "reml"
    components = variance_components(cells, method=method, level=level)
    _warn(components, notices)
    chosen = plans or default_plans(len(cells.items), trials)
    tables = {
        "components": _components_table(components),
        "coefficients": _coefficients_table(components, cells, trials, level),
        "plans": _plans_table(components, chosen),
    }
    sentences = _sentences(components, tables["coefficients"], cells, trials)
    return VarianceAnswer(components, tables, sentences, trials, balanced)


def default_plans(items: int, trials: int) -> tuple[tuple[int, int], ...]:
    """Plans worth looking at: as now, one trial, twice the trials, half or twice or four times the items."""
    half = max(1, trials // 2)
    found = [
        (items, trials), (items, 1), (items, 2 * trials), (max(1, items // 2), trials), (2 * items, trials),
        (2 * items, half), (4 * items, half), (4 * items, 1),
    ]  # fmt: skip
    return tuple(dict.fromkeys(found))


def parse_plans(value: Any) -> tuple[tuple[int, int], ...]:
    """Return ``"12x4, 24x2"`` (or pairs) as (items, trials); raises InputError for anything else."""
    if not value:
        return ()
    parts = value.split(",") if isinstance(value, str) else list(value)
    plans = []
    for part in parts:
        pair = part.lower().split("x") if isinstance(part, str) else list(part)
        try:
            items, trials = (int(number_) for number_ in pair)
        except ValueError as problem:
            raise InputError(f"plan {part!r} is not ITEMSxTRIALS", field="plans", hint="write 12x4,24x2") from problem
        if items < 1 or trials < 1:
            raise InputError(f"plan {part!r} has no items or trials", field="plans", hint="write 12x4,24x2")
        plans.append((items, trials))
    return tuple(plans)


def _refusal(cells: Cells, *, balanced: bool) -> str:
    agents, items = cells.n.shape
    if agents < 2:
        return f"{count(agents, 'agent')} in the pool; at least two agents are needed to see whether they differ."
    if items < 2:
        return f"{count(items, 'item')} measured; at least two items are needed."
    if not balanced and min(agents, items) ** 2 * max(agents, items) > LARGEST_REML:
        most = int((LARGEST_REML / items) ** 0.5)
        return (
            f"{agents} agents x {items} items with unequal trials is more than the REML fit takes in reasonable time; "
            f"choose about {most} agents, or measure every cell equally often."
        )
    return ""


def _warn(components: VarianceComponents, notices: Notices) -> None:
    if "CONFOUNDED" in components.codes:
        notices.add(
            "ONE_TRIAL",
            f"Trial noise, pass^2 and consistency are {ONE_TRIAL}: it cannot be told from agent-by-item differences. "
            "Measure every item at least twice.",
        )
    negative = [name for name, raw in components.raw.items() if raw is not None and raw < 0]
    if negative:
        names = ", ".join(f"{name} {number(components.raw[name], 6)}" for name in negative)
        notices.add("NEGATIVE_ESTIMATE", f"Negative variance estimates, cut at 0 downstream: {names}.")
    agents = components.n.get("agents", 0)
    if agents < 10:
        notices.add(
            "FEW_AGENTS",
            f"{count(agents, 'agent')}: reliability belongs to this pool and is uncertain; read its interval. "
            "Ten or more agents of the kind that is to be compared would narrow it.",
        )


def _components_table(components: VarianceComponents) -> Table:
    used = {name: value for name, value in components.used.items() if value is not None}
    total = sum(used.values())
    rows = []
    for name, raw in components.raw.items():
        value, square = components.used.get(name), components.mean_squares.get(name)
        df, se = components.df.get(name), components.se.get(name)
        notes = []
        if value is None:
            notes.append(reasons(components.codes) or "undefined for these data")
        if raw is not None and raw < 0:
            notes.append("negative estimate, cut at 0")
        if name == "residual":
            notes.append(f"trial noise is {ONE_TRIAL}")
        if square is None or se is None:
            notes.append(f"{components.method}: no mean square or standard error")
        share = value / total if value is not None and total > 0 else None
        if share is None and not notes:
            notes.append("no variance at all")
        rows.append((name, LABELS.get(name, name), value, raw, se, share, square, df, "; ".join(notes)))
    if "residual" in components.raw:
        note = f"{ONE_TRIAL}: not separable from agent by item"
        rows.append(("trial", LABELS["trial"], None, None, None, None, None, None, note))
    return Table(f"Variance components ({components.method}, {components.design})", COMPONENT_COLUMNS, tuple(rows))


def _coefficients_table(components: VarianceComponents, cells: Cells, trials: int, level: float) -> Table:
    agents, items = cells.n.shape
    rows: list[tuple[Any, ...]] = []
    for name, estimate in (
        ("generalizability", components.generalizability),
        ("dependability", components.dependability),
    ):
        note = note_of(estimate)
        if name == "dependability" and estimate.value is not None and estimate.low is None:
            note = note or "no interval is defined"
        rows.append(
            (name, "items", estimate.value, estimate.low, estimate.high, agents, items, trials, estimate.method, note)
        )
    if components.generalizability.low is None:
        # Unequal trials have no exact interval; the items that all agents share do.
        block = complete_block(cells).cells
        alpha, shape = cronbach_alpha(block, level=level), block.n.shape
        note = note_of(alpha)
        rows.append(
            ("alpha, complete block", "items", alpha.value, alpha.low, alpha.high, *shape, trials, alpha.method, note)
        )
    return Table("Reliability at the measured numbers of items and trials", COEFFICIENT_COLUMNS, tuple(rows))


def _plans_table(components: VarianceComponents, plans: tuple[tuple[int, int], ...]) -> Table:
    rows = []
    for universe in ("items", "fixed"):
        for plan in d_study(components, list(plans), universe=universe):
            figures = (plan.generalizability, plan.dependability, plan.sem_relative, plan.sem_absolute)
            note = reasons(plan.codes)
            if plan.status == "refused":
                note = f"refused: trial noise is {ONE_TRIAL}"
            if None in figures and not note:
                note = "undefined: no variance between agents"
            rows.append((plan.n_items, plan.n_trials, plan.n_items * plan.n_trials, universe, *figures, note))
    title = "What another plan would give (items: tasks like these; fixed: these items only)"
    return Table(title, PLAN_COLUMNS, tuple(rows))


def _sentences(components: VarianceComponents, coefficients: Table, cells: Cells, trials: int) -> tuple[str, ...]:
    agents, items = cells.n.shape
    g, phi = components.generalizability, components.dependability
    base = f"{count(agents, 'agent')}, {count(items, 'item')}, {count(trials, 'trial')} per cell"
    if g.value is None:
        return (f"Reliability of the comparison between agents is undefined ({base}): {note_of(g)}.",)
    lines = [
        f"Comparing these agents, the scores generalise to other items of this kind with a coefficient of "
        f"{number(g.value)} {_limits(g.low, g.high)}; as absolute scores {number(phi.value)} "
        f"{_limits(phi.low, phi.high)} ({base})."
    ]
    block = next((r for r in coefficients.records() if r["name"].startswith("alpha")), None)
    if block is not None and block["value"] is not None:
        lines.append(
            f"On the {count(block['items'], 'item')} that {count(block['agents'], 'agent')} all have, consistency is "
            f"{number(block['value'])} {_limits(block['low'], block['high'])}."
        )
    used = {name: value for name, value in components.used.items() if value is not None}
    total = sum(used.values())
    if total > 0:
        shares = ", ".join(f"{LABELS.get(name, name)} {100 * value / total:.0f} %" for name, value in used.items())
        lines.append(f"Of the variance of a single trial: {shares}.")
    if "residual" in components.raw:
        lines.append(f"Trial noise is {ONE_TRIAL}.")
    return tuple(lines)


def _limits(low: float | None, high: float | None) -> str:
    return "[no interval]" if low is None or high is None else f"[{low:.2f}, {high:.2f}]"
