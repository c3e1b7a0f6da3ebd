"""Agreement of raters, graders or repeated verdicts beyond chance.

Chance-corrected coefficients sink near the ceiling however well raters agree: read them beside `observed` and
`percent_agreement`.
"""

from __future__ import annotations

import math

import numpy as np

from metrology.stats.arguments import one_of
from metrology.stats.intervals import proportion_interval
from metrology.stats.rating_tables import RatingCounts, agreement, count_ratings, no_agreement
from metrology.stats.results import Agreement, Estimate, StatsInputError
from metrology.stats.vectors import Numbers, Vector, inside, numeric_vector

METRICS = ("nominal", "ordinal", "interval", "ratio")
LEVEL = 0.95


def percent_agreement(ratings: Numbers) -> Estimate:
    """Share (0..1) of units on which all their ratings agree, `ratings[units, raters]`, with a Wilson interval.

    Units with fewer than two ratings are left out (MISSING). It falls with every rater added: compare it only
    at equal numbers of raters. No unit with two ratings: undefined NO_PAIRS.

    Raises:
        StatsInputError: not a table of finite numbers.
    """
    table = count_ratings(ratings)
    paired = table.paired
    if not len(paired):
        return no_agreement(table, LEVEL, "share of units in full agreement", "NO_PAIRS").estimate
    agreeing = int((paired.max(axis=1) == paired.sum(axis=1)).sum())
    wilson = proportion_interval(agreeing, len(paired), level=LEVEL)
    return Estimate.of(
        agreeing / len(paired), se=wilson.se, low=wilson.low, high=wilson.high, level=LEVEL,
        method="share of units in full agreement, Wilson interval", n=table.n, codes=table.missing,
    )  # fmt: skip


def cohen_kappa(
    ratings: Numbers, *, weights: str | None = None, categories: Numbers | None = None, level: float = 0.95
) -> Agreement:
    """Cohen's kappa of two raters, `ratings[units, 2]`, plain or weighted "linear" or "quadratic".

    Weights 1 - |i - j|/(k - 1) or its square form use positions in the sorted `categories` (default: those
    observed; give the full scheme when a category may not occur). Standard error of Fleiss, Cohen & Everitt
    (1969), normal interval. Units rated once are left out (MISSING). One category: undefined ZERO_VARIANCE; no
    unit rated twice: NO_PAIRS.

    Raises:
        StatsInputError: not two columns of finite numbers, unknown `weights`, a rating outside `categories`.
    """
    level = inside(level, 0, 1, "level")
    if weights is not None:
        one_of(weights, ("linear", "quadratic"), "weights")
    table = count_ratings(ratings)
    if table.ratings.size and table.ratings.shape[1] != 2:
        msg = f"`ratings` must have two columns, got {table.ratings.shape[1]}"
        raise StatsInputError(msg)
    scheme = table.categories if categories is None else np.unique(numeric_vector(categories, "categories"))
    if not np.all(np.isin(table.categories, scheme)):
        msg = "`ratings` holds a category that is not in `categories`"
        raise StatsInputError(msg)
    both = table.ratings[~np.isnan(table.ratings).any(axis=1)] if table.ratings.size else np.empty((0, 2))
    method = f"Cohen's kappa{f', {weights} weights' if weights else ''}, Fleiss-Cohen-Everitt standard error"
    if not len(both):
        return no_agreement(table, level, method, "NO_PAIRS")
    size = len(scheme)
    place = np.searchsorted(scheme, both)
    shares = np.bincount(place[:, 0] * size + place[:, 1], minlength=size * size).reshape(size, size) / len(both)
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    if max(rows * columns) == 1:
        return no_agreement(table, level, method, "ZERO_VARIANCE")
    distance = np.abs(np.subtract.outer(np.arange(size), np.arange(size))) / max(size - 1, 1)
    weight = np.eye(size) if weights is None else 1 - distance if weights == "linear" else 1 - distance**2
    observed, expected = float((weight * shares).sum()), float(rows @ weight @ columns)
    kappa = (observed - expected) / (1 - expected)
    marginal = np.add.outer(weight @ columns, rows @ weight)
    spread = float((shares * (weight - marginal * (1 - kappa)) ** 2).sum()) - (kappa - expected * (1 - kappa)) ** 2
    se = math.sqrt(max(spread, 0.0) / len(both)) / (1 - expected)
    codes = (*(("TOO_FEW_UNITS",) if len(both) < 2 else ()), *table.missing)
    return agreement(observed, expected, se=se, df=None, level=level, method=method, n=table.n, codes=codes)


def fleiss_kappa(ratings: Numbers, *, level: float = 0.95) -> Agreement:
    """Fleiss' kappa of any number of interchangeable raters, `ratings[units, raters]`, missing allowed.

    `observed` = mean share of agreeing pairs of ratings per unit, `expected` = sum of squared category shares;
    standard error by Gwet's linearization, t interval on units - 1. One category: undefined ZERO_VARIANCE.

    Source: Fleiss 1971; Gwet 2014.

    Raises:
        StatsInputError: not a table of finite numbers, `level` outside (0, 1).
    """
    return _linearized(ratings, level, "Fleiss' kappa", gwet=False)


def gwet_ac1(ratings: Numbers, *, level: float = 0.95) -> Agreement:
    """Gwet's AC1, which stays near the observed agreement when nearly all ratings fall into one category.

    `expected` = sum of p(1 - p) over categories/(categories - 1); otherwise as `fleiss_kappa`.

    Source: Gwet 2008, 2014.

    Raises:
        StatsInputError: not a table of finite numbers, `level` outside (0, 1).
    """
    return _linearized(ratings, level, "Gwet's AC1", gwet=True)


def _linearized(ratings: Numbers, level: float, name: str, *, gwet: bool) -> Agreement:
    level = inside(level, 0, 1, "level")
    table = count_ratings(ratings)
    method = f"{name}, linearized standard error, t interval"
    if not len(table.paired):
        return no_agreement(table, level, method, "NO_PAIRS")
    if len(table.categories) < 2:
        return no_agreement(table, level, method, "ZERO_VARIANCE")
    counts = table.counts[table.counts.sum(axis=1) > 0]
    given = counts.sum(axis=1)
    units, pairable = len(counts), given >= 2
    agreeing = (counts * (counts - 1)).sum(axis=1) / np.where(pairable, given * (given - 1), 1)
    observed = float(agreeing[pairable].mean())
    shares = (counts / given[:, None]).mean(axis=0)
    if gwet:
        factor = 1 / (len(shares) - 1)
        expected, unit_expected = factor * float(shares @ (1 - shares)), factor * (counts @ (1 - shares)) / given
    else:
        expected, unit_expected = float(shares @ shares), (counts @ shares) / given
    value = (observed - expected) / (1 - expected)
    unit_value = units / pairable.sum() * (agreeing - expected * pairable) / (1 - expected)
    linear = unit_value - 2 * (1 - value) * (unit_expected - expected) / (1 - expected)
    se = math.sqrt(float(np.square(linear - value).sum()) / (units * (units - 1))) if units > 1 else None
    codes = (*(("TOO_FEW_UNITS",) if units < 2 else ()), *table.missing)
    return agreement(observed, expected, se=se, df=units - 1, level=level, method=method, n=table.n, codes=codes)


def krippendorff_alpha(ratings: Numbers, *, metric: str = "nominal") -> Agreement:
    """Krippendorff's alpha, `ratings[units, raters]`, missing allowed: 1 - observed/expected disagreement.

    `metric` is the squared distance of two ratings: nominal, ordinal (ranks within all ratings), interval or
    ratio. `observed` and `expected` are agreements, 1 - disagreement/largest distance of two categories. No
    interval. Units with one rating are left out; one category: undefined ZERO_VARIANCE; none left: NO_PAIRS.

    Source: Krippendorff 2011.

    Raises:
        StatsInputError: not a table of finite numbers, unknown `metric`, negative ratings with "ratio".
    """
    one_of(metric, METRICS, "metric")
    table = count_ratings(ratings)
    method = f"Krippendorff's alpha, {metric} metric"
    paired = table.paired
    if not len(paired):
        return no_agreement(table, LEVEL, method, "NO_PAIRS")
    totals = paired.sum(axis=0)
    distance = _distances(table, totals, metric)
    used = totals > 0
    largest = float(distance[np.ix_(used, used)].max())
    if largest == 0:
        return no_agreement(table, LEVEL, method, "ZERO_VARIANCE")
    distance = distance / largest
    sizes = paired.sum(axis=1)
    # a rating's own pair with itself has distance 0, so it needs no correction
    within = np.einsum("ui,ij,uj->u", paired, distance, paired) / (sizes - 1)
    ratings_used = float(totals.sum())
    disagreement = float(within.sum()) / ratings_used
    by_chance = float(totals @ distance @ totals) / (ratings_used * (ratings_used - 1))
    return agreement(
        1 - disagreement, 1 - by_chance, se=None, df=None, level=LEVEL, method=method, n=table.n,
        codes=table.missing,
    )  # fmt: skip


def _distances(table: RatingCounts, totals: Vector, metric: str) -> Vector:
    values = table.categories
    if metric == "nominal":
        return 1.0 - np.eye(len(values))
    if metric == "ordinal":
        # ratings up to and including the middle of a category: differences count the ratings in between
        middle = np.cumsum(totals) - totals / 2
        return np.asarray(np.subtract.outer(middle, middle) ** 2)
    scaled = values / np.abs(values).max() if np.abs(values).max() > 0 else values
    if metric == "interval":
        return np.asarray(np.subtract.outer(scaled, scaled) ** 2)
    if values.min() < 0:
        msg = "`ratings` must not be negative with the ratio metric"
        raise StatsInputError(msg)
    sums = np.add.outer(scaled, scaled)
    return np.asarray((np.subtract.outer(scaled, scaled) / np.where(sums > 0, sums, 1.0)) ** 2)
