"""Campaign plans: what is measured, fixed before it starts."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from metrology.domain.trial import TrialKey
from metrology.identity import content_hash


@dataclass(frozen=True)
class CampaignPlan:
    """Version x items x agents x trials with a seed. A change makes a new campaign.

    ``items`` and ``agents`` are identities (content hashes); ``check_standards`` are those agents that are
    pinned and measured again in each campaign, so that a moved instrument is told from a moved agent.
    """

    version: str
    items: tuple[str, ...]
    agents: tuple[str, ...]
    trials: int
    seed: int
    check_standards: tuple[str, ...] = ()
    max_attempts: int = 3

    def document(self) -> dict[str, Any]:
        """The JSON-ready plan, as it is hashed and stored."""
        return {
            "version": self.version,
            "items": sorted(self.items),
            "agents": sorted(self.agents),
            "trials": self.trials,
            "seed": self.seed,
            "check_standards": sorted(self.check_standards),
            "max_attempts": self.max_attempts,
        }

    @property
    def identity(self) -> str:
        """``sha256:...`` of the plan; the order in which agents and items were named does not count."""
        return content_hash(self.document())

    @property
    def planned(self) -> int:
        """The number of trials: items x agents x trials."""
        return len(self.items) * len(self.agents) * self.trials


def trial_order(revisions: tuple[int, ...], agents: tuple[int, ...], trials: int, seed: int) -> Iterator[TrialKey]:
    """Yield all trials, block-randomised: every agent meets an item before the next item begins.

    Blocks are (trial number, item); items are shuffled within a trial number and agents within a block, so that
    agents interleave in time and a slow drift of the surroundings hits all alike. The order depends on the seed
    and the sorted ids only, so a resumed campaign goes on in the same order.
    """
    ordered_revisions, ordered_agents = sorted(revisions), sorted(agents)
    for number in range(trials):
        generator = random.Random(f"{seed}:{number}")  # noqa: S311 - an experiment's order, not a secret
        shuffled = list(ordered_revisions)
        generator.shuffle(shuffled)
        for revision in shuffled:
            block = list(ordered_agents)
            generator.shuffle(block)
            for agent in block:
                yield TrialKey(revision, agent, number)


def trial_seed(seed: int, revision_identity: str, agent_identity: str, number: int) -> int:
    """Return the 31-bit seed of one trial, a pure function of the plan's seed and of what is measured.

    The attempt is left out on purpose: an attempt that was cut short by a kill is repeated with the same seed, so
    that an interrupted campaign ends in the rows of an undisturbed one.
    """
    return int(content_hash([seed, revision_identity, agent_identity, number])[-8:], 16) & 0x7FFFFFFF
