"""The restricted likelihood written out with one dense covariance matrix of all scores: slow and plain."""

from __future__ import annotations

import numpy as np


def restricted_deviance(scores: np.ndarray, variances: dict[str, float], families: list[int] | None = None) -> float:
    """-2 restricted log-likelihood of scores[agents, items, trials] (NaN = missing) at these variances."""
    agent, item, trial = np.nonzero(~np.isnan(scores))
    values = scores[agent, item, trial]
    covariance = variances["agent"] * (agent[:, None] == agent) + variances["item"] * (item[:, None] == item)
    if families is not None:
        own = np.array(families)[item]
        covariance = covariance + variances["family"] * (own[:, None] == own)
    cell = agent * scores.shape[1] + item
    covariance = covariance + variances.get("agent:item", 0.0) * (cell[:, None] == cell)
    covariance = covariance + variances.get("trial", variances.get("residual", 0.0)) * np.eye(len(values))
    inverse = np.linalg.inv(covariance)
    precision = inverse.sum()
    residuals = values - (inverse @ values).sum() / precision
    return (
        (len(values) - 1) * np.log(2 * np.pi)
        + np.linalg.slogdet(covariance)[1]
        + np.log(precision)
        + residuals @ inverse @ residuals
    )
