"""Many rows at once: the one place where the two databases take different paths.

Rows go to the driver as plain tuples, because building an expression per row costs several times the insert itself.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from operator import itemgetter
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection

from metrology.domain.status import WITH_VERDICT

# What every row of a trial begins with; the writer needs their places.
KEY_COLUMNS = ("revision_id", "agent_id", "number", "status", "score", "passed")
OPTIONAL_COLUMNS = (
    "attempts",
    "started_at",
    "duration_seconds",
    "input_tokens",
    "cached_input_tokens",
    "cache_write_tokens",
    "output_tokens",
    "cost_usd",
    "answer",
    "transcript",
    "model_served",
    "detail",
    "source_line",
)
CELL_COLUMNS = ("campaign_id", "revision_id", "agent_id", "n", "passed", "total", "total_squares", "missing")
_SUMS = CELL_COLUMNS[3:]
_CELL_KEY = ", ".join(CELL_COLUMNS[:3])
_ENDED = frozenset(status.value for status in WITH_VERDICT)
_ENDED_LIST = ", ".join(f"'{status}'" for status in sorted(_ENDED))
# SQLite prepares one statement for so many rows: half the time of one statement per row, and 19 columns of them
# stay below the smallest limit of parameters.
_GROUP = 50
_HELD_KINDS = 200_000
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def insert_rows(
    connection: Connection,
    table: str,
    columns: Sequence[str],
    rows: Sequence[tuple[Any, ...]],
    *,
    fixed: Mapping[str, int] = MappingProxyType({}),
    suffix: str = "",
) -> None:
    """Insert rows in the order of ``columns``; ``fixed`` columns are the same in each, ``suffix`` is ON CONFLICT.

    Values must be what the driver takes: text for JSON (:func:`json_text`) and times (:func:`time_converter`).
    """
    names = ", ".join((*fixed, *columns))
    mark = "?" if connection.dialect.name == "sqlite" else "%s"
    marks = f"({', '.join((*map(str, fixed.values()), *[mark] * len(columns)))})"
    begin = f"INSERT INTO {table} ({names}) VALUES "  # noqa: S608 - names of our own
    grouped = len(rows) - len(rows) % _GROUP if connection.dialect.name == "sqlite" else 0
    if grouped:
        flat = [tuple(chain.from_iterable(rows[at : at + _GROUP])) for at in range(0, grouped, _GROUP)]
        connection.exec_driver_sql(f"{begin}{', '.join([marks] * _GROUP)} {suffix}", flat)
    if len(rows) > grouped:
        connection.exec_driver_sql(f"{begin}{marks} {suffix}", list(rows[grouped:]))


def reserve_ids(connection: Connection, table: str, count: int) -> list[int]:
    """Return ``count`` new ids of ``table``, in order, to be inserted in this transaction."""
    if connection.dialect.name == "sqlite":
        # The transaction holds the write lock, so nobody else takes the next numbers.
        last = connection.exec_driver_sql(f"SELECT max(id) FROM {table}").scalar() or 0  # noqa: S608
        return list(range(last + 1, last + 1 + count))
    query = f"SELECT nextval(pg_get_serial_sequence('{table}', 'id')) FROM generate_series(1, {count})"  # noqa: S608
    return list(connection.exec_driver_sql(query).scalars())


def time_converter(connection: Connection) -> Callable[[datetime | None], Any]:
    """Return the function that makes of an aware time what this driver stores.

    The function raises ValueError for a naive time: nobody knows what it meant.
    """
    return _sqlite_time if connection.dialect.name == "sqlite" else _aware


def json_text(value: Any) -> str:
    """Return the text that a JSON column takes from the driver."""
    return _encode(value)


def add_to_cells(connection: Connection, rows: Sequence[tuple[int, int, int, int, int, float, float, int]]) -> None:
    """Add the counts of ``rows`` (in the order of ``CELL_COLUMNS``, one row per cell) to the cells, new or not."""
    sums = ", ".join(f"{name} = cell.{name} + excluded.{name}" for name in _SUMS)
    insert_rows(connection, "cell", CELL_COLUMNS, rows, suffix=f"ON CONFLICT ({_CELL_KEY}) DO UPDATE SET {sums}")


def recount_cells(connection: Connection, campaign_id: int, revision_ids: Iterable[int] = ()) -> None:
    """Set the cells of a campaign to what its trials say, all or those of some item revisions.

    Cells without trials are left as they are: their source published counts only.

    A trial counts in ``n`` when its status is one of an ended trial and it has a score, else in ``missing``.
    """
    verdict = f"(status IN ({_ENDED_LIST}) AND score IS NOT NULL)"
    sums = ", ".join(f"{name} = excluded.{name}" for name in _SUMS)
    revisions = ", ".join(str(int(revision)) for revision in revision_ids)
    narrowed = f"AND revision_id IN ({revisions}) " if revisions else ""
    connection.exec_driver_sql(
        f"INSERT INTO cell ({', '.join(CELL_COLUMNS)}) "  # noqa: S608 - names and numbers of our own
        f"SELECT campaign_id, revision_id, agent_id, sum(CASE WHEN {verdict} THEN 1 ELSE 0 END), "
        f"sum(CASE WHEN {verdict} AND passed THEN 1 ELSE 0 END), sum(CASE WHEN {verdict} THEN score ELSE 0.0 END), "
        f"sum(CASE WHEN {verdict} THEN score * score ELSE 0.0 END), sum(CASE WHEN {verdict} THEN 0 ELSE 1 END) "
        f"FROM trial WHERE campaign_id = {int(campaign_id)} {narrowed}GROUP BY campaign_id, revision_id, agent_id "
        f"ON CONFLICT ({_CELL_KEY}) DO UPDATE SET {sums}"
    )


class CellCounter:
    """Counts the trials of one campaign into cells: in memory, or from the table when there are too many to hold."""

    def __init__(self, connection: Connection, campaign_id: int) -> None:
        self._connection = connection
        self._campaign_id = int(campaign_id)
        # Equal trials are counted in C; what is summed in Python is their kinds. None: too many of them.
        self._kinds: Counter[tuple[int, int, str, float | None, bool | None]] | None = Counter()

    def add(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """Count rows that begin with ``KEY_COLUMNS``."""
        if self._kinds is not None:
            self._kinds.update(map(_KIND, rows))
            if len(self._kinds) > _HELD_KINDS:
                self._kinds = None

    def store(self) -> None:
        """Add what was counted to the stored cells; the trials themselves must be stored before."""
        if self._kinds is None:
            recount_cells(self._connection, self._campaign_id)
            return
        cells: dict[tuple[int, int], list[Any]] = {}
        for (revision, agent, status, score, passed), count in self._kinds.items():
            cell = cells.setdefault((revision, agent), [0, 0, 0.0, 0.0, 0])
            if score is None or status not in _ENDED:
                cell[4] += count
                continue
            cell[0] += count
            cell[1] += count if passed else 0
            cell[2] += count * score
            cell[3] += count * score * score
        # In one order everywhere, so that two writers cannot wait for each other's cells.
        add_to_cells(self._connection, [(self._campaign_id, *key, *cells[key]) for key in sorted(cells)])
        self._kinds.clear()


class TrialWriter:
    """Streams recorded trials of one campaign into the store; its memory does not grow with the file.

    A row is a tuple in the order of ``KEY_COLUMNS`` and then of ``columns``. Use it as a context manager: the cells
    are complete when the block ends well. The caller holds the transaction, so a failure stores nothing.
    """

    def __init__(self, connection: Connection, campaign_id: int, columns: Sequence[str] = ()) -> None:
        unknown = set(columns) - set(OPTIONAL_COLUMNS)
        if unknown:
            message = f"a trial has no column {sorted(unknown)}"
            raise ValueError(message)
        self.written = 0
        self._connection = connection
        self._columns = (*KEY_COLUMNS, *columns)
        self._convert = time_converter(connection)
        self._cells = CellCounter(connection, campaign_id)
        # Trials of which nothing is known had one attempt.
        self._fixed = {"campaign_id": int(campaign_id)} | ({} if "attempts" in columns else {"attempts": 1})
        self._time = self._columns.index("started_at") if "started_at" in columns else None

    def add_rows(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Write one chunk of rows (some thousands are best); times are aware, statuses plain text."""
        if self._time is not None and rows:
            # By columns and back, which costs a quarter of rebuilding row by row.
            columns: list[Iterable[Any]] = list(zip(*rows, strict=True))
            columns[self._time] = map(self._convert, columns[self._time])
            rows = list(zip(*columns, strict=True))
        if self._connection.dialect.name == "sqlite":
            insert_rows(self._connection, "trial", self._columns, rows, fixed=self._fixed)
        else:
            self._copy(rows)
        self._cells.add(rows)
        self.written += len(rows)

    def close(self) -> None:
        """Store the cells that are still held in memory."""
        self._cells.store()

    def __enter__(self) -> TrialWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.close()

    def _copy(self, rows: Sequence[tuple[Any, ...]]) -> None:
        driver: Any = self._connection.connection.driver_connection
        names, fixed = ", ".join((*self._fixed, *self._columns)), tuple(self._fixed.values())
        with driver.cursor() as cursor, cursor.copy(f"COPY trial ({names}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row((*fixed, *row))


_KIND = itemgetter(0, 1, 3, 4, 5)


def _aware(value: datetime | None) -> datetime | None:
    if value is not None and value.tzinfo is None:
        message = f"naive datetime {value!r} cannot be stored"
        raise ValueError(message)
    return value


def _sqlite_time(value: datetime | None) -> str | None:
    known = _aware(value)
    if known is None:
        return None
    if known.tzinfo is not UTC:
        known = known.astimezone(UTC)
    # The text of SQLAlchemy's own type: microseconds always, the offset cut off. Millions of these are made.
    return known.isoformat(" ", "microseconds")[:26]
