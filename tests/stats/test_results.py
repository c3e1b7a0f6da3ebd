import dataclasses
import json

import pytest

from metrology.stats.results import Estimate, StatsInputError, TaskVariation, finite, ordered_codes, status_of


def test_codes_about_size_come_first_and_once():
    assert ordered_codes(["MISSING", "FEW_CLUSTERS", "MISSING", "TOO_FEW_AGENTS"]) == (
        "FEW_CLUSTERS",
        "TOO_FEW_AGENTS",
        "MISSING",
    )


def test_only_informative_codes_leave_a_result_ok():
    assert status_of(["MISSING", "CEILING"]) == "ok"
    assert status_of(["MISSING", "CONSTANT_ITEMS"]) == "warn"


def test_results_are_frozen_and_json_ready():
    estimate = Estimate.of(0.5, method="mean", n={"items": 3}, codes=["MISSING"], se=float("nan"), level=0.95)
    assert estimate.se is None
    assert json.loads(json.dumps(estimate.to_dict()))["codes"] == ["MISSING"]
    with pytest.raises(dataclasses.FrozenInstanceError):
        estimate.value = 1.0


def test_nested_results_become_plain_mappings():
    part = Estimate.without_value("undefined", ["NO_DATA"], method="mean", n={})
    outer = TaskVariation(None, None, None, None, None, None, None, None, {"items": 0}, "undefined", ("NO_DATA",))
    assert outer.to_dict()["n"] == {"items": 0}
    assert part.to_dict()["value"] is None


def test_finite_turns_what_is_no_number_into_none():
    assert finite(None) is None
    assert finite(float("inf")) is None
    assert finite(2) == 2.0


def test_the_error_is_a_value_error():
    assert issubclass(StatsInputError, ValueError)
