"""From variance components to decisions: how many items and trials reach which reliability."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from metrology.stats.arguments import one_of, whole_number
from metrology.stats.results import (
    DStudy,
    Estimate,
    StatsInputError,
    VarianceComponents,
    negative_estimate,
    ordered_codes,
    status_of,
)
from metrology.stats.vectors import inside


@dataclass(frozen=True)
class Shares:
    """Part of each kind of variance that is left in the mean of one agent, e.g. 1/items for ``item``.

    ``run`` applies to what differs from run to run (one trial of one item), ``occasion`` to occasions that all
    agents share, ``family`` to families of items.
    """

    item: float
    run: float
    occasion: float = 0.0
    family: float = 0.0


@dataclass(frozen=True)
class ErrorVariances:
    """Universe-score variance of the agents and the error variances of their mean scores."""

    universe: float
    relative: float
    absolute: float

    def coefficient(self, error: float) -> float | None:
        """Return universe variance / (universe variance + error), ``None`` for 0/0."""
        total = self.universe + error
        return self.universe / total if total > 0 else None


def error_variances(used: Mapping[str, float | None], shares: Shares, universe: str = "items") -> ErrorVariances:
    """Return universe-score and error variances for components ``used`` (all of them known)."""
    part = {name: value or 0.0 for name, value in used.items()}
    interaction = part.get("agent:item", 0.0) * shares.item
    run = part.get("trial", part.get("residual", 0.0)) * shares.run
    occasions = part.get("agent:occasion", 0.0) * shares.occasion
    occasion_means = part.get("occasion", 0.0) * shares.occasion + part.get("item:occasion", 0.0) * shares.run
    if universe == "fixed":
        error = occasions + run
        return ErrorVariances(part["agent"] + interaction, error, error + occasion_means)
    relative = interaction + occasions + run
    items = part["item"] * shares.item + part.get("family", 0.0) * shares.family
    return ErrorVariances(part["agent"], relative, relative + items + occasion_means)


def d_study(
    components: VarianceComponents, plans: Iterable[tuple[int, int]], *, universe: str = "items"
) -> tuple[DStudy, ...]:
    """Return, for each plan ``(n_items, n_trials)``, the reliability and the standard errors it would reach.

    Relative error = agent:item/ni + trial/(ni nt), for ranking agents; absolute error adds item/ni, for the score
    itself. Crossed components: agent:item/ni + agent:occasion/nt + residual/(ni nt), absolute adds item/ni +
    occasion/nt + item:occasion/(ni nt). Components with families: absolute also adds family x (items per family)/ni,
    for a benchmark that grows by whole families. ``universe="fixed"``: these items only, agent:item/ni belongs to the
    agents and trial noise is all the error there is. At equal total runs more items always beat more trials.

    Plans with more than one trial, and any plan for fixed items, are ``refused`` CONFOUNDED when the components were
    estimated from one trial per cell: interaction and trial noise cannot be told apart.

    Source: Brennan 2001.

    Raises:
        StatsInputError: a plan is not a pair of whole numbers >= 1, unknown universe.
    """
    one_of(universe, ("items", "fixed"), "universe")
    return tuple(_plan(components, *_checked_plan(plan), universe) for plan in plans)


def phi_lambda(components: VarianceComponents, cut: float) -> Estimate:
    """Return Brennan and Kane's dependability of decisions at the pass mark ``cut`` (on the scale of the scores).

    ``(agent + (mean - cut)^2 - var(mean)) / (the same + absolute error)`` at the observed numbers; var(mean) removes
    the bias of the squared distance. It is lowest when the cut lies at the mean.

    Source: Brennan and Kane 1977.

    Raises:
        StatsInputError: cut not finite.
    """
    mark = inside(cut, -math.inf, math.inf, "cut")
    name = f"dependability at the cut {mark:g} (Brennan-Kane)"
    mean = components.grand_mean
    if mean.value is None or components.absolute_error is None:
        return Estimate.without_value("undefined", components.codes, method=name, n=components.n)
    agents = components.used["agent"] or 0.0
    signal = agents + (mean.value - mark) ** 2 - (mean.se or 0.0) ** 2
    error = components.absolute_error or 0.0
    if signal + error <= 0:
        return Estimate.without_value("undefined", ["ZERO_DENOMINATOR"], method=name, n=components.n)
    codes = [code for code in components.codes if code in {"MISSING", "BOUNDARY", "NEGATIVE_ESTIMATE"}]
    codes += negative_estimate(signal, scale=error)
    return Estimate.of(signal / (signal + error), method=name, n=components.n, codes=codes)


def optimal_trials(components: VarianceComponents, *, cost_per_item: float, cost_per_run: float) -> Estimate:
    """Return the trials per item (real-valued) that buy the least relative error for the money.

    ``max(1, sqrt(cost_per_item / cost_per_run * trial / (agent:item)))``: trials pay only where items are costly.

    Source: Cochran 1977 (two-stage sampling); Brennan 2001.

    Raises:
        StatsInputError: a cost is not positive, components of a crossed design.
    """
    item, run = inside(cost_per_item, 0, math.inf, "cost_per_item"), inside(cost_per_run, 0, math.inf, "cost_per_run")
    if "occasion" in components.used:
        msg = "`components` are of a crossed design: trials nested in cells are needed"
        raise StatsInputError(msg)
    name = "trials per item of least relative error at equal cost"
    codes: tuple[str, ...] = ()
    if components.status in ("undefined", "refused") or "trial" not in components.used:
        codes = tuple(components.codes) or ("CONFOUNDED",)
        return Estimate.without_value("undefined", codes, method=name, n=components.n)
    trial, interaction = components.used["trial"] or 0.0, components.used["agent:item"] or 0.0
    if interaction == 0 and trial > 0:
        return Estimate.without_value("undefined", ["ZERO_DENOMINATOR"], method=name, n=components.n)
    best = math.sqrt(item / run * trial / interaction) if trial > 0 else 1.0
    return Estimate.of(max(1.0, best), method=name, n=components.n)


def _checked_plan(plan: tuple[int, int]) -> tuple[int, int]:
    try:
        items, trials = plan
    except (TypeError, ValueError) as error:
        msg = f"a plan must be a pair (n_items, n_trials), got {plan!r}"
        raise StatsInputError(msg) from error
    return whole_number(items, "n_items", 1), whole_number(trials, "n_trials", 1)


def _plan(components: VarianceComponents, items: int, trials: int, universe: str) -> DStudy:
    if components.status in ("undefined", "refused"):
        return DStudy(items, trials, universe, None, None, None, None, components.status, components.codes)
    if "CONFOUNDED" in components.codes and (trials > 1 or universe == "fixed"):
        return DStudy(items, trials, universe, None, None, None, None, "refused", ("CONFOUNDED",))
    families = components.n.get("families", 0)
    per_family = components.n["items"] / families if families else 0.0
    shares = Shares(item=1 / items, run=1 / (items * trials), occasion=1 / trials, family=min(1.0, per_family / items))
    errors = error_variances(components.used, shares, universe)
    generalizability = errors.coefficient(errors.relative)
    codes = [code for code in components.codes if code != "ZERO_VARIANCE"]
    if generalizability is None:
        codes.append("ZERO_VARIANCE")
    return DStudy(
        n_items=items,
        n_trials=trials,
        universe=universe,
        generalizability=generalizability,
        dependability=errors.coefficient(errors.absolute),
        sem_relative=math.sqrt(errors.relative),
        sem_absolute=math.sqrt(errors.absolute),
        status=status_of(codes),
        codes=ordered_codes(codes),
    )
