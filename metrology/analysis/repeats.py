"""pass@k and pass^k of each agent, with the number of items behind each and both conventions for missing trials."""

from __future__ import annotations

from typing import Any

import numpy as np

from metrology.analysis.base import Column, Table
from metrology.analysis.blocks import items_where
from metrology.analysis.figures import pass_at_k_mean, pass_hat_k_mean
from metrology.analysis.measured import Measured
from metrology.analysis.wording import Notices, listed, note_of
from metrology.stats.attempts import pass_at_k, pass_hat_k
from metrology.stats.cells import Cells
from metrology.stats.results import Estimate

EVERY_K = 10
LADDER = (1, 2, 3, 4, 5, 8, 10, 16, 25, 32, 50, 64, 100, 200, 500, 1000)
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
    """The values of k shown for ``most`` trials: every k to ``EVERY_K`` trials, else steps; the last, one beyond it."""
    steps = range(1, most) if most <= EVERY_K else (k for k in LADDER if k < most)
    return (*steps, most, most + 1) if most else (1,)


def attempts_table(measured: Measured, level: float, notices: Notices) -> Table:
    """Return the curves. ``pass_at_k`` and ``pass_hat_k`` count measured trials only, over items with n >= k.

    Where items have unequal numbers of trials the item set changes with k and the averaged curve may break its
    monotony; the columns ``*_fixed_items`` hold the set fixed (items with the largest n) and a warning says so.
    """
    rows: list[tuple[Any, ...]] = []
    changing = []
    for i, label in enumerate(measured.labels):
        curves = _Curves(measured, i, level)
        if curves.changing:
            changing.append(label)
        rows += [curves.row(k) for k in ladder(curves.most)]
    if changing:
        notices.add(
            "ITEM_SET_CHANGES",
            f"{listed(changing)}: items have unequal numbers of trials, so the items behind pass@k and pass^k change "
            "with k and the averaged curves may rise or fall for that reason; compare the columns on the same items.",
        )
    return Table(f"Repeats: {CONVENTIONS}", COLUMNS, tuple(rows))


class _Curves:
    """Both curves of one agent: over measured trials, over planned ones, and over the items with most trials."""

    def __init__(self, measured: Measured, position: int, level: float) -> None:
        self._label, self._level = measured.labels[position], level
        self._n = measured.counts.n[position]
        self.most = int(self._n.max(initial=0))
        self.changing = np.unique(self._n[self._n > 0]).size > 1
        self._cells = measured.passes.select(agents=[self._label])
        self._planned = measured.passes_of_planned.select(agents=[self._label])
        self._complete = bool((self._planned.n == self._cells.n).all())
        self._fixed = items_where(self._cells, self._n == self.most) if self.changing else self._cells
        self._fixed_items = int((self._n == self.most).sum()) if self.most else 0

    def row(self, k: int) -> tuple[Any, ...]:
        """One row of the table."""
        items = (int((self._n >= k).sum()), int((self._planned.n > 0).sum()))
        if k > self.most:
            trials = "1 trial" if self.most == 1 else f"{self.most} trials"
            note = f"undefined: needs {k} trials of an item, at most {trials} measured"
            note += "; not estimable with one trial" if self.most == 1 else ""
            planned = (None, None) if self._complete else self._values(self._planned, k)
            return (self._label, k, *(None,) * 6, *items, *planned, None, None, self._fixed_items, note)
        at, hat = self._means(self._cells, k)
        own = at.value, hat.value
        same = self._values(self._fixed, k) if self.changing else own
        planned = own if self._complete else self._values(self._planned, k)
        figures = (at.value, at.low, at.high, hat.value, hat.low, hat.high)
        return (self._label, k, *figures, *items, *planned, *same, self._fixed_items, note_of(at, hat))

    def _values(self, cells: Cells, k: int) -> tuple[float | None, float | None]:
        at, hat = self._means(cells, k)
        return at.value, hat.value

    def _means(self, cells: Cells, k: int) -> tuple[Estimate, Estimate]:
        at = pass_at_k_mean(cells, self._label, k, level=self._level)
        # For k = 1 both are the share of passes.
        return at, at if k == 1 else pass_hat_k_mean(cells, self._label, k, level=self._level)


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
