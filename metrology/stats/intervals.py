"""Intervals of a proportion and of the difference of two independent proportions.

Never Wald: it covers far too little near 0 and 1 and collapses at 0 of n.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import scipy.stats

from metrology.stats.arguments import one_of, whole_number
from metrology.stats.results import Estimate, StatsInputError
from metrology.stats.vectors import inside

_METHOD_NAMES = {
    "wilson": "proportion, Wilson score interval",
    "clopper_pearson": "proportion, Clopper-Pearson exact interval",
    "jeffreys": "proportion, Jeffreys interval",
    "beta": "proportion, equal-tailed Beta(1, 1) posterior interval",
}


@dataclass(frozen=True)
class _Limits:
    low: float
    high: float


def proportion_interval(passes: int, n: int, *, method: str = "wilson", level: float = 0.95) -> Estimate:
    """Return ``passes / n`` with an interval for independent 0/1 verdicts.

    ``method`` is ``wilson`` (default, right on average), ``clopper_pearson`` (never below the level, wide),
    ``jeffreys`` (ends at 0 or 1 when passes is 0 or n) or ``beta`` (uniform prior). ``se`` is the plug-in
    sqrt(p (1 - p) / n), ``None`` at 0 and 1; it is not what the interval is built from. Do not use it for several
    trials per item, where verdicts are not independent: see :func:`metrology.stats.errorbars.agent_score`.

    Source: Wilson 1927; Clopper and Pearson 1934; Brown, Cai and DasGupta 2001.

    Raises:
        StatsInputError: not whole numbers, passes > n, unknown method.
    """
    one_of(method, tuple(_METHOD_NAMES), "method")
    level = inside(level, 0, 1, "level")
    trials = whole_number(n, "n")
    passed = whole_number(passes, "passes")
    if passed > trials:
        msg = f"`passes` ({passed}) is larger than `n` ({trials})"
        raise StatsInputError(msg)
    name, counted = _METHOD_NAMES[method], {"trials": trials}
    if trials == 0:
        return Estimate.without_value("undefined", ["NO_DATA"], method=name, n=counted, level=level)
    share = passed / trials
    limits = _limits(passed, trials, method, level)
    codes = [code for code, meets in (("FLOOR", passed == 0), ("CEILING", passed == trials)) if meets]
    return Estimate.of(
        share,
        method=name,
        n=counted,
        codes=codes,
        se=None if codes else math.sqrt(share * (1 - share) / trials),
        low=limits.low,
        high=limits.high,
        level=level,
    )


def proportion_difference_interval(
    passes_a: int, n_a: int, passes_b: int, n_b: int, *, level: float = 0.95
) -> Estimate:
    """Return ``passes_a / n_a - passes_b / n_b`` with Newcombe's hybrid score interval (1998, method 10).

    For independent groups. Two agents on the same items are not independent: use
    :func:`metrology.stats.compare.paired_difference`, which is also far more precise.

    Raises:
        StatsInputError: as :func:`proportion_interval`.
    """
    a = proportion_interval(passes_a, n_a, level=level)
    b = proportion_interval(passes_b, n_b, level=level)
    name = "difference of independent proportions, Newcombe hybrid score interval"
    counted = {"trials_a": a.n["trials"], "trials_b": b.n["trials"]}
    if a.value is None or b.value is None:
        return Estimate.without_value("undefined", ["NO_DATA"], method=name, n=counted, level=level)
    limits_a = _limits(int(passes_a), counted["trials_a"], "wilson", level)
    limits_b = _limits(int(passes_b), counted["trials_b"], "wilson", level)
    difference = a.value - b.value
    se = math.hypot(a.se or 0.0, b.se or 0.0)
    return Estimate.of(
        difference,
        method=name,
        n=counted,
        se=se if se > 0 else None,
        low=difference - math.hypot(a.value - limits_a.low, limits_b.high - b.value),
        high=difference + math.hypot(limits_a.high - a.value, b.value - limits_b.low),
        level=level,
    )


def _limits(passed: int, trials: int, method: str, level: float) -> _Limits:
    tail = (1 - level) / 2
    failed = trials - passed
    if method == "wilson":
        z = float(scipy.stats.norm.isf(tail))
        centre = (passed + z**2 / 2) / (trials + z**2)
        half = z / (trials + z**2) * math.sqrt(passed * failed / trials + z**2 / 4)
        return _Limits(0.0 if passed == 0 else centre - half, 1.0 if failed == 0 else centre + half)
    beta = scipy.stats.beta
    if method == "beta":
        return _Limits(float(beta.ppf(tail, passed + 1, failed + 1)), float(beta.isf(tail, passed + 1, failed + 1)))
    if method == "jeffreys":
        low, high = (passed + 0.5, failed + 0.5), (passed + 0.5, failed + 0.5)
    else:
        low, high = (passed, failed + 1), (passed + 1, failed)
    return _Limits(
        0.0 if passed == 0 else float(beta.ppf(tail, *low)),
        1.0 if failed == 0 else float(beta.isf(tail, *high)),
    )
