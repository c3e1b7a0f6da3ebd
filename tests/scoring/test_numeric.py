from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrology.scoring.base import Submission, problems
from metrology.scoring.numeric import numbers
from tests.scoring.scorers import scorer


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It is 42.", ["42"]),
        ("3-4", ["3", "4"]),
        ("x = -5", ["-5"]),
        ("\u22127 degrees", ["-7"]),
        ("1,234,567.5", ["1234567.5"]),
        ("12,34", ["12", "34"]),
        ("1.5e3 and 2E-2", ["1.5E+3", "0.02"]),
        (".5", ["0.5"]),
        ("1.2.3", []),
        ("a1 b2", []),
        ("5km", ["5"]),
        ("1e999", []),
        ("٣", []),
        ("inf nan", []),
        ("9" * 1_000_000, []),
        ("1," * 500_000, ["1"] * 500_000),
    ],
)
def test_numbers_in_text(text: str, found: list[str]) -> None:
    assert [str(number) for number in numbers(text)] == found


@pytest.mark.parametrize(
    ("answer", "table", "right"),
    [
        ("42", {"expected": 42}, True),
        ("42.0", {"expected": 42}, True),
        ("41", {"expected": 42}, False),
        ("6 * 7 = 42", {"expected": 42}, False),
        ("6 * 7 = 42", {"expected": 42, "take": "last_number"}, True),
        ("42 is 6 * 7", {"expected": 42, "take": "first_number"}, True),
        ("0.4", {"expected": 0.3, "tolerance": 0.1}, True),
        ("0.40001", {"expected": 0.3, "tolerance": 0.1}, False),
        ("101", {"expected": 100, "relative": 0.01}, True),
        ("102", {"expected": 100, "relative": 0.01}, False),
        ("-101", {"expected": -100, "relative": 0.01}, True),
        ("none", {"expected": 0}, False),
        ("", {"expected": 0}, False),
        ("0.1", {"expected": 0.1}, True),
    ],
)
def test_answers(answer: str, table: dict[str, object], right: bool) -> None:
    assert scorer(kind="numeric", **table).score(Submission(answer)).passed is right


@pytest.mark.parametrize(
    ("table", "field"),
    [
        ({}, "expected"),
        ({"expected": "42"}, "expected"),
        ({"expected": True}, "expected"),
        ({"expected": float("nan")}, "expected"),
        ({"expected": 1, "tolerance": -1}, "tolerance"),
        ({"expected": 1, "take": "any"}, "take"),
    ],
)
def test_a_wrong_table_is_told_at_registration(table: dict[str, object], field: str) -> None:
    assert [problem.field for problem in problems({"kind": "numeric", **table})] == [field]


@given(st.floats(-1e15, 1e15), st.floats(0, 1e6))
def test_the_edge_of_the_tolerance_is_inside(expected: float, tolerance: float) -> None:
    judge = scorer(kind="numeric", expected=expected, tolerance=tolerance)
    assert judge.score(Submission(repr(expected))).passed


@given(st.integers(-(10**12), 10**12))
def test_grouped_thousands_are_the_same_number(value: int) -> None:
    assert scorer(kind="numeric", expected=value).score(Submission(f"{value:,}")).passed
