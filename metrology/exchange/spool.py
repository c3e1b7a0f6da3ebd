"""Rows between reading and storing: kept in a temporary file, so that nothing is stored before all is read.

While the rows pass through, repeated trials are found, trials are numbered where the file does not, and a digest of
the content is summed up that depends neither on the order of the lines nor on compression.
"""

from __future__ import annotations

import hashlib
import pickle
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import compress
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from metrology.errors import StorageError
from metrology.exchange.account import AccountBook
from metrology.exchange.rows import RowParser, ValueBatch
from metrology.identity import bytes_digest

_AGENT_BITS = 24
_DENSE = 512
_SUSPECTS = 50_000
_BYTES = 20


@dataclass(frozen=True)
class Stored:
    """One batch of rows as it waits in the file."""

    lines: Sequence[int]
    items: list[int]
    agents: list[int]
    numbers: list[int]
    results: tuple[Sequence[Any], ...]
    extras: dict[str, list[Any]]
    hashes: bytes


@dataclass(frozen=True)
class _Suspect:
    line: int
    hash: bytes


class Spool:
    """Takes batches of values, gives them back as :class:`Stored`. Use it as a context manager.

    By benchmark number, ``rows`` counts the rows kept, ``agents`` holds the numbers of their agents and ``spans`` their
    first and last time. A second row of one trial is ignored when its text is the same as the first's, else refused;
    the first stays as it was read.
    """

    def __init__(self, parser: RowParser, book: AccountBook) -> None:
        self.rows: dict[int, int] = {}
        self.agents: dict[int, set[int]] = {}
        self.spans: dict[int, tuple[datetime, datetime]] = {}
        self._parser = parser
        self._book = book
        self._file = tempfile.TemporaryFile(prefix="metrology-")  # noqa: SIM115 - closed by __exit__
        self._sums: dict[int, npt.NDArray[np.uint64]] = {}
        self._seen: dict[int, int] = {}
        self._far: set[tuple[int, int]] = set()
        self._suspects: dict[tuple[int, int], list[_Suspect]] = {}
        self._waiting = 0

    def add(self, values: ValueBatch) -> None:
        """Keep a batch; repeated trials wait until their first row can be compared."""
        cells = [item << _AGENT_BITS | agent for item, agent in zip(values.items, values.agents, strict=True)]
        hashes = _hashes(values)
        if values.numbers is None and not self._parser.counts:
            values.numbers = self._numbered(cells)
        else:
            values.numbers = values.numbers or [0] * len(cells)
            repeated = self._repeated(cells, values.numbers)
            if repeated:
                for row in repeated:
                    suspect = _Suspect(values.source.lines[row], hashes[row])
                    self._suspects.setdefault((cells[row], values.numbers[row]), []).append(suspect)
                mask = [True] * len(cells)
                for row in repeated:
                    mask[row] = False
                values, hashes = values.keep(mask), list(compress(hashes, mask))
                self._waiting += len(repeated)
        if values.items:
            self._write(values, hashes)
            self._parser.book_results(values)
        if self._waiting >= _SUSPECTS:
            self.settle()

    def settle(self) -> None:
        """Decide on the repeated trials seen so far."""
        if not self._suspects:
            return
        for batch in self:
            keys = zip(batch.items, batch.agents, batch.numbers, strict=True)
            for row, (item, agent, number) in enumerate(keys):
                suspects = self._suspects.get((item << _AGENT_BITS | agent, number))
                if suspects is None:
                    continue
                first = batch.hashes[row * _BYTES : (row + 1) * _BYTES]
                line = batch.lines[row]
                for suspect in suspects:
                    if suspect.hash == first:
                        self._book.ignore(suspect.line, f"identical repeat: of line {line}")
                    else:
                        self._book.refuse(
                            suspect.line, None, f"another result for the same agent, item and trial: as line {line}"
                        )
        self._suspects.clear()
        self._waiting = 0

    def digest(self, benchmark: int) -> str:
        """Return the digest of the rows of a benchmark: their number and the sum of their hashes."""
        return bytes_digest(f"{self.rows[benchmark]}:".encode() + self._sums[benchmark].astype("<u8").tobytes())

    def __iter__(self) -> Iterator[Stored]:
        end = self._file.tell()
        self._file.seek(0)
        while self._file.tell() < end:
            yield pickle.load(self._file)  # noqa: S301 - written by this process into a nameless file
        self._file.seek(end)

    def __enter__(self) -> Spool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def _numbered(self, cells: list[int]) -> list[int]:
        seen, numbers = self._seen, []
        for cell in cells:
            number = seen.get(cell, 0)
            seen[cell] = number + 1
            numbers.append(number)
        return numbers

    def _repeated(self, cells: list[int], numbers: list[int]) -> list[int]:
        # The numbers below _DENSE that a cell has are the bits of one integer: a dictionary of keys would not fit.
        seen, repeated = self._seen, []
        known_of = seen.get
        for row, (cell, number) in enumerate(zip(cells, numbers, strict=True)):
            if number < _DENSE:
                known = known_of(cell, 0)
                if known >> number & 1:
                    repeated.append(row)
                else:
                    seen[cell] = known | 1 << number
            elif (cell, number) in self._far:
                repeated.append(row)
            else:
                self._far.add((cell, number))
        return repeated

    def _write(self, values: ValueBatch, hashes: list[bytes]) -> None:
        joined = b"".join(hashes)
        words = np.frombuffer(joined, dtype="<u4").reshape(len(hashes), -1)
        dates = values.extras.get("date", [])
        if len(self._parser.benchmarks) == 1:
            self._count(0, words, values.agents, dates)
        else:
            benchmarks = np.array([self._parser.items[item].benchmark for item in values.items])
            for benchmark in np.unique(benchmarks).tolist():
                chosen = benchmarks == benchmark
                agents = list(compress(values.agents, chosen))
                self._count(benchmark, words[chosen], agents, list(compress(dates, chosen)))
        results = tuple(zip(*values.results, strict=True))
        stored = Stored(
            values.source.lines,
            values.items,
            values.agents,
            values.numbers or [],
            results[: self._parser.result_width],
            values.extras,
            joined,
        )
        try:
            pickle.dump(stored, self._file, protocol=pickle.HIGHEST_PROTOCOL)
            self._file.flush()
        except OSError as error:
            raise StorageError(
                f"the temporary file of the import cannot be written: {error.strerror}",
                hint="make room, or set TMPDIR to a folder with room",
            ) from error

    def _count(
        self, benchmark: int, words: npt.NDArray[np.uint32], agents: list[int], dates: list[datetime | None]
    ) -> None:
        total = words.sum(axis=0, dtype=np.uint64)
        self.rows[benchmark] = self.rows.get(benchmark, 0) + len(words)
        self._sums[benchmark] = total if benchmark not in self._sums else self._sums[benchmark] + total
        self.agents.setdefault(benchmark, set()).update(agents)
        known = [moment for moment in dates if moment is not None]
        if known:
            first, last = self.spans.get(benchmark, (known[0], known[0]))
            self.spans[benchmark] = (min(first, *known), max(last, *known))


def _hashes(values: ValueBatch) -> list[bytes]:
    texts = map("\x1f".join, zip(*values.source.columns.values(), strict=True))
    sha1 = hashlib.sha1
    return [sha1(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).digest() for text in texts]
