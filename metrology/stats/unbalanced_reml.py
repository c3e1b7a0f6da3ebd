"""REML for agents x items with unequal or missing trials: variances profiled as ratios to the residual."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy.optimize

from metrology.stats.cell_likelihood import CellModel, Likelihood
from metrology.stats.cells import Cells
from metrology.stats.vectors import Vector

_RESTARTS = 6
_GAIN = 1e-7  # a lower deviance by less than this is no improvement
_LARGEST = 1e6  # ratio of standard deviations; beyond it the residual is rounding noise


@dataclass(frozen=True)
class RestrictedFit:
    """Components by name (>= 0), standard errors (``None`` at the boundary), deviance and generalized mean."""

    components: dict[str, float]
    se: dict[str, float | None]
    criterion: float
    mean: float
    mean_variance: float
    converged: bool


def fit_restricted(cells: Cells, *, families: bool) -> RestrictedFit:
    """Return REML estimates for connected cells that agent and item effects do not reproduce exactly.

    ``criterion`` is -2 restricted log-likelihood with all constants. Standard errors come from the observed
    information of the components above 0.
    """
    model = CellModel(cells, families=families)
    point, converged = _optimise(model)
    found = model.evaluate(np.square(point))
    residual = found.squares / (model.scores - 1)
    variances = np.append(np.square(point) * residual, residual)
    names = [*model.names, model.residual]
    return RestrictedFit(
        components=dict(zip(names, variances.tolist(), strict=True)),
        se=dict(zip(names, _standard_errors(model, variances), strict=True)),
        criterion=_deviance(model, found),
        mean=found.mean + model.centre,
        mean_variance=residual / found.precision_of_mean,
        converged=converged,
    )


def _deviance(model: CellModel, found: Likelihood) -> float:
    """Return -2 restricted log-likelihood at the best residual variance."""
    free = model.scores - 1
    return (
        free * (1 + math.log(2 * math.pi * found.squares / free))
        + found.log_determinant
        + math.log(found.precision_of_mean)
    )


def _profile(deviations: Vector, model: CellModel) -> tuple[float, Vector]:
    """Return deviance and gradient at these ratios of standard deviations."""
    found = model.evaluate(np.square(deviations))
    by_variance = found.traces - (model.scores - 1) * found.squares_by / found.squares
    return _deviance(model, found), 2 * deviations * by_variance


def _optimise(model: CellModel) -> tuple[Vector, bool]:
    best = _start(model)
    deviance, _ = _profile(best, model)
    for _ in range(_RESTARTS):
        fit = scipy.optimize.minimize(
            _profile,
            best,
            args=(model,),
            jac=True,
            method="L-BFGS-B",
            bounds=[(0.0, _LARGEST)] * len(best),
            options={"ftol": 1e-14, "gtol": 1e-8, "maxiter": 500, "maxfun": 5000},
        )
        point, reached = _settle_boundary(model, np.asarray(fit.x), float(fit.fun))
        gain = deviance - reached
        if gain > 0:
            best, deviance = point, reached
        if gain < _GAIN:
            return best, True
    return best, False


def _settle_boundary(model: CellModel, point: Vector, deviance: float) -> tuple[Vector, float]:
    """Move tiny ratios to 0 where that costs nothing, and zeros away from 0 where that gains."""
    for position, value in enumerate(point):
        if value > 1e-2:
            continue
        moved = point.copy()
        moved[position] = 0.0 if value > 0 else 1e-2
        reached = _profile(moved, model)[0]
        if reached < deviance or (value > 0 and reached <= deviance + 1e-9):
            point, deviance = moved, reached
    return point, deviance


def _start(model: CellModel) -> Vector:
    # moments of the margins: only a sensible region is needed
    counts, means = model.counts, model.means
    spread = model.within / max(model.scores - int(model.present.sum()), 1) if model.repeated else 0.0
    rows = (counts * means).sum(1) / counts.sum(1)
    columns = (counts * means).sum(0) / counts.sum(0)
    left = np.where(model.present, means - rows[:, None] - columns[None, :], 0.0)
    interaction = float(np.square(left).sum() / model.present.sum())
    residual = spread if spread > 0 else interaction
    kept, eliminated = float(rows.var()), float(columns.var())
    agent, item = (kept, eliminated) if model.items_eliminated else (eliminated, kept)
    guess = {"agent": agent, "item": item, "family": item / 2, "agent:item": interaction / 2}
    smallest = 1e-12 * max(guess.values())
    ratios = np.array([guess[name] / max(residual, smallest, 1e-200) for name in model.names])
    deviations: Vector = np.sqrt(np.clip(ratios, 0.01, 1e6))
    return deviations


def _slope(model: CellModel, variances: Vector) -> Vector:
    """Return the gradient of -2 restricted log-likelihood in the variances themselves, the residual last."""
    residual = float(variances[-1])
    found = model.evaluate(variances[:-1] / residual)
    parts = (found.traces - found.squares_by / residual) / residual
    # the likelihood depends on the overall scale in closed form, which gives the residual's own part
    own = (model.scores - 1 - found.squares / residual - parts @ variances[:-1]) / residual
    return np.append(parts, own)


def _standard_errors(model: CellModel, variances: Vector) -> list[float | None]:
    free = [position for position, value in enumerate(variances) if value > 0]
    steps = 1e-4 * variances[free]
    curvature = np.zeros((len(free), len(free)))
    for row, position in enumerate(free):
        ahead, behind = variances.copy(), variances.copy()
        ahead[position] += steps[row]
        behind[position] -= steps[row]
        # in units of the steps, so that components of very different size meet in one well-scaled matrix
        curvature[row] = (_slope(model, ahead) - _slope(model, behind))[free] * steps / 2
    information = (curvature + curvature.T) / 4
    errors: list[float | None] = [None] * len(variances)
    if np.all(np.isfinite(information)) and np.linalg.eigvalsh(information).min() > 0:
        found = np.sqrt(np.diag(np.linalg.inv(information))) * steps
        for position, value in zip(free, found, strict=True):
            errors[position] = float(value)
    return errors
