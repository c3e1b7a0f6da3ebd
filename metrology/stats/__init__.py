"""Statistics of a benchmark as a measuring instrument: few agents, many items, some trials per cell.

Pure functions over numpy arrays; every random step takes a ``seed``. Import the subject you need, for example
``from metrology.stats import reliability``. Scores of agents on items enter as :class:`metrology.stats.cells.Cells`,
answers come back as the frozen classes of :mod:`metrology.stats.results`: what cannot be computed is ``None`` with a
code that says why, never NaN.
"""
