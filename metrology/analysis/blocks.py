"""The largest block of agents and items that were all measured, for statistics that need the full matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from metrology.stats.cells import Cells

ENOUGH_ITEMS = 10
ENOUGH_SHARE = 0.2


@dataclass(frozen=True)
class Block:
    """A complete part of the cells, and the agents that had to stay outside."""

    cells: Cells
    agents_left_out: tuple[str, ...]
    items_total: int


def items_where(cells: Cells, keep: ArrayLike) -> Cells:
    """Return the cells of the items that are true in ``keep[items]``."""
    kept = np.flatnonzero(np.asarray(keep))
    return cells if kept.size == len(cells.items) else cells.select(items=[cells.items[j] for j in kept])


def complete_block(cells: Cells) -> Block:
    """Return the items that all agents were measured on, or the complete block with the most cells.

    All agents stay while their common items are at least ``ENOUGH_SHARE`` of all items and ``ENOUGH_ITEMS``; else the
    least measured agents are left out one by one until the block is largest. At least three agents stay if there are
    three, because statistics over agents need them; the block may then hold no item.
    """
    has = cells.n > 0
    shared = has.all(axis=0) if len(cells.agents) else np.zeros(len(cells.items), dtype=bool)
    if shared.sum() >= max(ENOUGH_ITEMS, ENOUGH_SHARE * len(cells.items)) or shared.all():
        return Block(items_where(cells, shared), (), len(cells.items))
    order = np.argsort(-has.sum(axis=1), kind="stable")
    common = np.ones(len(cells.items), dtype=bool)
    best, best_size = len(order), -1
    for position, row in enumerate(order, start=1):
        common = common & has[row]
        size = position * int(common.sum())
        if position >= min(3, len(order)) and size >= best_size:
            best, best_size = position, size
    kept = sorted(order[:best].tolist())
    block = items_where(cells.select(agents=[cells.agents[i] for i in kept]), has[kept].all(axis=0))
    left_out = tuple(agent for agent in cells.agents if agent not in set(block.agents))
    return Block(block, left_out, len(cells.items))
