"""Differential item functioning by Mantel-Haenszel: is an item harder for one group at equal ability?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from numbers import Integral

import numpy as np
import numpy.typing as npt
from scipy import special, stats

from metrology.stats.cells import Cells
from metrology.stats.results import DifRow, DifTable, Estimate, StatsInputError, ordered_codes, status_of
from metrology.stats.vectors import Numbers, Vector, numeric_array

METHOD = "Mantel-Haenszel common odds ratio, Phillips-Holland interval"
LEVEL = 0.95
CRITICAL = float(stats.chi2.isf(0.05, 1))
ONE_SIDED = float(stats.norm.isf(0.05))
TWO_SIDED = float(stats.norm.ppf((1 + LEVEL) / 2))
FEW_AGENTS = 30

Flags = npt.NDArray[np.bool_]


def mantel_haenszel(tables: Numbers, *, continuity: bool = True) -> DifRow:
    """Common odds ratio of passing, reference over focal group, across strata of equal ability.

    `tables[strata, 2, 2]`: rows reference and focal, columns pass and fail (counts). chi2 =
    (|A - E| - 1/2)^2/V, the half dropped without `continuity` and never clipped at 0; variance of the log odds
    ratio after Phillips & Holland (1987); `delta` = -2.35 ln(OR), positive = easier for the focal group;
    `ets_class` A (negligible), B or C (large); `standardized_p_difference` = focal-weighted pass rate, focal -
    reference. No stratum with both groups: undefined NO_OVERLAP; OR 0/0 or x/0: undefined ZERO_DENOMINATOR.

    Raises:
        StatsInputError: not a [strata, 2, 2] array of whole numbers, 0 or more.
    """
    counts = numeric_array(tables, "tables", 3)
    if counts.size and counts.shape[1:] != (2, 2):
        msg = f"`tables` must have the shape [strata, 2, 2], got {list(counts.shape)}"
        raise StatsInputError(msg)
    if np.any(np.isnan(counts)) or np.any(counts < 0) or np.any(counts != np.floor(counts)):
        msg = "`tables` must hold whole numbers, 0 or more, and no missing cell"
        raise StatsInputError(msg)
    if counts.size and counts.max() > 1e15:
        msg = "`tables` holds counts that are not exact in double precision"
        raise StatsInputError(msg)
    return _row("1", counts.reshape(-1, 2, 2), continuity)


def _row(item: str, counts: Vector, continuity: bool) -> DifRow:
    shared = counts[(counts.sum(axis=2) > 0).all(axis=1)]  # strata with one group say nothing about a difference
    n = {
        "strata": len(shared),
        "reference": int(shared[:, 0].sum()),
        "focal": int(shared[:, 1].sum()),
        "dropped": int(counts.sum() - shared.sum()),
    }
    if not len(shared):
        return _undefined(item, n, "NO_OVERLAP", None, None)
    a, b, c, d = (shared[:, row, column] for row in (0, 1) for column in (0, 1))
    size, reference, focal = a + b + c + d, a + b, c + d
    numerator, denominator = float((a * d / size).sum()), float((b * c / size).sum())
    chi2 = _chi_square(shared, continuity)
    difference = float((focal * (c / focal - a / reference)).sum() / focal.sum())
    if denominator == 0:
        return _undefined(item, n, "ZERO_DENOMINATOR", chi2, difference)
    ratio = numerator / denominator
    p = None if chi2 is None else float(special.chdtrc(1, chi2))
    if ratio == 0:
        estimate = Estimate.of(0.0, level=LEVEL, method=METHOD, n=n, codes=("BOUNDARY",))
        return DifRow(item, estimate, None, chi2, p, None, None, difference, estimate.codes)
    log_variance = float(((a * d + ratio * b * c) * (a + d + ratio * (b + c)) / size**2).sum() / (2 * numerator**2))
    se_log, log_ratio = math.sqrt(log_variance), math.log(ratio)
    half = TWO_SIDED * se_log
    delta = -2.35 * log_ratio
    estimate = Estimate.of(
        ratio, se=ratio * se_log, low=math.exp(log_ratio - half), high=_exp(log_ratio + half), level=LEVEL,
        method=METHOD, n=n,
    )  # fmt: skip
    return DifRow(
        item, estimate, log_variance, chi2, p, delta, _ets_class(chi2, delta, se_log), difference, estimate.codes
    )


def _chi_square(counts: Vector, continuity: bool) -> float | None:
    """(|A - E| - 1/2)^2/V over the strata, None where no margin varies."""
    rows, columns = counts.sum(axis=2), counts.sum(axis=1)
    size = rows.sum(axis=1)
    informative = size > 1
    rows, columns, size = rows[informative], columns[informative], size[informative]
    variance = float((rows.prod(axis=1) * columns.prod(axis=1) / (size**2 * (size - 1))).sum())
    if variance == 0:
        return None
    excess = float((counts[informative, 0, 0] - rows[:, 0] * columns[:, 0] / size).sum())
    return (abs(excess) - (0.5 if continuity else 0.0)) ** 2 / variance


def _exp(value: float) -> float:
    return math.exp(value) if value < 700 else math.inf  # an infinite limit becomes None in the estimate


def _undefined(item: str, n: dict[str, int], code: str, chi2: float | None, difference: float | None) -> DifRow:
    estimate = Estimate.without_value("undefined", (code,), level=LEVEL, method=METHOD, n=n)
    p = None if chi2 is None else float(special.chdtrc(1, chi2))
    return DifRow(item, estimate, None, chi2, p, None, None, difference, estimate.codes)


def _ets_class(chi2: float | None, delta: float, se_log: float) -> str:
    """ETS scheme: A unless significant and |delta| >= 1; C if |delta| >= 1.5 and significantly above 1; else B."""
    if chi2 is None or chi2 <= CRITICAL or abs(delta) < 1:
        return "A"
    if abs(delta) >= 1.5 and (abs(delta) - 1) / (2.35 * se_log) > ONE_SIDED:
        return "C"
    return "B"


def mantel_haenszel_dif(
    cells: Cells,
    focal: Sequence[bool] | npt.NDArray[np.bool_],
    *,
    continuity: bool = True,
    purify: bool = False,
    max_iterations: int = 20,
) -> DifTable:
    """Mantel-Haenszel figures of every item, agents matched on their total score including the studied item.

    `focal[agents]` marks the group under study (a vendor, a harness version, an epoch). `flagged` = items with
    chi2 above 3.841. `purify` repeats the matching on the unflagged items plus the studied one until the flags
    repeat (NOT_CONVERGED after `max_iterations`). With 30 agents or fewer the strata are nearly empty
    (FEW_AGENTS): use `delta_plot`. Empty cells: refused MISSING.

    Raises:
        StatsInputError: several trials per cell, scores other than 0 and 1, `focal` not one bool per agent.
    """
    groups = np.asarray(focal)
    agents, items = cells.n.shape
    if groups.shape != (agents,) or (groups.size and groups.dtype != np.bool_):
        msg = f"`focal` must hold one True or False per agent ({agents})"
        raise StatsInputError(msg)
    if cells.n.size and (int(cells.n.max()) > 1 or not cells.binary):
        msg = "Mantel-Haenszel needs 0/1 verdicts, one trial per agent and item"
        raise StatsInputError(msg)
    if not isinstance(max_iterations, Integral) or max_iterations < 1:
        msg = f"`max_iterations` must be a whole number, 1 or more, got {max_iterations!r}"
        raise StatsInputError(msg)
    n = {"agents": agents, "items": items, "focal": int(groups.sum()), "iterations": 0}
    few = ("FEW_AGENTS",) if 0 < agents <= FEW_AGENTS else ()
    if not cells.full:
        empty = Estimate.without_value("refused", (*few, "MISSING"), level=LEVEL, method=METHOD, n=n)
        rows = tuple(DifRow(i, empty, None, None, None, None, None, None, empty.codes) for i in cells.items)
        return DifTable(items=rows, flagged=(), n=n, status="refused", codes=empty.codes)
    reached = False
    excluded = np.zeros(items, dtype=bool)
    flags = _flags(cells.total, groups, excluded, continuity)
    while purify and not reached and n["iterations"] < max_iterations:
        n["iterations"] += 1
        excluded, flags = flags, _flags(cells.total, groups, flags, continuity)
        reached = bool(np.array_equal(excluded, flags))
    rows = tuple(
        _row(label, table, continuity)
        for label, table in zip(cells.items, _tables(cells.total, groups, excluded), strict=True)
    )
    codes = [*few, *("MISSING" for _ in range(cells.missing > 0))]
    if purify and not reached:
        codes.append("NOT_CONVERGED")
    undefined = {code for row in rows if row.odds_ratio.value is None for code in row.codes}
    codes += sorted(undefined) or ([] if rows else ["NO_DATA"])
    defined = any(row.odds_ratio.value is not None for row in rows)
    return DifTable(
        items=rows,
        flagged=tuple(label for label, flag in zip(cells.items, flags, strict=True) if flag),
        n=n,
        status=status_of(codes) if defined else "undefined",
        codes=ordered_codes(codes),
    )


def _flags(scores: Vector, focal: Flags, excluded: Flags, continuity: bool) -> Flags:
    values = (_chi_square(table, continuity) for table in _tables(scores, focal, excluded))
    return np.array([chi2 is not None and chi2 > CRITICAL for chi2 in values], dtype=bool)


def _tables(scores: Vector, focal: Flags, excluded: Flags) -> Iterator[Vector]:
    """Tables [strata, group, pass/fail] item by item, matched on the items not excluded plus the studied one."""
    anchor = scores[:, ~excluded].sum(axis=1)
    shared_strata = np.unique(anchor, return_inverse=True)[1]
    for column in range(scores.shape[1]):
        own = scores[:, column]
        strata = np.unique(anchor + own, return_inverse=True)[1] if excluded[column] else shared_strata
        place = 4 * strata + 2 * focal + (own == 0)
        yield np.bincount(place, minlength=4 * (int(strata.max(initial=-1)) + 1)).reshape(-1, 2, 2).astype(float)
