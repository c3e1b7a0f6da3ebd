"""The restricted likelihood of agents x items with unequal or missing trials, and its derivatives.

Scores = mean + agent + item (+ family of the item) + agent:item + trial. They enter through their cell means and the
squares within cells, so the size of the problem is the number of cells. With U the covariance of noise and of the
larger factor (block diagonal, one block per level of that factor, inverted by rank-one updates) the covariance is
V = U + Z G Z', Z the smaller factor and the families: one Cholesky factor of the size of Z does the rest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from metrology.stats.cells import Cells
from metrology.stats.mean_squares import within_cell_squares
from metrology.stats.vectors import Vector


@dataclass(frozen=True)
class Likelihood:
    """What the likelihood needs at given variance ratios, the residual variance being 1.

    ``traces[j]`` = tr(P V_j) and ``squares_by[j]`` = y'P V_j P y for every ratio j, with P the projection of
    restricted likelihood and V_j the derivative of the covariance.
    """

    log_determinant: float
    squares: float
    precision_of_mean: float
    mean: float
    traces: Vector
    squares_by: Vector


@dataclass(frozen=True)
class _Block:
    """U^-1 for the current ratios: cell weights, and per column their sum, shrinkage s and loss c = ratio * s."""

    weight: Vector
    column: Vector
    shrink: Vector
    loss: Vector

    def solve(self, field: Vector) -> Vector:
        """Return U^-1 times a table of cells."""
        weighted = self.weight * field
        solved: Vector = weighted - self.weight * (self.loss * weighted.sum(0))
        return solved


class CellModel:
    """One table of cells; ``ratios`` are variances over the residual variance in the order of ``names``."""

    def __init__(self, cells: Cells, *, families: bool) -> None:
        transposed = cells.n.shape[0] > cells.n.shape[1]
        self.items_eliminated = not transposed
        counts = cells.n.astype(np.float64)
        self.repeated = bool(cells.n.max() > 1)
        self.centre = float(cells.total.sum() / counts.sum())
        means = np.where(counts > 0, np.nan_to_num(cells.mean) - self.centre, 0.0)
        self.counts = counts.T if transposed else counts
        self.means = means.T if transposed else means
        self.present = self.counts > 0
        self.within = within_cell_squares(cells)
        self.scores = int(cells.n.sum())
        self._log_counts = float(np.log(self.counts[self.present]).sum())
        self._reciprocal = 1 / np.maximum(self.counts, 1)
        self.names = ["agent", "item"]
        labels = sorted(set(cells.families)) if families and cells.families is not None else []
        owners = cells.families or ()
        self.membership = np.array([[own == label for label in labels] for own in owners], dtype=np.float64)
        self.families = len(labels)
        if self.families:
            self.names.append("family")
        if self.repeated:
            self.names.append("agent:item")
        self.residual = "trial" if self.repeated else "residual"

    def evaluate(self, ratios: Vector) -> Likelihood:
        """Return the likelihood's pieces and derivatives at these ratios (all >= 0)."""
        ratio = dict(zip(self.names, ratios.tolist(), strict=True))
        kept, eliminated = ("agent", "item") if self.items_eliminated else ("item", "agent")
        noise = np.where(self.present, ratio.get("agent:item", 0.0) + self._reciprocal, 1.0)
        weight = np.where(self.present, 1 / noise, 0.0)
        column = weight.sum(0)
        shrink = 1 / (1 + ratio[eliminated] * column)
        block = _Block(weight, column, shrink, ratio[eliminated] * shrink)
        inner, outer = self._inner(block), self._outer(block)
        scale = np.full(len(inner), math.sqrt(ratio[kept]))
        if self.families:
            scale[-self.families :] = math.sqrt(ratio["family"])
        system = inner * np.outer(scale, scale)
        system[np.diag_indices_from(system)] += 1.0
        # numpy's own LAPACK throughout: a second BLAS (scipy's) would keep threads spinning against the first
        diagonal = np.diag(np.linalg.cholesky(system))
        capacity = (np.linalg.inv(system) * np.outer(scale, scale)).astype(
            np.float64
        )  # V^-1 = U^-1 - U^-1 Z capacity Z' U^-1

        ones, values = self._whole(block, capacity, np.ones_like(weight)), self._whole(block, capacity, self.means)
        precision = float(ones.sum())
        mean = float(values.sum()) / precision
        residuals = values - mean * ones
        squares = self.within + max(float(np.vdot(residuals, self.means)), 0.0)
        totals_of_ones, totals = self._sums(ones), self._sums(residuals)
        traces = self._traces(block, inner, outer, capacity, kept)
        names = self.names
        return Likelihood(
            log_determinant=self._log_counts
            + float(np.log(noise).sum() - np.log(shrink).sum() + 2 * np.log(diagonal).sum()),
            squares=squares,
            precision_of_mean=precision,
            mean=mean,
            traces=np.array([traces[name] - totals_of_ones[name] / precision for name in names]),
            squares_by=np.array([totals[name] for name in names]),
        )

    def _inner(self, block: _Block) -> Vector:
        """Return Z' U^-1 Z."""
        rows = -(block.weight * block.loss) @ block.weight.T
        rows[np.diag_indices_from(rows)] += block.weight.sum(1)
        if not self.families:
            return rows
        if not self.items_eliminated:
            return self._bordered(rows, rows @ self.membership)
        side = (block.weight * block.shrink) @ self.membership
        return np.block([[rows, side], [side.T, np.diag(self.membership.T @ (block.column * block.shrink))]])

    def _inner_of_square(self, block: _Block) -> Vector:
        """Return Z' U^-2 Z."""
        square = np.square(block.weight)
        per_column = square.sum(0)
        mixed = (square * block.loss) @ block.weight.T
        rows: Vector = (block.weight * (np.square(block.loss) * per_column)) @ block.weight.T - mixed - mixed.T
        rows[np.diag_indices_from(rows)] += square.sum(1)
        if not self.families:
            return rows
        if not self.items_eliminated:
            return self._bordered(rows, rows @ self.membership)
        side = (block.shrink * (square - block.weight * (block.loss * per_column))) @ self.membership
        corner = np.diag(self.membership.T @ (np.square(block.shrink) * per_column))
        return np.block([[rows, side], [side.T, corner]])

    def _bordered(self, rows: Vector, side: Vector) -> Vector:
        return np.block([[rows, side], [side.T, self.membership.T @ side]])

    def _outer(self, block: _Block) -> Vector:
        """Return Z' U^-1 Z_e, Z_e the eliminated factor."""
        rows: Vector = block.weight * block.shrink
        if not self.families:
            return rows
        if self.items_eliminated:
            return np.vstack([rows, self.membership.T * (block.column * block.shrink)])
        return np.vstack([rows, self.membership.T @ rows])

    def _whole(self, block: _Block, capacity: Vector, field: Vector) -> Vector:
        """Return V^-1 times a table of cells."""
        inverse = block.solve(field)
        rows = len(inverse)
        margins = inverse.sum(1)
        if self.families:
            by_item = inverse.sum(0) if self.items_eliminated else margins
            margins = np.append(margins, self.membership.T @ by_item)
        effects = capacity @ margins
        predicted = np.broadcast_to(effects[:rows, None], field.shape)
        if self.families:
            own = self.membership @ effects[rows:]
            predicted = predicted + (own if self.items_eliminated else own[:, None])
        remainder: Vector = inverse - block.solve(predicted)
        return remainder

    def _sums(self, field: Vector) -> dict[str, float]:
        """Return t'V_j t for a table of cells t and every component j."""
        rows, columns = field.sum(1), field.sum(0)
        agents, items = (rows, columns) if self.items_eliminated else (columns, rows)
        found = {"agent": float(agents @ agents), "item": float(items @ items)}
        if self.families:
            found["family"] = float(np.square(self.membership.T @ items).sum())
        if self.repeated:
            found["agent:item"] = float(np.vdot(field, field))
        return found

    def _traces(self, block: _Block, inner: Vector, outer: Vector, capacity: Vector, kept: str) -> dict[str, float]:
        """Return tr(V^-1 V_j) for every component j."""
        diagonal = np.diag(inner) - ((inner @ capacity) * inner).sum(1)
        rows = len(diagonal) - self.families
        eliminated = "item" if kept == "agent" else "agent"
        found = {
            kept: float(diagonal[:rows].sum()),
            eliminated: float((block.column * block.shrink).sum() - np.vdot(outer, capacity @ outer)),
            "family": float(diagonal[rows:].sum()),
        }
        if self.repeated:
            own = float(block.weight.sum() - (block.loss * np.square(block.weight).sum(0)).sum())
            found["agent:item"] = own - float(np.vdot(capacity, self._inner_of_square(block)))
        return found
