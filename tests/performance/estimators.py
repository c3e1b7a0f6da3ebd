"""Times the statistics that must stay fast; run it by hand: ``python tests/performance/estimators.py``."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from metrology.stats.cells import Cells
from metrology.stats.errorbars import agent_score
from metrology.stats.generalizability import variance_components

T = TypeVar("T")


def timed(name: str, limit: float, work: Callable[[], T]) -> T:
    start = time.perf_counter()
    result = work()
    seconds = time.perf_counter() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{name:55s} {seconds:8.3f} s (limit {limit:g} s)   peak memory so far {memory:6.0f} MB")
    return result


def simulated(agents: int, items: int, trials: int, seed: int) -> np.ndarray:
    generator = np.random.default_rng(seed)
    logit = generator.normal(size=(agents, 1, 1)) + generator.normal(size=(1, items, 1))
    return (generator.random((agents, items, trials)) < 1 / (1 + np.exp(-logit))).astype(float)


def dropped(scores: np.ndarray, share: float, seed: int) -> np.ndarray:
    return np.where(np.random.default_rng(seed).random(scores.shape) < share, np.nan, scores)


def main() -> None:
    balanced = Cells.from_trials(simulated(30, 200, 5, 1))
    timed("ANOVA 30 x 200 x 5", 0.05, lambda: variance_components(balanced))
    timed("REML balanced 30 x 200 x 5", 2, lambda: variance_components(balanced, method="reml"))
    families = [str(position % 25) for position in range(200)]
    unbalanced = Cells.from_trials(dropped(simulated(30, 200, 5, 1), 0.15, 2), families=families)
    timed("REML unbalanced 30 x 200 x 5", 2, lambda: variance_components(unbalanced, method="reml"))
    timed(
        "REML unbalanced 30 x 200 x 5, 25 families",
        2,
        lambda: variance_components(unbalanced, method="reml", families=True),
    )
    tall = Cells.from_matrix(dropped(simulated(1000, 5, 1, 3), 0.05, 4)[:, :, 0])
    timed("REML unbalanced 1000 x 5", 2, lambda: variance_components(tall, method="reml"))

    generator = np.random.default_rng(5)
    passes = generator.binomial(3, generator.random((1000, 1)) * generator.random((1, 5000)))
    trials = np.full(passes.shape, 3)
    large = timed("cells from counts 1000 x 5000", 3, lambda: Cells.from_counts(passes, trials))
    timed("ANOVA 1000 x 5000 from counts", 3, lambda: variance_components(large))
    timed("score of one agent of 1000 x 5000", 1, lambda: agent_score(large, "1"))

    rows = 1_000_000
    agent, item = generator.integers(0, 500, rows), generator.integers(0, 2000, rows)
    score = generator.integers(0, 2, rows).astype(float)
    timed("cells from 1 M trials, integer labels", 1, lambda: Cells.from_long(agent, item, score))
    agent_labels, item_labels = [f"agent-{a}" for a in agent], [f"item-{i}" for i in item]
    timed("cells from 1 M trials, text labels", 1, lambda: Cells.from_long(agent_labels, item_labels, score))
    count = np.ones(rows)
    timed(
        "cells from 1 M grouped rows",
        1,
        lambda: Cells.from_grouped(agent_labels, item_labels, count, score, score),
    )
    sums = generator.integers(0, 4, (1000, 1000)).astype(float)
    timed("cells from sums of 1 M cells", 1, lambda: Cells.from_sums(np.full((1000, 1000), 3), sums, sums))


if __name__ == "__main__":
    main()
