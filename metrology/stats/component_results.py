"""Turns fitted variance components into the published result: coefficients, intervals and codes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import scipy.stats

from metrology.stats.decision_study import Shares, error_variances
from metrology.stats.reliability import feldt_quantile
from metrology.stats.results import (
    Estimate,
    Status,
    VarianceComponents,
    finite,
    negative_estimate,
    ordered_codes,
    status_of,
)

_CARRIED = frozenset({"MISSING", "NEGATIVE_ESTIMATE", "BOUNDARY", "NOT_CONVERGED"})
_RELATIVE = "generalizability coefficient (relative) at the observed numbers"
_ABSOLUTE = "dependability Phi (absolute) at the observed numbers, from components"
_MEAN = "grand mean, t interval on Welch-Satterthwaite df"


@dataclass(frozen=True)
class Study:
    """What was measured: design, what is left of each variance in an agent's mean, and what was counted.

    ``smallest_factor`` is the number of levels of the factor that, beside the agents, limits the grand mean.
    """

    design: str
    method: str
    shares: Shares
    counted: Mapping[str, int]
    smallest_factor: int


@dataclass(frozen=True)
class Fitted:
    """Components of a study as its method found them."""

    study: Study
    raw: Mapping[str, float]
    se: Mapping[str, float | None]
    mean: float
    mean_variance: float
    mean_squares: Mapping[str, float] = field(default_factory=dict)
    df: Mapping[str, int] = field(default_factory=dict)
    criterion: float | None = None
    converged: bool = True


def publish(fit: Fitted, codes: Iterable[str], level: float) -> VarianceComponents:
    """Return the result with its coefficients at the observed numbers."""
    raw = dict(fit.raw)
    used = {name: max(0.0, value) for name, value in raw.items()}
    errors = error_variances(used, fit.study.shares)
    every = list(codes)
    if "occasion" not in raw and "agent:item" not in raw:
        every.append("CONFOUNDED")
    if min(raw.values()) < 0:
        every.append("NEGATIVE_ESTIMATE")
    if fit.study.method == "reml" and min(raw.values()) == 0:
        every.append("BOUNDARY")
    if not fit.converged:
        every.append("NOT_CONVERGED")
    carried = [code for code in every if code in _CARRIED]
    relative = errors.coefficient(errors.relative)
    if relative is None:
        every.append("ZERO_VARIANCE")
    error_square = fit.mean_squares.get("residual" if "residual" in raw else "agent:item")
    if fit.study.method == "anova" and "occasion" not in raw and error_square is not None:
        generalizability = _from_mean_squares(fit, error_square, carried, level)
    else:
        generalizability = _coefficient(relative, f"{_RELATIVE}, from components", fit, carried)
    return VarianceComponents(
        design=fit.study.design,
        method=fit.study.method,
        raw=raw,
        used=used,
        se={name: finite(value) for name, value in fit.se.items()},
        mean_squares=dict(fit.mean_squares),
        df=dict(fit.df),
        grand_mean=_grand_mean(fit, used, carried, level),
        criterion=finite(fit.criterion),
        generalizability=generalizability,
        dependability=_coefficient(errors.coefficient(errors.absolute), _ABSOLUTE, fit, carried),
        relative_error=errors.relative,
        absolute_error=errors.absolute,
        n=dict(fit.study.counted),
        status=status_of(every),
        codes=ordered_codes(every),
    )


def without_components(
    status: Status,
    codes: Iterable[str],
    *,
    design: str,
    method: str,
    counted: Mapping[str, int],
    level: float,
    mean: float | None = None,
    trial: float | None = None,
) -> VarianceComponents:
    """Return a result without components; the trial noise and a constant mean are given where they are known."""
    every = ordered_codes(codes)
    known = {} if trial is None else {"trial": trial}

    def none(name: str) -> Estimate:
        return Estimate.without_value(status, every, method=name, n=counted, level=level)

    grand = none(_MEAN) if mean is None else Estimate.of(mean, method=_MEAN, n=counted, codes=every, level=level)
    return VarianceComponents(
        design=design,
        method=method,
        raw=known,
        used=known,
        se={},
        mean_squares={},
        df={},
        grand_mean=grand,
        criterion=None,
        generalizability=none(_RELATIVE),
        dependability=none(_ABSOLUTE),
        relative_error=None,
        absolute_error=None,
        n=dict(counted),
        status=status,
        codes=every,
    )


def _coefficient(value: float | None, name: str, fit: Fitted, codes: list[str]) -> Estimate:
    if value is None:
        return Estimate.without_value("undefined", ["ZERO_VARIANCE", *codes], method=name, n=fit.study.counted)
    return Estimate.of(value, method=name, n=fit.study.counted, codes=codes)


def _from_mean_squares(fit: Fitted, error: float, carried: list[str], level: float) -> Estimate:
    name = f"{_RELATIVE}, 1 - MS(agent:item)/MS(agent), Feldt F interval"
    codes = [code for code in carried if code == "MISSING"]
    agents = fit.mean_squares["agent"]
    if agents == 0:
        codes.append("ZERO_VARIANCE")
        return Estimate.without_value("undefined", codes, method=name, n=fit.study.counted, level=level)
    ratio = error / agents
    if ratio == 0:
        return Estimate.of(1.0, method=name, n=fit.study.counted, codes=[*codes, "ZERO_ERROR"], level=level)
    codes += negative_estimate(1 - ratio)
    size = fit.study.counted["agents"], fit.study.counted["items"]
    return Estimate.of(
        1 - ratio,
        method=name,
        n=fit.study.counted,
        codes=codes,
        low=1 - ratio * feldt_quantile((1 + level) / 2, *size),
        high=1 - ratio * feldt_quantile((1 - level) / 2, *size),
        level=level,
    )


def _grand_mean(fit: Fitted, used: Mapping[str, float], carried: list[str], level: float) -> Estimate:
    if fit.mean_variance <= 0:
        codes = ["ZERO_VARIANCE", *carried]
        return Estimate.of(fit.mean, method=_MEAN, n=fit.study.counted, codes=codes, level=level)
    # the agents' part of the variance rests on n - 1 degrees of freedom, the rest on the scarcest other factor
    agents = fit.study.counted["agents"]
    part = min(used["agent"] / agents / fit.mean_variance, 1.0)
    df = 1 / (part**2 / (agents - 1) + (1 - part) ** 2 / (fit.study.smallest_factor - 1))
    se = math.sqrt(fit.mean_variance)
    margin = float(scipy.stats.t.ppf((1 + level) / 2, df)) * se
    return Estimate.of(
        fit.mean,
        method=_MEAN,
        n=fit.study.counted,
        codes=carried,
        se=se,
        low=fit.mean - margin,
        high=fit.mean + margin,
        level=level,
        df=df,
    )
