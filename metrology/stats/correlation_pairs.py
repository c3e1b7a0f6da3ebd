"""Pairs of agent values, their correlation coefficients and the interval and permutation machinery."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy import stats

from metrology.stats.results import Estimate, StatsInputError
from metrology.stats.vectors import ROUNDING, Numbers, Vector, is_constant, numeric_vector, same_length

ENUMERATED = 8  # up to 8! = 40,320 orders the permutation distribution is complete
UNITY = 1e-12  # a correlation this close to 1 is exactly 1 but for rounding


@dataclass(frozen=True)
class Pairs:
    """Complete pairs in an order of their own, so that no result depends on the order of the agents."""

    x: Vector
    y: Vector
    n: dict[str, int]
    codes: tuple[str, ...]

    @property
    def constant(self) -> bool:
        """Whether one of the two does not vary."""
        return is_constant(self.x) or is_constant(self.y)


def complete_pairs(x: Numbers, y: Numbers, families: Sequence[Hashable] | None = None) -> Pairs:
    """Pairs of which both values exist; raises StatsInputError on unequal lengths or values that are no numbers."""
    first, second = numeric_vector(x, "x"), numeric_vector(y, "y")
    same_length(x=first, y=second)
    present = ~(np.isnan(first) | np.isnan(second))
    n = {"agents": int(present.sum()), "dropped": int((~present).sum())}
    clustered: tuple[str, ...] = ()
    if families is not None:
        if len(families) != len(first):
            msg = f"lengths differ: `x` {len(first)}, `families` {len(families)}"
            raise StatsInputError(msg)
        # an agent of unknown vendor counts as a vendor of its own
        n["families"] = len(
            {("agent", i) if families[i] is None else families[i] for i in np.flatnonzero(present).tolist()}
        )
        clustered = ("CLUSTERED_AGENTS",) if n["families"] < n["agents"] else ()
    first, second = first[present], second[present]
    order = np.lexsort((second, first))
    return Pairs(first[order], second[order], n, clustered + (("MISSING",) if n["dropped"] else ()))


def product_moment(x: Vector, y: Vector) -> float:
    """Pearson's r of two vectors that vary; exactly +-1 within rounding."""
    # scaled first, so that neither overflow nor underflow can reach the products
    a, b = (x - x.mean()) / np.ptp(x), (y - y.mean()) / np.ptp(y)
    r = float(a @ b / math.sqrt(float(a @ a) * float(b @ b)))
    return math.copysign(1.0, r) if 1 - abs(r) <= UNITY else r


@lru_cache(maxsize=16)
def _normal_quantile(level: float) -> float:
    return float(stats.norm.ppf((1 + level) / 2))


def fisher_interval(r: float, se: float | None, level: float) -> tuple[float | None, float | None]:
    """Limits tanh(atanh(r) +- z se); (r, r) at r = +-1, (None, None) without a standard error."""
    if se is None:
        return None, None
    if abs(r) == 1:
        return r, r
    half = _normal_quantile(level) * se
    return math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)


def correlation_estimate(
    r: float,
    se_z: float | None,
    level: float,
    method: str,
    n: dict[str, int],
    codes: tuple[str, ...] = (),
) -> Estimate:
    """Estimate of a correlation with limits on Fisher's z scale; no standard error: TOO_FEW_AGENTS."""
    low, high = fisher_interval(r, se_z, level)
    if low is None:
        codes = ("TOO_FEW_AGENTS", *codes)
    elif low == high:
        codes = (*codes, "DEGENERATE_CI")
    return Estimate.of(r, low=low, high=high, level=level, method=method, n=n, codes=codes)


def t_of_correlation(r: float, df: int) -> tuple[float | None, float | None]:
    """t = r sqrt(df/(1 - r^2)) and its two-sided p; None for r = +-1, where t is infinite."""
    if abs(r) == 1 or df < 1:
        return None, None
    t = r * math.sqrt(df / (1 - r * r))
    return t, 2 * float(stats.t.sf(abs(t), df))


@lru_cache(maxsize=ENUMERATED)
def _orders(size: int) -> npt.NDArray[np.intp]:
    return np.array(list(itertools.permutations(range(size))), dtype=np.intp)


def permutation_p(x: Vector, y: Vector, draws: int, seed: int) -> float:
    """Two-sided p of |r| when y is dealt to the agents at random: all orders up to n = 8, then (hits+1)/(draws+1)."""
    a, b = (x - x.mean()) / np.ptp(x), (y - y.mean()) / np.ptp(y)
    observed = abs(float(a @ b))
    threshold = observed - ROUNDING * math.sqrt(float(a @ a) * float(b @ b))
    if len(x) <= ENUMERATED:
        return float((np.abs(b[_orders(len(x))] @ a) >= threshold).mean())
    generator = np.random.default_rng(seed)
    hits, left, block = 0, draws, max(1, 2_000_000 // len(x))
    while left > 0:
        size = min(block, left)
        shuffled = generator.permuted(np.broadcast_to(b, (size, len(b))), axis=1)
        hits += int((np.abs(shuffled @ a) >= threshold).sum())
        left -= size
    return (hits + 1) / (draws + 1)
