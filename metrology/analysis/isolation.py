"""Which comparisons change one part only: the ones whose difference can be attributed."""

from __future__ import annotations

from dataclasses import dataclass

from metrology.analysis.measured import Measured
from metrology.domain.agent import AgentConfiguration, AgentDifference, difference

MOST_PAIRS = 60


@dataclass(frozen=True)
class Isolating:
    """A comparison that changes one part of the configuration, and what changes in it."""

    part: str
    baseline: str
    candidate: str
    change: str


def differs(measured: Measured, baseline: str, candidate: str) -> AgentDifference:
    """What differs between two measured agents."""
    return difference(measured.reference(baseline).configuration, measured.reference(candidate).configuration)


def isolating(measured: Measured, pairs: tuple[tuple[str, str], ...]) -> tuple[Isolating, ...]:
    """Return steps among the measured agents that lead from one side of a confounded pair towards the other.

    A step changes one part and ends at, or starts from, the pair's own value of it. The first ``MOST_PAIRS`` pairs
    are searched.
    """
    found: dict[tuple[str, str], Isolating] = {}
    for baseline, candidate in pairs[:MOST_PAIRS]:
        confounded = differs(measured, baseline, candidate).parts
        if len(confounded) < 2:
            continue
        start, end = (measured.reference(label).configuration for label in (baseline, candidate))
        for other in measured.labels:
            if other in (baseline, candidate):
                continue
            between = measured.reference(other).configuration
            for part in confounded:
                if _one_step(start, between, part) and _same(between, end, part):
                    step = (baseline, other)
                elif _one_step(between, end, part) and _same(start, between, part):
                    step = (other, candidate)
                else:
                    continue
                found.setdefault(step, Isolating(part, *step, differs(measured, *step).describe()))
    return tuple(found.values())


def _one_step(first: AgentConfiguration, second: AgentConfiguration, part: str) -> bool:
    return difference(first, second).parts == (part,)


def _same(first: AgentConfiguration, second: AgentConfiguration, part: str) -> bool:
    return part not in difference(first, second).parts
