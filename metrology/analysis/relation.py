"""One outcome against the scores: correlations, leave-one-out, and the ceiling that reliability sets."""

from __future__ import annotations

import math
from dataclasses import dataclass

from metrology.analysis.blocks import complete_block
from metrology.analysis.measured import Measured
from metrology.analysis.outcomes import OutcomeGroup, outcome_reliability, vendor
from metrology.analysis.wording import number
from metrology.stats.cells import Cells
from metrology.stats.reliability import cronbach_alpha
from metrology.stats.results import Correlation, Estimate, LeaveOneOut
from metrology.stats.validity import disattenuate, leave_one_out, pearson, spearman


@dataclass(frozen=True)
class Relation:
    """Pearson and Spearman of one outcome, in this order, with influence and ceiling.

    ``carried`` is True when the interval excludes zero with the most influential agent and not without it.
    """

    group: OutcomeGroup
    correlations: tuple[Correlation, Correlation]
    leave_one_out: tuple[LeaveOneOut, LeaveOneOut]
    vendors: int | None
    carrier: str
    carried: bool
    without_carrier: Estimate
    ceiling: float | None
    corrected: float | None
    ceiling_note: str


def relate(
    group: OutcomeGroup,
    scores: dict[str, Estimate],
    cells: Cells | None,
    measured: Measured,
    *,
    level: float,
    seed: int,
) -> Relation:
    """Return the relation over agents with a score and an outcome."""
    rows = [row for row in group.joined if row.label in scores and scores[row.label].value is not None]
    used = OutcomeGroup(group.measure, group.segment, tuple(rows), group.left_out)
    x = [scores[row.label].value or 0.0 for row in rows]
    y = [row.value for row in rows]
    makers = [vendor(measured, row.label) for row in rows]
    families = [m or row.label for m, row in zip(makers, rows, strict=True)] if any(makers) else None
    first = pearson(x, y, families=families, level=level, seed=seed)
    second = spearman(x, y, families=families, level=level, seed=seed)
    influence = leave_one_out(x, y, method="pearson")
    carrier, without = _carrier(used, x, y, first, influence, level, seed)
    ceiling, corrected, note = _ceiling(first, used, cells)
    return Relation(
        group=used,
        correlations=(first, second),
        leave_one_out=(influence, leave_one_out(x, y, method="spearman")),
        vendors=len(set(families)) if families is not None else None,
        carrier=carrier,
        carried=_excludes_zero(first.estimate) and not _excludes_zero(without),
        without_carrier=without,
        ceiling=ceiling,
        corrected=corrected,
        ceiling_note=note,
    )


def _carrier(
    group: OutcomeGroup,
    x: list[float],
    y: list[float],
    full: Correlation,
    influence: LeaveOneOut,
    level: float,
    seed: int,
) -> tuple[str, Estimate]:
    value = full.estimate.value
    changes = [abs(v - value) if v is not None and value is not None else -1.0 for v in influence.values]
    if not changes or max(changes) < 0:
        return "", full.estimate
    i = changes.index(max(changes))
    without = pearson(x[:i] + x[i + 1 :], y[:i] + y[i + 1 :], level=level, draws=1, seed=seed)
    return group.joined[i].label, without.estimate


def _excludes_zero(estimate: Estimate) -> bool:
    return estimate.low is not None and estimate.high is not None and not estimate.low <= 0 <= estimate.high


def _ceiling(full: Correlation, group: OutcomeGroup, cells: Cells | None) -> tuple[float | None, float | None, str]:
    if cells is None:
        return None, None, "ceiling: the reliability of the predictor is not known"
    used = cells.select(agents=[row.label for row in group.joined])
    reliability = cronbach_alpha(complete_block(used).cells).value
    if reliability is None or reliability <= 0:
        return None, None, "ceiling: the reliability of the scores is not estimable for these agents"
    outcome = outcome_reliability(group.joined)
    known = outcome is not None and outcome > 0
    assumed = "of the outcome " + (number(outcome) if known else "taken as 1, its cases are not known or explain all")
    note = f"reliability of the score {number(reliability)}, {assumed}"
    other = outcome if known and outcome is not None else 1.0
    if full.estimate.value is None:
        return math.sqrt(min(reliability, 1.0) * min(other, 1.0)), None, note
    found = disattenuate(full.estimate, min(reliability, 1.0), min(other, 1.0))
    return found.ceiling, found.estimate.value, note
