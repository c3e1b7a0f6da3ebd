"""Charts with a memory, for small lasting shifts: EWMA and tabular CUSUM."""

from __future__ import annotations

import numpy as np

from metrology.stats.control_limits import (
    MOVING_RANGE_CONSTANT,
    SHORT_BASELINE,
    baseline_length,
    control_chart,
    mean_moving_range,
    undefined_chart,
)
from metrology.stats.results import ControlChart, Cusum, StatsInputError, status_of
from metrology.stats.vectors import Numbers, Vector, inside, is_constant, numeric_vector, optional_tuple


class _Reference:
    """Centre and sigma a series is judged against: given, or from its first points."""

    def __init__(self, points: Vector, center: float | None, sigma: float | None, baseline: int | None) -> None:
        first = points[: baseline_length(baseline, len(points))]
        present = first[~np.isnan(first)]
        self.n = {"points": len(points), "baseline": len(present)}
        self.center = float("nan")
        if center is not None:
            self.center = inside(center, -1e100, 1e100, "center")
        elif present.size:
            self.center = float(present.mean())
        self.sigma = (
            inside(sigma, 0, 1e100, "sigma") if sigma is not None else mean_moving_range(first) / MOVING_RANGE_CONSTANT
        )
        self.undefined = ""
        if np.isnan(points).all():
            self.undefined = "NO_DATA"
        elif np.isnan(self.center) or np.isnan(self.sigma):
            self.undefined = "TOO_FEW_POINTS"
        short = sigma is None and len(present) < SHORT_BASELINE
        self.codes: tuple[str, ...] = ("SHORT_BASELINE",) if short else ()
        self.codes += ("MISSING",) if np.isnan(points).any() else ()
        if sigma is None and not self.undefined and is_constant([0.0, self.sigma], abs(self.center)):
            self.codes += ("ZERO_VARIANCE",)


def ewma_chart(
    points: Numbers,
    *,
    weight: float = 0.2,
    limit: float = 3.0,
    center: float | None = None,
    sigma: float | None = None,
    baseline: int | None = None,
) -> ControlChart:
    """Exponentially weighted moving average of the points with exact limits, in their units.

    z_i = weight x_i + (1 - weight) z_(i-1), z_0 = center; limits `center +- limit sigma
    sqrt(weight/(2 - weight) (1 - (1 - weight)^(2i)))` (Roberts 1959; NIST/SEMATECH e-Handbook 6.3.2.4).
    `sigma` is that of one input point (default mean moving range/1.128 of the baseline); the result's
    `points` are the smoothed values, None where the input is missing. `runs` stays empty: smoothed values
    are dependent, so runs of them mean nothing.

    Raises:
        StatsInputError: not a vector of finite numbers, `weight` outside (0, 1], `sigma` or `limit` not
            positive, `baseline` out of range.
    """
    values = numeric_vector(points, "points")
    limit = inside(limit, 0, 1e6, "limit")
    if not 0 < weight <= 1:
        msg = f"`weight` must lie in (0, 1], got {weight!r}"
        raise StatsInputError(msg)
    method = f"EWMA chart, weight {weight:g}, exact limits"
    reference = _Reference(values, center, sigma, baseline)
    if reference.undefined:
        return undefined_chart(method, reference.n, reference.undefined)
    present = ~np.isnan(values)
    smoothed, level = np.full(len(values), np.nan), reference.center
    for position in np.flatnonzero(present).tolist():
        level = weight * float(values[position]) + (1 - weight) * level
        smoothed[position] = level
    # a missing run adds no information, so the limits widen only with the points that exist
    steps = np.cumsum(present)
    width = limit * reference.sigma * np.sqrt(weight / (2 - weight) * (1 - (1 - weight) ** (2.0 * steps)))
    return control_chart(
        method, smoothed, reference.center, reference.sigma, np.where(present, width, np.nan),
        n=reference.n, codes=reference.codes, runs=False,
    )  # fmt: skip


def cusum_chart(
    points: Numbers,
    *,
    allowance: float = 0.5,
    decision: float = 5.0,
    center: float | None = None,
    sigma: float | None = None,
    baseline: int | None = None,
) -> Cusum:
    """Tabular cumulative sums above and below the centre, in units of sigma.

    high_i = max(0, high_(i-1) + z_i - allowance), low_i = min(0, low_(i-1) + z_i + allowance) with
    z = (x - center)/sigma (Page 1954; NIST/SEMATECH e-Handbook 6.3.2.3). `beyond_high`, `beyond_low`: 0-based
    positions where a sum passes `decision`. No variation in the baseline: `warn` ZERO_VARIANCE, no sums.

    Raises:
        StatsInputError: not a vector of finite numbers, `sigma` or `decision` not positive, `allowance`
            negative, `baseline` out of range.
    """
    values = numeric_vector(points, "points")
    decision = inside(decision, 0, 1e6, "decision")
    if allowance != 0:
        allowance = inside(allowance, 0, 1e6, "allowance")
    method = f"tabular CUSUM, allowance {allowance:g}, decision interval {decision:g}"
    reference = _Reference(values, center, sigma, baseline)
    codes = (reference.undefined,) if reference.undefined else reference.codes
    if reference.undefined or "ZERO_VARIANCE" in codes:
        known = not reference.undefined
        return Cusum(
            high_side=(), low_side=(), beyond_high=(), beyond_low=(),
            center=reference.center if known else None, sigma=reference.sigma if known else None,
            method=method, n=reference.n, status="warn" if known else "undefined", codes=codes,
        )  # fmt: skip
    high_side, low_side = np.full(len(values), np.nan), np.full(len(values), np.nan)
    high = low = 0.0
    for position in np.flatnonzero(~np.isnan(values)).tolist():
        z = (float(values[position]) - reference.center) / reference.sigma
        high, low = max(0.0, high + z - allowance), min(0.0, low + z + allowance)
        high_side[position], low_side[position] = high, low
    with np.errstate(invalid="ignore"):
        beyond_high, beyond_low = high_side > decision, low_side < -decision
    return Cusum(
        high_side=optional_tuple(high_side),
        low_side=optional_tuple(low_side),
        beyond_high=tuple(np.flatnonzero(beyond_high).tolist()),
        beyond_low=tuple(np.flatnonzero(beyond_low).tolist()),
        center=reference.center,
        sigma=reference.sigma,
        method=method,
        n=reference.n,
        status=status_of(codes),
        codes=codes,
    )
