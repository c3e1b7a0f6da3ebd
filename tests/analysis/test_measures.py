"""What is pooled, left out, bracketed and refused, on small worked examples."""

from __future__ import annotations

import numpy as np
import pytest

from metrology.analysis import compare, items, reliability, saturation
from metrology.analysis.blocks import complete_block
from metrology.analysis.request import Request
from metrology.analysis.variance import LARGEST_REML, split
from metrology.analysis.wording import Notices
from metrology.domain.agent import AgentConfiguration
from metrology.stats.cells import Cells
from tests.analysis.fake_source import FakeSource, Row, matrix


def noop(name):
    return AgentConfiguration(name, {"requested": name}, {"kind": "scripted", "mode": name}, {})


@pytest.fixture(scope="module")
def guttman():
    """Six agents x six items in a perfect order of difficulty, the last item reversed, the first constant."""
    scores = [[1.0] + [float(i > j) for j in range(1, 5)] + [float(i < 3)] for i in range(6)]
    return FakeSource(matrix([[[s, s] for s in row] for row in scores]))


def test_controls_are_shown_but_do_not_count(guttman):
    extra = [Row(name, f"item-{j}", float(name == "reference")) for name in ("noop", "reference") for j in range(6)]
    source = FakeSource(guttman.rows + extra, {"noop": noop("noop"), "reference": noop("reference")})
    result = saturation.analyse(source, Request("bench"))
    assert result.table("summary").find(figure="top_score")["value"] < 1
    assert result.has_warning("CONTROLS_LEFT_OUT")
    with_them = saturation.analyse(source, Request("bench", include_controls=True))
    assert with_them.table("summary").find(figure="top_score")["value"] == 1
    ranked = compare.analyse(source, Request("bench")).table("ranking")
    assert ranked.find(agent="reference")["rank_group"] is None
    assert "checks the instrument" in ranked.find(agent="reference")["note"]


def test_quarantined_items_do_not_count(guttman):
    source = FakeSource(guttman.rows, states={"item-5": "quarantined"})
    result = items.analyse(source, Request("bench"))
    assert "item-5" not in result.table("items").values("item")
    assert result.table("left_out").rows == (("item-5", "quarantined"),)
    assert result.has_warning("ITEMS_LEFT_OUT")


def test_items_never_planned_are_named(guttman):
    result = items.analyse(FakeSource(guttman.rows, states={"item-9": "active"}), Request("bench"))
    assert "item-9" in next(n.sentence for n in result.warnings if n.code == "ITEMS_NOT_PLANNED")


def test_reversed_and_constant_items(guttman):
    result = items.analyse(guttman, Request("bench"))
    assert result.table("items").find(item="item-0")["class"] == "constant"
    suspects = result.table("suspects")
    assert "item-5" in suspects.values("item")
    assert suspects.find(item="item-5")["item_rest"] < 0
    assert result.has_warning("FEW_AGENTS")
    assert "item-5" in " ".join(result.answer)


def test_one_agent_is_refused_in_words():
    result = reliability.analyse(FakeSource(matrix([[[1, 0], [1, 1], [0, 0]]])), Request("bench"))
    assert result.facts["generalizability"] is None
    assert result.has_warning("NOT_ESTIMABLE")
    assert "at least two agents" in " ".join(result.answer)


def test_planned_but_unmeasured_agent_stays():
    rows = matrix([[1, 0, 1]]) + [Row("late", f"item-{j}", None, None) for j in range(3)]
    result = reliability.analyse(FakeSource(rows), Request("bench"))
    row = result.table("agents").find(agent="late")
    assert (row["score"], row["planned"], row["measured"]) == (None, 3, 0)
    assert (row["lowest_possible"], row["highest_possible"]) == (0, 1)
    assert result.table("missing").find(agent="late")["status"] == "no result stored"
    assert len(result.table("unmeasured").rows) == 3


def test_all_items_of_one_family_keep_their_score():
    source = FakeSource(matrix([[1, 0, 1, 1], [0, 0, 1, 0]]), families={f"item-{j}": "only" for j in range(4)})
    result = reliability.analyse(source, Request("bench"))
    assert result.table("agents").find(agent="agent-0")["score"] == pytest.approx(0.75)
    assert result.has_warning("ONE_FAMILY")


def test_too_large_unbalanced_table_is_refused_by_size():
    side = 600
    assert side**3 > LARGEST_REML
    n = np.ones((side, side), dtype=np.int64)
    n[0, 0] = 2
    passes = np.zeros_like(n)
    passes[::2] = 1
    answer = split(Cells.from_counts(passes, n), (), 0.95, Notices())
    assert answer.components is None
    assert "more than the REML fit takes" in answer.refusal


def test_block_keeps_all_agents_while_they_share_enough():
    n = np.ones((4, 40), dtype=np.int64)
    n[3, :20] = 0
    block = complete_block(Cells.from_counts(np.zeros_like(n), n))
    assert (len(block.cells.agents), len(block.cells.items)) == (4, 20)
    n[3, :39] = 0
    block = complete_block(Cells.from_counts(np.zeros_like(n), n))
    assert block.agents_left_out == ("4",)
    assert len(block.cells.items) == 40


def test_order_of_rows_changes_no_figure(guttman):
    turned = FakeSource(guttman.rows[::-1])
    for question in (reliability, items, saturation, compare):
        first = question.analyse(guttman, Request("bench")).facts
        second = question.analyse(turned, Request("bench")).facts
        assert first == pytest.approx(second, nan_ok=False)


def test_saturation_dates_only_what_is_identified(guttman):
    result = saturation.analyse(guttman, Request("bench"))
    assert result.table("growth").rows == ()
    assert "no trial carries a date" in " ".join(result.answer)
    index = result.table("summary").find(figure="saturation_index")
    assert "paired" in index["label"]


def test_tie_group_at_the_top():
    rng = np.random.default_rng(5)
    ability = np.array([0.9, 0.88, 0.2])
    scores = (rng.random((3, 60)) < ability[:, None]).astype(float)
    result = compare.analyse(FakeSource(matrix(scores.tolist())), Request("bench"))
    groups = {r["agent"]: r["rank_group"] for r in result.table("ranking").records()}
    assert groups == {"agent-0": 1, "agent-1": 1, "agent-2": 2}
    assert "not separable" in " ".join(result.answer)
    assert "McNemar" in " ".join(result.table("pairs").values("test"))
