"""McNemar's test: two agents with one 0/1 verdict per item, judged by the items on which they differ."""

from __future__ import annotations

import scipy.stats

from metrology.stats.arguments import one_of, whole_number
from metrology.stats.results import Comparison, Estimate, StatsInputError
from metrology.stats.vectors import inside

LARGEST_COUNT = 10**15  # larger counts are not exact in double precision


def mcnemar(only_first: int, only_second: int, *, method: str = "mid_p", level: float = 0.95) -> Comparison:
    """Two-sided p of no difference and the odds ratio only_first/only_second with exact limits.

    `only_first` and `only_second` count the items that only the first or only the second agent passed.
    `method` "mid_p" (default: error rate close to nominal) or "exact" (never above nominal, but far below it);
    the limits of the odds ratio are Clopper-Pearson's in both. `statistic` is `only_first`, whose null
    distribution is Binomial(n, 1/2). No discordant item: p = 1, effect undefined (NO_DISCORDANT);
    `only_second` = 0: the ratio has only a lower limit (ZERO_DENOMINATOR in `effect`). Not for several trials
    per item or items in families: `paired_difference`.

    Source: McNemar 1947; Fagerland, Lydersen and Laake 2013.

    Raises:
        StatsInputError: counts that are not whole numbers, 0 or more; unknown `method`; `level` outside (0, 1).
    """
    first, second = whole_number(only_first, "only_first"), whole_number(only_second, "only_second")
    one_of(method, ("mid_p", "exact"), "method")
    level = inside(level, 0, 1, "level")
    if max(first, second) > LARGEST_COUNT:
        msg = f"`only_first` and `only_second` must not exceed {LARGEST_COUNT:g}"
        raise StatsInputError(msg)
    discordant, smaller = first + second, min(first, second)
    n = {"discordant": discordant, "only_first": first, "only_second": second}
    p = 1.0
    if discordant:
        point = float(scipy.stats.binom.pmf(smaller, discordant, 0.5))
        p = min(1.0, 2 * float(scipy.stats.binom.cdf(smaller, discordant, 0.5)))
        if method == "mid_p":
            # at equal counts the doubled tail exceeds 1 by the point itself; half of it is taken off 1
            p = 1 - point / 2 if first == second else p - point
    codes = () if discordant else ("NO_DISCORDANT",)
    return Comparison(
        effect=_odds_ratio(first, second, level, n),
        statistic=float(first),
        df=None,
        p=p,
        method=f"McNemar, {'mid-p' if method == 'mid_p' else 'exact'}",
        baseline=None,
        candidate=None,
        correlation=None,
        n=n,
        status="ok",
        codes=codes,
    )


def _odds_ratio(first: int, second: int, level: float, n: dict[str, int]) -> Estimate:
    method = "odds ratio of discordant pairs, exact (Clopper-Pearson) limits"
    if first + second == 0:
        return Estimate.without_value("undefined", ("NO_DISCORDANT",), level=level, method=method, n=n)
    tail = (1 - level) / 2
    # limits of the odds p/(1 - p) from the beta quantiles of p and of 1 - p, so that none is lost near 1
    low = high = None
    if first:
        low = float(scipy.stats.beta.ppf(tail, first, second + 1) / scipy.stats.beta.isf(tail, second + 1, first))
    if second == 0:
        return Estimate.without_value("undefined", ("ZERO_DENOMINATOR",), level=level, method=method, n=n, low=low)
    high = float(scipy.stats.beta.isf(tail, first + 1, second) / scipy.stats.beta.ppf(tail, second, first + 1))
    return Estimate.of(first / second, low=low if first else 0.0, high=high, level=level, method=method, n=n)
