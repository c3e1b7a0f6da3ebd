"""From batches of text to batches of values: column by column, because a loop per row would cost ten times as much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import compress, repeat
from typing import Any
from zoneinfo import ZoneInfo

from metrology.exchange.account import AccountBook, Refusal
from metrology.exchange.agents import AgentReader
from metrology.exchange.batch import Batch
from metrology.exchange.choice import chosen_lines
from metrology.exchange.fields import LARGEST_TRIAL, Memo, amount, integer, moment, name, plain_amounts
from metrology.exchange.map import ColumnMap, ColumnValue
from metrology.exchange.results import ResultParser, parse_counts, translator

_AMOUNTS = ("duration_seconds", "cost_usd")
_TOKENS = ("input_tokens", "cached_input_tokens", "cache_write_tokens", "output_tokens")
ENDS_BEFORE_START = "some lines end before they start: their duration is not known"


@dataclass
class ItemOfFile:
    """An item as the file names it; ``attributes`` are the family and the tags of its first line."""

    benchmark: int
    name: str
    attributes: tuple[str | None, tuple[str, ...]] | None = None


@dataclass
class ValueBatch:
    """Rows as values, still in the order of the file. ``numbers`` is None when the file numbers no trials."""

    source: Batch
    items: list[int]
    agents: list[int]
    numbers: list[int] | None
    results: list[Any]
    extras: dict[str, list[Any]]

    def keep(self, mask: Sequence[bool]) -> ValueBatch:
        """Return the rows where ``mask`` is true."""

        def kept(column: list[Any]) -> list[Any]:
            return list(compress(column, mask))

        return ValueBatch(
            self.source.keep(mask),
            kept(self.items),
            kept(self.agents),
            None if self.numbers is None else kept(self.numbers),
            kept(self.results),
            {name: kept(column) for name, column in self.extras.items()},
        )


class RowParser:
    """Turns batches of text into batches of values and collects the benchmarks, items and agents they name."""

    def __init__(self, column_map: ColumnMap, book: AccountBook) -> None:
        columns = column_map.columns
        self.map = column_map
        self.book = book
        self.benchmarks: list[str] = []
        self.items: list[ItemOfFile] = []
        self.agents = AgentReader(column_map)
        self.counts = columns.n_trials is not None
        # Status, score, passed and detail, or the two counts: what is stored of a result.
        self.result_width = 2 if self.counts else 4
        self._zone = None if column_map.time.zone is None else ZoneInfo(column_map.time.zone)
        self._benchmark_column = (
            ColumnValue(constant=column_map.benchmark.name)
            if isinstance(column_map.benchmark.name, str)
            else column_map.benchmark.name
        )
        self._benchmark = self._memo(self._benchmark_column, self._number_benchmark)
        self._item_texts = self._memo(columns.item, lambda text: name(text, "item"))
        self._item = Memo(self._number_item, limit=None)
        self._agent = _key_memo(self.agents.parse, self.agents.columns)
        self._trial = (
            None
            if columns.trial is None
            else self._memo(columns.trial, lambda text: integer(text, "trial", largest=LARGEST_TRIAL))
        )
        results = ResultParser(column_map)
        counted = [column.column or "" for column in (columns.n_trials, columns.n_passed) if column is not None]
        self._result_columns = counted if self.counts else results.columns
        self._result = _key_memo(parse_counts if self.counts else results.parse, self._result_columns)
        self._extras = dict(self._extra_memos())
        self._family = None if columns.family is None else self._memo(columns.family, lambda text: text or None)
        self.wanted = self._wanted()

    def parse(self, batch: Batch) -> ValueBatch | None:
        """Return the values of the lines that can be taken; the others are booked. None when nothing is left."""
        batch = chosen_lines(batch, self.map, self.book)
        if not batch.lines:
            return None
        count = len(batch.lines)
        before = self._refusals()
        benchmarks = self._values(batch, self._benchmark_column, self._benchmark)
        texts = self._values(batch, self.map.columns.item, self._item_texts)
        agents = list(map(self._agent.__getitem__, self._key(batch, self.agents.columns, count)))
        numbers = None
        if self._trial is not None and self.map.columns.trial is not None:
            numbers = self._values(batch, self.map.columns.trial, self._trial)
        results = list(map(self._result.__getitem__, self._key(batch, self._result_columns, count)))
        extras = {field: self._extra(batch, field, memo) for field, memo in self._extras.items()}
        values = ValueBatch(batch, texts, agents, numbers, results, extras)
        if self._refusals() != before:
            mask = self._refuse(values, benchmarks)
            values = values.keep(mask)
            benchmarks = list(compress(benchmarks, mask))
            if not values.items:
                return None
        values.items = list(map(self._item.__getitem__, zip(benchmarks, values.items, strict=True)))
        self._note_attributes(values)
        self._times(values)
        return values

    def book_results(self, values: ValueBatch) -> None:
        """Book what the results of the rows that are kept say: with verdict, without, which status."""
        if self.counts:
            for line, result in zip(values.source.lines, values.results, strict=True):
                if result.missing:
                    self.book.without_verdict(line, result.missing)
                else:
                    self.book.accepted += 1
                    self.book.statuses["completed"] += result.n
            return
        missing = False
        # The memory gives equal results as one object, so that counting them needs no comparison.
        distinct = {id(result): result for result in values.results}
        for key, count in Counter(map(id, values.results)).items():
            result = distinct[key]
            self.book.statuses[result.status] += count
            if result.unknown_status is not None:
                text = result.unknown_status
                known = text in self.book.unknown_statuses or len(self.book.unknown_statuses) < 100
                self.book.unknown_statuses[text if known else "other texts"] += count
            if result.missing:
                missing = True
            else:
                self.book.accepted += count
        if missing:
            for line, result in zip(values.source.lines, values.results, strict=True):
                if result.missing:
                    self.book.without_verdict(line, result.missing)

    def _extra_memos(self) -> list[tuple[str, Memo]]:
        columns = self.map.columns
        parsers: dict[str, Callable[[str], Any]] = {
            "date": lambda text: moment(text, "date", self._zone) if text else None,
            "finished": lambda text: moment(text, "finished", self._zone) if text else None,
            "model_served": lambda text: name(text, "model_served") if text else None,
        }
        for field in _AMOUNTS:
            parsers[field] = lambda text, field=field: amount(text, field) if text else None  # type: ignore[misc]
        for field in _TOKENS:
            parsers[field] = lambda text, field=field: integer(text, field) if text else None  # type: ignore[misc]
        return [
            (field, self._memo(column, parse))
            for field, parse in parsers.items()
            if (column := getattr(columns, field)) is not None
        ]

    def _memo(self, column: ColumnValue, parse: Callable[[str], Any]) -> Memo:
        translate = translator(column, self.map.missing.values)
        return Memo(lambda text: parse(translate(text)))

    def _values(self, batch: Batch, column: ColumnValue, memo: Memo) -> list[Any]:
        if column.column is None:
            return [memo[column.constant or ""]] * len(batch.lines)
        return list(map(memo.__getitem__, batch.columns[column.column]))

    def _extra(self, batch: Batch, field: str, memo: Memo) -> list[Any]:
        column = getattr(self.map.columns, field)
        if field in _AMOUNTS and column.column is not None and not column.values and not column.until:
            plain = plain_amounts(batch.columns[column.column])
            if plain is not None:
                return plain
        return self._values(batch, column, memo)

    def _key(self, batch: Batch, columns: Sequence[str], count: int) -> Any:
        if len(columns) == 1:
            return batch.columns[columns[0]]
        return zip(*(batch.columns[column] for column in columns), strict=True) if columns else repeat((), count)

    def _refusals(self) -> int:
        memos = [self._benchmark, self._item_texts, self._agent, self._result, *self._extras.values()]
        return sum(memo.refusals for memo in memos) + (0 if self._trial is None else self._trial.refusals)

    def _refuse(self, values: ValueBatch, benchmarks: list[Any]) -> list[bool]:
        columns = [benchmarks, values.items, values.agents, values.results, *values.extras.values()]
        if values.numbers is not None:
            columns.insert(3, values.numbers)
        mask = []
        for line, row in zip(values.source.lines, zip(*columns, strict=True), strict=True):
            refusal = next((value for value in row if isinstance(value, Refusal)), None)
            if refusal is not None:
                self.book.refuse(line, refusal.field, refusal.reason)
            mask.append(refusal is None)
        return mask

    def _number_benchmark(self, text: str) -> int | Refusal:
        label = name(text, "benchmark")
        if isinstance(label, Refusal):
            return label
        if label not in self.benchmarks:
            self.benchmarks.append(label)
        return self.benchmarks.index(label)

    def _number_item(self, key: tuple[int, str]) -> int:
        self.items.append(ItemOfFile(*key))
        return len(self.items) - 1

    def _note_attributes(self, values: ValueBatch) -> None:
        columns: list[Sequence[Any]] = []
        if self._family is not None and self.map.columns.family is not None:
            columns.append(self._values(values.source, self.map.columns.family, self._family))
        columns += [values.source.columns[column] for column in self.map.columns.tags]
        if not columns:
            return
        for number, *texts in dict.fromkeys(zip(values.items, *columns, strict=True)):
            family = texts.pop(0) if self._family is not None else None
            tags = tuple(f"{tag}:{text}" for tag, text in zip(self.map.columns.tags, texts, strict=True) if text)
            item = self.items[number]
            if item.attributes is None:
                item.attributes = (family, tags)
            elif item.attributes != (family, tags):
                self.book.remark(f"item {item.name} has more than one family or tag; that of its first line is kept")

    def _times(self, values: ValueBatch) -> None:
        extras = values.extras
        finished = extras.pop("finished", None)
        if finished is None or "date" not in extras:
            return
        durations = extras.setdefault("duration_seconds", [None] * len(finished))
        for row, (start, end) in enumerate(zip(extras["date"], finished, strict=True)):
            if start is None or end is None or durations[row] is not None:
                continue
            if end >= start:
                durations[row] = (end - start).total_seconds()
            else:
                self.book.remark(ENDS_BEFORE_START)

    def _wanted(self) -> tuple[str, ...]:
        columns = self.map.columns
        mapped = [getattr(columns, field) for field in type(columns).model_fields if field != "tags"]
        mapped.append(self._benchmark_column)
        names = [column.column for column in mapped if column is not None and column.column is not None]
        names += [*self.agents.columns, *columns.tags, *self.map.filter, *self.map.exclude]
        return tuple(sorted(set(names)))


def _key_memo(parse: Callable[[Any], Any], columns: Sequence[str]) -> Memo:
    # One column is its own key; a tuple of one would cost a hash more per row.
    return Memo(lambda text: parse((text,))) if len(columns) == 1 else Memo(parse)
