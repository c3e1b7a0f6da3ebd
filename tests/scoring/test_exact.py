from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrology.scoring.base import Submission, problems
from metrology.scoring.exact import folded
from tests.scoring.scorers import scorer

ALL_FOLDS = ["case", "space", "punctuation", "article"]


def passes(answer: str, **table: object) -> bool:
    return scorer(kind="exact", **table).score(Submission(answer)).passed


@pytest.mark.parametrize(
    ("answer", "table", "right"),
    [
        ("Paris", {"expected": ["Paris"]}, True),
        (" Paris\n", {"expected": "Paris"}, True),
        ("paris", {"expected": ["Paris"]}, False),
        ("PARIS", {"expected": ["Paris"], "fold": ["case"]}, True),
        ("STRASSE", {"expected": ["Straße"], "fold": ["case"]}, True),
        ("new   york", {"expected": ["new york"], "fold": ["space"]}, True),
        ("new york", {"expected": ["new  york"]}, False),
        ("Paris.", {"expected": ["Paris"], "fold": ["punctuation"]}, True),
        ("3.5", {"expected": ["35"], "fold": ["punctuation"]}, False),
        ("-5", {"expected": ["5"], "fold": ["punctuation"]}, False),
        ("1,000", {"expected": ["1000"], "fold": ["punctuation"]}, False),
        ("50%", {"expected": ["50"], "fold": ["punctuation"]}, False),
        ("U.S.A.", {"expected": ["USA"], "fold": ["punctuation"]}, True),
        ("the cat", {"expected": ["cat"], "fold": ["article"]}, True),
        ("cafe\u0301", {"expected": ["caf\u00e9"]}, True),
        ("b", {"expected": ["a", "b"]}, True),
        ("", {"expected": ["a"]}, False),
        ("first\nsecond", {"expected": ["first"], "take": "first_line"}, True),
        ("\n\nfirst\nsecond\n\n", {"expected": ["second"], "take": "last_line"}, True),
        ("The capital is Paris!", {"expected": ["Paris"], "match": "word"}, True),
        ("Parisian", {"expected": ["Paris"], "match": "word"}, False),
        ("It is 17.", {"expected": ["7"], "match": "word"}, False),
        ("positive or negative", {"expected": ["positive"], "match": "word", "forbidden": ["negative"]}, False),
        ("nonnegative? positive", {"expected": ["positive"], "match": "word", "forbidden": ["negative"]}, True),
        ("a.b", {"expected": ["a?b"]}, False),
    ],
)
def test_answers(answer: str, table: dict[str, object], right: bool) -> None:
    assert passes(answer, **table) is right


def test_the_verdict_carries_hash_and_evidence() -> None:
    judge = scorer(kind="exact", expected=["x"])
    verdict = judge.score(Submission("y"))
    assert (verdict.score, verdict.passed, verdict.scorer) == (0.0, False, judge.identity)
    assert verdict.evidence == "y"
    assert verdict.scorer.startswith("sha256:")


def test_a_missing_artifact_is_a_zero_that_says_so() -> None:
    judge = scorer(kind="exact", expected=["x"], artifact="out.txt")
    assert judge.score(Submission("x", {"out.txt": b"x\n"})).passed
    for artifacts, word in (
        ({}, "not left"),
        ({"out.txt": b"\xff\xfe"}, "UTF-8"),
        ({"out.txt": b"x" * 5_000_000}, "bytes"),
    ):
        verdict = judge.score(Submission("x", artifacts))
        assert verdict.score == 0.0
        assert word in verdict.evidence


@pytest.mark.parametrize(
    ("table", "field"),
    [
        ({}, "expected"),
        ({"expected": []}, "expected"),
        ({"expected": [7]}, "expected.0"),
        ({"expected": ["x"], "fold": ["upper"]}, "fold.0"),
        ({"expected": ["x"], "take": "middle"}, "take"),
        ({"expected": ["x"], "tolerance": 1}, "tolerance"),
        ({"expected": ["x"], "pass_score": 2.0}, "pass_score"),
        ({"expected": ["..."], "fold": ["punctuation"]}, "expected.0"),
        ({"expected": ["not negative"], "forbidden": ["negative"]}, "expected.0"),
    ],
)
def test_a_wrong_table_is_told_at_registration(table: dict[str, object], field: str) -> None:
    (problem,) = problems({"kind": "exact", **table})
    assert problem.field == field
    assert problem.message


def test_an_unknown_kind_names_the_known_ones() -> None:
    (problem,) = problems({"kind": "exakt"})
    assert problem.field == "kind"
    assert "exact" in problem.hint
    assert problems({})[0].field == "kind"


@given(st.text(max_size=40), st.sets(st.sampled_from(ALL_FOLDS)))
def test_folding_twice_changes_nothing_more(text: str, folds: set[str]) -> None:
    fold = frozenset(folds)
    once = folded(text, fold)
    assert folded(once, fold - {"article"}) == once


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30))
def test_an_expected_text_is_right_as_it_stands(text: str) -> None:
    if not problems({"kind": "exact", "expected": [text], "fold": ALL_FOLDS}):
        assert passes(text, expected=[text], fold=ALL_FOLDS)
