"""Planning: how many items, pairs or agents a question needs, and what difference a benchmark can show.

Sample sizes are real-valued, so that plans can be compared; round up before use.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import scipy.optimize
import scipy.stats

from metrology.stats.results import PowerPlan, StatsInputError
from metrology.stats.vectors import inside

LARGE_SAMPLE = 1e5  # from here on the normal approximation of the t test is exact for planning
MOST_UNITS = 1e12  # no plan beyond this is a plan


def items_for_difference(
    difference: float,
    *,
    between_variance: float,
    within_variance_a: float,
    within_variance_b: float,
    trials_a: float = 1,
    trials_b: float = 1,
    alpha: float = 0.05,
    power: float = 0.8,
) -> PowerPlan:
    """Items on which two agents must be compared, item by item, to show a true score difference.

    n = (z_(1-alpha/2) + z_power)^2 (between + within_a/trials_a + within_b/trials_b)/difference^2 (Miller 2024).
    `between_variance` = variance over items of the true item differences, `within_variance_*` = mean variance
    of single trials within items. A normal approximation: too small below about 30 items, and it counts
    independent items, so families need more. No variance: undefined ZERO_VARIANCE; no difference:
    ZERO_DENOMINATOR.

    Raises:
        StatsInputError: negative variances, fewer than one trial, `alpha` or `power` outside (0, 1).
    """
    reach = _reach(alpha, power)
    variance = _variance(between_variance, within_variance_a, within_variance_b, trials_a, trials_b)
    method = "paired items, normal approximation (Miller 2024)"
    difference = inside(difference, -1e100, 1e100, "difference")
    if difference == 0:
        return _no_plan("ZERO_DENOMINATOR", method, alpha, power, difference=0.0)
    if variance == 0:
        return _no_plan("ZERO_VARIANCE", method, alpha, power, difference=difference)
    return _plan(reach**2 * variance / difference / difference, difference, method, alpha, power)


def minimum_detectable_difference(
    items: float,
    *,
    between_variance: float,
    within_variance_a: float,
    within_variance_b: float,
    trials_a: float = 1,
    trials_b: float = 1,
    alpha: float = 0.05,
    power: float = 0.8,
) -> PowerPlan:
    """The smallest true score difference of two agents that this many items show with the given power.

    `items_for_difference` solved for the difference. Show it beside every difference that is not significant.

    Raises:
        StatsInputError: fewer than one item or trial, negative variances, `alpha` or `power` outside (0, 1).
    """
    reach = _reach(alpha, power)
    variance = _variance(between_variance, within_variance_a, within_variance_b, trials_a, trials_b)
    method = "paired items, normal approximation (Miller 2024)"
    items = _at_least(items, 1, "items")
    if variance == 0:
        return _no_plan("ZERO_VARIANCE", method, alpha, power, n=items)
    return _plan(items, reach * math.sqrt(variance / items), method, alpha, power)


def items_for_mcnemar(only_first: float, only_second: float, *, alpha: float = 0.05, power: float = 0.8) -> PowerPlan:
    """Items for McNemar's test when these shares of items are passed by only the first or only the second agent.

    n = (z_(1-alpha/2) sqrt(s) + z_power sqrt(s - d^2))^2/d^2, s = sum and d = difference of the two shares
    (Connor 1987). `difference` = only_first - only_second. Equal shares: undefined ZERO_DENOMINATOR.

    Raises:
        StatsInputError: shares outside 0..1 or together above 1, `alpha` or `power` outside (0, 1).
    """
    _reach(alpha, power)
    for name, share in (("only_first", only_first), ("only_second", only_second)):
        if not 0 <= share <= 1:
            msg = f"`{name}` must be a share on 0..1, got {share!r}"
            raise StatsInputError(msg)
    total, difference = float(only_first + only_second), float(only_first - only_second)
    if total > 1 + 1e-12:
        msg = f"`only_first` and `only_second` must not exceed 1 together, got {total:g}"
        raise StatsInputError(msg)
    method = "McNemar, normal approximation (Connor 1987)"
    if difference == 0:
        return _no_plan("ZERO_DENOMINATOR", method, alpha, power, difference=0.0)
    root = _z(alpha / 2) * math.sqrt(total) + _z(1 - power) * math.sqrt(max(total - difference**2, 0.0))
    return _plan((root / difference) ** 2, difference, method, alpha, power)


def units_for_paired_t(difference: float, sd: float, *, alpha: float = 0.05, power: float = 0.8) -> PowerPlan:
    """Pairs for a two-sided paired t test of a mean difference, `sd` = standard deviation of the differences.

    Power of the noncentral t distribution in the direction of the difference, solved for a real-valued n of
    2 or more. No difference: undefined ZERO_DENOMINATOR.

    Raises:
        StatsInputError: `sd` not positive, `alpha` or `power` outside (0, 1).
    """
    reach = _reach(alpha, power)
    difference, sd = inside(difference, -1e100, 1e100, "difference"), inside(sd, 0, 1e100, "sd")
    method = "paired t test, noncentral t"
    if difference == 0:
        return _no_plan("ZERO_DENOMINATOR", method, alpha, power, difference=0.0)
    effect = abs(difference) / sd
    first = (reach / effect) ** 2 if effect > 1e-100 else math.inf
    if first > LARGE_SAMPLE:
        return _plan(first + _z(alpha / 2) ** 2 / 2, difference, method, alpha, power)

    def reached(n: float) -> float:
        critical = float(scipy.stats.t.isf(alpha / 2, n - 1))
        noncentrality = math.sqrt(n) * effect
        if noncentrality > 30 + 2 * critical:  # certain detection; the noncentral t is not computable there
            return 1.0
        return float(scipy.stats.nct.sf(critical, n - 1, noncentrality))

    return _plan(_smallest(reached, 2.0, first, power), difference, method, alpha, power)


def agents_for_correlation(correlation: float, *, alpha: float = 0.05, power: float = 0.8) -> PowerPlan:
    """Agents needed to show that a correlation (benchmark with production, say) is not 0, two-sided.

    Power on Fisher's z scale with arctanh(r) + r/(2(n - 1)) against the critical r of the t test, solved for a
    real-valued n above 4. `difference` = the correlation. Agents of one vendor count as fewer.

    Raises:
        StatsInputError: a correlation outside (-1, 1), `alpha` or `power` outside (0, 1).
    """
    reach = _reach(alpha, power)
    r = inside(correlation, -1, 1, "correlation")
    method = "correlation, bias-corrected Fisher z against the critical r of t"
    if r == 0:
        return _no_plan("ZERO_DENOMINATOR", method, alpha, power, difference=0.0)

    def reached(n: float) -> float:
        t = float(scipy.stats.t.isf(alpha / 2, n - 2))
        critical = math.atanh(t / math.hypot(t, math.sqrt(n - 2)))
        z, root = math.atanh(abs(r)) + abs(r) / (2 * (n - 1)), math.sqrt(n - 3)
        return float(scipy.stats.norm.cdf((z - critical) * root) + scipy.stats.norm.cdf((-z - critical) * root))

    first = (reach / math.atanh(abs(r))) ** 2 + 3 if abs(r) > 1e-100 else math.inf
    if first > MOST_UNITS:
        return _plan(first, r, method, alpha, power)
    return _plan(_smallest(reached, 4.0 + 1e-9, first, power), r, method, alpha, power)


def _z(tail: float) -> float:
    return float(scipy.stats.norm.isf(tail))


def _reach(alpha: float, power: float) -> float:
    """z_(1-alpha/2) + z_power, the distance in standard errors that the plan must put between the hypotheses."""
    alpha, power = inside(alpha, 0, 1, "alpha"), inside(power, 0, 1, "power")
    if power <= alpha:
        msg = f"`power` ({power:g}) must exceed `alpha` ({alpha:g})"
        raise StatsInputError(msg)
    return _z(alpha / 2) + _z(1 - power)


def _at_least(value: float, minimum: float, name: str) -> float:
    if not minimum <= value < 1e100:
        msg = f"`{name}` must be {minimum:g} or more, got {value!r}"
        raise StatsInputError(msg)
    return float(value)


def _variance(between: float, within_a: float, within_b: float, trials_a: float, trials_b: float) -> float:
    total = _at_least(between, 0, "between_variance")
    total += _at_least(within_a, 0, "within_variance_a") / _at_least(trials_a, 1, "trials_a")
    return total + _at_least(within_b, 0, "within_variance_b") / _at_least(trials_b, 1, "trials_b")


def _smallest(reached: Callable[[float], float], low: float, guess: float, power: float) -> float:
    """The n at which the rising function `reached` meets the power, `low` where even that suffices."""
    if reached(low) >= power:
        return low
    high = max(2 * guess, low + 10)
    while reached(high) < power:
        high *= 2
    return float(scipy.optimize.brentq(lambda n: reached(n) - power, low, high, xtol=1e-9, rtol=1e-12))


def _plan(n: float, difference: float, method: str, alpha: float, power: float) -> PowerPlan:
    if not (math.isfinite(n) and math.isfinite(difference)):
        return _no_plan("ZERO_DENOMINATOR", method, alpha, power)
    return PowerPlan(n=n, difference=difference, alpha=alpha, power=power, method=method, status="ok", codes=())


def _no_plan(
    code: str, method: str, alpha: float, power: float, *, n: float | None = None, difference: float | None = None
) -> PowerPlan:
    return PowerPlan(
        n=n, difference=difference, alpha=alpha, power=power, method=method, status="undefined", codes=(code,)
    )
