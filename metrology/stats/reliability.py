"""Classical reliability: alpha, standard errors of measurement, split halves and the Spearman-Brown formula.

Reliability is relative to the pool of agents: a wide pool gives .95 while its best five cannot be told apart. Read
it together with the standard error of measurement.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import scipy.stats

from metrology.stats.arguments import one_of, whole_number
from metrology.stats.cells import Cells
from metrology.stats.intraclass import intraclass_correlation
from metrology.stats.results import (
    Estimate,
    SplitHalf,
    StatsInputError,
    Status,
    negative_estimate,
    ordered_codes,
    status_of,
)
from metrology.stats.vectors import Vector, inside, is_constant

__all__ = [
    "binomial_standard_error_of_measurement",
    "cronbach_alpha",
    "intraclass_correlation",
    "spearman_brown",
    "spearman_brown_factor",
    "split_half",
    "standard_error_of_measurement",
]

_ALPHA = "Cronbach's alpha over items on trial means, Feldt F interval"
_SEM = "sd sqrt(1 - alpha)"


def cronbach_alpha(cells: Cells, *, level: float = 0.95) -> Estimate:
    """Return Cronbach's alpha of the items (KR-20 for 0/1 items), on means over trials.

    ``k/(k-1) (1 - sum s_i^2 / s_X^2)``, which equals the generalizability coefficient of agents x items. Constant
    items stay among the k items (CONSTANT_ITEMS, ``n["active_items"]``). Negative values are given raw. The interval
    is Feldt's, (1 - alpha)/(1 - estimate) ~ F(n-1, (n-1)(k-1)); it holds its coverage from four agents on, which a
    bootstrap over agents does not. Every agent needs a verdict on every item, else ``refused`` MISSING.

    Source: Cronbach 1951; Feldt 1965.

    Raises:
        StatsInputError: level outside (0, 1).
    """
    level = inside(level, 0, 1, "level")
    agents, items = cells.n.shape
    counted = {"agents": agents, "items": items}
    codes = ["MISSING"] if cells.incomplete else []
    too_few = [code for code, size in (("TOO_FEW_AGENTS", agents), ("TOO_FEW_ITEMS", items)) if size < 2]
    if too_few:
        return Estimate.without_value("undefined", [*too_few, *codes], method=_ALPHA, n=counted, level=level)
    if not cells.full:
        return Estimate.without_value("refused", codes, method=_ALPHA, n=counted, level=level)
    scores = cells.mean
    varying = ~(np.ptp(scores, axis=0) <= 1e-12 * np.abs(scores).max(axis=0))
    counted["active_items"] = int(varying.sum())
    totals = scores.sum(1)
    if is_constant(totals, scale=float(np.abs(scores).sum(1).max())):
        codes.insert(0, "ZERO_VARIANCE")
        return Estimate.without_value("undefined", codes, method=_ALPHA, n=counted, level=level)
    item_variance = float(scores.var(axis=0, ddof=1)[varying].sum())
    alpha = items / (items - 1) * (1 - item_variance / float(totals.var(ddof=1)))
    if not varying.all():
        codes.append("CONSTANT_ITEMS")
    codes += negative_estimate(alpha)
    if 1 - alpha < 1e-12:  # all items order and space the agents alike: no error is left to build limits from
        return Estimate.of(1.0, method=_ALPHA, n=counted, codes=[*codes, "ZERO_ERROR"], level=level)
    return Estimate.of(
        alpha,
        method=_ALPHA,
        n=counted,
        codes=codes,
        low=1 - (1 - alpha) * feldt_quantile((1 + level) / 2, agents, items),
        high=1 - (1 - alpha) * feldt_quantile((1 - level) / 2, agents, items),
        level=level,
    )


def feldt_quantile(share: float, agents: int, items: int) -> float:
    """Return the quantile of (1 - alpha)/(1 - estimate), F with n-1 and (n-1)(k-1) degrees of freedom."""
    return float(scipy.stats.f.ppf(share, agents - 1, (agents - 1) * (items - 1)))


def standard_error_of_measurement(cells: Cells, *, scale: str = "mean") -> Estimate:
    """Return ``sd sqrt(1 - alpha)``: the error of one agent's score when the items are a sample of items.

    ``scale`` is ``mean`` (mean score per item, 0..1) or ``sum`` (points). The codes are those of alpha; where alpha
    does not exist, neither does this.

    Raises:
        StatsInputError: unknown scale.
    """
    one_of(scale, ("mean", "sum"), "scale")
    alpha = cronbach_alpha(cells)
    name = f"standard error of measurement, {_SEM}, {'points' if scale == 'sum' else 'mean score'}"
    if alpha.value is None:
        return Estimate.without_value(alpha.status, alpha.codes, method=name, n=alpha.n)
    sd = float(cells.mean.sum(1).std(ddof=1)) / (1 if scale == "sum" else len(cells.items))
    return Estimate.of(sd * math.sqrt(1 - alpha.value), method=name, n=alpha.n, codes=alpha.codes)


def binomial_standard_error_of_measurement(passes: int, n_items: int) -> Estimate:
    """Return Lord's binomial standard error ``sqrt(x (k - x) / (k - 1))`` in points; it needs one agent only.

    Takes all items as equally difficult, so it is on the large side. At 0 and ``k`` it is 0 (FLOOR, CEILING):
    then it says nothing about the error.

    Source: Lord 1955.

    Raises:
        StatsInputError: not whole numbers, passes > n_items.
    """
    items, passed = whole_number(n_items, "n_items"), whole_number(passes, "passes")
    if passed > items:
        msg = f"`passes` ({passed}) is larger than `n_items` ({items})"
        raise StatsInputError(msg)
    name, counted = "binomial standard error of measurement (Lord), points", {"items": items}
    if items < 2:
        return Estimate.without_value("undefined", ["TOO_FEW_ITEMS"], method=name, n=counted)
    codes = [code for code, meets in (("FLOOR", passed == 0), ("CEILING", passed == items)) if meets]
    return Estimate.of(math.sqrt(passed * (items - passed) / (items - 1)), method=name, n=counted, codes=codes)


def split_half(cells: Cells, *, first_half: npt.ArrayLike | None = None) -> SplitHalf:
    """Return the correlation of two halves of the items and the reliability of the whole test.

    ``first_half`` is a bool per item (default: odd against even positions). ``spearman_brown`` takes the halves as
    parallel, ``flanagan_rulon`` = 2 (1 - (s_a^2 + s_b^2)/s_{a+b}^2) lets their variances differ. One split is one
    of many: alpha is the mean over all of them.

    Raises:
        StatsInputError: the mask has another length, is not bool or leaves a half empty.
    """
    agents, items = cells.n.shape
    mask = _half(first_half, items)
    counted = {"agents": agents, "items": items, "first_half": int(mask.sum())}
    codes = ["MISSING"] if cells.incomplete else []
    too_few = [code for code, size in (("TOO_FEW_AGENTS", agents), ("TOO_FEW_ITEMS", items)) if size < 2]
    names = ("correlation of half scores", "Spearman-Brown from the halves", "Flanagan-Rulon")
    if too_few or not cells.full:
        why = [*too_few, *codes]
        status: Status = "undefined" if too_few else "refused"
        none = [Estimate.without_value(status, why, method=name, n=counted) for name in names]
        return SplitHalf(none[0], none[1], none[2], counted, status, ordered_codes(why))
    first, second = cells.mean[:, mask].sum(1), cells.mean[:, ~mask].sum(1)
    scale = float(np.abs(cells.mean).sum(1).max())
    correlation = _half_correlation(first, second, scale, names[0], counted, codes)
    if correlation.value is None:
        prophecy = Estimate.without_value("undefined", correlation.codes, method=names[1], n=counted)
    else:
        whole = spearman_brown(correlation.value, 2)
        if whole.value is None:
            prophecy = Estimate.without_value("undefined", [*whole.codes, *codes], method=names[1], n=counted)
        else:
            prophecy = Estimate.of(whole.value, method=names[1], n=counted, codes=codes)
    rulon = _flanagan_rulon(first, second, scale, names[2], counted, codes)
    every = ordered_codes([*correlation.codes, *prophecy.codes, *rulon.codes])
    nothing = correlation.value is None and rulon.value is None
    return SplitHalf(correlation, prophecy, rulon, counted, "undefined" if nothing else status_of(every), every)


def spearman_brown(reliability: float | None, factor: float) -> Estimate:
    """Return the reliability of a test ``factor`` times as long: ``f r / (1 + (f - 1) r)``.

    A reliability of 0 or less says nothing about other lengths: undefined NON_POSITIVE_RELIABILITY.

    Raises:
        StatsInputError: reliability above 1, factor not positive.
    """
    name = "Spearman-Brown prophecy formula"
    length = inside(factor, 0, math.inf, "factor")
    given = _usable_reliability(reliability, name)
    if given.value is None:
        return given
    return Estimate.of(length * given.value / (1 + (length - 1) * given.value), method=name, n={})


def spearman_brown_factor(reliability: float | None, target: float) -> Estimate:
    """Return how many times as long a test must be to reach ``target``: ``t (1 - r) / (r (1 - t))``.

    Raises:
        StatsInputError: reliability above 1, target outside (0, 1).
    """
    name = "Spearman-Brown length factor"
    goal = inside(target, 0, 1, "target")
    given = _usable_reliability(reliability, name)
    if given.value is None:
        return given
    codes = ["ZERO_ERROR"] if given.value == 1 else []  # without error any length will do
    return Estimate.of(goal * (1 - given.value) / (given.value * (1 - goal)), method=name, n={}, codes=codes)


def _usable_reliability(reliability: float | None, name: str) -> Estimate:
    if reliability is None or reliability != reliability:
        return Estimate.without_value("undefined", ["NO_DATA"], method=name, n={})
    value = float(reliability)
    if not value <= 1:
        msg = f"`reliability` must not exceed 1, got {reliability!r}"
        raise StatsInputError(msg)
    if value <= 0:
        return Estimate.without_value("undefined", ["NON_POSITIVE_RELIABILITY"], method=name, n={})
    return Estimate.of(value, method=name, n={})


def _half(first_half: npt.ArrayLike | None, items: int) -> npt.NDArray[np.bool_]:
    if first_half is None:
        return np.equal(np.arange(items) % 2, 0)
    mask: npt.NDArray[np.bool_] = np.asarray(first_half)
    if mask.dtype != np.bool_ or mask.shape != (items,):
        msg = f"`first_half` must be one bool per item ({items})"
        raise StatsInputError(msg)
    if items > 1 and (mask.all() or not mask.any()):
        msg = "`first_half` leaves one half without items"
        raise StatsInputError(msg)
    return mask


def _half_correlation(
    first: Vector, second: Vector, scale: float, name: str, counted: dict[str, int], codes: list[str]
) -> Estimate:
    if len(first) < 3:  # two agents give +-1 by construction
        return Estimate.without_value("undefined", ["TOO_FEW_AGENTS", *codes], method=name, n=counted)
    if is_constant(first, scale) or is_constant(second, scale):
        return Estimate.without_value("undefined", ["ZERO_VARIANCE", *codes], method=name, n=counted)
    a, b = first - first.mean(), second - second.mean()
    r = float((a / np.linalg.norm(a)) @ (b / np.linalg.norm(b)))
    return Estimate.of(min(1.0, max(-1.0, r)), method=name, n=counted, codes=codes)


def _flanagan_rulon(
    first: Vector, second: Vector, scale: float, name: str, counted: dict[str, int], codes: list[str]
) -> Estimate:
    whole = first + second
    if is_constant(whole, scale):
        return Estimate.without_value("undefined", ["ZERO_VARIANCE", *codes], method=name, n=counted)
    value = 2 * (1 - float((first.var(ddof=1) + second.var(ddof=1)) / whole.var(ddof=1)))
    return Estimate.of(value, method=name, n=counted, codes=[*codes, *negative_estimate(value)])
