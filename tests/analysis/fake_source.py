"""A source in memory, so that analyses are tested without a store."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np

from metrology.analysis.source import (
    AgentReference,
    CampaignReference,
    CellCounts,
    ItemReference,
    Occasion,
    Outcome,
    Period,
    VersionReference,
)
from metrology.domain.agent import AgentConfiguration
from metrology.domain.status import Status
from metrology.errors import NotFoundError

VERSION = VersionReference(1, "bench", "1.0.0", "sha256:" + "a" * 64)


@dataclass(frozen=True)
class Row:
    """One planned trial; score None = no verdict, status None = not run yet."""

    agent: str
    item: str
    score: float | None
    status: Status | None = Status.COMPLETED
    campaign: str = "first"
    n: int = 1
    passed: int | None = None


def configuration(name, model="m", harness="h", **operations):
    return AgentConfiguration(name, {"requested": model}, {"name": harness}, operations)


@dataclass
class FakeSource:
    """Implements the reads of an analysis over rows."""

    rows: list[Row]
    configurations: dict[str, AgentConfiguration] = field(default_factory=dict)
    families: dict[str, str] = field(default_factory=dict)
    states: dict[str, str] = field(default_factory=dict)
    standards: tuple[str, ...] = ()
    production: tuple[Outcome, ...] = ()
    months: tuple[Period, ...] = ()

    def __post_init__(self):
        self.item_names = list(dict.fromkeys(row.item for row in self.rows)) + [
            name for name in self.states if name not in {row.item for row in self.rows}
        ]
        self.agent_names = list(dict.fromkeys(row.agent for row in self.rows))
        self.campaign_names = list(dict.fromkeys(row.campaign for row in self.rows))

    def version(self, benchmark, label):
        if benchmark != "bench":
            raise NotFoundError(f"no benchmark {benchmark}")
        return VERSION

    def items(self, version_id):
        return tuple(
            ItemReference(j, name, self.states.get(name, "active"), self.families.get(name))
            for j, name in enumerate(self.item_names)
        )

    def campaigns(self, version_id):
        standards = frozenset(self.agent_names.index(name) for name in self.standards)
        return tuple(
            CampaignReference(i, name, datetime(2026, 1 + i % 12, 1, tzinfo=UTC), standards)
            for i, name in enumerate(self.campaign_names)
        )

    def agents(self, ids):
        found = {}
        for i in ids:
            name = self.agent_names[i]
            agent = self.configurations.get(name) or configuration(name, model=name)
            found[i] = AgentReference(i, name, agent.identity, agent)
        return found

    def cells(self, version_id, campaign_ids):
        counted = [
            name for name in self.item_names if self.states.get(name, "active") not in ("quarantined", "retired")
        ]
        column = {name: j for j, name in enumerate(counted)}
        shape = len(self.agent_names), len(counted)
        n, passed, missing, planned = (np.zeros(shape, dtype=np.int64) for _ in range(4))
        total, squares = np.zeros(shape), np.zeros(shape)
        for row in self._chosen(campaign_ids):
            if row.item not in column:
                continue
            cell = self.agent_names.index(row.agent), column[row.item]
            planned[cell] += row.n
            if row.score is not None:
                hits = row.passed if row.passed is not None else int(row.score == 1)
                n[cell] += row.n
                passed[cell] += hits
                total[cell] += row.score if row.passed is None else row.passed
                squares[cell] += row.score**2 if row.passed is None else row.passed
            elif row.status is not None:
                missing[cell] += row.n
        return CellCounts(
            revision_ids=tuple(self.item_names.index(name) for name in counted),
            item_names=tuple(counted),
            families=tuple(self.families.get(name) for name in counted),
            agent_ids=tuple(range(len(self.agent_names))),
            n=n,
            passed=passed,
            total=total,
            total_squares=squares,
            missing=missing,
            planned=planned,
        )

    def occasions(self, version_id, agent_id):
        found = []
        for i, name in enumerate(self.campaign_names):
            cells = self.cells(version_id, (i,))
            if cells.planned[agent_id].any():
                arrays = {
                    key: getattr(cells, key)[agent_id]
                    for key in ("n", "passed", "total", "total_squares", "missing", "planned")
                }
                started = self.campaigns(version_id)[i].started_at
                found.append(Occasion(i, name, started, cells.revision_ids, **arrays))
        return tuple(found)

    def status_counts(self, version_id, campaign_ids):
        return Counter(
            (self.agent_names.index(row.agent), row.status)
            for row in self._chosen(campaign_ids)
            if row.status is not None and row.passed is None
        )

    def periods(self, version_id, campaign_ids):
        return self.months

    def outcomes(self, measure, segment):
        return tuple(
            outcome
            for outcome in self.production
            if measure in (None, outcome.measure) and segment in (None, outcome.segment)
        )

    def _chosen(self, campaign_ids):
        by_campaign = defaultdict(list)
        for row in self.rows:
            by_campaign[self.campaign_names.index(row.campaign)].append(row)
        chosen = range(len(self.campaign_names)) if campaign_ids is None else campaign_ids
        return [row for i in chosen for row in by_campaign[i]]


def matrix(scores, *, agents=None, items=None, campaign="first"):
    """Rows of ``scores[agent][item][trial]``; None = no verdict."""
    found = []
    for i, agent_scores in enumerate(scores):
        for j, trials in enumerate(agent_scores):
            for score in trials if isinstance(trials, list | tuple | np.ndarray) else [trials]:
                agent = agents[i] if agents else f"agent-{i}"
                item = items[j] if items else f"item-{j}"
                status = Status.COMPLETED if score is not None else Status.SANDBOX_ERROR
                found.append(Row(agent, item, None if score is None else float(score), status, campaign))
    return found
