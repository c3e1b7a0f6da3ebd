"""Restricted maximum likelihood for agents x items with unequal or missing trials.

Scores = mean + agent + item (+ family of the item) + agent:item + trial. The scores enter through their cell means
and the squares within cells, so the size of the problem is the number of cells. The larger of the two factors is
eliminated cell block by cell block (its part of the covariance is block diagonal), what remains is one Cholesky
factor of the size of the smaller one. Variances are profiled as ratios to the residual, as lme4 does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.linalg
import scipy.optimize

from metrology.stats.cells import Cells
from metrology.stats.mean_squares import within_cell_squares
from metrology.stats.vectors import Vector

_RESTARTS = 6
_GAIN = 1e-7  # a lower deviance by less than this is no improvement


@dataclass(frozen=True)
class RestrictedFit:
    """Components by name (>= 0), standard errors (``None`` at the boundary), deviance and generalized mean."""

    components: dict[str, float]
    se: dict[str, float | None]
    criterion: float | None
    mean: float
    mean_variance: float
    converged: bool


@dataclass(frozen=True)
class _Solution:
    """Pieces of the likelihood at given variance ratios, the residual variance being 1."""

    log_determinant: float
    squares: float
    precision_of_mean: float
    mean: float


class CellModel:
    """The likelihood of one table of cells; ``ratios`` are variances over the residual variance.

    Order of the ratios: agent, item, family (if any), agent:item (if cells hold repeated trials).
    """

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
        self.log_counts = float(np.log(self.counts[self.present]).sum())
        self.membership: npt.NDArray[np.float64] | None = None
        self.names = ["agent", "item"]
        if families and cells.families is not None:
            labels = sorted(set(cells.families))
            self.membership = np.array([[f == g for g in labels] for f in cells.families], dtype=np.float64)
            self.names.append("family")
        if self.repeated:
            self.names.append("agent:item")
        self.residual = "trial" if self.repeated else "residual"

    def solve(self, ratios: Vector) -> _Solution:
        """Return log-determinant, generalized sum of squares and mean at these ratios."""
        ratio = dict(zip(self.names, ratios, strict=True))
        kept, eliminated = ("agent", "item") if self.items_eliminated else ("item", "agent")
        noise = np.where(self.present, ratio.get("agent:item", 0.0) + 1 / np.maximum(self.counts, 1), 1.0)
        weight = np.where(self.present, 1 / noise, 0.0)
        per_column = weight.sum(0)
        shrink = 1 / (1 + ratio[eliminated] * per_column)
        weighted = weight * self.means
        column_sums = weighted.sum(0)
        loss = ratio[eliminated] * shrink
        # products of [kept factor, mean, scores] with the inverse covariance of noise and eliminated factor
        block = -(weight * loss) @ weight.T
        block[np.diag_indices_from(block)] += weight.sum(1)
        ones = weight @ shrink
        data = weighted.sum(1) - weight @ (loss * column_sums)
        total = np.array(
            [
                [(per_column * shrink).sum(), (shrink * column_sums).sum()],
                [(shrink * column_sums).sum(), np.vdot(weighted, self.means) - (loss * column_sums**2).sum()],
            ]
        )
        cross = np.column_stack([ones, data])
        scale = np.full(len(block), math.sqrt(ratio[kept]))
        if self.membership is not None:
            block, cross = self._with_families(weight, shrink, block, cross, per_column, column_sums)
            scale = np.append(scale, np.full(self.membership.shape[1], math.sqrt(ratio["family"])))
        inner = block * np.outer(scale, scale)
        inner[np.diag_indices_from(inner)] += 1.0
        factor = scipy.linalg.cholesky(inner, lower=True, check_finite=False)
        half = scipy.linalg.solve_triangular(factor, cross * scale[:, None], lower=True, check_finite=False)
        total = total - half.T @ half
        log_determinant = (
            self.log_counts
            + float(np.log(noise).sum())
            - float(np.log(shrink).sum())
            + 2 * float(np.log(np.diag(factor)).sum())
        )
        mean = total[0, 1] / total[0, 0]
        squares = self.within + total[1, 1] - mean * total[0, 1]
        return _Solution(log_determinant, max(float(squares), 0.0), float(total[0, 0]), float(mean))

    def _with_families(
        self, weight: Vector, shrink: Vector, block: Vector, cross: Vector, per_column: Vector, sums: Vector
    ) -> tuple[Vector, Vector]:
        member = self.membership
        if member is None:  # without families there is nothing to add
            return block, cross
        if self.items_eliminated:
            side = (weight * shrink) @ member
            corner = member.T @ ((per_column * shrink)[:, None] * member)
            lower = member.T @ np.column_stack([per_column * shrink, shrink * sums])
        else:
            side = block @ member
            corner = member.T @ side
            lower = member.T @ cross
        return np.block([[block, side], [side.T, corner]]), np.vstack([cross, lower])

    def profiled(self, deviations: Vector) -> float:
        """Return -2 restricted log-likelihood at these ratios of standard deviations, best residual variance."""
        solution = self.solve(np.square(deviations))
        free = self.scores - 1
        return (
            free * (1 + math.log(2 * math.pi * max(solution.squares, 1e-300) / free))
            + solution.log_determinant
            + math.log(solution.precision_of_mean)
        )

    def full(self, variances: Vector) -> float:
        """Return -2 restricted log-likelihood at these variances, the residual variance last."""
        residual = float(variances[-1])
        solution = self.solve(variances[:-1] / residual)
        return (
            (self.scores - 1) * math.log(2 * math.pi * residual)
            + solution.log_determinant
            + math.log(solution.precision_of_mean)
            + solution.squares / residual
        )


def fit_restricted(cells: Cells, *, families: bool) -> RestrictedFit:
    """Return REML estimates for connected cells that agent and item effects do not reproduce exactly."""
    model = CellModel(cells, families=families)
    point, converged = _optimise(model)
    solution = model.solve(np.square(point))
    residual = solution.squares / (model.scores - 1)
    variances = np.append(np.square(point) * residual, residual)
    names = [*model.names, model.residual]
    return RestrictedFit(
        components=dict(zip(names, variances.tolist(), strict=True)),
        se=dict(zip(names, _standard_errors(model, variances), strict=True)),
        criterion=model.profiled(point),
        mean=solution.mean + model.centre,
        mean_variance=residual / solution.precision_of_mean,
        converged=converged,
    )


def _optimise(model: CellModel) -> tuple[Vector, bool]:
    best = _start(model)
    deviance = model.profiled(best)
    for _ in range(_RESTARTS):
        fit = scipy.optimize.minimize(
            model.profiled,
            best,
            jac="3-point",
            method="L-BFGS-B",
            bounds=[(0.0, 1e8)] * len(best),
            options={"ftol": 1e-14, "gtol": 1e-7, "maxiter": 500, "maxfun": 20000},
        )
        point, reached = np.asarray(fit.x), float(fit.fun)
        point, reached = _settle_boundary(model, point, reached)
        gain = deviance - reached
        if gain > 0:
            best, deviance = point, reached
        if gain < _GAIN:
            return best, True
    return best, False


def _settle_boundary(model: CellModel, point: Vector, deviance: float) -> tuple[Vector, float]:
    """Move small ratios to 0 where that costs nothing, and zeros away from 0 where that gains."""
    for position in range(len(point)):
        for trial in (0.0,) if point[position] > 0 else (1e-2, 1e-1):
            moved = point.copy()
            moved[position] = trial
            reached = model.profiled(moved)
            if reached < deviance or (trial == 0.0 and reached <= deviance + 1e-9):
                point, deviance = moved, reached
    return point, deviance


def _start(model: CellModel) -> Vector:
    # moments of the margins; only a sensible region is needed
    counts, means = model.counts, model.means
    spread = model.within / max(model.scores - int(model.present.sum()), 1) if model.repeated else 0.0
    rows = (counts * means).sum(1) / counts.sum(1)
    columns = (counts * means).sum(0) / counts.sum(0)
    left = np.where(model.present, means - rows[:, None] - columns[None, :], 0.0)
    interaction = float(np.square(left).sum() / model.present.sum())
    residual = max(spread if spread > 0 else interaction, 1e-12 * float(np.square(means).max()), 1e-200)
    kept, eliminated = float(rows.var()), float(columns.var())
    agent, item = (kept, eliminated) if model.items_eliminated else (eliminated, kept)
    guess = {"agent": agent, "item": item, "family": item / 2, "agent:item": interaction / 2}
    ratios = np.array([guess[name] / residual for name in model.names])
    deviations: Vector = np.sqrt(np.clip(ratios, 0.01, 1e6))
    return deviations


def _standard_errors(model: CellModel, variances: Vector) -> list[float | None]:
    """Return standard errors from the observed information of the variances above 0, by central differences."""
    free = [position for position, value in enumerate(variances) if value > 0]
    steps = np.zeros_like(variances)
    steps[free] = 1e-3 * np.maximum(variances[free], 1e-6 * variances.sum())

    def at(first: int, second: int, sign_first: float, sign_second: float) -> float:
        moved = variances.copy()
        moved[first] += sign_first * steps[first]
        moved[second] += sign_second * steps[second]
        return model.full(np.maximum(moved, 0.0))

    centre = model.full(variances)
    information = np.zeros((len(free), len(free)))
    for row, first in enumerate(free):
        information[row, row] = (at(first, first, 1, 0) - 2 * centre + at(first, first, -1, 0)) / 2
        for column in range(row):
            second = free[column]
            mixed = at(first, second, 1, 1) - at(first, second, 1, -1)
            mixed += at(first, second, -1, -1) - at(first, second, -1, 1)
            information[row, column] = information[column, row] = mixed / 8
    errors: list[float | None] = [None] * len(variances)
    if np.all(np.isfinite(information)) and np.linalg.eigvalsh(information).min() > 0:
        found = np.sqrt(np.diag(np.linalg.inv(information))) * steps[free]
        for position, value in zip(free, found, strict=True):
            errors[position] = float(value)
    return errors
