"""Two one-sided tests: is a difference (after a harness change, say) within a bound fixed in advance?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy.stats

from metrology.stats.results import Equivalence, Estimate, ordered_codes, status_of
from metrology.stats.vectors import Numbers, Vector, inside, is_constant, numeric_vector, same_length


@dataclass(frozen=True)
class _Difference:
    value: float
    se: float  # 0 when nothing varies
    df: float


def equivalence(
    baseline: Numbers,
    candidate: Numbers,
    bound: float,
    *,
    paired: bool = True,
    alpha: float = 0.05,
) -> Equivalence:
    """Whether candidate - baseline lies within +-`bound`, by two one-sided t tests (Schuirmann 1987).

    `t_lower` = (difference + bound)/se, `t_upper` = (difference - bound)/se, p = the larger of the two
    one-sided p values, `equivalent` = p < alpha; `difference` has its interval at 1 - 2 alpha. `paired`: item
    by item, pairs with a missing value are left out; otherwise Welch. The bound must be fixed before looking.
    A standard error of 0 (deterministic replay) is no evidence: `warn` ZERO_VARIANCE and `equivalent` None.
    Fewer than 2 pairs, or than 2 values on a side: undefined TOO_FEW_UNITS.

    Raises:
        StatsInputError: `bound` not positive, `alpha` outside (0, 0.5), unequal lengths when paired.
    """
    bound, alpha = inside(bound, 0, 1e100, "bound"), inside(alpha, 0, 0.5, "alpha")
    first, second = numeric_vector(baseline, "baseline"), numeric_vector(candidate, "candidate")
    incomplete = bool(np.isnan(first).any() or np.isnan(second).any())
    codes = ["MISSING"] if incomplete else []
    if paired:
        same_length(baseline=first, candidate=second)
        present = ~(np.isnan(first) | np.isnan(second))
        first, second = first[present], second[present]
        n = {"pairs": len(first), "dropped": int((~present).sum())}
    else:
        first, second = first[~np.isnan(first)], second[~np.isnan(second)]
        n = {"baseline": len(first), "candidate": len(second)}
    method = f"two one-sided t tests, {'paired' if paired else 'Welch'}"
    level = 1 - 2 * alpha
    if min(len(first), len(second)) < 2:
        estimate = Estimate.without_value("undefined", ["TOO_FEW_UNITS", *codes], level=level, method=method, n=n)
        return _without_test(estimate, bound, method, "undefined")
    found = _paired(first, second) if paired else _welch(first, second)
    if found.se == 0:
        estimate = Estimate.of(found.value, level=level, method=method, n=n, codes=["ZERO_VARIANCE", *codes])
        return _without_test(estimate, bound, method, "warn")
    half = float(scipy.stats.t.isf(alpha, found.df)) * found.se
    estimate = Estimate.of(
        found.value, se=found.se, low=found.value - half, high=found.value + half, level=level, method=method,
        n=n, codes=codes, df=found.df,
    )  # fmt: skip
    t_lower, t_upper = (found.value + bound) / found.se, (found.value - bound) / found.se
    p_lower, p_upper = (float(scipy.stats.t.sf(t, found.df)) for t in (t_lower, -t_upper))
    p = max(p_lower, p_upper)
    return Equivalence(
        difference=estimate,
        bound=bound,
        t_lower=t_lower,
        p_lower=p_lower,
        t_upper=t_upper,
        p_upper=p_upper,
        p=p,
        df=found.df,
        equivalent=p < alpha,
        method=method,
        n=n,
        status=status_of(codes),
        codes=ordered_codes(codes),
    )


def _without_test(estimate: Estimate, bound: float, method: str, status: str) -> Equivalence:
    return Equivalence(
        difference=estimate, bound=bound, t_lower=None, p_lower=None, t_upper=None, p_upper=None, p=None,
        df=None, equivalent=None, method=method, n=estimate.n,
        status="warn" if status == "warn" else "undefined", codes=estimate.codes,
    )  # fmt: skip


def _paired(first: Vector, second: Vector) -> _Difference:
    differences = second - first
    scale = float(max(np.abs(first).max(), np.abs(second).max()))
    constant = is_constant(differences, scale)
    se = 0.0 if constant else float(differences.std(ddof=1)) / math.sqrt(len(differences))
    return _Difference(float(differences.mean()), se, len(differences) - 1)


def _welch(first: Vector, second: Vector) -> _Difference:
    parts = [0.0 if is_constant(v) else float(v.var(ddof=1)) / len(v) for v in (first, second)]
    total = sum(parts)
    value = float(second.mean() - first.mean())
    # an error bar that vanishes in the rounding of the means is none
    if is_constant([0.0, math.sqrt(total)], max(abs(value), float(np.abs(first).max()))):
        return _Difference(value, 0.0, 0.0)
    shares = [part / total for part in parts]
    df = 1 / sum(share**2 / (len(v) - 1) for share, v in zip(shares, (first, second), strict=True))
    return _Difference(value, math.sqrt(total), df)
