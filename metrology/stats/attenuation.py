"""What unreliable measurement hides of a correlation: the ceiling and the corrected value."""

from __future__ import annotations

import math

import numpy as np

from metrology.stats.results import Disattenuated, Estimate, StatsInputError, ordered_codes

METHOD = "r/sqrt(reliability_x reliability_y), limits scaled alike"


def disattenuate(
    correlation: Estimate | float, reliability_x: float | None, reliability_y: float | None
) -> Disattenuated:
    """The correlation freed from measurement error: r/sqrt(reliability_x reliability_y).

    `estimate` is raw and may exceed 1 (OVERCORRECTED), `reported` is clipped to [-1, 1], `ceiling` =
    sqrt(reliability_x reliability_y) is the largest correlation these measures can show. The limits of an
    Estimate are scaled by the same factor, the reliabilities being taken as known (Spearman 1904). Report it
    only beside the observed correlation, never instead of it. A reliability of 0 or less: undefined
    NON_POSITIVE_RELIABILITY.

    Raises:
        StatsInputError: a correlation outside [-1, 1] or a reliability above 1.
    """
    observed = _observed(correlation)
    level, n, codes = observed.level, observed.n, observed.codes
    reliabilities = []
    for name, value in (("reliability_x", reliability_x), ("reliability_y", reliability_y)):
        known = None if value is None or math.isnan(value) else float(value)
        if known is not None and not -math.inf < known <= 1:
            msg = f"`{name}` must be a finite number, at most 1, got {value!r}"
            raise StatsInputError(msg)
        reliabilities.append(known)
    first, second = reliabilities
    ceiling = None
    if first is None or second is None:
        codes = (*codes, "NO_DATA")
    elif first <= 0 or second <= 0:
        codes = (*codes, "NON_POSITIVE_RELIABILITY")
    else:
        ceiling = math.sqrt(first) * math.sqrt(second)
    if observed.value is None or ceiling is None or ceiling == 0:
        return Disattenuated(
            estimate=Estimate.without_value("undefined", codes, level=level, method=METHOD, n=n),
            reported=None, ceiling=ceiling, n=n, status="undefined", codes=ordered_codes(codes),
        )  # fmt: skip
    raw = observed.value / ceiling
    if abs(raw) > 1:
        codes = (*codes, "OVERCORRECTED")
    scaled = [None if part is None else part / ceiling for part in (observed.se, observed.low, observed.high)]
    estimate = Estimate.of(
        raw, se=scaled[0], low=scaled[1], high=scaled[2], level=level, method=METHOD, n=n, codes=codes
    )
    reported = float(np.clip(raw, -1, 1))
    return Disattenuated(
        estimate=estimate,
        reported=reported,
        ceiling=ceiling,
        n=n,
        status=estimate.status,
        codes=estimate.codes,
    )


def _observed(correlation: Estimate | float) -> Estimate:
    if isinstance(correlation, Estimate):
        estimate = correlation
    elif correlation is None or math.isnan(correlation):
        estimate = Estimate.without_value("undefined", ("NO_DATA",), method="given", n={})
    else:
        estimate = Estimate.of(float(correlation), method="given", n={})
    if estimate.value is not None and not -1 <= estimate.value <= 1:
        msg = f"`correlation` must lie in [-1, 1], got {estimate.value!r}"
        raise StatsInputError(msg)
    return estimate
