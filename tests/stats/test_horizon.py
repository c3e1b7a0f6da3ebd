import numpy as np
import pytest
import scipy.special
import statsmodels.api
from hypothesis import given
from hypothesis import strategies as st

from metrology.stats.horizon import time_horizon
from metrology.stats.results import StatsInputError
from tests.stats import golden
from tests.stats.soundness import sound

MINUTES = [1.0, 2, 5, 10, 30, 60, 120, 240]


@pytest.mark.parametrize("agent", [1, 2, 3])
def test_reference_horizons(agent):
    rows = golden.table("horizon")
    rows = rows[rows.agent == agent]
    h = time_horizon(rows.minutes, rows.score)
    w = time_horizon(rows.minutes, rows.score, tasks=rows.task, families=rows.family, weighting="family")
    found = {"intercept": h.intercept, "slope": h.slope, "p50_minutes": h.p50.value, "p80_minutes": h.p80.value}
    found |= {"se_log2_p50": h.se_log2_p50, "p50_invsqrt_family_weight": w.p50.value, "slope_weighted": w.slope}
    assert golden.agrees(f"horizon.agent{agent}@hor", found)
    assert (w.p50.low, w.se_log2_p50) == (None, None)
    assert h.p50.low < h.p50.value < h.p50.high


def test_against_statsmodels():
    r = np.random.default_rng(5)
    minutes = np.exp(r.uniform(0, 6, 60))
    passed = (r.random(60) < scipy.special.expit(3 - 0.7 * np.log2(minutes))).astype(float)
    fit = statsmodels.api.Logit(passed, statsmodels.api.add_constant(np.log2(minutes))).fit(disp=False)
    h = time_horizon(minutes, passed)
    assert (h.intercept, h.slope) == pytest.approx(tuple(fit.params), rel=1e-6)


def test_separated_runs_give_bounds_only():
    everything = time_horizon(MINUTES, [1] * 8)
    assert (everything.codes, everything.p50.low, everything.p50.high) == (("SEPARATION",), 240.0, None)
    nothing = time_horizon(MINUTES, [0] * 8)
    assert (nothing.codes, nothing.p50.low, nothing.p50.high) == (("SEPARATION",), None, 1.0)
    split = time_horizon(MINUTES, [1, 1, 1, 1, 0, 0, 0, 0])
    assert (split.status, split.p50.low, split.p50.high) == ("undefined", 10.0, 30.0)
    backwards = time_horizon(MINUTES, [0, 0, 0, 0, 1, 1, 1, 1])
    assert (backwards.codes, backwards.p50.low) == (("SEPARATION", "WRONG_SIGN"), None)
    assert time_horizon([5, 5, 5], [1, 0, 1]).p50.low is None
    assert time_horizon([], []).codes == ("NO_DATA",)


def test_success_that_rises_with_length_has_no_horizon():
    h = time_horizon(MINUTES, [0, 1, 0, 0, 1, 0, 1, 1])
    assert (h.status, h.codes, h.p50.value) == ("warn", ("WRONG_SIGN",), None)
    assert h.slope > 0


def test_horizons_beyond_the_tasks_are_marked():
    weak = time_horizon(MINUTES * 3, ([0] * 8) + ([0] * 8) + [1, 0, 0, 1, 0, 0, 0, 0])
    assert "EXTRAPOLATION" in weak.p80.codes
    assert time_horizon([*MINUTES, 3], [1, 1, 0, 1, 1, 0, 0, 0, None]).codes[:1] == ("MISSING",)


@pytest.mark.parametrize(
    "call",
    [
        lambda: time_horizon([1, 2], [1]),
        lambda: time_horizon([1, 0], [1, 0]),
        lambda: time_horizon([1, 2], [1, 0.5]),
        lambda: time_horizon([1, 2, 3, 4], [1, 0, 1, 0], weighting="family"),
        lambda: time_horizon([1, 2], [1, 0], weighting="task"),
        lambda: time_horizon([1, 2], [1, 0], tasks=["a"]),
        lambda: time_horizon([1, 2, 1, 2], [1, 0, 0, 1], tasks=[1, 2, 1, 2], families=[1, 1, 2, 1], weighting="family"),
    ],
)
def test_bad_input_is_named(call):
    with pytest.raises(StatsInputError, match=r"`|differ"):
        call()


runs = st.tuples(
    st.one_of(st.none(), st.sampled_from([1e-100, 1.0, 2.0, 4.0, 1e100]), st.floats(0.1, 1e4)),
    st.sampled_from([0, 1, 0, 1, None]),
)


@given(st.lists(runs, max_size=12))
def test_horizon_is_sound_and_blind_to_order(data):
    minutes, passed = [a for a, _ in data], [b for _, b in data]
    tasks, families = [str(m) for m in minutes], [str(m)[:1] for m in minutes]
    there = time_horizon(minutes, passed)
    assert sound(there)
    assert sound(time_horizon(minutes, passed, tasks=tasks, families=families, weighting="family"))
    back = time_horizon(minutes[::-1], passed[::-1])
    assert back.codes == there.codes
    if there.p50.value is not None:
        assert back.slope == pytest.approx(there.slope, rel=1e-6)
