"""Several attempts at one item: pass@k, pass^k and the split of variance between and within items.

Unbiased estimators only. The plug-ins ``1 - (1 - p)^k`` and ``p^k`` are biased for the few trials a cell has.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from metrology.stats.arguments import whole_number
from metrology.stats.cells import Cells
from metrology.stats.errorbars import clustered_mean
from metrology.stats.results import (
    Estimate,
    StatsInputError,
    TaskVariation,
    finite,
    negative_estimate,
    ordered_codes,
    status_of,
)
from metrology.stats.vectors import Vector, inside

_AT = "pass@k: at least one of k attempts passes"
_HAT = "pass^k: all of k attempts pass"


def pass_at_k(trials: int, passes: int, k: int) -> Estimate:
    """Return the chance that at least one of ``k`` attempts passes: ``1 - C(n-c, k) / C(n, k)``.

    Unbiased for ``n`` trials with ``c`` passes of one item. ``k > trials``: undefined TOO_FEW_TRIALS, there is no
    extrapolation. No interval: the uncertainty that matters lies between items, see :func:`pass_at_k_score`.

    Source: Chen et al. 2021 (Codex).

    Raises:
        StatsInputError: not whole numbers, passes > trials, k < 1.
    """
    return _one_item(trials, passes, k, at_least_one=True)


def pass_hat_k(trials: int, passes: int, k: int) -> Estimate:
    """Return the chance that all of ``k`` attempts pass: ``C(c, k) / C(n, k)``; see :func:`pass_at_k`.

    Source: Yao et al. 2024 (tau-bench).

    Raises:
        StatsInputError: as :func:`pass_at_k`.
    """
    return _one_item(trials, passes, k, at_least_one=False)


def pass_at_k_score(cells: Cells, agent: Any, k: int, *, level: float = 0.95) -> Estimate:
    """Return the mean of pass@k over items; standard error over items, CR2 over families if they are known.

    Items with fewer than ``k`` trials are left out: ``warn`` TOO_FEW_TRIALS, ``n["items_used"]`` of ``n["items"]``.

    Raises:
        StatsInputError: unknown agent, scores other than 0 and 1, k < 1.
    """
    return _over_items(cells, agent, k, level, at_least_one=True)


def pass_hat_k_score(cells: Cells, agent: Any, k: int, *, level: float = 0.95) -> Estimate:
    """Return the mean of pass^k over items; otherwise as :func:`pass_at_k_score`."""
    return _over_items(cells, agent, k, level, at_least_one=False)


def task_variation(cells: Cells, agent: Any) -> TaskVariation:
    """Return how the single-trial scores of one agent vary between and within items.

    ``within`` = mean over items of the variance over trials (items with two trials or more),
    ``between`` = variance of item means - within * mean(1/n), raw (may be negative), ``total`` = between + within.
    Flaky: mean score strictly between 0 and 1.

    Raises:
        StatsInputError: unknown agent.
    """
    row = cells.select(agents=[agent])
    used = row.n[0] > 0
    trials = row.n[0][used].astype(np.float64)
    means: Vector = row.mean[0][used]
    repeated = trials >= 2
    counted = {
        "items": int(used.sum()),
        "trials": int(trials.max(initial=0)),
        "items_repeated": int(repeated.sum()),
    }
    codes = ["MISSING"] if row.incomplete else []
    if not used.any():
        return TaskVariation(*(None,) * 8, counted, "undefined", ordered_codes(["NO_DATA", *codes]))
    squares = np.maximum(row.total_sq[0][used] - np.square(row.total[0][used]) / trials, 0.0)[repeated]
    within = float((squares / (trials[repeated] - 1)).mean()) if repeated.any() else None
    variance = float(means.var(ddof=1)) if len(means) > 1 else None
    between = None if within is None or variance is None else variance - within * float((1 / trials).mean())
    if not repeated.all():
        codes.append("TOO_FEW_TRIALS")
    if variance is None:
        codes.append("TOO_FEW_ITEMS")
    if between is not None:
        codes += negative_estimate(between, scale=(variance or 0.0) + (within or 0.0))
    return TaskVariation(
        mean=float(means.mean()),
        between=finite(between),
        within=finite(within),
        total=None if between is None or within is None else between + within,
        variance_of_task_means=finite(variance),
        flaky_share=float(((means > 0) & (means < 1)).mean()),
        all_pass_share=float((means == 1).mean()),
        all_fail_share=float((means == 0).mean()),
        n=counted,
        status=status_of(codes),
        codes=ordered_codes(codes),
    )


def _none_of(trials: Vector, others: Vector, k: int) -> Vector:
    # C(others, k) / C(trials, k): chance that k attempts drawn without replacement all fall among `others`
    chance = np.ones_like(trials)
    for drawn in range(k):
        chance = chance * np.maximum(others - drawn, 0.0) / (trials - drawn)
        if not chance.any():
            break
    return chance


def _estimator(trials: Vector, passes: Vector, k: int, *, at_least_one: bool) -> Vector:
    return 1 - _none_of(trials, trials - passes, k) if at_least_one else _none_of(trials, passes, k)


def _one_item(trials: int, passes: int, k: int, *, at_least_one: bool) -> Estimate:
    attempts, passed, size = whole_number(trials, "trials"), whole_number(passes, "passes"), whole_number(k, "k", 1)
    if passed > attempts:
        msg = f"`passes` ({passed}) is larger than `trials` ({attempts})"
        raise StatsInputError(msg)
    name, counted = _AT if at_least_one else _HAT, {"trials": attempts, "k": size}
    if size > attempts:
        return Estimate.without_value("undefined", ["TOO_FEW_TRIALS"], method=name, n=counted)
    value = _estimator(np.array([float(attempts)]), np.array([float(passed)]), size, at_least_one=at_least_one)
    return Estimate.of(float(value[0]), method=name, n=counted)


def _over_items(cells: Cells, agent: Any, k: int, level: float, *, at_least_one: bool) -> Estimate:
    size = whole_number(k, "k", 1)
    level = inside(level, 0, 1, "level")
    row = cells.select(agents=[agent])
    if not row.binary:
        msg = "pass@k and pass^k need 0/1 verdicts"
        raise StatsInputError(msg)
    used = row.n[0] >= size
    families = None if row.families is None else [f for f, kept in zip(row.families, used, strict=True) if kept]
    counted = {
        "items": len(row.items),
        "items_used": int(used.sum()),
        "trials": int(row.n.max(initial=0)),
        "k": size,
        "clusters": int(used.sum()) if families is None else len(set(families)),
    }
    codes = [*([] if used.all() else ["TOO_FEW_TRIALS"]), *(["MISSING"] if row.incomplete else [])]
    name = f"{_AT if at_least_one else _HAT}, mean over items"
    if not used.any():
        codes = codes or ["NO_DATA"]
        return Estimate.without_value("undefined", codes, method=name, n=counted, level=level)
    values = _estimator(row.n[0][used].astype(np.float64), row.total[0][used], size, at_least_one=at_least_one)
    mean = clustered_mean(values, families, level=level)
    codes = [*codes, *mean.codes]
    if mean.value is None:
        return Estimate.without_value("undefined", codes, method=name, n=counted, level=level)
    return Estimate.of(
        mean.value,
        method=f"{name}; {mean.method}",
        n=counted,
        codes=codes,
        se=mean.se,
        low=mean.low,
        high=mean.high,
        level=level,
        df=mean.df,
    )
