"""What every scorer must bear: hostile answers end in a storable verdict of 0, or in no verdict, never in a crash."""

from __future__ import annotations

import asyncio
import math

from metrology.domain.verdict import Verdict
from metrology.scoring.base import Scorer, ScoringError, Submission

HOSTILE_ANSWERS: tuple[str, ...] = (
    "",
    " \t\r\n\v\f",
    "\0",
    "a\0b\0" * 1_000,
    "\ud800",
    "x\udfff\udc80",
    "9" * 1_000_000,
    "0." + "3" * 1_000_000,
    "1e" + "9" * 5_000,
    "-" * 100_000 + "1",
    "[" * 100_000,
    '{"a":' * 50_000,
    "{" * 200_000,
    '"' * 200_001,
    "x" * 5_000_000,
    "a " * 400_000,
    "\u202e\u2066evil\u2069",
    "NaN",
    "Infinity",
    "<script>alert(1)</script>\x1b[2J",
    "e\u0301" * 50_000,
    "\u00df" * 100_000,
    "\n" * 500_000,
)  # fmt: skip


def check_scorer(scorer: Scorer, *, right: Submission, wrong: Submission) -> None:
    """Assert the contract of a scorer on one right, one wrong and many hostile submissions.

    Raises:
        AssertionError: the contract is broken; the message says where.
    """
    assert judged(scorer, right).passed, "the right submission must pass"
    first, second = judged(scorer, wrong), judged(scorer, wrong)
    assert not first.passed, "the wrong submission must not pass"
    assert first.score == second.score, "the same submission must get the same score"
    for answer in HOSTILE_ANSWERS:
        evidence, passed = _hostile(scorer, Submission(answer, {"artifact": answer.encode("utf-8", "replace")}))
        assert storable(evidence), f"evidence that no database takes, for {answer[:20]!r}"
        assert not passed, f"a hostile answer passed: {answer[:20]!r}"


def _hostile(scorer: Scorer, submission: Submission) -> tuple[str, bool]:
    try:
        verdict = judged(scorer, submission)
    except ScoringError as error:
        return error.evidence, False
    return verdict.evidence, verdict.passed


def judged(scorer: Scorer, submission: Submission) -> Verdict:
    """Return the verdict of one submission after checking its form."""
    verdict = asyncio.run(scorer.judge(submission)) if scorer.needs_process else scorer.score(submission)
    assert 0 <= verdict.score <= 1, "a score lies in [0, 1]"
    assert math.isfinite(verdict.score), "a score is finite"
    assert all(0 <= value <= 1 for value in verdict.criteria.values()), "criteria lie in [0, 1]"
    assert verdict.scorer == scorer.identity, "a verdict carries the scorer's hash"
    assert storable(verdict.evidence), "evidence must be storable text"
    return verdict


def storable(text: str) -> bool:
    """Return whether every database and page takes the text: well-formed, no NUL, not endless."""
    return "\0" not in text and len(text) <= 20_000 and not any("\ud800" <= c <= "\udfff" for c in text)
