"""Comparisons of agents: paired difference, McNemar, sign flips, equivalence, many comparisons, tie groups."""

from metrology.stats.discordant_pairs import mcnemar
from metrology.stats.equivalence_tests import equivalence
from metrology.stats.multiplicity import adjust_p_values
from metrology.stats.paired_comparisons import paired_difference, tie_groups
from metrology.stats.sign_flips import sign_flip_test

__all__ = ["adjust_p_values", "equivalence", "mcnemar", "paired_difference", "sign_flip_test", "tie_groups"]
