"""The result of an analysis: one frozen value that words, tables, charts, JSON and frames are made from."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas

SCHEMA = "metrology.analysis/1"

FIXED_SUITE = "fixed suite: these very items are the instrument, only trials vary"
TASK_POPULATION = "task population: the items are a sample of tasks, items and trials vary"
BOTH_ESTIMANDS = f"{FIXED_SUITE}; {TASK_POPULATION}"

NUMERIC_KINDS = frozenset({"score", "difference", "number", "count", "probability"})
KINDS = NUMERIC_KINDS | {"text", "flag", "date"}
NOTE = "note"


@dataclass(frozen=True)
class Column:
    """One column. ``kind`` is one of ``KINDS``; scores, differences and probabilities are on 0..1, never percent."""

    key: str
    label: str
    kind: str = "text"
    unit: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"column {self.key}: unknown kind {self.kind!r}")


@dataclass(frozen=True)
class Table:
    """Plain values by row. An undefined figure is None and the row's ``note`` says why.

    Raises ValueError when a row has the wrong width, holds NaN or infinity, or leaves a figure out without a note.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]

    def __post_init__(self) -> None:
        numeric = [i for i, column in enumerate(self.columns) if column.kind in NUMERIC_KINDS]
        note = next((i for i, column in enumerate(self.columns) if column.key == NOTE), None)
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"table {self.title!r}: {len(row)} values for {len(self.columns)} columns")
            for i in numeric:
                if row[i] is None and (note is None or not row[note]):
                    raise ValueError(f"table {self.title!r}: {self.columns[i].key} is undefined without a reason")
                if isinstance(row[i], float) and not math.isfinite(row[i]):
                    raise ValueError(f"table {self.title!r}: {self.columns[i].key} is not finite")

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the columns, in order."""
        return tuple(column.key for column in self.columns)

    def column(self, key: str) -> Column:
        """The column called ``key``; KeyError if there is none."""
        return self.columns[self._position(key)]

    def values(self, key: str) -> tuple[Any, ...]:
        """All values of one column."""
        position = self._position(key)
        return tuple(row[position] for row in self.rows)

    def records(self) -> Iterator[dict[str, Any]]:
        """Each row as ``{column key: value}``."""
        for row in self.rows:
            yield dict(zip(self.keys, row, strict=True))

    def find(self, **wanted: Any) -> dict[str, Any]:
        """The first row whose columns have the wanted values; KeyError if there is none."""
        for record in self.records():
            if all(record[key] == value for key, value in wanted.items()):
                return record
        raise KeyError(wanted)

    def to_frame(self) -> pandas.DataFrame:
        """The rows as a pandas frame, columns named by key."""
        import pandas

        return pandas.DataFrame([list(row) for row in self.rows], columns=list(self.keys))

    def to_document(self) -> dict[str, Any]:
        """The JSON-ready shape: title, columns, rows as objects."""
        return {
            "title": self.title,
            "columns": [
                {"key": column.key, "label": column.label, "kind": column.kind, "unit": column.unit}
                for column in self.columns
            ],
            "rows": list(self.records()),
        }

    def _position(self, key: str) -> int:
        if key not in self.keys:
            raise KeyError(key)
        return self.keys.index(key)


@dataclass(frozen=True)
class AgentCoverage:
    """Trials of one agent with a verdict, of those planned, and items with at least one verdict, of those planned."""

    agent: str
    measured: int
    planned: int
    items_measured: int
    items_planned: int

    @property
    def share(self) -> float | None:
        """Trials with a verdict / trials planned; None when nothing was planned."""
        return self.measured / self.planned if self.planned else None


@dataclass(frozen=True)
class Coverage:
    """Coverage of every agent; a figure is read together with it."""

    agents: tuple[AgentCoverage, ...]

    @property
    def measured(self) -> int:
        """Trials with a verdict, all agents."""
        return sum(agent.measured for agent in self.agents)

    @property
    def planned(self) -> int:
        """Trials planned, all agents."""
        return sum(agent.planned for agent in self.agents)

    @property
    def share(self) -> float | None:
        """Trials with a verdict / trials planned; None when nothing was planned."""
        return self.measured / self.planned if self.planned else None

    def of(self, agent: str) -> AgentCoverage:
        """The coverage of one agent; KeyError if it is not part of the analysis."""
        for row in self.agents:
            if row.agent == agent:
                return row
        raise KeyError(agent)

    def to_document(self) -> dict[str, Any]:
        """The JSON-ready shape."""
        return {
            "measured": self.measured,
            "planned": self.planned,
            "share": self.share,
            "agents": [
                {
                    "agent": row.agent,
                    "measured": row.measured,
                    "planned": row.planned,
                    "share": row.share,
                    "items_measured": row.items_measured,
                    "items_planned": row.items_planned,
                }
                for row in self.agents
            ],
        }


@dataclass(frozen=True)
class Notice:
    """A warning: a stable code and a sentence that says what it means and what would be needed."""

    code: str
    sentence: str


@dataclass(frozen=True)
class Provenance:
    """What is needed to compute the same figures again."""

    methods: tuple[str, ...]
    seed: int
    level: float
    n: Mapping[str, int]
    campaigns: tuple[str, ...]
    code_version: str
    libraries: Mapping[str, str]

    def to_document(self) -> dict[str, Any]:
        """The JSON-ready shape."""
        return {
            "methods": list(self.methods),
            "seed": self.seed,
            "level": self.level,
            "n": dict(self.n),
            "campaigns": list(self.campaigns),
            "code_version": self.code_version,
            "libraries": dict(self.libraries),
        }


@dataclass(frozen=True)
class Analysis:
    """The answer to one question about one benchmark version.

    ``version`` is the label and ``identity`` the content hash of what was measured; ``estimand`` says in words what
    the intervals generalise to; ``answer`` are sentences for a maintainer, each figure with interval, n and coverage.
    """

    name: str
    question: str
    benchmark: str
    version: str
    identity: str
    estimand: str
    coverage: Coverage
    answer: tuple[str, ...]
    tables: Mapping[str, Table]
    warnings: tuple[Notice, ...]
    provenance: Provenance
    facts: Mapping[str, Any] = field(default_factory=dict)

    def table(self, name: str) -> Table:
        """The table called ``name``; KeyError if this analysis has none."""
        return self.tables[name]

    def has_warning(self, code: str) -> bool:
        """True when a warning with this code was given."""
        return any(notice.code == code for notice in self.warnings)

    def to_document(self) -> dict[str, Any]:
        """The stable JSON-ready shape that docs/analyses.md describes; plain values only."""
        return {
            "schema": SCHEMA,
            "name": self.name,
            "question": self.question,
            "benchmark": self.benchmark,
            "version": self.version,
            "identity": self.identity,
            "estimand": self.estimand,
            "coverage": self.coverage.to_document(),
            "answer": list(self.answer),
            "facts": dict(self.facts),
            "tables": {name: table.to_document() for name, table in self.tables.items()},
            "warnings": [{"code": notice.code, "sentence": notice.sentence} for notice in self.warnings],
            "provenance": self.provenance.to_document(),
        }

    def to_json(self) -> str:
        """Strict JSON of :meth:`to_document`: undefined is null, never NaN."""
        return json.dumps(self.to_document(), allow_nan=False, ensure_ascii=False, indent=2)

    def to_frame(self, table: str | None = None) -> pandas.DataFrame:
        """One table as a pandas frame; without a name the first one, which carries the headline."""
        return self.tables[table if table is not None else next(iter(self.tables))].to_frame()
