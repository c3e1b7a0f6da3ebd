from __future__ import annotations

import pytest

from metrology.scoring.base import Submission, shown
from metrology.testing.scorers import HOSTILE_ANSWERS, check_scorer
from tests.scoring.scorers import scorer

TABLES = [
    {"kind": "exact", "expected": ["Paris"], "fold": ["case", "space", "punctuation", "article"], "match": "word"},
    {"kind": "exact", "expected": ["Paris"], "take": "last_line", "forbidden": ["Rome"]},
    {"kind": "numeric", "expected": 42, "take": "last_number"},
    {"kind": "numeric", "expected": 42, "take": "only_number"},
    {"kind": "json", "expected": {"a": 1}, "take": "first_object"},
    {"kind": "json", "expected": {"a": 1}},
]
RIGHT = {"exact": "Paris", "numeric": "42", "json": '{"a": 1}'}


@pytest.mark.parametrize("table", TABLES, ids=lambda table: "-".join(map(str, table.values()))[:40])
def test_hostile_answers_end_in_a_zero_that_can_be_stored(table: dict[str, object]) -> None:
    check_scorer(scorer(**table), right=Submission(RIGHT[str(table["kind"])]), wrong=Submission("no"))


def test_there_is_enough_hostility() -> None:
    assert len(HOSTILE_ANSWERS) >= 12
    assert any("\0" in answer for answer in HOSTILE_ANSWERS)


@pytest.mark.parametrize("text", ["\ud800", "a\0b", b"\xff\0", "x" * 10_000])
def test_shown_text_can_be_stored(text: str | bytes) -> None:
    safe = shown(text, 100)
    assert "\0" not in safe
    assert len(safe.encode()) < 1_000
