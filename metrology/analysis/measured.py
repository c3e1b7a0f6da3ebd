"""What was measured of one version: selected agents and campaigns, counts, coverage and what is left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metrology.analysis.base import AgentCoverage, Coverage
from metrology.analysis.request import Request
from metrology.analysis.source import (
    AgentReference,
    CampaignReference,
    CellCounts,
    Counts,
    ItemReference,
    Source,
    Sums,
    VersionReference,
)
from metrology.domain.agent import AgentConfiguration
from metrology.domain.lifecycle import ItemState
from metrology.domain.status import Status
from metrology.errors import NotFoundError
from metrology.stats.cells import Cells

CONTROL_MODES = ("noop", "reference")
LOW_COVERAGE = 0.8
"""Below this share of measured trials a score is shown with a warning and not ranked."""


@dataclass(frozen=True)
class Measured:
    """The selected part of a version's counts; rows of ``counts`` follow ``agents``, columns ``counts.item_names``."""

    version: VersionReference
    campaigns: tuple[CampaignReference, ...]
    agents: tuple[AgentReference, ...]
    labels: tuple[str, ...]
    controls: tuple[bool, ...]
    counts: CellCounts
    items_left_out: tuple[ItemReference, ...]
    items_not_planned: tuple[str, ...]
    statuses: Mapping[tuple[int, Status], int]

    @cached_property
    def coverage(self) -> Coverage:
        """Coverage of every selected agent."""
        counts = self.counts
        return Coverage(
            tuple(
                AgentCoverage(
                    agent=label,
                    measured=int(counts.n[i].sum()),
                    planned=int(counts.planned[i].sum()),
                    items_measured=int((counts.n[i] > 0).sum()),
                    items_planned=int((counts.planned[i] > 0).sum()),
                )
                for i, label in enumerate(self.labels)
            )
        )

    @property
    def pool(self) -> tuple[str, ...]:
        """Labels of agents that count as members of the population: measured and not a control."""
        return tuple(
            label
            for label, control, row in zip(self.labels, self.controls, self.counts.n, strict=True)
            if not control and row.any()
        )

    @property
    def left_out_controls(self) -> tuple[str, ...]:
        """Labels of measured controls that are not in the pool."""
        return tuple(label for label, control in zip(self.labels, self.controls, strict=True) if control)

    @cached_property
    def scores(self) -> Cells:
        """Cells of the scores in [0, 1]."""
        counts = self.counts
        return self._cells(counts.n, counts.total, counts.total_squares, counts.planned - counts.n)

    @cached_property
    def passes(self) -> Cells:
        """Cells of pass or fail."""
        counts, passed = self.counts, self.counts.passed.astype(float)
        return self._cells(counts.n, passed, passed, counts.planned - counts.n)

    @cached_property
    def passes_of_planned(self) -> Cells:
        """Cells of pass or fail in which every planned trial without a verdict counts as failed."""
        passed = self.counts.passed.astype(float)
        return self._cells(self.counts.planned, passed, passed, np.zeros_like(self.counts.planned))

    @property
    def chosen_ids(self) -> tuple[int, ...]:
        """Storage ids of the campaigns the counts come from."""
        return tuple(campaign.id for campaign in self.campaigns)

    @property
    def one_family(self) -> bool:
        """True when all items come from one family: then only the spread between its items can be shown."""
        families = set(self.counts.families)
        return len(self.counts.families) > 1 and len(families) == 1 and None not in families

    @property
    def graded(self) -> bool:
        """True when scores are more than pass or fail."""
        return bool(np.any(np.abs(self.counts.total - self.counts.passed) > 1e-9))

    def eligible(self, label: str) -> bool:
        """True when enough of the plan was measured for the agent to be ranked."""
        covered = self.coverage.of(label).share
        return covered is not None and covered >= LOW_COVERAGE

    def reference(self, label: str) -> AgentReference:
        """The agent behind a label."""
        return self.agents[self.labels.index(label)]

    def find(self, name: str) -> str:
        """The label of the agent with this label, name or identity; NotFoundError if it was not measured."""
        for label, agent in zip(self.labels, self.agents, strict=True):
            if name in (label, agent.name, agent.identity):
                return label
        raise NotFoundError(
            f"agent {name!r} was not measured on {self.version.benchmark} {self.version.label}",
            hint=f"measured: {', '.join(self.labels) or 'none'}",
        )

    def _cells(self, n: Counts, total: Sums, squares: Sums, missing: Counts) -> Cells:
        known = any(family is not None for family in self.counts.families) and not self.one_family
        names = self.counts.item_names
        families = tuple(f or name for f, name in zip(self.counts.families, names, strict=True)) if known else None
        return Cells.from_sums(n, total, squares, agents=self.labels, items=names, families=families, missing=missing)


def is_control(configuration: AgentConfiguration) -> bool:
    """True for noop and reference agents, which check the instrument and are no members of a population of agents.

    Their harness is ``kind = "scripted"`` with ``mode = "noop"`` or ``"reference"``.
    """
    harness = configuration.harness
    return harness.get("kind") in CONTROL_MODES or (
        harness.get("kind") == "scripted" and harness.get("mode") in CONTROL_MODES
    )


def load(source: Source, request: Request) -> Measured:
    """Return the counts that a request selects.

    Raises NotFoundError for an unknown benchmark, version, campaign or agent, and when nothing was planned yet.
    """
    version = source.version(request.benchmark, request.version)
    every_campaign = source.campaigns(version.id)
    campaigns = _chosen_campaigns(every_campaign, request.campaigns, version)
    ids = tuple(campaign.id for campaign in campaigns) if request.campaigns else None
    counts = _with_plan(source.cells(version.id, ids))
    agents = source.agents(counts.agent_ids)
    references = [agents[i] for i in counts.agent_ids]
    rows = _chosen_agents(references, counts, request.agents, version)
    columns = np.flatnonzero(counts.planned[rows].any(axis=0))
    chosen = tuple(references[i] for i in rows)
    every_item = source.items(version.id)
    planned = {counts.item_names[j] for j in columns}
    counted = [item.name for item in every_item if ItemState(item.state).counts]
    watched = counts.check_standards
    return Measured(
        version=version,
        campaigns=campaigns,
        agents=chosen,
        labels=_labels(chosen),
        controls=tuple(
            not request.include_controls and (agent.id in watched or is_control(agent.configuration))
            for agent in chosen
        ),
        counts=_select(counts, rows, columns),
        items_left_out=tuple(item for item in every_item if not ItemState(item.state).counts),
        items_not_planned=tuple(name for name in counted if name not in planned),
        statuses=source.status_counts(version.id, ids),
    )


def _chosen_campaigns(
    every: tuple[CampaignReference, ...], names: tuple[str, ...], version: VersionReference
) -> tuple[CampaignReference, ...]:
    if not every:
        raise NotFoundError(
            f"nothing was measured yet on {version.benchmark} {version.label}",
            hint="run a campaign (metrology campaign plan, metrology campaign run) or import recorded results",
        )
    by_name = {campaign.name: campaign for campaign in every}
    unknown = [name for name in names if name not in by_name]
    if unknown:
        raise NotFoundError(
            f"{version.benchmark} {version.label} has no campaign {unknown[0]!r}",
            hint=f"campaigns: {', '.join(by_name)}",
        )
    return tuple(by_name[name] for name in names) if names else every


def _chosen_agents(
    references: list[AgentReference], counts: CellCounts, names: tuple[str, ...], version: VersionReference
) -> list[int]:
    for name in names:
        if not any(name in (agent.name, agent.identity) for agent in references):
            raise NotFoundError(
                f"agent {name!r} was not measured on {version.benchmark} {version.label}",
                hint=f"measured: {', '.join(sorted({agent.name for agent in references})) or 'none'}",
            )
    return [
        i
        for i, agent in enumerate(references)
        if counts.planned[i].any() and (not names or agent.name in names or agent.identity in names)
    ]


def _with_plan(counts: CellCounts) -> CellCounts:
    # Recorded results may come without a plan; then what was tried is the plan.
    planned = np.maximum(counts.planned, counts.n + counts.missing)
    return CellCounts(**{**counts.__dict__, "planned": planned})


def _select(counts: CellCounts, rows: list[int], columns: NDArray[np.intp]) -> CellCounts:
    def part(values: NDArray[Any]) -> NDArray[Any]:
        return values[np.ix_(np.array(rows, dtype=np.intp), columns)]

    return CellCounts(
        revision_ids=tuple(counts.revision_ids[j] for j in columns),
        item_names=tuple(counts.item_names[j] for j in columns),
        families=tuple(counts.families[j] for j in columns),
        agent_ids=tuple(counts.agent_ids[i] for i in rows),
        n=part(counts.n),
        passed=part(counts.passed),
        total=part(counts.total),
        total_squares=part(counts.total_squares),
        missing=part(counts.missing),
        planned=part(counts.planned),
    )


def _labels(agents: tuple[AgentReference, ...]) -> tuple[str, ...]:
    # Two configurations may share a name; their identities tell them apart.
    names = [agent.name for agent in agents]
    return tuple(
        name if names.count(name) == 1 else f"{name} ({agent.identity.removeprefix('sha256:')[:8]})"
        for name, agent in zip(names, agents, strict=True)
    )
