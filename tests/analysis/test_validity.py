"""Scores against production outcomes: joins, influence, ceiling, what is left out."""

from __future__ import annotations

import pytest

from metrology.analysis.request import Request
from metrology.analysis.source import Outcome
from metrology.analysis.validity import analyse
from metrology.errors import NotFoundError
from metrology.stats.validity import pearson
from tests.analysis.fake_source import FakeSource, configuration, matrix

SCORES = [3, 4, 5, 6, 7, 8, 9, 18]
RATES = [0.42, 0.40, 0.45, 0.39, 0.44, 0.41, 0.43, 0.80]


def source(production=None, scores=SCORES, configurations=None):
    rows = matrix([[float(j < n) for j in range(20)] for n in scores])
    if production is None:
        production = [Outcome(f"agent-{i}", None, "", "acceptance", rate, 250, False) for i, rate in enumerate(RATES)]
    return FakeSource(rows, configurations or {}, production=tuple(production))


def test_one_agent_that_carries_the_relation_is_named():
    result = analyse(source(), Request("bench"))
    row = result.table("correlations").find(method="Pearson")
    reference = pearson([n / 20 for n in SCORES], RATES)
    assert row["value"] == pytest.approx(reference.estimate.value)
    assert (row["low"], row["high"]) == pytest.approx((reference.estimate.low, reference.estimate.high))
    assert row["carrier"] == "agent-7"
    said = " ".join(result.answer)
    assert "agent-7 carries the relation" in said
    assert "validated" not in said
    assert 0 < row["ceiling"] <= 1


def test_agents_without_a_partner_are_named():
    production = [Outcome(f"agent-{i}", None, "", "acceptance", RATES[i], 250, False) for i in range(5)]
    production.append(Outcome("stranger", None, "", "acceptance", 0.5, None, True))
    records = analyse(source(production), Request("bench")).table("left_out").records()
    left = {record["agent"]: record["reason"] for record in records}
    assert left["stranger"] == "outcome, but not measured"
    assert left["agent-7"] == "measured, but no outcome"


@pytest.mark.parametrize("pairs", [2, 3])
def test_too_few_pairs_have_no_interval(pairs):
    production = [Outcome(f"agent-{i}", None, "", "acceptance", RATES[i], 250, False) for i in range(pairs)]
    row = analyse(source(production), Request("bench")).table("correlations").find(method="Pearson")
    assert (row["low"], row["high"]) == (None, None)
    assert "too few agents" in row["note"]


def test_periods_are_pooled_by_cases_and_open_cases_shown():
    production = [Outcome("agent-0", None, "", "m", 0.2, 100, False), Outcome("agent-0", None, "", "m", 0.6, 300, True)]
    production += [Outcome(f"agent-{i}", None, "", "m", RATES[i], 250, False) for i in range(1, 6)]
    row = analyse(source(production), Request("bench")).table("pairs").find(agent="agent-0")
    assert row["outcome"] == pytest.approx(0.5)
    assert (row["outcome_n"], row["censored"]) == (400, True)


def test_joins_by_model_and_refuses_what_is_ambiguous():
    names = {f"agent-{i}": configuration(f"agent-{i}", model="shared" if i < 2 else f"model-{i}") for i in range(8)}
    production = [Outcome("model-5", None, "", "m", 0.4, 9, False), Outcome("shared", None, "", "m", 0.5, 9, False)]
    production += [Outcome(f"agent-{i}", None, "", "m", RATES[i], 9, False) for i in (2, 3, 4)]
    result = analyse(source(production, configurations=names), Request("bench"))
    assert result.table("pairs").find(agent="agent-5")["joined_by"] == "model"
    assert "2 configurations" in result.table("left_out").find(agent="shared")["reason"]


def test_vendors_are_clusters():
    names = {}
    for i in range(8):
        agent = configuration(f"agent-{i}", model=f"model-{i}")
        names[agent.name] = type(agent)(agent.name, {**agent.model, "vendor": f"v{i % 3}"}, agent.harness, {})
    result = analyse(source(configurations=names), Request("bench"))
    assert result.table("correlations").find(method="Pearson")["families"] == 3
    assert result.has_warning("CLUSTERED_AGENTS")


def test_nothing_to_join():
    with pytest.raises(NotFoundError, match="no production outcome"):
        analyse(source([]), Request("bench"))
    with pytest.raises(NotFoundError, match="no counted item"):
        analyse(source(), Request("bench", options={"item": "x"}))
