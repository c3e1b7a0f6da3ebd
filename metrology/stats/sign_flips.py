"""Sign-flip test: is the mean difference 0, judged without a distribution, by whole families?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from metrology.stats.arguments import whole_number
from metrology.stats.labels import as_list, code_labels
from metrology.stats.results import StatsInputError, Test, ordered_codes, status_of
from metrology.stats.vectors import ROUNDING, Numbers, Vector, is_constant, numeric_vector

EXACT_CLUSTERS = 16  # up to 2^16 sign patterns the distribution is complete
SIGNIFICANT_CLUSTERS = 6  # fewer cannot reach p < .05 at all, whatever the differences


def sign_flip_test(
    differences: Numbers, clusters: Iterable[Any] | None = None, *, draws: int = 9999, seed: int = 0
) -> Test:
    """Two-sided p of the mean difference when whole clusters could as well have had the opposite sign.

    `statistic` = mean difference. Exact over all 2^G sign patterns up to 16 clusters, then
    (hits + 1)/(draws + 1) from `draws` random patterns. Assumes that under no difference each cluster sum is
    symmetric about 0; the choice below 10 families. Fewer than 6 clusters cannot reach p < .05
    (FEW_CLUSTERS); fewer than 2: undefined. All differences 0: p = 1, ZERO_VARIANCE.

    Source: Fisher 1935; Canay, Romano and Shaikh 2017.

    Raises:
        StatsInputError: lengths differ, a cluster label is missing, `draws` below 1.
    """
    draws, seed = whole_number(draws, "draws", 1), whole_number(seed, "seed")
    given = numeric_vector(differences, "differences")
    groups = None if clusters is None else code_labels(as_list(clusters, "clusters"), "clusters").codes
    if groups is not None and len(groups) != len(given):
        msg = f"`clusters` must hold one label per difference ({len(given)}), got {len(groups)}"
        raise StatsInputError(msg)
    known = ~np.isnan(given)
    present = given[known]
    sums: Vector = present
    if groups is not None:
        codes_present = np.unique(groups[known], return_inverse=True)[1]
        sums = np.bincount(codes_present, weights=present).astype(np.float64)
    n = {"values": len(present), "clusters": len(sums)}
    method = "sign-flip test by cluster"
    codes = [] if known.all() else ["MISSING"]
    if len(sums) < 2:
        code = "TOO_FEW_CLUSTERS" if len(sums) else "NO_DATA"
        return Test(
            statistic=None, df=None, p=None, method=method, n=n, status="undefined",
            codes=ordered_codes([code, *codes]),
        )  # fmt: skip
    if len(sums) < SIGNIFICANT_CLUSTERS:
        codes.append("FEW_CLUSTERS")
    if is_constant([0.0, *present]):
        codes.append("ZERO_VARIANCE")
    exact = len(sums) <= EXACT_CLUSTERS
    return Test(
        statistic=float(present.mean()),
        df=None,
        p=_enumerated(sums) if exact else _sampled(sums, draws, seed),
        method=f"{method}, {'exact' if exact else 'Monte Carlo'}",
        n=n,
        status=status_of(codes),
        codes=ordered_codes(codes),
    )


def _threshold(sums: Vector) -> float:
    return abs(float(sums.sum())) - ROUNDING * float(np.abs(sums).sum())


def _enumerated(sums: Vector) -> float:
    totals = np.zeros(1)
    for value in sums.tolist():
        totals = np.concatenate([totals + value, totals - value])
    return float((np.abs(totals) >= _threshold(sums)).mean())


def _sampled(sums: Vector, draws: int, seed: int) -> float:
    # sizes in one order: the result must not depend on the order or sign in which clusters are given
    sizes = np.sort(np.abs(sums))
    generator = np.random.default_rng(seed)
    hits, left, block = 0, draws, max(1, 4_000_000 // len(sizes))
    while left > 0:
        rows = min(block, left)
        signs = generator.integers(0, 2, (rows, len(sizes)), dtype=np.int8) * 2.0 - 1.0
        hits += int((np.abs(signs @ sizes) >= _threshold(sums)).sum())
        left -= rows
    return (hits + 1) / (draws + 1)
