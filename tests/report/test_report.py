"""Text and charts of an analysis: same figures, harmless text, alt text."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from metrology.analysis import compare, drift, items, reliability, saturation, validity
from metrology.analysis.request import Request
from metrology.analysis.source import Outcome
from metrology.report.charts import charts, description
from metrology.report.text import blocks, markdown, print_blocks
from tests.analysis.fake_source import FakeSource, matrix

HOSTILE = "[red]<b>\x1b[31mevil|\u202e"
QUESTIONS = {
    "reliability": (reliability, {"scores", "attempts", "components", "plans"}),
    "items": (items, {"scatter", "difficulty"}),
    "saturation": (saturation, {"scores"}),
    "compare": (compare, {"forest"}),
    "drift": (drift, {"control", "control agent-1", "control agent-2", "control agent-3"}),
    "validity": (validity, {"scatter"}),
}


@pytest.fixture(scope="module")
def source():
    agents = [HOSTILE, "agent-1", "agent-2", "agent-3"]
    rows = []
    for night in range(4):
        scores = [[[float(j <= i + (t + night) % 2)] for j in range(6) for t in range(1)] for i in range(4)]
        rows += matrix(scores, agents=agents, campaign=f"night-{night}")
    production = tuple(Outcome(name, None, "", "m", 0.1 * i, 100, False) for i, name in enumerate(agents))
    return FakeSource(rows, production=production)


@pytest.fixture(scope="module", params=QUESTIONS)
def answered(request, source):
    question, names = QUESTIONS[request.param]
    return question.analyse(source, Request("bench")), names


def test_charts_are_valid_and_described(answered):
    analysis, names = answered
    drawn = charts(analysis)
    assert names <= set(drawn)
    for chart in drawn.values():
        document = json.dumps(chart.to_dict(), allow_nan=False)
        assert '"datasets"' in document or '"values"' in document
        assert len(description(chart)) > 20


def test_text_is_shown_never_obeyed(answered):
    analysis, _ = answered
    out = io.StringIO()
    print_blocks(analysis, Console(file=out, width=200, force_terminal=False), rows=3)
    printed = out.getvalue()
    assert "\x1b" not in printed
    assert "\u202e" not in printed
    if analysis.name not in ("items", "saturation"):
        assert "[red]" in printed or "\\x1b" in printed
    assert "coverage: " in printed
    assert "estimand: " in printed
    text = markdown(analysis)
    assert "<b>" not in text.replace("\\<b\\>", "")
    assert "\x1b" not in text


def test_rows_are_cut_and_counted(source):
    analysis = reliability.analyse(source, Request("bench"))
    table = next(b.table for b in blocks(analysis, rows=2) if b.table and b.table.name == "attempts")
    assert len(table.rows) == 2
    assert table.more == len(analysis.table("attempts").rows) - 2
    only = [b.table.name for b in blocks(analysis, tables=("agents",)) if b.table]
    assert only == ["agents"]


def test_figures_of_text_and_table_are_the_same(source):
    analysis = reliability.analyse(source, Request("bench"))
    row = analysis.table("agents").find(agent="agent-2")
    table = next(b.table for b in blocks(analysis) if b.table and b.table.name == "agents")
    line = next(r for r in table.rows if r[0] == "agent-2")
    assert line[1].startswith(f"{100 * row['score']:.1f} % [{100 * row['low_population']:.1f}, ")
