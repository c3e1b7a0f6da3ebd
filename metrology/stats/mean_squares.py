"""Mean squares of balanced tables of scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrology.stats.balanced_design import BalancedDesign
from metrology.stats.cells import Cells
from metrology.stats.vectors import Vector

_AGENT, _ITEM = frozenset({"agent"}), frozenset({"item"})
_CELL = _AGENT | _ITEM
_ROUNDING = 1e-24  # a sum of squared deviations below this share of the raw squares is rounding noise
_ROUNDING_OF_SUMS = 1e-13  # the same for within-cell squares, which are differences of sums


@dataclass(frozen=True)
class MeanSquares:
    """Design, mean squares and degrees of freedom in its order, and the grand mean."""

    design: BalancedDesign
    values: Vector
    df: Vector
    grand_mean: float


def within_cell_squares(cells: Cells) -> float:
    """Return the sum of squared deviations of all scores from their cell means."""
    deviations = cells.total_sq - np.square(cells.total) / np.maximum(cells.n, 1)
    squares, raw = float(np.maximum(deviations, 0.0).sum()), float(cells.total_sq.sum())
    return squares if squares > _ROUNDING_OF_SUMS * raw else 0.0


def cell_mean_squares(cells: Cells) -> MeanSquares:
    """Return the mean squares of cells that all hold the same number of trials."""
    agents, items = cells.n.shape
    trials = int(cells.n[0, 0])
    facets = {"agent": _AGENT, "item": _ITEM}
    levels = {"agent": agents, "item": items}
    if trials > 1:
        facets |= {"agent:item": _CELL, "trial": _CELL | {"trial"}}
        design = BalancedDesign("agent x item, trials in cells", facets, levels | {"trial": trials})
    else:
        design = BalancedDesign("agent x item, one trial", facets | {"residual": _CELL}, levels)
    scores = cells.mean
    grand = float(scores.mean())
    rows, columns = scores.mean(1) - grand, scores.mean(0) - grand
    residuals = scores - (grand + rows[:, None])
    residuals -= columns[None, :]
    squares = trials * np.array(
        [items * np.square(rows).sum(), agents * np.square(columns).sum(), np.vdot(residuals, residuals)]
    )
    squares[squares <= _ROUNDING * float(cells.total_sq.sum())] = 0.0
    df = [agents - 1, items - 1, (agents - 1) * (items - 1)]
    if trials > 1:
        squares = np.append(squares, within_cell_squares(cells))
        df.append(agents * items * (trials - 1))
    degrees = np.array(df, dtype=np.float64)
    return MeanSquares(design, squares / degrees, degrees, grand)


def crossed_mean_squares(scores: Vector) -> MeanSquares:
    """Return the mean squares of complete ``scores[agents, items, occasions]``."""
    axes = {"agent": 0, "item": 1, "occasion": 2}
    names = ("agent", "item", "occasion", "agent:item", "agent:occasion", "item:occasion", "residual")
    facets = {name: frozenset(name.split(":")) for name in names[:-1]} | {"residual": frozenset(axes)}
    design = BalancedDesign(
        "agent x item x occasion, crossed", facets, {facet: scores.shape[axis] for facet, axis in axes.items()}
    )
    # effect of a set of facets = its marginal mean less the effects of all its subsets
    effects: dict[frozenset[str], Vector] = {frozenset(): scores.mean(keepdims=True)}
    squares = []
    for own in facets.values():
        averaged = tuple(axis for facet, axis in axes.items() if facet not in own)
        effect = scores.mean(axis=averaged, keepdims=True) if averaged else scores
        effect = effect - sum(value for subset, value in effects.items() if subset < own)
        effects[own] = effect
        squares.append(float(np.square(effect).sum()) * scores.size / effect.size)
    totals = np.array(squares)
    totals[totals <= _ROUNDING * float(np.square(scores).sum())] = 0.0
    df = np.array([np.prod([scores.shape[axes[f]] - 1 for f in own]) for own in facets.values()], dtype=np.float64)
    return MeanSquares(design, totals / df, df, float(scores.mean()))
