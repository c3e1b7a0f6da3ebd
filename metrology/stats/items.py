"""Items of a benchmark: how hard they are, how they discriminate, and whether they treat groups alike."""

from metrology.stats.delta_plots import delta_plot
from metrology.stats.differential_functioning import mantel_haenszel, mantel_haenszel_dif
from metrology.stats.item_analysis import item_table

__all__ = ["delta_plot", "item_table", "mantel_haenszel", "mantel_haenszel_dif"]
