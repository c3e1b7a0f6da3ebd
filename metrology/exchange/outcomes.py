"""The importer of production outcomes: what agents did outside the benchmark, one figure a line."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metrology.domain.observation import Observation
from metrology.exchange.account import Account, AccountBook, Refusal
from metrology.exchange.base import ProgressCallback
from metrology.exchange.batch import Batch
from metrology.exchange.choice import chosen_lines
from metrology.exchange.fields import flag, integer, name, number
from metrology.exchange.map import OutcomeColumns, OutcomeMap, load_outcome_map
from metrology.exchange.periods import Period, period, period_between
from metrology.exchange.results import translator
from metrology.exchange.table import read_batches, require_taken
from metrology.identity import bytes_digest
from metrology.storage.imports import add_batch, find_batch
from metrology.storage.observations import add_observations
from metrology.storage.store import Store
from metrology.storage.tables import ImportKind

_TARGET = "outcomes"
_FIELDS = tuple(OutcomeColumns.model_fields)
_OPTIONAL = frozenset(_FIELDS) - {"agent", "measure", "value"}

PLAIN_MAP = OutcomeMap.model_validate({"schema_version": 1, "columns": {field: field for field in _FIELDS}})
"""The map of a table whose columns are called as the fields are."""


@dataclass(frozen=True)
class OutcomeReport:
    """The account of one import of outcomes and what it brought."""

    source: str
    dry_run: bool
    account: Account
    observations: int
    measures: tuple[str, ...]
    agents: tuple[str, ...]
    already_imported: bool

    @property
    def changed(self) -> bool:
        """True when something was stored."""
        return not self.dry_run and not self.already_imported

    def document(self) -> dict[str, Any]:
        """The report as JSON-ready values."""
        return {
            "source": self.source,
            "dry_run": self.dry_run,
            "changed": self.changed,
            "account": self.account.document(),
            "observations": self.observations,
            "measures": list(self.measures),
            "agents": list(self.agents),
            "already_imported": self.already_imported,
        }

    def describe(self) -> str:
        """The report in words, several lines."""
        end = "already imported; nothing added" if self.already_imported else ""
        if not end:
            end = "would be stored" if self.dry_run else "stored"
        return (
            f"{self.source}: {self.account.describe()}\n{self.observations:,} figures of {len(self.agents):,} agents "
            f"({', '.join(self.measures[:5])}{', ...' if len(self.measures) > 5 else ''}); {end}"
        )


def import_outcomes(
    store: Store,
    path: Path | str,
    column_map: OutcomeMap | Path | str | None = None,
    *,
    dry_run: bool = False,
    strict: bool = False,
    progress: ProgressCallback | None = None,
) -> OutcomeReport:
    """Import a table of production outcomes and return the line-by-line account.

    Without a map the columns are called agent, period (or start and end), segment, measure, value, n, censored; of
    these agent, measure and value must be there. Values keep their unit. Outcomes are few, so they are held in
    memory. The same figures with the same map add nothing. ``strict`` and ``dry_run`` as in ``import_results``.

    Raises:
        InputError: when the file cannot be read, lacks a column, or has no line to take.
        InputErrors: for a map with mistakes; as ``RefusedImportError`` for refused lines (``strict``, or all).
        StorageError: when the store cannot be written. Nothing is stored after any of these.
    """
    path = Path(path)
    book = AccountBook()
    if column_map is None:
        chosen, optional = PLAIN_MAP, _OPTIONAL
    else:
        chosen = column_map if isinstance(column_map, OutcomeMap) else load_outcome_map(column_map)
        optional = frozenset()
    reader = _OutcomeReader(chosen, book)
    for batch in read_batches(path, chosen, reader.wanted, book, progress, optional):
        reader.read(batch)
    account = book.close()
    require_taken(path, account, strict=strict)
    observations = tuple(reader.observations.values())
    digest = _digest(observations)
    with store.read() if dry_run else store.write() as connection:
        known = find_batch(connection, ImportKind.OUTCOMES, digest, chosen.digest, _TARGET)
        if known is None and not dry_run:
            import_id = add_batch(
                connection,
                ImportKind.OUTCOMES,
                source_name=path.name,
                content_digest=digest,
                map_digest=chosen.digest,
                target=_TARGET,
                account=account.document(),
            )
            add_observations(connection, import_id, observations)
    return OutcomeReport(
        source=path.name,
        dry_run=dry_run,
        account=account,
        observations=len(observations),
        measures=tuple(sorted({observation.measure for observation in observations})),
        agents=tuple(sorted({observation.agent for observation in observations})),
        already_imported=known is not None,
    )


class _OutcomeReader:
    """Turns batches of text into observations; ``observations`` holds them by what they are about."""

    def __init__(self, column_map: OutcomeMap, book: AccountBook) -> None:
        self.observations: dict[tuple[str, Period, str, str], Observation] = {}
        self._lines: dict[tuple[str, Period, str, str], int] = {}
        self._map = column_map
        self._book = book
        self._columns = {field: getattr(column_map.columns, field) for field in _FIELDS}
        self._translate: dict[str, Callable[[str], str]] = {
            field: translator(column, column_map.missing.values)
            for field, column in self._columns.items()
            if column is not None
        }
        named = [column.column for column in self._columns.values() if column is not None and column.column is not None]
        self.wanted = tuple(sorted({*named, *column_map.filter, *column_map.exclude}))

    def read(self, batch: Batch) -> None:
        """Take the records of a batch, or book why not."""
        batch = chosen_lines(batch, self._map, self._book)
        for row, line in enumerate(batch.lines):
            texts = {field: self._text(batch, field, row) for field in _FIELDS}
            value = _observation(texts)
            if isinstance(value, Refusal):
                self._book.refuse(line, value.field, value.reason)
                continue
            key = (value.agent, Period(value.period_start, value.period_end), value.segment, value.measure)
            known = self.observations.get(key)
            if known is None:
                self.observations[key] = value
                self._lines[key] = line
                self._book.accepted += 1
            elif known == value:
                self._book.ignore(line, f"identical repeat: of line {self._lines[key]}")
            else:
                reason = f"another value for the same agent, period, segment and measure: as line {self._lines[key]}"
                self._book.refuse(line, "value", reason)

    def _text(self, batch: Batch, field: str, row: int) -> str:
        column = self._columns[field]
        if column is None:
            return ""
        text = column.constant or "" if column.column is None else batch.columns[column.column][row]
        return self._translate[field](text)


def _observation(texts: dict[str, str]) -> Observation | Refusal:
    agent, measure = name(texts["agent"], "agent"), name(texts["measure"], "measure")
    segment = name(texts["segment"], "segment") if texts["segment"] else ""
    value = number(texts["value"], "value") if texts["value"] else Refusal("value", "no value")
    n = integer(texts["n"], "n", largest=2**31 - 1) if texts["n"] else None
    censored = flag(texts["censored"], "censored") if texts["censored"] else False
    days = period_between(texts["start"], texts["end"]) if texts["start"] or texts["end"] else period(texts["period"])
    for part in (agent, days, segment, measure, value, n, censored):
        if isinstance(part, Refusal):
            return part
    return Observation(agent, days.start, days.end, segment, measure, value, n, censored)  # type: ignore[arg-type,union-attr]


def _digest(observations: tuple[Observation, ...]) -> str:
    digests = sorted(hashlib.sha256(repr(observation).encode()).digest() for observation in observations)
    return bytes_digest(b"".join(digests))
