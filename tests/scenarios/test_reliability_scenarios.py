"""O01 to O04 through the reliability analysis, against their expected values."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from metrology.analysis.reliability import analyse
from metrology.analysis.request import Request
from metrology.domain.status import Status
from tests.analysis.fake_source import FakeSource, Row

SCENARIOS = Path(__file__).parents[1] / "data" / "scenarios"
# The neutral names of the scenario files, in our vocabulary.
STATUS = {
    "verifier_error": Status.SCORER_ERROR,
    "verifier_timeout": Status.SCORER_TIMEOUT,
    "infra_error": Status.PROVIDER_ERROR,
}


def expected(name):
    return json.loads((SCENARIOS / name / "expected.json").read_text())


def read(name, file="trials.csv"):
    with (SCENARIOS / name / file).open(newline="") as lines:
        return list(csv.DictReader(lines))


def trials(name, keep=lambda row: True):
    return FakeSource(
        [
            Row(
                row["agent"],
                row["item"],
                float(row["score"]) if row["score"] else None,
                _status(row.get("status") or "completed"),
            )
            for row in read(name)
            if keep(row)
        ]
    )


def _status(text):
    return STATUS.get(text) or Status(text)


def about(value):
    return pytest.approx(value, abs=1e-6)


def test_o01_infrastructure_trouble_is_not_a_wrong_answer():
    right = expected("O01")
    result = analyse(trials("O01"), Request("bench"))
    row = result.table("agents").find(agent="amber")
    assert (row["planned"], row["measured"]) == (right["planned"], right["measured"])
    assert row["pass_rate_pooled"] == about(right["pass_rate_measured"])
    assert row["score"] == about(right["mean_of_item_means"])
    assert row["coverage"] == about(right["coverage"]) == about(result.coverage.share)
    assert row["lowest_possible"] == about(right["lowest_possible"])
    assert row["highest_possible"] == about(right["highest_possible"])
    kinds = {record["status"]: record["trials"] for record in result.table("missing").records()}
    assert kinds == {_status(kind).value: n for kind, n in right["not_measured_by_kind"].items()}
    assert sum(kinds.values()) == right["not_measured"]
    said = " ".join(result.answer)
    assert "34 of 40 trials measured" in said
    assert "between 62.5 % and 77.5 %" in said


def test_o02_an_item_without_a_measurement_does_not_vanish():
    right = expected("O02")
    result = analyse(trials("O02"), Request("bench"))
    for name, values in right["table"].items():
        row = result.table("attempts").find(agent="amber", k=int(name.removeprefix("pass^")))
        assert row["pass_hat_k"] == about(values["measured_only"])
        assert row["items_used"] == values["items_used"]
        assert row["pass_hat_k_infrastructure_as_failure"] == about(values["infra_as_failure"])
        assert row["items_planned"] == values["items_planned"]
    unmeasured = result.table("unmeasured")
    assert list(unmeasured.values("item")) == right["items_with_no_measurement"]
    assert set(unmeasured.values("note")) == {"planned, not measured"}
    assert result.has_warning("LOW_COVERAGE")
    assert result.table("agents").find(agent="amber")["eligible"] is False


def test_o03_both_curves_with_unequal_trials():
    right = expected("O03")
    rows = [
        Row("amber", r["item"], 1.0, n=int(r["trials"]), passed=int(r["passes"])) for r in read("O03", "counts.csv")
    ]
    result = analyse(FakeSource(rows), Request("bench", options={"k": 4}))
    table = result.table("attempts")
    for k, values in right["by_k"].items():
        row = table.find(agent="amber", k=int(k))
        assert row["items_used"] == values["items_used"]
        for key in ("pass_at_k", "pass_hat_k"):
            if values[key] is None:
                assert row[key] is None
                assert row["note"].startswith("undefined: needs 9 trials")
            else:
                assert row[key] == about(values[key])
    by_item = result.table("attempts_by_item")
    for item, values in right["per_item_k4"].items():
        row = by_item.find(item=item)
        assert row["pass_at_k"] == about(values["pass_at_4"])
        assert row["pass_hat_k"] == about(values["pass_hat_4"])
    assert result.has_warning("ITEM_SET_CHANGES")
    held = [row for row in table.records() if row["k"] <= 8]
    at, hat = ([row[key] for row in held] for key in ("pass_at_k_fixed_items", "pass_hat_k_fixed_items"))
    assert at == sorted(at)
    assert hat == sorted(hat, reverse=True)
    labels = {column.key: column.label for column in table.columns}
    assert "at least one" in labels["pass_at_k"]
    assert "all of" in labels["pass_hat_k"]
    assert "NaN" not in result.to_json()


def test_o04_variance_split_and_plans():
    right = expected("O04")
    result = analyse(trials("O04"), Request("bench"))
    for agent, mean in right["mean"].items():
        assert result.table("agents").find(agent=agent)["score"] == about(mean)
    names = {"agent": "agent", "item": "item", "agent_item": "agent:item", "error": "trial"}
    for key, component in names.items():
        row = result.table("components").find(component=component)
        assert row["variance"] == about(right["components"][key])
        assert row["mean_square"] == about(right["mean_squares"][key])
    plans = result.table("plans")
    for kind, column in (("relative", "generalizability"), ("absolute", "dependability")):
        for plan, value in right[f"{kind}_coefficient"].items():
            items, _, _, k, _ = plan.split()
            row = plans.find(items=int(items), trials=int(k), universe="items")
            assert row[column] == about(value)


def test_o04_one_trial_is_not_estimable():
    right = expected("O04")["trial0_only"]
    result = analyse(trials("O04", keep=lambda row: row["trial"] == "0"), Request("bench"))
    for agent, mean in right["mean"].items():
        row = result.table("agents").find(agent=agent)
        assert row["score"] == about(mean)
        assert row["trial_noise"] is None
        assert row["flaky_share"] is None
        assert (row["low_fixed"], row["high_fixed"]) == (None, None)
        assert "not estimable with one trial" in row["note"]
        pair = result.table("attempts").find(agent=agent, k=2)
        assert pair["pass_hat_k"] is None
        assert "not estimable with one trial" in pair["note"]
    components = result.table("components")
    assert components.find(component="residual")["mean_square"] == about(right["residual_mean_square"])
    noise = components.find(component="trial")
    assert noise["variance"] is None
    assert "not estimable with one trial" in noise["note"]
    refused = result.table("plans").find(items=6, trials=2, universe="items")
    assert refused["generalizability"] is None
    assert "not estimable with one trial" in refused["note"]
    assert result.has_warning("ONE_TRIAL")
    assert "not estimable with one trial" in " ".join(result.answer)
