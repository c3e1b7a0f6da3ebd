"""pass@k and pass^k of each agent, with the number of items behind each and both conventions for missing trials."""

from __future__ import annotations

from typing import Any

import numpy as np

from metrology.analysis.base import Column, Table
from metrology.analysis.figures import pass_at_k_mean, pass_hat_k_mean
from metrology.analysis.measured import Measured
from metrology.analysis.wording import Notices, listed, note_of
from metrology.stats.attempts import pass_at_k, pass_hat_k
from metrology.stats.cells import Cells

LADDER = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 25, 32, 50, 64, 100, 128, 200, 256, 500, 1000)
CONVENTIONS = "pass@k = at least one of k passes, 1 - C(n-c,k)/C(n,k); pass^k = all k pass, C(c,k)/C(n,k)"

COLUMNS = (
    Column("agent", "agent"),
    Column("k", "k", "count", "trials"),
    Column("pass_at_k", "pass@k (at least one of k)", "score"),
    Column("pass_at_k_low", "pass@k low", "score"),
    Column("pass_at_k_high", "pass@k high", "score"),
    Column("pass_hat_k", "pass^k (all of k)", "score"),
    Column("pass_hat_k_low", "pass^k low", "score"),
    Column("pass_hat_k_high", "pass^k high", "score"),
    Column("items_used", "items with k measured trials", "count", "items"),
    Column("items_planned", "items planned", "count", "items"),
    Column("pass_at_k_infrastructure_as_failure", "pass@k, infrastructure (no verdict) counted as failure", "score"),
    Column("pass_hat_k_infrastructure_as_failure", "pass^k, infrastructure (no verdict) counted as failure", "score"),
    Column("pass_at_k_fixed_items", "pass@k, same items at every k", "score"),
    Column("pass_hat_k_fixed_items", "pass^k, same items at every k", "score"),
    Column("fixed_items", "items with the most trials", "count", "items"),
    Column("note", "note"),
)


def ladder(most: int) -> tuple[int, ...]:
    """The values of k shown for ``most`` trials: every k to 10, then steps, the last one and one beyond it."""
    return (*(k for k in LADDER if k < most), most, most + 1) if most else (1,)


def attempts_table(measured: Measured, level: float, notices: Notices) -> Table:
    """Return the curves. ``pass_at_k`` and ``pass_hat_k`` count measured trials only, over items with n >= k.

    Where items have unequal numbers of trials the item set changes with k and the averaged curve may break its
    monotony; the columns ``*_fixed_items`` hold the set fixed (items with the largest n) and a warning says so.
    """
    rows: list[tuple[Any, ...]] = []
    changing = []
    for i, label in enumerate(measured.labels):
        n = measured.counts.n[i]
        most = int(n.max(initial=0))
        cells = measured.passes.select(agents=[label])
        planned = measured.passes_of_planned.select(agents=[label])
        full = np.flatnonzero(n == most) if most else np.array([], dtype=np.intp)
        fixed = cells.select(items=[measured.counts.item_names[j] for j in full])
        if np.unique(n[n > 0]).size > 1:
            changing.append(label)
        rows += [_row(label, k, n, cells, planned, fixed, level) for k in ladder(most)]
    if changing:
        notices.add(
            "ITEM_SET_CHANGES",
            f"{listed(changing)}: items have unequal numbers of trials, so the items behind pass@k and pass^k change "
            "with k and the averaged curves may rise or fall for that reason; compare the columns on the same items.",
        )
    return Table(f"Repeats: {CONVENTIONS}", COLUMNS, tuple(rows))


def _row(label: str, k: int, n: Any, cells: Cells, planned: Cells, fixed: Cells, level: float) -> tuple[Any, ...]:
    at, hat = pass_at_k_mean(cells, label, k, level=level), pass_hat_k_mean(cells, label, k, level=level)
    at_all, hat_all = pass_at_k_mean(planned, label, k, level=level), pass_hat_k_mean(planned, label, k, level=level)
    same_at = pass_at_k_mean(fixed, label, k, level=level).value if len(fixed.items) else None
    same_hat = pass_hat_k_mean(fixed, label, k, level=level).value if len(fixed.items) else None
    used, most = int((n >= k).sum()), int(n.max(initial=0))
    if k > most:
        trials = "1 trial" if most == 1 else f"{most} trials"
        note = f"undefined: needs {k} trials of an item, at most {trials} measured"
        if most == 1:
            note += "; not estimable with one trial"
    else:
        note = note_of(at, hat)
    columns = (at.value, at.low, at.high, hat.value, hat.low, hat.high)
    items_planned = int((planned.n > 0).sum())
    return (label, k, *columns, used, items_planned, at_all.value, hat_all.value, same_at, same_hat,
            len(fixed.items), note)  # fmt: skip


def attempts_by_item(measured: Measured, k: int) -> Table:
    """Return pass@k and pass^k of every agent on every item; k beyond the trials of an item is undefined."""
    columns = (
        Column("agent", "agent"),
        Column("item", "item"),
        Column("trials", "trials", "count", "trials"),
        Column("passed", "passed", "count", "trials"),
        Column("pass_at_k", f"pass@{k}", "score"),
        Column("pass_hat_k", f"pass^{k}", "score"),
        Column("note", "note"),
    )
    counts = measured.counts
    rows = []
    for i, label in enumerate(measured.labels):
        for j, item in enumerate(counts.item_names):
            n, passed = int(counts.n[i, j]), int(counts.passed[i, j])
            at, hat = pass_at_k(n, passed, k), pass_hat_k(n, passed, k)
            note = f"undefined: {n} trials measured" if at.value is None else ""
            rows.append((label, item, n, passed, at.value, hat.value, note))
    return Table(f"pass@{k} and pass^{k} by item", columns, tuple(rows))
