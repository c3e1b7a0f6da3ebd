"""Time horizon: the length of tasks, in minutes of human work, that an agent does half of the time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.special
import scipy.stats

from metrology.stats.arguments import one_of
from metrology.stats.labels import as_list, code_labels
from metrology.stats.results import Estimate, Horizon, StatsInputError, ordered_codes, status_of
from metrology.stats.vectors import Numbers, Vector, inside, is_constant, numeric_vector, same_length

Flags = npt.NDArray[np.bool_]

LARGEST_LOG2 = 1000.0  # horizons beyond 2^+-1000 minutes are no lengths


def time_horizon(
    minutes: Numbers,
    passed: Numbers,
    *,
    tasks: Iterable[Any] | None = None,
    families: Iterable[Any] | None = None,
    weighting: str = "none",
    level: float = 0.95,
) -> Horizon:
    """Task lengths an agent passes half (`p50`) and four fifths (`p80`) of the time, in minutes.

    Unregularised logistic regression of success (0/1, one entry per run) on log2(minutes): p50 =
    2^(-intercept/slope). Limits by the delta method on the log2 scale; they treat runs as independent, so with
    several runs per task or tasks in families they are too short. `weighting` "family": each run counts
    1/(runs of its task)/sqrt(tasks of its family), no interval. All passed or failed, or lengths that separate
    the two: undefined SEPARATION, `p50.low` = longest passed and `p50.high` = shortest failed task where that
    bounds it. Slope 0 or more: `warn` WRONG_SIGN and no horizon. A horizon beyond the tasks: EXTRAPOLATION.

    Raises:
        StatsInputError: unequal lengths, `passed` other than 0 and 1, minutes not positive, weights without
            `tasks` and `families`.
    """
    one_of(weighting, ("none", "family"), "weighting")
    level = inside(level, 0, 1, "level")
    length, success = numeric_vector(minutes, "minutes"), numeric_vector(passed, "passed")
    same_length(minutes=length, passed=success)
    if np.any(length <= 0):
        msg = "`minutes` must be positive"
        raise StatsInputError(msg)
    known = ~(np.isnan(length) | np.isnan(success))
    if not np.all(np.isin(success[known], (0, 1))):
        msg = "`passed` must hold 0 and 1 only"
        raise StatsInputError(msg)
    groups = _Groups(tasks, families, known)
    length, success = length[known], success[known]
    n = {"runs": len(length), "dropped": int((~known).sum()), **groups.counts}
    codes = ["MISSING"] if n["dropped"] else []
    method = f"logistic regression on log2 minutes{', family weights' if weighting == 'family' else ''}"
    weights = groups.weights() if weighting == "family" else np.ones(len(length))
    if not len(length):
        return _undefined(method, n, ["NO_DATA", *codes], level, None, None)
    longest = float(length[success == 1].max(initial=0.0)) or None
    shortest = float(length[success == 0].min(initial=math.inf))
    bounds = longest, shortest if math.isfinite(shortest) else None
    if bounds[0] is None or bounds[1] is None or bounds[0] <= bounds[1]:
        return _undefined(method, n, [*codes, "SEPARATION"], level, *bounds)
    if length[success == 0].max() <= length[success == 1].min():
        return _undefined(method, n, [*codes, "SEPARATION", "WRONG_SIGN"], level, None, None)
    x = np.log2(length)
    fit = _Fit(x, success, weights)
    if not fit.converged:
        return _undefined(method, n, [*codes, "NOT_CONVERGED"], level, None, None)
    errors = weighting == "none"
    if fit.slope >= 0:
        codes.append("WRONG_SIGN")
        p50 = p80 = Estimate.without_value("undefined", codes, level=level, method=method, n=n)
        se_log2 = None
    else:
        p50, p80 = (fit.horizon(logit, level, method, n, codes, errors=errors) for logit in (0.0, math.log(4)))
        se_log2 = fit.se_log2(0.0) if errors else None
        codes = list(p50.codes) + [code for code in p80.codes if code not in p50.codes]
    return Horizon(
        intercept=fit.intercept,
        slope=fit.slope,
        p50=p50,
        p80=p80,
        se_log2_p50=se_log2,
        method=method,
        n=n,
        status=status_of(codes),
        codes=ordered_codes(codes),
    )


class _Groups:
    """Task and family of every run that has a verdict."""

    def __init__(self, tasks: Iterable[Any] | None, families: Iterable[Any] | None, known: Flags) -> None:
        self._codes: dict[str, list[int]] = {}
        for name, labels in (("tasks", tasks), ("families", families)):
            if labels is None:
                continue
            coded = code_labels(as_list(labels, name), name).codes
            same_length(**{"minutes": known, name: coded})
            self._codes[name] = coded[known].tolist()
        self.counts = {name: len(set(codes)) for name, codes in self._codes.items()}

    def weights(self) -> Vector:
        if len(self._codes) < 2:
            msg = "`weighting` 'family' needs `tasks` and `families`"
            raise StatsInputError(msg)
        tasks, families = self._codes["tasks"], self._codes["families"]
        if len(set(zip(tasks, families, strict=True))) != len(set(tasks)):
            msg = "`families` puts one task into two families"
            raise StatsInputError(msg)
        runs = Counter(tasks)
        tasks_of = Counter(dict(set(zip(tasks, families, strict=True))).values())
        return np.array([1 / runs[t] / math.sqrt(tasks_of[f]) for t, f in zip(tasks, families, strict=True)])


class _Fit:
    """Maximum of the weighted logistic likelihood by Newton steps, on centred log2 minutes."""

    def __init__(self, x: Vector, success: Vector, weights: Vector) -> None:
        self._range = float(x.min()), float(x.max())
        center = float(x.mean())
        design = np.column_stack([np.ones(len(x)), x - center])
        beta, self.converged = np.zeros(2), False
        information = np.eye(2)
        for _ in range(100):
            p = scipy.special.expit(design @ beta)
            information = (design * (weights * p * (1 - p))[:, None]).T @ design
            if np.linalg.cond(information) > 1e12:
                break
            step = np.linalg.solve(information, design.T @ (weights * (success - p)))
            step *= min(1.0, 5.0 / max(float(np.abs(step).max()), 1e-300))  # no leap out of the concave region
            beta = beta + step
            if float(np.abs(step).max()) < 1e-11:
                self.converged = True
                break
        self.slope = float(beta[1])
        self.intercept = float(beta[0] - beta[1] * center)
        self._center, self._centred_intercept = center, float(beta[0])
        self._covariance = np.linalg.inv(information) if self.converged else np.full((2, 2), np.nan)

    def log2_horizon(self, logit: float) -> float:
        return self._center + (logit - self._centred_intercept) / self.slope

    def se_log2(self, logit: float) -> float:
        gradient = np.array([-1 / self.slope, -(self.log2_horizon(logit) - self._center) / self.slope])
        return math.sqrt(float(gradient @ self._covariance @ gradient))

    def horizon(
        self, logit: float, level: float, method: str, n: dict[str, int], codes: list[str], *, errors: bool
    ) -> Estimate:
        place = self.log2_horizon(logit)
        if abs(place) > LARGEST_LOG2:
            return Estimate.without_value("undefined", [*codes, "NOT_IDENTIFIED"], level=level, method=method, n=n)
        notes = codes if self._range[0] <= place <= self._range[1] else [*codes, "EXTRAPOLATION"]
        low = high = None
        if errors:
            half = float(scipy.stats.norm.ppf((1 + level) / 2)) * self.se_log2(logit)
            if not is_constant([0.0, half], abs(place)):
                low = 2.0 ** (place - half) if place - half > -LARGEST_LOG2 else 0.0
                high = 2.0 ** (place + half) if place + half < LARGEST_LOG2 else None
        return Estimate.of(2.0**place, low=low, high=high, level=level, method=method, n=n, codes=notes)


def _undefined(
    method: str, n: dict[str, int], codes: list[str], level: float, low: float | None, high: float | None
) -> Horizon:
    if low is not None and high is not None and low >= high:
        low = high = None
    p50 = Estimate.without_value("undefined", codes, level=level, method=method, n=n, low=low, high=high)
    p80 = Estimate.without_value("undefined", codes, level=level, method=method, n=n)
    return Horizon(
        intercept=None, slope=None, p50=p50, p80=p80, se_log2_p50=None, method=method, n=n, status="undefined",
        codes=p50.codes,
    )  # fmt: skip
