"""Generalizability theory: how much of a score is the agent, the item, their interaction and the trial.

The universe of generalisation is an explicit choice of every figure downstream: other items, or these items only.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from metrology.stats.additive_fit import additive_fit, connected
from metrology.stats.arguments import one_of
from metrology.stats.balanced_design import restricted_likelihood, solve_mean_squares
from metrology.stats.cells import Cells, score_array
from metrology.stats.component_results import Fitted, Study, publish, without_components
from metrology.stats.decision_study import Shares, d_study, optimal_trials, phi_lambda
from metrology.stats.mean_squares import (
    MeanSquares,
    cell_mean_squares,
    crossed_mean_squares,
    within_cell_squares,
)
from metrology.stats.results import StatsInputError, VarianceComponents
from metrology.stats.unbalanced_reml import fit_restricted
from metrology.stats.vectors import inside

__all__ = ["crossed_components", "d_study", "optimal_trials", "phi_lambda", "variance_components"]

_METHODS = ("anova", "reml")
_ROUNDING = 1e-13  # squares about the mean below this share of the raw squares are rounding noise


def variance_components(
    cells: Cells, *, method: str = "anova", families: bool = False, level: float = 0.95
) -> VarianceComponents:
    """Return the variance components of agents x items with trials nested in cells.

    Components: ``agent``, ``item``, ``agent:item``, ``trial``; with one trial per cell ``agent``, ``item``,
    ``residual`` (CONFOUNDED: interaction and trial noise in one). ``families=True`` (``reml`` only) adds ``family``,
    with the items nested in it. ``anova`` needs the same number of trials in every cell, else ``refused``
    UNBALANCED; ``reml`` takes any connected table, gives no negative values (BOUNDARY at 0) and equals ``anova`` on
    balanced data without negative estimates. Agents and items without any verdict are left out (MISSING).

    With unequal cells the coefficients hold for the plain mean of item means of an average agent of these data.
    REML has no interval for them: resampling five to thirty agents covers too little.

    Source: Searle, Casella and McCulloch 1992; Brennan 2001.

    Raises:
        StatsInputError: unknown method, ``families`` with ``anova`` or without known families.
    """
    one_of(method, _METHODS, "method")
    level = inside(level, 0, 1, "level")
    if families and method != "reml":
        msg = "`families` needs method 'reml'"
        raise StatsInputError(msg)
    if families and cells.families is None:
        msg = "`families` is set but the cells have no families"
        raise StatsInputError(msg)
    table = _with_verdicts(cells)
    counted = _counted(table, families=families)
    codes = ["MISSING"] if cells.incomplete else []
    design = _design_name(table, families=families)
    reasons = _not_estimable(table, families=families)
    if reasons:
        constant = float(table.total.sum() / table.n.sum()) if "ZERO_VARIANCE" in reasons else None
        return without_components(
            "undefined",
            [*reasons, *codes],
            design=design,
            method=method,
            counted=counted,
            level=level,
            mean=constant,
            trial=_trial_variance(table),
        )
    balanced = bool(table.n.min() == table.n.max())
    if method == "anova" and not balanced:
        return without_components(
            "refused", ["UNBALANCED", *codes], design=design, method=method, counted=counted, level=level
        )
    if balanced and not families:
        squares = cell_mean_squares(table)
        shares = Shares(item=1 / counted["items"], run=1 / (counted["items"] * counted["trials"]))
        return publish(_balanced(squares, Study(design, method, shares, counted, counted["items"])), codes, level)
    limiting = counted["families" if families else "items"]
    study = Study(design, method, _observed_shares(table), counted, limiting)
    found = _unbalanced(table, study, families=families)
    if found is None:
        reasons = ["NOT_IDENTIFIED", *codes]
        return without_components("undefined", reasons, design=design, method=method, counted=counted, level=level)
    return publish(found, codes, level)


def crossed_components(scores: npt.ArrayLike, *, method: str = "anova", level: float = 0.95) -> VarianceComponents:
    """Return the variance components of complete ``scores[agents, items, occasions]``, all factors crossed.

    Use it when all agents share the occasions (days, harness versions, seeds); trials that are independent in every
    cell belong to :func:`variance_components`. Components: ``agent``, ``item``, ``occasion``, ``agent:item``,
    ``agent:occasion``, ``item:occasion``, ``residual``. Missing scores: ``refused`` UNBALANCED.

    Source: Brennan 2001.

    Raises:
        StatsInputError: not three-dimensional finite numbers, unknown method.
    """
    one_of(method, _METHODS, "method")
    level = inside(level, 0, 1, "level")
    cube = score_array(scores, 3)
    agents, items, occasions = cube.shape
    counted = {"agents": agents, "items": items, "occasions": occasions, "scores": int(np.sum(~np.isnan(cube)))}
    sizes = zip(("TOO_FEW_AGENTS", "TOO_FEW_ITEMS", "TOO_FEW_TRIALS"), cube.shape, strict=True)
    too_few = [code for code, size in sizes if size < 2]
    design = "agent x item x occasion, crossed"
    if counted["scores"] == 0:
        too_few.append("NO_DATA")
    if too_few or counted["scores"] < cube.size:
        return without_components(
            "undefined" if too_few else "refused",
            too_few or ["UNBALANCED", "MISSING"],
            design=design,
            method=method,
            counted=counted,
            level=level,
        )
    squares = crossed_mean_squares(cube)
    if not squares.values.any():
        return without_components(
            "undefined",
            ["ZERO_VARIANCE"],
            design=design,
            method=method,
            counted=counted,
            level=level,
            mean=squares.grand_mean,
        )
    shares = Shares(item=1 / items, run=1 / (items * occasions), occasion=1 / occasions)
    return publish(_balanced(squares, Study(design, method, shares, counted, min(items, occasions))), [], level)


def _balanced(squares: MeanSquares, study: Study) -> Fitted:
    estimate = solve_mean_squares if study.method == "anova" else restricted_likelihood
    found = estimate(squares.design, squares.values, squares.df)
    names = squares.design.components
    return Fitted(
        study=study,
        raw=dict(zip(names, found.raw.tolist(), strict=True)),
        se=dict(zip(names, found.se.tolist(), strict=True)),
        mean=squares.grand_mean,
        mean_variance=float(squares.design.mean_variance_weights() @ np.maximum(found.raw, 0.0)),
        mean_squares=dict(zip(names, squares.values.tolist(), strict=True)),
        df={name: int(value) for name, value in zip(names, squares.df, strict=True)},
        criterion=found.criterion,
        converged=found.converged,
    )


def _unbalanced(table: Cells, study: Study, *, families: bool) -> Fitted | None:
    """Return the REML fit, ``None`` where families and items cannot be told apart for want of any residual."""
    repeated = study.counted["trials"] > 1
    if repeated and within_cell_squares(table) > 0:
        return _restricted(table, study, families=families)
    additive = additive_fit(table)
    if additive.exact:
        if families:
            return None
        # nothing is left beside agents and items: their effects are known, so their variances are plain ones
        raw = {"agent": float(additive.agents.var(ddof=1)), "item": float(additive.items.var(ddof=1))}
        raw |= {"agent:item": 0.0, "trial": 0.0} if repeated else {"residual": 0.0}
        variance = raw["agent"] / len(table.agents) + raw["item"] / len(table.items)
        return Fitted(study, raw, dict.fromkeys(raw), float(np.nanmean(table.mean)), variance)
    if not repeated:
        return _restricted(table, study, families=families)
    # trials agree in every cell: no trial noise, so each cell counts once and its residual is the interaction
    present = (table.n > 0).astype(np.int64)
    means = np.where(table.n > 0, np.nan_to_num(table.mean), 0.0)
    once = Cells.from_sums(present, means, np.square(means), families=table.families)
    fit = _restricted(once, study, families=families)
    raw = {("agent:item" if k == "residual" else k): v for k, v in fit.raw.items()} | {"trial": 0.0}
    se = {("agent:item" if k == "residual" else k): v for k, v in fit.se.items()} | {"trial": None}
    return dataclasses.replace(fit, raw=raw, se=se, criterion=None)


def _restricted(table: Cells, study: Study, *, families: bool) -> Fitted:
    fit = fit_restricted(table, families=families)
    return Fitted(
        study=study,
        raw=fit.components,
        se=fit.se,
        mean=fit.mean,
        mean_variance=fit.mean_variance,
        criterion=fit.criterion,
        converged=fit.converged,
    )


def _with_verdicts(cells: Cells) -> Cells:
    if cells.full:
        return cells
    agents = [label for label, verdicts in zip(cells.agents, cells.n.sum(axis=1), strict=True) if verdicts > 0]
    items = [label for label, verdicts in zip(cells.items, cells.n.sum(axis=0), strict=True) if verdicts > 0]
    return cells.select(agents=agents, items=items)


def _counted(table: Cells, *, families: bool) -> dict[str, int]:
    counted = {
        "agents": len(table.agents),
        "items": len(table.items),
        "trials": int(table.n.max(initial=0)),
        "cells": int((table.n > 0).sum()),
        "scores": int(table.n.sum()),
    }
    if families and table.families is not None:
        counted["families"] = len(set(table.families))
    return counted


def _design_name(table: Cells, *, families: bool) -> str:
    items = "items nested in families" if families else "item"
    trials = "trials nested in cells" if table.n.max(initial=0) > 1 else "one trial per cell"
    return f"agent x {items}, {trials}"


def _not_estimable(table: Cells, *, families: bool) -> list[str]:
    if table.n.sum() == 0:
        return ["NO_DATA"]
    agents, items = table.n.shape
    reasons = [code for code, size in (("TOO_FEW_AGENTS", agents), ("TOO_FEW_ITEMS", items)) if size < 2]
    if families and table.families is not None:
        groups = len(set(table.families))
        reasons += ["TOO_FEW_CLUSTERS"] if groups < 2 else []
        reasons += ["CONFOUNDED"] if groups == items else []  # a family and its only item are one thing
    if not connected(table):
        reasons.append("DISCONNECTED")
    raw = float(table.total_sq.sum())
    means = table.total.sum() / table.n.sum()
    about = np.where(table.n > 0, np.square(np.nan_to_num(table.mean) - means) * table.n, 0.0)
    if within_cell_squares(table) == 0 and float(about.sum()) <= _ROUNDING**2 * raw:
        reasons.append("ZERO_VARIANCE")
    return reasons


def _trial_variance(table: Cells) -> float | None:
    free = int(table.n.sum() - (table.n > 0).sum())
    return within_cell_squares(table) / free if free > 0 else None


def _observed_shares(table: Cells) -> Shares:
    """Return the shares of error left in the mean of item means, averaged over the agents of these data."""
    present = table.n > 0
    weight = present / present.sum(1, keepdims=True)
    run = np.where(present, np.square(weight) / np.maximum(table.n, 1), 0.0).sum(1)
    family = 0.0
    if table.families is not None:
        labels = sorted(set(table.families))
        member = np.array([[own == label for label in labels] for own in table.families], dtype=np.float64)
        family = float(np.square(weight @ member).sum(1).mean())
    return Shares(item=float(np.square(weight).sum(1).mean()), run=float(run.mean()), family=family)
