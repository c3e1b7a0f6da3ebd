"""The result value: no undefined figure without a reason, strict JSON, frames."""

from __future__ import annotations

import json
import math

import pytest

from metrology.analysis.base import Column, Table
from metrology.analysis.reliability import analyse
from metrology.analysis.request import Request
from metrology.errors import InputError, NotFoundError
from tests.analysis.fake_source import FakeSource, matrix

COLUMNS = (Column("agent", "agent"), Column("score", "score", "score"), Column("note", "note"))


def test_undefined_figure_needs_a_reason():
    Table("t", COLUMNS, (("a", None, "nothing measured"),))
    with pytest.raises(ValueError, match="undefined without a reason"):
        Table("t", COLUMNS, (("a", None, ""),))


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_no_value_that_json_cannot_hold(value):
    with pytest.raises(ValueError, match="not finite"):
        Table("t", COLUMNS, (("a", value, ""),))


def test_width_and_kind_are_checked():
    with pytest.raises(ValueError, match="2 values for 3 columns"):
        Table("t", COLUMNS, (("a", 0.5),))
    with pytest.raises(ValueError, match="unknown kind"):
        Column("x", "x", "percent")


def test_json_and_frame_agree():
    result = analyse(FakeSource(matrix([[[1, 0], [1, 1]], [[0, 0], [0, 1]]])), Request("bench"))
    document = json.loads(result.to_json())
    assert document["schema"] == "metrology.analysis/1"
    assert document == json.loads(json.dumps(result.to_document(), allow_nan=False))
    frame = result.to_frame()
    assert list(frame["agent"]) == [row["agent"] for row in document["tables"]["agents"]["rows"]]
    assert list(result.to_frame("missing").columns) == ["agent", "status", "trials"]
    assert document["coverage"]["share"] == 1
    assert set(document["provenance"]["libraries"]) == {"numpy", "scipy", "statsmodels"}


def test_request_parses_name_version_and_options():
    request = Request.parse("bench@1.0.0", agents="a", campaigns=["c", "d"], seed=3, k=4, plans=None)
    assert (request.benchmark, request.version) == ("bench", "1.0.0")
    assert (request.agents, request.campaigns, request.seed) == (("a",), ("c", "d"), 3)
    assert dict(request.options) == {"k": 4}
    assert Request.parse("bench", k="4").option("k", int) == 4


def test_unknown_things_are_named():
    source = FakeSource(matrix([[1, 0], [0, 1]]))
    with pytest.raises(InputError, match="unknown option 'trails'"):
        analyse(source, Request("bench", options={"trails": 4}))
    with pytest.raises(InputError, match="is not int"):
        analyse(source, Request("bench", options={"k": "four"}))
    with pytest.raises(InputError, match="ITEMSxTRIALS"):
        analyse(source, Request("bench", options={"plans": "12-4"}))
    with pytest.raises(NotFoundError, match="no campaign 'x'"):
        analyse(source, Request("bench", campaigns=("x",)))
    with pytest.raises(NotFoundError, match="'nobody' was not measured"):
        analyse(source, Request("bench", agents=("nobody",)))
    with pytest.raises(NotFoundError, match="nothing was measured yet"):
        analyse(FakeSource([]), Request("bench"))
    with pytest.raises(InputError, match="level"):
        Request("bench", level=95)
