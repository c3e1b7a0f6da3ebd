"""What every result must satisfy, whatever the data: no NaN, no value without status, no interval without width."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from metrology.stats.results import Estimate, Result, ordered_codes


def sound(result: Any) -> bool:
    """Assert the invariants on a result and everything inside it."""
    if isinstance(result, Result):
        json.dumps(result.to_dict(), allow_nan=False)
        status, codes = getattr(result, "status", "ok"), getattr(result, "codes", ())
        assert status in ("ok", "warn", "undefined", "refused")
        assert codes == ordered_codes(codes)
        assert codes or status in ("ok", "warn")
        if isinstance(result, Estimate):
            assert (result.value is None) == (status in ("undefined", "refused"))
            assert result.se is None or result.se >= 0
            if result.low is not None and result.high is not None:
                assert result.low < result.high or "DEGENERATE_CI" in codes
                assert result.level is not None
        return all(sound(getattr(result, field.name)) for field in dataclasses.fields(result))
    if isinstance(result, Mapping):
        return all(sound(part) for part in result.values())
    assert not isinstance(result, list)
    if isinstance(result, tuple):
        return all(sound(part) for part in result)
    assert not isinstance(result, float) or math.isfinite(result)
    return True


def trial_tables(
    *, scores: st.SearchStrategy[Any] | None = None, largest: tuple[int, int, int] = (5, 6, 3)
) -> st.SearchStrategy[list[list[list[Any]]]]:
    """Small tables scores[agents, items, trials] with missing trials."""
    score = scores if scores is not None else st.sampled_from([0.0, 1.0, 1.0, None])
    sizes = st.tuples(*(st.integers(1, size) for size in largest))
    return sizes.flatmap(
        lambda size: st.lists(
            st.lists(st.lists(score, min_size=size[2], max_size=size[2]), min_size=size[1], max_size=size[1]),
            min_size=size[0],
            max_size=size[0],
        )
    )


hostile_scores = st.one_of(
    st.sampled_from([0.0, 1.0, 0.5, None, float("nan"), 1e50, -1e50, 1e-200, 1e-9, 0.1, 1 / 3]),
    st.floats(-1e50, 1e50),
)
