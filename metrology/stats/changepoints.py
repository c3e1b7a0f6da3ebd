"""Change points of a series: several by penalised segmentation, a single one by a rank test.

Both assume independent points; autocorrelated runs produce false breaks.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import scipy.stats

from metrology.stats.arguments import whole_number
from metrology.stats.results import ChangePoints, ordered_codes, status_of
from metrology.stats.vectors import Numbers, Vector, inside, is_constant, numeric_vector

FEWEST_POINTS = 8


def pelt(
    values: Numbers, *, penalty: float | None = None, sigma: float | None = None, min_size: int = 2
) -> ChangePoints:
    """Segments of constant mean that minimise sum (x - segment mean)^2/sigma^2 + penalty per change.

    Exact optimum by dynamic programming with pruning (Killick, Fearnhead & Eckley 2012). `penalty` default
    3 ln n; `sigma` = sd of a point within a segment, default 1.4826 MAD of the differences/sqrt(2); `min_size` =
    fewest points of a segment. `last_index` is 1-based and counts missing points, which are skipped. Fewer than
    8 points: undefined TOO_FEW_POINTS; more than half of the differences equal, so no sigma: ZERO_VARIANCE.

    Raises:
        StatsInputError: values that are no finite numbers, `penalty` or `sigma` not positive, `min_size` below 1.
    """
    given = numeric_vector(values, "values")
    penalty = None if penalty is None else inside(penalty, 0, 1e100, "penalty")
    sigma = None if sigma is None else inside(sigma, 0, 1e100, "sigma")
    min_size = whole_number(min_size, "min_size", 1)
    places = np.flatnonzero(~np.isnan(given))
    points = given[places]
    n = {"points": len(points), "dropped": len(given) - len(points)}
    codes = ["MISSING"] if n["dropped"] else []
    method = "PELT, change in mean"
    if len(points) < FEWEST_POINTS:
        return _undefined(method, n, ["TOO_FEW_POINTS", *codes])
    penalty = 3 * math.log(len(points)) if penalty is None else penalty
    if is_constant(points):
        codes.append("ZERO_VARIANCE")
        ends: list[int] = []
    else:
        if sigma is None:
            differences = np.diff(points)
            sigma = float(scipy.stats.median_abs_deviation(differences, scale="normal")) / math.sqrt(2)
            if is_constant([0.0, sigma], float(np.abs(points).max())):
                return _undefined(method, n, [*codes, "ZERO_VARIANCE"])
        centred = points - np.median(points)
        with np.errstate(over="ignore"):
            scaled = centred / sigma
        if np.abs(scaled).max() > 1e100:
            return _undefined(method, n, [*codes, "NOT_IDENTIFIED"])
        ends = _segment_ends(scaled, penalty, min_size)
    return ChangePoints(
        last_index=tuple(int(places[end - 1]) + 1 for end in ends),
        means=tuple(float(part.mean()) for part in np.split(points, ends)),
        statistic=None,
        p=None,
        penalty=penalty,
        method=method,
        n=n,
        status=status_of(codes),
        codes=ordered_codes(codes),
    )


def _segment_ends(scaled: Vector, penalty: float, min_size: int) -> list[int]:
    """Numbers of points before each change of the cheapest segmentation."""
    size = len(scaled)
    sums, squares = np.concatenate([[0.0], scaled.cumsum()]), np.concatenate([[0.0], np.square(scaled).cumsum()])
    cost, previous = np.full(size + 1, np.inf), np.zeros(size + 1, dtype=np.int64)
    cost[0] = -penalty
    starts = np.zeros(0, dtype=np.int64)
    beaten: dict[int, npt.NDArray[np.int64]] = {}
    for end in range(min_size, size + 1):
        starts = np.append(starts, end - min_size)  # a segment start becomes possible once it leaves min_size points
        # a start that lost to a change at `past` by a whole penalty never wins again, but only from the moment on
        # that a segment may start at `past` in its stead
        starts = starts[~np.isin(starts, beaten.pop(end - min_size, ()))]
        lengths = end - starts
        within = squares[end] - squares[starts] - (sums[end] - sums[starts]) ** 2 / lengths
        total = cost[starts] + within
        best = int(np.argmin(total))
        cost[end], previous[end] = total[best] + penalty, starts[best]
        beaten[end] = starts[total > cost[end]]
    ends, end = [], size
    while end > 0 and previous[end] > 0:
        end = int(previous[end])
        ends.append(end)
    return ends[::-1]


def pettitt(values: Numbers) -> ChangePoints:
    """The one point after which the series most likely changed level, by ranks, and the p of no change.

    U_t = 2 sum of the first t ranks - t(n + 1), `statistic` K = max |U_t|, p = min(1, 2 exp(-6 K^2/(n^3 + n^2)))
    (Pettitt 1979). `last_index` names the most likely change whatever its p: read the p first. Fewer than 8
    points: undefined TOO_FEW_POINTS; all equal: no change, p = 1, ZERO_VARIANCE.

    Raises:
        StatsInputError: values that are no finite numbers.
    """
    given = numeric_vector(values, "values")
    places = np.flatnonzero(~np.isnan(given))
    points = given[places]
    size = len(points)
    n = {"points": size, "dropped": len(given) - size}
    codes = ["MISSING"] if n["dropped"] else []
    method = "Pettitt rank test"
    if size < FEWEST_POINTS:
        return _undefined(method, n, ["TOO_FEW_POINTS", *codes])
    steps = np.arange(1, size)
    u = 2 * np.cumsum(scipy.stats.rankdata(points))[:-1] - steps * (size + 1)
    k = float(np.abs(u).max())
    if k == 0:
        codes.append("ZERO_VARIANCE")
    ends = [int(np.argmax(np.abs(u))) + 1] if k else []
    return ChangePoints(
        last_index=tuple(int(places[end - 1]) + 1 for end in ends),
        means=tuple(float(part.mean()) for part in np.split(points, ends)),
        statistic=k,
        p=min(1.0, 2 * math.exp(-6 * k * k / (size**3 + size**2))),
        penalty=None,
        method=method,
        n=n,
        status=status_of(codes),
        codes=ordered_codes(codes),
    )


def _undefined(method: str, n: dict[str, int], codes: list[str]) -> ChangePoints:
    return ChangePoints(
        last_index=(), means=(), statistic=None, p=None, penalty=None, method=method, n=n, status="undefined",
        codes=ordered_codes(codes),
    )  # fmt: skip
