"""Equipercentile equating of whole-number scores: equal percentile ranks, uniform within a score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrology.stats.vectors import Vector


@dataclass(frozen=True)
class Converted:
    """Scores on the other version and Lord's standard errors, NaN where a score lies outside the scale."""

    y: Vector
    se: Vector


class Distribution:
    """Relative frequencies of scores 0..highest, each spread evenly over score -+ 1/2."""

    def __init__(self, scores: Vector, highest: int) -> None:
        counts = np.bincount(scores.astype(np.int64), minlength=highest + 1)
        self.size = len(scores)
        self.highest = highest
        self.shares = counts / self.size
        # exact fractions of the size: a rank of exactly 1 must be recognised as such
        self.cumulative = np.cumsum(counts) / self.size

    def percentile_rank(self, points: Vector) -> Vector:
        """Share of the distribution below each score, NaN outside -1/2..highest + 1/2."""
        inside = (points >= -0.5) & (points <= self.highest + 0.5)
        whole = np.clip(np.floor(np.where(inside, points, 0) + 0.5), 0, self.highest).astype(np.int64)
        below = self.cumulative[whole] - self.shares[whole]
        rank = below + (np.where(inside, points, 0) - whole + 0.5) * self.shares[whole]
        return np.where(inside, rank, np.nan)


def equipercentile(points: Vector, x: Distribution, y: Distribution) -> Converted:
    """The scores of `y` that have the percentile ranks of `points` in `x`, with standard errors (Lord 1982).

    y = u - 1/2 + (P - G(u-1))/g(u) with u the smallest score whose cumulative share G exceeds the rank P; P = 0
    gives -1/2, P = 1 the highest score + 1/2.
    """
    rank = x.percentile_rank(points)
    known = np.isfinite(rank)
    p = np.where(known, rank, 0.0)
    upper = np.minimum(np.searchsorted(y.cumulative, p, side="right"), y.highest)
    share = y.shares[upper]
    below = y.cumulative[upper] - share
    top = p >= 1
    share = np.where(share > 0, share, 1.0)
    converted = np.where(top, y.highest + 0.5, np.where(p <= 0, -0.5, upper - 0.5 + (p - below) / share))
    variance = p * (1 - p) * (x.size + y.size) / (x.size * y.size)
    variance = variance - (below + share - p) * (p - below) / (y.size * share)
    se = np.where(top | (p <= 0), 0.0, np.sqrt(np.maximum(variance, 0.0)) / share)
    return Converted(np.where(known, converted, np.nan), np.where(known, se, np.nan))
