"""Least-squares fit of agent and item effects, to see whether anything is left beside them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse
from scipy.sparse.csgraph import connected_components

from metrology.stats.cells import Cells
from metrology.stats.vectors import Vector

_ROUNDING = 1e-20  # residual squares below this share of the squares about the mean are rounding noise


@dataclass(frozen=True)
class AdditiveFit:
    """Effects up to a constant (connected cells), and whether they reproduce every cell mean exactly."""

    agents: Vector
    items: Vector
    exact: bool


def connected(cells: Cells) -> bool:
    """Return whether the graph of agents and items, joined by non-empty cells, is in one piece."""
    if cells.full:
        return True
    present = scipy.sparse.coo_array(cells.n > 0)
    agents, items = cells.n.shape
    graph = scipy.sparse.coo_array(
        (np.ones(present.nnz), (present.coords[0], present.coords[1] + agents)), shape=(agents + items,) * 2
    )
    pieces, _ = connected_components(graph, directed=False)
    return bool(pieces == 1)


def additive_fit(cells: Cells) -> AdditiveFit:
    """Return the unweighted least-squares fit of cell mean = agent effect + item effect."""
    transposed = cells.n.shape[0] > cells.n.shape[1]
    present = (cells.n > 0).T if transposed else cells.n > 0
    given = cells.mean.T if transposed else cells.mean
    values = np.where(present, given - np.nanmean(given), 0.0)
    weight = present.astype(np.float64)
    per_column = weight.sum(0)
    scaled = weight / per_column
    # normal equations of the smaller factor once the larger one is eliminated; singular by one constant
    matrix = np.diag(weight.sum(1)) - scaled @ weight.T
    rows = np.linalg.lstsq(matrix, values.sum(1) - scaled @ values.sum(0), rcond=1e-12)[0]
    columns = (values.sum(0) - rows @ weight) / per_column
    residuals = np.where(present, values - rows[:, None] - columns[None, :], 0.0)
    exact = float(np.square(residuals).sum()) <= _ROUNDING * float(np.square(values).sum())
    return AdditiveFit(columns if transposed else rows, rows if transposed else columns, exact)
