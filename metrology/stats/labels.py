"""Labels of agents, items and families: text, unique, in order of first appearance."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from metrology.stats.results import StatsInputError

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Coded:
    """One integer per entry and the label each integer stands for."""

    codes: Codes
    labels: tuple[str, ...]


def as_list(values: Iterable[Any], name: str) -> list[Any]:
    """Return the entries as plain Python values; raises :class:`StatsInputError` for text or a bare number."""
    if isinstance(values, str | bytes):
        msg = f"`{name}` must be a sequence of labels, not one text"
        raise StatsInputError(msg)
    to_list = getattr(values, "tolist", None)
    try:
        return list(to_list() if to_list is not None else values)
    except TypeError as error:
        msg = f"`{name}` must be a sequence of labels"
        raise StatsInputError(msg) from error


def code_labels(values: Iterable[Any], name: str) -> Coded:
    """Return integer codes in order of first appearance; labels become ``str(label)``.

    Raises:
        StatsInputError: a label is missing (None or NaN) or not hashable.
    """
    seen: defaultdict[Hashable, int] = defaultdict(itertools.count().__next__)  # numbers labels as they appear
    entries = as_list(values, name)
    try:
        codes = np.fromiter(map(seen.__getitem__, entries), np.int64, len(entries))
    except TypeError as error:
        msg = f"`{name}` holds a label that is not a plain value"
        raise StatsInputError(msg) from error
    if any(value is None or value != value for value in seen):  # NaN is the only value unequal to itself
        msg = f"`{name}` holds a missing label"
        raise StatsInputError(msg)
    texts: dict[str, int] = {}
    merged = np.array([texts.setdefault(str(value), len(texts)) for value in seen], dtype=np.int64)
    if len(texts) < len(seen):  # 1 and "1" are the same label
        codes = merged[codes]
    return Coded(codes, tuple(texts))


def unique_labels(given: Iterable[Any] | None, count: int, name: str) -> tuple[str, ...]:
    """Return ``count`` unique labels, by default "1", "2", ...; raises :class:`StatsInputError` otherwise."""
    if given is None:
        return tuple(str(position) for position in range(1, count + 1))
    coded = code_labels(given, name)
    if len(coded.codes) != count:
        msg = f"`{name}` must hold {count} labels, got {len(coded.codes)}"
        raise StatsInputError(msg)
    if len(coded.labels) != count:
        msg = f"`{name}` holds the same label twice"
        raise StatsInputError(msg)
    return coded.labels


def positions(labels: Sequence[str], wanted: Iterable[Any], name: str) -> Codes:
    """Return where each wanted label stands in ``labels``; raises :class:`StatsInputError` for an unknown one."""
    place = {label: position for position, label in enumerate(labels)}
    texts = unique_labels(wanted, len(as_list(wanted, name)), name)
    unknown = [text for text in texts if text not in place]
    if unknown:
        msg = f"`{name}`: unknown label {unknown[0]!r}"
        raise StatsInputError(msg)
    return np.array([place[text] for text in texts], dtype=np.int64)
