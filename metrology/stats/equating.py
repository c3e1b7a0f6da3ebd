"""Equating: what a score on one version of a benchmark is worth on the next."""

from metrology.stats.anchor_equating import equate_anchor_design
from metrology.stats.group_equating import equate_equivalent_groups, equate_single_group

__all__ = ["equate_anchor_design", "equate_equivalent_groups", "equate_single_group"]
