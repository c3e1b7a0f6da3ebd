"""Which comparisons change one part only: the ones whose difference can be attributed."""

from __future__ import annotations

from dataclasses import dataclass

from metrology.analysis.measured import Measured
from metrology.domain.agent import PARTS, AgentConfiguration, AgentDifference, difference
from metrology.identity import content_hash

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
    keys = {label: _part_keys(measured.reference(label).configuration) for label in measured.labels}
    for baseline, candidate in pairs[:MOST_PAIRS]:
        start, end = keys[baseline], keys[candidate]
        confounded = _changed(start, end)
        if len(confounded) < 2:
            continue
        for other in measured.labels:
            if other in (baseline, candidate):
                continue
            first, second = _changed(start, keys[other]), _changed(keys[other], end)
            for changed, rest, step in ((first, second, (baseline, other)), (second, first, (other, candidate))):
                if len(changed) == 1 and changed[0] in confounded and changed[0] not in rest and step not in found:
                    found[step] = Isolating(changed[0], *step, differs(measured, *step).describe())
    return tuple(found.values())


def _part_keys(configuration: AgentConfiguration) -> dict[str, str]:
    return {part: content_hash(dict(getattr(configuration, part))) for part in PARTS}


def _changed(first: dict[str, str], second: dict[str, str]) -> list[str]:
    return [part for part in PARTS if first[part] != second[part]]
