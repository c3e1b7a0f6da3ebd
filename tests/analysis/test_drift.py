"""Campaign by campaign: limits, short baselines, infrastructure trouble, check standards."""

from __future__ import annotations

import numpy as np
import pytest

from metrology.analysis.drift import analyse
from metrology.analysis.request import Request
from metrology.errors import InputError
from tests.analysis.fake_source import FakeSource, matrix


def nights(n, *, drop_at=None, lost_at=None, items=30, trials=4):
    """The check standard stands still; the other agent falls at ``drop_at``; verdicts are lost at ``lost_at``."""
    rng = np.random.default_rng(3)
    rows = []
    for night in range(n):
        share = np.array([0.7, 0.2 if drop_at is not None and night >= drop_at else 0.7])
        scores = (rng.random((2, items, trials)) < share[:, None, None]).astype(float).tolist()
        if night == lost_at:
            for agent in scores:
                agent[: items // 2] = [[None] * trials] * (items // 2)
        rows += matrix(scores, agents=["standard", "other"], campaign=f"night-{night:02d}")
    return FakeSource(rows, standards=("standard",))


def test_a_moved_agent_is_told_from_a_moved_instrument():
    result = analyse(nights(24, drop_at=22), Request("bench", options={"baseline": 20}))
    verdicts = result.table("verdicts")
    assert verdicts.find(agent="standard")["verdict"].startswith("no signal")
    assert verdicts.find(agent="other")["verdict"] == "moved: agent or instrument"
    points = [r for r in result.table("points").records() if r["agent"] == "other"]
    assert [p["beyond"] for p in points[-2:]] == [True, True]
    assert "stood still" in " ".join(result.answer)
    assert not result.has_warning("SHORT_BASELINE")


def test_laney_chart_sees_the_same():
    result = analyse(nights(24, drop_at=22), Request("bench", options={"baseline": 20, "chart": "laney_p"}))
    assert result.table("verdicts").find(agent="other")["signals"] >= 2
    assert "Laney" in " ".join(result.provenance.methods)


def test_infrastructure_trouble_is_no_drift():
    result = analyse(nights(8, lost_at=5), Request("bench"))
    lost = result.table("points").find(agent="standard", campaign="night-05")
    assert lost["coverage"] == pytest.approx(0.5)
    assert lost["beyond"] is False
    assert "not judged" in lost["note"]
    assert lost["score"] is not None
    assert result.has_warning("INFRASTRUCTURE")
    assert result.table("verdicts").find(agent="standard")["signals"] == 0


def test_short_baseline_is_said():
    assert analyse(nights(6), Request("bench")).has_warning("SHORT_BASELINE")


def test_two_campaigns_have_a_difference_and_no_chart():
    result = analyse(nights(2, drop_at=1), Request("bench"))
    row = result.table("verdicts").find(agent="other")
    assert row["signals"] is None
    assert row["verdict"] == "the last campaign differs from the first"
    assert row["change_high"] < 0
    assert "3 campaigns or more" in row["note"]


def test_one_campaign_says_what_is_needed():
    result = analyse(nights(1), Request("bench"))
    assert "not estimable" in result.answer[0]
    assert result.table("points").rows == ()


def test_wrong_options():
    with pytest.raises(InputError, match="unknown chart"):
        analyse(nights(2), Request("bench", options={"chart": "pie"}))
    with pytest.raises(InputError, match="baseline 1"):
        analyse(nights(2), Request("bench", options={"baseline": 1}))
