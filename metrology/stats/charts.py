"""Control charts and the check standard: has the measuring instrument drifted since its baseline?"""

from metrology.stats.check_standards import check_standard
from metrology.stats.proportion_charts import laney_p_chart, overdispersion, p_chart
from metrology.stats.shewhart_charts import individuals_chart, xbar_chart
from metrology.stats.time_weighted_charts import cusum_chart, ewma_chart

__all__ = [
    "check_standard",
    "cusum_chart",
    "ewma_chart",
    "individuals_chart",
    "laney_p_chart",
    "overdispersion",
    "p_chart",
    "xbar_chart",
]
