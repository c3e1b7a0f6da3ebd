"""Ratings of units by raters, reduced to counts, and the agreement record built from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy.stats

from metrology.stats.results import Agreement, Estimate, ordered_codes
from metrology.stats.vectors import Numbers, Vector, numeric_array


@dataclass(frozen=True)
class RatingCounts:
    """How often every unit got every category; `ratings` keeps the values, NaN where missing."""

    ratings: Vector
    counts: Vector
    categories: Vector
    n: dict[str, int]
    missing: tuple[str, ...]

    @property
    def paired(self) -> Vector:
        """Counts of the units with at least two ratings, the only ones on which raters can agree."""
        return np.asarray(self.counts[self.counts.sum(axis=1) >= 2])


def count_ratings(ratings: Numbers) -> RatingCounts:
    """Category counts per unit; raises StatsInputError unless `ratings[units, raters]` is a numeric table."""
    table = numeric_array(ratings, "ratings", 2)
    known = ~np.isnan(table)
    categories = np.unique(table[known])
    counts = np.zeros((len(table), len(categories)))
    for column, category in enumerate(categories):
        counts[:, column] = (table == category).sum(axis=1)
    pairable = counts.sum(axis=1) >= 2
    n = {"units": int(pairable.sum()), "raters": table.shape[1], "dropped": int((~pairable).sum())}
    return RatingCounts(table, counts, categories, n, () if known.all() else ("MISSING",))


def agreement(
    observed: float,
    expected: float,
    *,
    se: float | None,
    df: float | None,
    level: float,
    method: str,
    n: Mapping[str, int],
    codes: tuple[str, ...],
) -> Agreement:
    """(observed - expected)/(1 - expected) with its interval: t on `df`, normal where that is None."""
    value = (observed - expected) / (1 - expected)
    notes = list(codes)
    low = high = None
    if se is not None and se <= 1e-12:
        se = None
        notes.append("ZERO_ERROR" if observed == 1 else "ZERO_VARIANCE")
    if se is not None:
        tail = (1 + level) / 2
        quantile = scipy.stats.norm.ppf(tail) if df is None else scipy.stats.t.ppf(tail, df)
        half = float(quantile) * se
        low, high = value - half, value + half
    estimate = Estimate.of(
        value, se=se, low=low, high=high, level=level, method=method, n=n, codes=notes, df=df if se else None
    )
    return Agreement(
        estimate=estimate, observed=observed, expected=expected, n=n, status=estimate.status, codes=estimate.codes
    )


def no_agreement(table: RatingCounts, level: float, method: str, code: str) -> Agreement:
    """An agreement without a value; with one category only, all ratings agree as observed and as expected."""
    codes = ordered_codes((code, *table.missing))
    estimate = Estimate.without_value("undefined", codes, level=level, method=method, n=table.n)
    observed = 1.0 if code == "ZERO_VARIANCE" else None
    return Agreement(
        estimate=estimate, observed=observed, expected=observed, n=table.n, status="undefined", codes=codes
    )
