"""Is the benchmark used up? Headroom, the gap at the top, growth curves and trends of scores over time."""

from metrology.stats.growth_curves import logistic_growth
from metrology.stats.headroom_measures import distinguishable_strata, headroom, saturation_index, top_gap
from metrology.stats.trends import mann_kendall, theil_sen

__all__ = [
    "distinguishable_strata",
    "headroom",
    "logistic_growth",
    "mann_kendall",
    "saturation_index",
    "theil_sen",
    "top_gap",
]
