"""Agents x items x trials, reduced to what every statistic needs: counts, sums and sums of squares per cell."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from metrology.stats.labels import code_labels, positions, unique_labels
from metrology.stats.results import StatsInputError
from metrology.stats.vectors import numeric_array, numeric_vector

Matrix = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
Labels = Iterable[Any] | None

LARGEST_SCORE = 1e50  # fourth powers of scores, summed over millions of trials, must stay finite


def _read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view


def score_array(values: npt.ArrayLike, dimensions: int) -> Matrix:
    """Return scores as floats, NaN where missing; raises :class:`StatsInputError` beyond ``LARGEST_SCORE``."""
    scores = numeric_array(values, "scores", dimensions)
    if scores.size and np.nanmax(np.abs(scores), initial=0.0) > LARGEST_SCORE:
        msg = f"`scores` holds a value beyond {LARGEST_SCORE:g}"
        raise StatsInputError(msg)
    return scores


def _whole_numbers(values: npt.ArrayLike, name: str) -> Counts:
    given = np.asarray(values)
    if given.dtype.kind == "i" and given.ndim == 2 and (given.size == 0 or given.min() >= 0):
        return given.astype(np.int64)
    numbers = numeric_array(values, name, 2)
    if np.any(np.isnan(numbers)) or np.any(numbers < 0) or np.any(numbers != np.floor(numbers)):
        msg = f"`{name}` must hold whole numbers, 0 or more"
        raise StatsInputError(msg)
    return numbers.astype(np.int64)


@dataclasses.dataclass(frozen=True, eq=False)
class Cells:
    """The one input type for agents x items x trials; build it with one of the ``from_`` constructors.

    ``n[agents, items]`` counts the trials with a verdict, ``total`` sums their scores, ``total_sq`` their squares.
    ``families`` is the cluster of each item (repository, template, passage) or ``None``. ``missing`` counts trials
    supplied without a verdict; a timeout or crash is a scored 0 and the caller's decision, never missing.
    Arrays are read-only. Scores far from zero relative to their spread lose digits in ``total_sq``: keep them on 0..1.
    """

    n: Counts
    total: Matrix
    total_sq: Matrix
    agents: tuple[str, ...]
    items: tuple[str, ...]
    families: tuple[str, ...] | None
    missing: int
    missing_per_cell: Counts | None = dataclasses.field(default=None, repr=False)

    @classmethod
    def from_trials(
        cls, scores: npt.ArrayLike, *, agents: Labels = None, items: Labels = None, families: Labels = None
    ) -> Cells:
        """Return the cells of ``scores[agents, items, trials]``; NaN or None = not run."""
        cube = score_array(scores, 3)
        absent = np.isnan(cube)
        known = np.where(absent, 0.0, cube)
        return cls._checked(
            (~absent).sum(2), known.sum(2), np.square(known).sum(2), agents, items, families, absent.sum(2)
        )

    @classmethod
    def from_matrix(
        cls, scores: npt.ArrayLike, *, agents: Labels = None, items: Labels = None, families: Labels = None
    ) -> Cells:
        """Return the cells of ``scores[agents, items]``, one trial each; NaN or None = not run."""
        matrix = score_array(scores, 2)
        return cls.from_trials(matrix[:, :, None], agents=agents, items=items, families=families)

    @classmethod
    def from_counts(
        cls,
        passes: npt.ArrayLike,
        n: npt.ArrayLike,
        *,
        agents: Labels = None,
        items: Labels = None,
        families: Labels = None,
    ) -> Cells:
        """Return the cells of 0/1 verdicts given as counts ``passes[agents, items]`` out of ``n[agents, items]``."""
        trials = _whole_numbers(n, "n")
        passed = _whole_numbers(passes, "passes")
        if passed.shape != trials.shape:
            msg = f"`passes` {passed.shape} and `n` {trials.shape} must have the same shape"
            raise StatsInputError(msg)
        if np.any(passed > trials):
            msg = "`passes` is larger than `n` in a cell"
            raise StatsInputError(msg)
        total = passed.astype(np.float64)
        return cls._checked(trials, total, total, agents, items, families, 0)

    @classmethod
    def from_sums(
        cls,
        n: npt.ArrayLike,
        total: npt.ArrayLike,
        total_sq: npt.ArrayLike,
        *,
        agents: Labels = None,
        items: Labels = None,
        families: Labels = None,
        missing: int | npt.ArrayLike = 0,
    ) -> Cells:
        """Return the cells of sums already grouped: count, sum and sum of squares, each ``[agents, items]``.

        ``missing`` is the number of trials without a verdict, in all or per cell.
        """
        trials = _whole_numbers(n, "n")
        sums = numeric_array(total, "total", 2)
        squares = numeric_array(total_sq, "total_sq", 2)
        if not sums.shape == squares.shape == trials.shape:
            msg = f"`n` {trials.shape}, `total` {sums.shape} and `total_sq` {squares.shape} must have the same shape"
            raise StatsInputError(msg)
        if np.any(np.isnan(sums)) or np.any(np.isnan(squares)):
            msg = "`total` and `total_sq` must be complete: a cell without trials holds 0"
            raise StatsInputError(msg)
        if squares.size and squares.max() > LARGEST_SCORE**2:
            msg = f"`total_sq` belongs to scores beyond {LARGEST_SCORE:g}"
            raise StatsInputError(msg)
        # Cauchy-Schwarz, with room for the rounding of the sums
        if np.any(np.square(sums) > trials * squares * (1 + 1e-9)):
            msg = "`total_sq` is too small for `total` and `n` in a cell"
            raise StatsInputError(msg)
        absent = int(missing) if isinstance(missing, int | np.integer) else _whole_numbers(missing, "missing")
        return cls._checked(trials, sums, squares, agents, items, families, absent)

    @classmethod
    def from_long(
        cls, agent: Iterable[Any], item: Iterable[Any], score: npt.ArrayLike, *, family: Labels = None
    ) -> Cells:
        """Return the cells of one entry per trial; labels stand in order of first appearance.

        Raises:
            StatsInputError: lengths differ, a label is missing, an item belongs to two families.
        """
        scores = score_array(numeric_vector(score, "score"), 1)
        absent = np.isnan(scores)
        known = np.where(absent, 0.0, scores)
        return cls._from_entries(agent, item, family, ~absent, known, np.square(known), absent)

    @classmethod
    def from_grouped(
        cls,
        agent: Iterable[Any],
        item: Iterable[Any],
        n: npt.ArrayLike,
        total: npt.ArrayLike,
        total_sq: npt.ArrayLike,
        *,
        family: Labels = None,
        missing: npt.ArrayLike | None = None,
    ) -> Cells:
        """Return the cells of one entry per group of trials, as ``GROUP BY agent, item`` delivers them.

        Entries of the same agent and item are added up; agents and items stand in order of first appearance.

        Raises:
            StatsInputError: as :meth:`from_sums` and :meth:`from_long`.
        """
        columns = [numeric_vector(v, k) for v, k in ((n, "n"), (total, "total"), (total_sq, "total_sq"))]
        columns.append(np.zeros_like(columns[0]) if missing is None else numeric_vector(missing, "missing"))
        if len({len(column) for column in columns}) > 1:
            msg = "`n`, `total`, `total_sq` and `missing` must have the same length"
            raise StatsInputError(msg)
        cells = cls._from_entries(agent, item, family, *columns)
        return cls.from_sums(
            cells.n,
            cells.total,
            cells.total_sq,
            agents=cells.agents,
            items=cells.items,
            families=cells.families,
            missing=0 if cells.missing_per_cell is None else cells.missing_per_cell,
        )

    @classmethod
    def _from_entries(
        cls,
        agent: Iterable[Any],
        item: Iterable[Any],
        family: Labels,
        count: npt.NDArray[Any],
        total: Matrix,
        total_sq: Matrix,
        absent: npt.NDArray[Any],
    ) -> Cells:
        rows, columns = code_labels(agent, "agent"), code_labels(item, "item")
        if not len(rows.codes) == len(columns.codes) == len(total):
            msg = f"lengths differ: agent {len(rows.codes)}, item {len(columns.codes)}, score {len(total)}"
            raise StatsInputError(msg)
        families = None if family is None else cls._family_of_item(columns.codes, columns.labels, family)
        shape = len(rows.labels), len(columns.labels)
        flat = rows.codes * shape[1] + columns.codes

        def added(values: npt.NDArray[Any]) -> Matrix:
            sums = np.bincount(flat, weights=values, minlength=shape[0] * shape[1])
            return sums.astype(np.float64, copy=False).reshape(shape)

        # bincount adds in floats; the exactness check of whole numbers happens on the sums
        counts, gaps = _whole_numbers(added(count), "n"), _whole_numbers(added(absent), "missing")
        return cls._checked(counts, added(total), added(total_sq), rows.labels, columns.labels, families, gaps)

    @staticmethod
    def _family_of_item(codes: Counts, items: tuple[str, ...], family: Iterable[Any]) -> tuple[str, ...]:
        coded = code_labels(family, "family")
        if len(coded.codes) != len(codes):
            msg = f"lengths differ: item {len(codes)}, family {len(coded.codes)}"
            raise StatsInputError(msg)
        of_item = np.zeros(len(items), dtype=np.int64)
        of_item[codes] = coded.codes
        clash = np.flatnonzero(of_item[codes] != coded.codes)
        if len(clash):
            msg = f"item {items[codes[clash[0]]]!r} belongs to two families"
            raise StatsInputError(msg)
        return tuple(coded.labels[code] for code in of_item)

    @classmethod
    def _checked(
        cls,
        n: Counts,
        total: Matrix,
        total_sq: Matrix,
        agents: Labels,
        items: Labels,
        families: Labels,
        missing: int | Counts,
    ) -> Cells:
        groups = None if families is None else code_labels(families, "families")
        if groups is not None and len(groups.codes) != n.shape[1]:
            msg = f"`families` must hold one label per item ({n.shape[1]}), got {len(groups.codes)}"
            raise StatsInputError(msg)
        if isinstance(missing, int):
            count, per_cell = missing, None
        else:
            count, per_cell = int(missing.sum()), missing
            if missing.shape != n.shape:
                msg = f"`missing` {missing.shape} must have the shape of `n` {n.shape}"
                raise StatsInputError(msg)
        if count < 0:
            msg = "`missing` must be 0 or more"
            raise StatsInputError(msg)
        return cls(
            n=_read_only(n.astype(np.int64, copy=False)),
            total=_read_only(total),
            total_sq=_read_only(total_sq),
            agents=unique_labels(agents, n.shape[0], "agents"),
            items=unique_labels(items, n.shape[1], "items"),
            families=None if groups is None else tuple(groups.labels[code] for code in groups.codes),
            missing=count,
            missing_per_cell=None if per_cell is None or count == 0 else _read_only(per_cell),
        )

    @cached_property
    def mean(self) -> Matrix:
        """Mean score ``[agents, items]``, NaN where a cell has no trial."""
        with np.errstate(invalid="ignore"):
            return _read_only(np.divide(self.total, self.n))

    @property
    def incomplete(self) -> bool:
        """Whether a cell is empty or a trial was supplied without a verdict (code MISSING)."""
        return self.missing > 0 or not bool(np.all(self.n > 0))

    @property
    def full(self) -> bool:
        """Whether every agent has at least one verdict on every item."""
        return bool(np.all(self.n > 0))

    @property
    def binary(self) -> bool:
        """Whether all scores (taken to lie on 0..1) are 0 or 1: only then sum and sum of squares agree."""
        whole = np.array_equal(self.total, self.total_sq) and np.array_equal(self.total, np.floor(self.total))
        return whole and bool(np.all((self.total >= 0) & (self.total <= self.n)))

    def select(self, *, agents: Labels = None, items: Labels = None) -> Cells:
        """Return the sub-table of these agents and items, in the order asked for.

        Raises:
            StatsInputError: a label is unknown or asked for twice.
        """
        rows: Any = slice(None) if agents is None else positions(self.agents, agents, "agents")
        columns: Any = slice(None) if items is None else positions(self.items, items, "items")

        def part(table: npt.NDArray[Any]) -> npt.NDArray[Any]:
            return _read_only(table[rows][:, columns])

        def chosen(labels: tuple[str, ...], wanted: Any) -> tuple[str, ...]:
            return labels if isinstance(wanted, slice) else tuple(labels[position] for position in wanted)

        per_cell = None if self.missing_per_cell is None else part(self.missing_per_cell)
        return Cells(
            n=part(self.n),
            total=part(self.total),
            total_sq=part(self.total_sq),
            agents=chosen(self.agents, rows),
            items=chosen(self.items, columns),
            families=None if self.families is None else chosen(self.families, columns),
            # where the missing trials were is not always known: then all of them are kept
            missing=self.missing if per_cell is None else int(per_cell.sum()),
            missing_per_cell=per_cell,
        )
