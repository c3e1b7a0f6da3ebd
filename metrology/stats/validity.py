"""Does the benchmark predict what it should? Correlations of agent scores with outcomes outside it."""

from metrology.stats.attenuation import disattenuate
from metrology.stats.correlations import kendall, leave_one_out, pearson, spearman
from metrology.stats.dependent_correlations import partial_correlation, williams_test

__all__ = [
    "disattenuate",
    "kendall",
    "leave_one_out",
    "partial_correlation",
    "pearson",
    "spearman",
    "williams_test",
]
