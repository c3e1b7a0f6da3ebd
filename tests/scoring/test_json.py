from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrology.scoring.base import Submission, problems
from tests.scoring.scorers import scorer

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-100, 100) | st.text("abc", max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=2), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize(
    ("answer", "table", "right"),
    [
        ('{"b": 1, "a": [1, 2]}', {"expected": {"a": [1, 2], "b": 1}}, True),
        ('{"a": 1, "c": 2}', {"expected": {"a": 1}}, False),
        ("{}", {"expected": {"a": 1}}, False),
        ("[1, 2]", {"expected": [2, 1]}, False),
        ("[1]", {"expected": [1, 2]}, False),
        ("1.0", {"expected": 1}, True),
        ("true", {"expected": 1}, False),
        ("1", {"expected": True}, False),
        ("null", {"expected": None}, True),
        ("0", {"expected": None}, False),
        ('"cafe\\u0301"', {"expected": "caf\u00e9"}, True),
        ("3.1416", {"expected": 3.14159, "tolerance": 0.001}, True),
        ('Sure! ```json\n{"a": 1}\n``` done {', {"expected": {"a": 1}, "take": "first_object"}, True),
        ('{broken {"a": 1}', {"expected": {"a": 1}, "take": "first_object"}, True),
        ("the list is [1, 2].", {"expected": [1, 2], "take": "first_object"}, True),
        ('{"a": 1} tail', {"expected": {"a": 1}}, False),
        ('{"a": 1, "a": 2}', {"expected": {"a": 2}}, False),
        ("NaN", {"expected": 1}, False),
        ("1e999", {"expected": 1, "tolerance": 1e300}, False),
        ("", {"expected": {}}, False),
        ("[" * 100_000, {"expected": [], "take": "first_object"}, False),
        ("{" * 900_000, {"expected": {}, "take": "first_object"}, False),
        ("9" * 50_000, {"expected": 9}, False),
    ],
)
def test_answers(answer: str, table: dict[str, object], right: bool) -> None:
    assert scorer(kind="json", **table).score(Submission(answer)).passed is right


def test_criteria_say_which_keys_are_right() -> None:
    verdict = scorer(kind="json", expected={"a": 1, "b": 2}).score(Submission('{"a": 1, "b": 3}'))
    assert verdict.criteria == {"a": 1.0, "b": 0.0}
    assert verdict.score == 0.0
    assert "$.b" in verdict.evidence


def test_a_table_without_the_expected_value_is_told() -> None:
    assert [problem.field for problem in problems({"kind": "json"})] == ["expected"]


@given(VALUES)
def test_any_spelling_of_the_value_is_right(value: object) -> None:
    for text in (json.dumps(value), json.dumps(value, indent=2, sort_keys=True)):
        assert scorer(kind="json", expected=value).score(Submission(text)).passed


@given(VALUES, VALUES)
def test_equal_means_equal(first: object, second: object) -> None:
    same = json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)
    assert scorer(kind="json", expected=first).score(Submission(json.dumps(second))).passed is same
