"""The restricted likelihood written out with one dense covariance matrix of all scores: slow and plain."""

from __future__ import annotations

import numpy as np


def restricted_deviance(scores: np.ndarray, variances: dict[str, float], families: list[int] | None = None) -> float:
    """-2 restricted log-likelihood of scores[agents, items, trials or occasions] (NaN = missing)."""
    agent, item, occasion = np.nonzero(~np.isnan(scores))
    values = scores[agent, item, occasion]
    levels = {"agent": agent, "item": item, "occasion": occasion}
    if families is not None:
        levels["family"] = np.array(families)[item]
    covariance = np.zeros((len(values), len(values)))
    for name, variance in variances.items():
        if name in ("trial", "residual"):
            covariance += variance * np.eye(len(values))
        else:
            shared = [levels[factor][:, None] == levels[factor] for factor in name.split(":")]
            covariance += variance * np.logical_and.reduce(shared)
    inverse = np.linalg.inv(covariance)
    precision = inverse.sum()
    residuals = values - (inverse @ values).sum() / precision
    return (
        (len(values) - 1) * np.log(2 * np.pi)
        + np.linalg.slogdet(covariance)[1]
        + np.log(precision)
        + residuals @ inverse @ residuals
    )
