"""The scores an equating converts, and the record of the conversion."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from metrology.stats.results import Equating, Estimate, StatsInputError, ordered_codes, status_of
from metrology.stats.vectors import Numbers, Vector, numeric_vector, optional_tuple

FEWEST_AGENTS = 30  # below this number per group only one-parameter (mean) methods beat no equating at all


@dataclass(frozen=True)
class Line:
    """A straight conversion y = slope x + intercept."""

    slope: float
    intercept: float

    def __call__(self, x: Vector) -> Vector:
        """The converted scores."""
        return self.slope * x + self.intercept


@dataclass(frozen=True)
class Request:
    """Who was equated how: everything about a result that does not depend on the scores' values."""

    design: str
    method: str
    x: Vector
    n: dict[str, int]
    codes: tuple[str, ...]

    def without_value(self, status: str, code: str) -> Equating:
        """A refused or undefined equating: the scores asked for, without conversion."""
        nothing = (None,) * len(self.x)
        return Equating(
            design=self.design, method=self.method, slope=None, intercept=None, shift=None, x=tuple(self.x.tolist()),
            y=nothing, se=nothing, n=self.n, status="refused" if status == "refused" else "undefined",
            codes=ordered_codes((code, *self.codes)),
        )  # fmt: skip

    def converted(
        self,
        y: Vector,
        se: Vector | None,
        *,
        line: Line | None = None,
        shift: Estimate | None = None,
        codes: Iterable[str] = (),
    ) -> Equating:
        """The result with converted scores `y` and their standard errors."""
        every = (*self.codes, *codes)
        return Equating(
            design=self.design,
            method=self.method,
            slope=None if line is None else line.slope,
            intercept=None if line is None else line.intercept,
            shift=shift,
            x=tuple(self.x.tolist()),
            y=optional_tuple(y),
            se=(None,) * len(self.x) if se is None else optional_tuple(se),
            n=self.n,
            status=status_of(every),
            codes=ordered_codes(every),
        )


def points_to_convert(at: Numbers | None, observed: Vector) -> Vector:
    """The scores asked for, by default those observed; raises StatsInputError where one is missing."""
    if at is None:
        return observed
    points = numeric_vector(at, "at")
    if np.isnan(points).any():
        msg = "`at` must not hold missing values"
        raise StatsInputError(msg)
    return points


def outside(points: Vector, observed: Vector) -> tuple[str, ...]:
    """EXTRAPOLATION when a score to convert lies outside those observed."""
    if not len(observed) or not len(points):
        return ()
    beyond = points.min() < observed.min() or points.max() > observed.max()
    return ("EXTRAPOLATION",) if beyond else ()
