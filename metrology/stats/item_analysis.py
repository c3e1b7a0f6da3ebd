"""Classical item analysis: difficulty, item-rest correlation and what alpha would be without the item."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy import stats

from metrology.stats.cells import Cells
from metrology.stats.correlation_pairs import UNITY, fisher_interval
from metrology.stats.intervals import proportion_interval
from metrology.stats.reliability import cronbach_alpha
from metrology.stats.results import Estimate, ItemRow, ItemTable, ordered_codes, status_of
from metrology.stats.vectors import ROUNDING, Vector, inside

FEW_AGENTS = 30  # up to here item-rest correlations rank items, but no item may be cut by them
ITEM_REST_METHOD = "item-rest r, Fisher z interval"
DIFFICULTY_METHOD = "mean score over agents, t interval"

Flags = npt.NDArray[np.bool_]


def constant_columns(table: Vector, scale: Vector) -> Flags:
    """Which columns differ by no more than rounding noise; `scale` = size of what they were computed from."""
    spread = np.ptp(table, axis=0)
    return np.asarray((spread <= ROUNDING * scale) | (spread < 1e-150))


def item_rest_correlations(scores: Vector) -> Vector:
    """r of every column of `scores[agents, items]` with the sum of the others, NaN where one does not vary.

    The item itself is left out of the sum (corrected item-total correlation). Needs a complete table.
    """
    agents, items = scores.shape
    if agents < 2 or items < 2:
        return np.full(items, np.nan)
    total = scores.sum(axis=1)
    rest = total[:, None] - scores
    size = np.abs(scores).max(axis=0)
    flat = constant_columns(scores, size) | constant_columns(rest, float(np.abs(scores).sum(axis=1).max()) + size)
    item_part, rest_part = scores - scores.mean(axis=0), rest - rest.mean(axis=0)
    covariance = np.einsum("ij,ij->j", item_part, rest_part)
    lengths = np.sqrt(np.einsum("ij,ij->j", item_part, item_part))
    lengths = lengths * np.sqrt(np.einsum("ij,ij->j", rest_part, rest_part))
    r = np.clip(np.divide(covariance, lengths, out=np.full(items, np.nan), where=~flat), -1, 1)
    return np.asarray(np.where(1 - np.abs(r) <= UNITY, np.sign(r), r))


def _alpha_if_deleted(scores: Vector) -> list[float | None]:
    """Alpha of the test without each item; None where fewer than two items or no variance remain."""
    agents, items = scores.shape
    if agents < 2 or items < 3:
        return [None] * items
    rest = scores.sum(axis=1)[:, None] - scores
    flat = constant_columns(rest, np.full(items, np.abs(scores).sum(axis=1).max()))
    variances, left = scores.var(axis=0, ddof=1), items - 1
    ratio = np.divide(variances.sum() - variances, rest.var(axis=0, ddof=1), out=np.full(items, np.nan), where=~flat)
    alphas = (left / (left - 1) * (1 - ratio)).tolist()
    return [alpha if math.isfinite(alpha) else None for alpha in alphas]


def item_table(cells: Cells, *, level: float = 0.95) -> ItemTable:
    """Difficulty, item-rest r and alpha-if-deleted of every item, in the order of the cells.

    `difficulty` = mean score over agents (0..1 for verdicts; high = easy), with a Wilson interval for one 0/1
    trial per agent and a t interval over agents otherwise. `item_rest` = correlation of the item with the sum
    of the other items, on trial means, with Fisher limits; a negative one (NEGATIVE_DISCRIMINATION) points to
    a broken grader or key. With 30 agents or fewer (FEW_AGENTS) its sampling error is so large that it may
    rank items for inspection but must not cut them. Empty cells: item-rest r is refused (MISSING).

    Raises:
        StatsInputError: `level` outside (0, 1).
    """
    level = inside(level, 0, 1, "level")
    agents, items = cells.n.shape
    n = {"agents": agents, "items": items, "trials": int(cells.n.max(initial=0))}
    missing = _missing_per_item(cells)
    difficulties = _difficulties(cells, missing, level)
    rests = _item_rests(cells, missing, level)
    deleted = _alpha_if_deleted(cells.mean) if cells.full else [None] * items
    rows = tuple(
        ItemRow(
            item=label,
            difficulty=difficulty,
            item_rest=rest,
            alpha_if_deleted=alpha,
            codes=ordered_codes(difficulty.codes + rest.codes),
        )
        for label, difficulty, rest, alpha in zip(cells.items, difficulties, rests, deleted, strict=True)
    )
    alpha = cronbach_alpha(cells, level=level)
    codes = list(alpha.codes)
    if 0 < agents <= FEW_AGENTS:
        codes.append("FEW_AGENTS")
    if any("NEGATIVE_DISCRIMINATION" in row.codes for row in rows):
        codes.append("NEGATIVE_DISCRIMINATION")
    if all(row.difficulty.value is None for row in rows):
        return ItemTable(items=rows, alpha=alpha, n=n, status="undefined", codes=ordered_codes([*codes, "NO_DATA"]))
    # a refused or undefined part is more than a note, whatever its code
    partial = alpha.value is None or any(row.item_rest.value is None for row in rows)
    return ItemTable(
        items=rows, alpha=alpha, n=n, status="warn" if partial else status_of(codes), codes=ordered_codes(codes)
    )


def _missing_per_item(cells: Cells) -> Flags:
    empty = np.any(cells.n == 0, axis=0)
    if cells.missing_per_cell is not None:
        return np.asarray(empty | np.any(cells.missing_per_cell > 0, axis=0))
    return np.asarray(empty | (cells.missing > 0))


def _difficulties(cells: Cells, missing: Flags, level: float) -> list[Estimate]:
    scored = cells.n > 0
    counts = scored.sum(axis=0)
    scores = np.where(scored, cells.mean, 0.0)
    means = scores.sum(axis=0) / np.maximum(counts, 1)
    residuals = np.where(scored, scores - means, 0.0)
    variances = np.square(residuals).sum(axis=0) / np.maximum(counts - 1, 1)
    size = np.abs(scores).max(axis=0, initial=0.0)
    flat = np.abs(residuals).max(axis=0, initial=0.0) <= ROUNDING * np.maximum(size, 1e-150 / ROUNDING)
    binary = cells.binary
    single_verdicts = binary and int(cells.n.max(initial=0)) <= 1
    quantiles = stats.t.ppf((1 + level) / 2, np.maximum(counts - 1, 1))
    trials = cells.n.max(axis=0, initial=0).tolist()
    wilson: dict[tuple[int, int], Estimate] = {}
    estimates = []
    for column, (count, mean) in enumerate(zip(counts.tolist(), means.tolist(), strict=True)):
        n = {"agents": count, "trials": trials[column]}
        codes = ["MISSING"] if missing[column] else []
        if count == 0:
            estimates.append(
                Estimate.without_value("undefined", ["NO_DATA", *codes], level=level, method=DIFFICULTY_METHOD, n=n)
            )
            continue
        if binary and mean in (0.0, 1.0):
            codes.append("CEILING" if mean == 1 else "FLOOR")
        if single_verdicts:
            passes = round(mean * count)
            if (passes, count) not in wilson:
                wilson[passes, count] = proportion_interval(passes, count, level=level)
            share = wilson[passes, count]
            estimates.append(
                Estimate.of(
                    passes / count, se=share.se, low=share.low, high=share.high, level=level,
                    method="share of agents that pass, Wilson interval", n=n, codes=codes,
                )
            )  # fmt: skip
            continue
        codes.extend(["TOO_FEW_AGENTS"] if count == 1 else ["ZERO_VARIANCE"] if flat[column] else [])
        se = None if count == 1 or flat[column] else math.sqrt(float(variances[column]) / count)
        half = None if se is None else float(quantiles[column]) * se
        estimates.append(
            Estimate.of(
                mean, se=se, level=level, method=DIFFICULTY_METHOD, n=n, codes=codes,
                low=None if half is None else mean - half, high=None if half is None else mean + half,
                df=None if se is None else count - 1,
            )
        )  # fmt: skip
    return estimates


def _item_rests(cells: Cells, missing: Flags, level: float) -> list[Estimate]:
    agents, items = cells.n.shape
    few = ["FEW_AGENTS"] if 3 <= agents <= FEW_AGENTS else []
    counted = {"agents": agents, "items": items}

    def without(status: str, *codes: str) -> Estimate:
        return Estimate.without_value(
            "refused" if status == "refused" else "undefined", codes, level=level, method=ITEM_REST_METHOD, n=counted
        )  # fmt: skip

    if agents < 3:
        return [without("undefined", "TOO_FEW_AGENTS")] * items
    if items < 2:
        return [without("undefined", "TOO_FEW_ITEMS")] * items
    if not cells.full:
        return [without("refused", *few, "MISSING")] * items
    scores = cells.mean
    flat = constant_columns(scores, np.abs(scores).max(axis=0))
    se = 1 / math.sqrt(agents - 3) if agents > 3 else None
    estimates = []
    for column, r in enumerate(item_rest_correlations(scores).tolist()):
        codes = few + (["MISSING"] if missing[column] else [])
        if flat[column] or math.isnan(r):
            code = "CONSTANT_ITEM" if flat[column] else "ZERO_VARIANCE"
            estimates.append(without("undefined", *codes, code))
            continue
        low, high = fisher_interval(r, se, level)
        codes += ["TOO_FEW_AGENTS"] if se is None else ["DEGENERATE_CI"] if low == high else []
        codes += ["NEGATIVE_DISCRIMINATION"] if r < -UNITY else []
        estimates.append(
            Estimate.of(r, low=low, high=high, level=level, method=ITEM_REST_METHOD, n=counted, codes=codes)
        )
    return estimates
