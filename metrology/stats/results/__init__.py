"""Result classes of :mod:`metrology.stats`: frozen, JSON-ready, cheap to import (standard library only).

One file per subject; everything public is re-exported here.
"""

from metrology.stats.results.agreement import Agreement
from metrology.stats.results.changepoints import ChangePoints
from metrology.stats.results.charts import CheckStandard, ControlChart, Cusum
from metrology.stats.results.codes import (
    INFORMATIVE_CODES,
    SIZE_CODES,
    Status,
    negative_estimate,
    ordered_codes,
    status_of,
)
from metrology.stats.results.comparison import Comparison, Equivalence, PowerPlan, Test
from metrology.stats.results.consensus import Consensus
from metrology.stats.results.equating import Equating
from metrology.stats.results.estimate import Estimate, Result, StatsInputError, finite
from metrology.stats.results.generalizability import DStudy, VarianceComponents
from metrology.stats.results.horizon import Horizon
from metrology.stats.results.items import DeltaPlot, DifRow, DifTable, ItemRow, ItemTable
from metrology.stats.results.reliability import SplitHalf, TaskVariation
from metrology.stats.results.saturation import Growth, MannKendall, Saturation, SaturationIndex, Trend
from metrology.stats.results.validity import Correlation, Disattenuated, LeaveOneOut

__all__ = [
    "INFORMATIVE_CODES",
    "SIZE_CODES",
    "Agreement",
    "ChangePoints",
    "CheckStandard",
    "Comparison",
    "Consensus",
    "ControlChart",
    "Correlation",
    "Cusum",
    "DStudy",
    "DeltaPlot",
    "DifRow",
    "DifTable",
    "Disattenuated",
    "Equating",
    "Equivalence",
    "Estimate",
    "Growth",
    "Horizon",
    "ItemRow",
    "ItemTable",
    "LeaveOneOut",
    "MannKendall",
    "PowerPlan",
    "Result",
    "Saturation",
    "SaturationIndex",
    "SplitHalf",
    "StatsInputError",
    "Status",
    "TaskVariation",
    "Test",
    "Trend",
    "VarianceComponents",
    "finite",
    "negative_estimate",
    "ordered_codes",
    "status_of",
]
