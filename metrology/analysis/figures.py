"""Means that keep their value where only the error bar is undefined: one item, or all items of one family."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from metrology.stats.attempts import pass_at_k, pass_at_k_score, pass_hat_k, pass_hat_k_score
from metrology.stats.cells import Cells
from metrology.stats.errorbars import agent_score
from metrology.stats.results import Estimate


def population_score(cells: Cells, agent: str, *, level: float) -> Estimate:
    """Return the agent's score with the interval of the task population.

    With one item or one family there is no such interval, but there is a mean: it is kept without an interval, with
    the code that says why.
    """
    estimate = agent_score(cells, agent, level=level)
    if estimate.value is not None:
        return estimate
    mean = agent_score(cells, agent, universe="fixed", level=level).value
    return estimate if mean is None else _bare(mean, estimate)


def pass_at_k_mean(cells: Cells, agent: str, k: int, *, level: float) -> Estimate:
    """Return pass@k over items with k trials; the value is kept where only its interval is undefined."""
    return _kept(pass_at_k_score, pass_at_k, cells, agent, k, level)


def pass_hat_k_mean(cells: Cells, agent: str, k: int, *, level: float) -> Estimate:
    """Return pass^k over items with k trials; the value is kept where only its interval is undefined."""
    return _kept(pass_hat_k_score, pass_hat_k, cells, agent, k, level)


def _kept(
    score: Callable[..., Estimate],
    of_item: Callable[[int, int, int], Estimate],
    cells: Cells,
    agent: str,
    k: int,
    level: float,
) -> Estimate:
    estimate = score(cells, agent, k, level=level)
    if estimate.value is not None:
        return estimate
    row = cells.select(agents=[agent])
    used = np.flatnonzero(row.n[0] >= k)
    if not used.size:
        return estimate
    if used.size == 1:
        mean = of_item(int(row.n[0, used[0]]), int(row.total[0, used[0]]), k).value
    else:
        mean = score(replace(row, families=None), agent, k, level=level).value
    return estimate if mean is None else _bare(mean, estimate)


def _bare(value: float, undefined: Estimate) -> Estimate:
    return Estimate.of(value, method=undefined.method, n=undefined.n, codes=undefined.codes, level=undefined.level)
