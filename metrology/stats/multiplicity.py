"""Adjustment of p values for many comparisons."""

from __future__ import annotations

import numpy as np

from metrology.stats.arguments import one_of
from metrology.stats.results import StatsInputError
from metrology.stats.vectors import Numbers, numeric_vector

ADJUSTMENTS = ("holm", "hochberg", "bonferroni", "benjamini_hochberg", "benjamini_yekutieli")


def adjust_p_values(p_values: Numbers, *, method: str = "holm") -> tuple[float | None, ...]:
    """Adjusted p values in the order given; None stays None and is not counted among the comparisons.

    `holm` (default) and `bonferroni` keep the family-wise error under any dependence, `hochberg` under
    independence or positive dependence;
    `benjamini_hochberg` (independent or positively dependent) and `benjamini_yekutieli` (any dependence) keep
    the false discovery rate.

    Source: Holm 1979; Hochberg 1988; Benjamini and Hochberg 1995; Benjamini and Yekutieli 2001.

    Raises:
        StatsInputError: a p value outside [0, 1], unknown `method`.
    """
    one_of(method, ADJUSTMENTS, "method")
    p = numeric_vector(p_values, "p_values")
    known = np.flatnonzero(~np.isnan(p))
    if np.any((p[known] < 0) | (p[known] > 1)):
        msg = "`p_values` must lie in [0, 1]"
        raise StatsInputError(msg)
    count = len(known)
    order = known[np.argsort(p[known], kind="stable")]
    ranks = np.arange(1, count + 1)
    if method == "holm":
        adjusted = np.maximum.accumulate((count - ranks + 1) * p[order])
    elif method == "bonferroni":
        adjusted = count * p[order]
    else:
        factor = {
            "hochberg": (count - ranks + 1).astype(float),
            "benjamini_hochberg": count / ranks,
            "benjamini_yekutieli": count / ranks * (1 / ranks).sum(),
        }[method]
        adjusted = np.minimum.accumulate((factor * p[order])[::-1])[::-1]
    result: list[float | None] = [None] * len(p)
    for position, value in zip(order.tolist(), np.minimum(adjusted, 1.0).tolist(), strict=True):
        result[position] = value
    return tuple(result)
