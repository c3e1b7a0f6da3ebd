import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrology.stats.changepoints import pelt, pettitt
from metrology.stats.results import StatsInputError
from tests.stats import golden
from tests.stats.soundness import sound


def test_reference_change_points():
    want = golden.value("cpt.pelt_mean@drift")
    found = pelt(golden.table("drift").x, penalty=want["pen"], sigma=1.0)
    assert golden.agrees("cpt.pelt_mean@drift", {"cpts": list(found.last_index), "means": list(found.means)})
    test = pettitt(golden.table("nile").flow)
    assert golden.agrees("cpt.pettitt@nile", {"K": test.statistic, "at": test.last_index[0], "p": test.p})


@given(st.lists(st.floats(-3, 3), min_size=8, max_size=11), st.integers(1, 4), st.floats(0.1, 6))
def test_segmentation_is_the_cheapest_of_all(series, min_size, penalty):
    values = np.round(series, 3)

    def cost(ends):
        return sum(((part - part.mean()) ** 2).sum() for part in np.split(values, ends)) + penalty * len(ends)

    allowed = range(min_size, len(values) - min_size + 1)
    choices = [
        ends
        for count in range(len(values) // min_size)
        for ends in itertools.combinations(allowed, count)
        if all(b - a >= min_size for a, b in itertools.pairwise((0, *ends, len(values))))
    ]
    found = pelt(values, penalty=penalty, sigma=1, min_size=min_size)
    assert cost(found.last_index) == pytest.approx(min(map(cost, choices)), abs=1e-9)


def test_sigma_from_the_data_and_missing_runs():
    steps = np.r_[np.zeros(30), np.full(30, 50.0)] + np.random.default_rng(1).normal(size=60) * 5
    assert pelt(steps).last_index == (30,)
    holes = steps.tolist()
    holes[3] = holes[40] = None
    found = pelt(holes)
    assert (found.last_index, found.codes, found.n["points"]) == ((30,), ("MISSING",), 58)
    assert pettitt(holes).last_index == (30,)
    assert pelt(1e6 + steps).last_index == (30,)


def test_short_and_flat_series():
    assert pelt([0.5, 0.6, 0.7]).codes == ("TOO_FEW_POINTS",)
    assert pettitt([0.5] * 7).codes == ("TOO_FEW_POINTS",)
    flat = pelt([0.5] * 9)
    assert (flat.last_index, flat.means, flat.codes) == ((), (0.5,), ("ZERO_VARIANCE",))
    assert (pettitt([0.5] * 9).p, pettitt([0.5] * 9).last_index) == (1.0, ())
    frozen = pelt([0.5] * 9 + [0.7] * 9)
    assert (frozen.status, frozen.codes) == ("undefined", ("ZERO_VARIANCE",))
    assert pelt([0.5] * 9 + [0.7] * 9, sigma=0.01).last_index == (9,)


@pytest.mark.parametrize(
    "call",
    [lambda: pelt([1], penalty=0), lambda: pelt([1], sigma=-1), lambda: pelt([1], min_size=0), lambda: pettitt("ab")],
)
def test_bad_input_is_named(call):
    with pytest.raises(StatsInputError, match="`"):
        call()


values = st.one_of(st.none(), st.sampled_from([0.0, 0.1, 1e100, -1e100, 1e-300]), st.floats(-1, 1))


@given(st.lists(values, min_size=6, max_size=20), st.integers(1, 5))
def test_change_points_are_sound_on_any_series(series, min_size):
    for found in (pelt(series, min_size=min_size), pelt(series, sigma=0.1), pettitt(series)):
        assert sound(found)
        if found.status != "undefined":
            assert len(found.means) == len(found.last_index) + 1
            assert list(found.last_index) == sorted(set(found.last_index))


@given(st.lists(st.floats(-1, 1), min_size=8, max_size=15))
def test_reversed_series_has_the_same_rank_statistic(series):
    assert pettitt(series).statistic == pettitt(series[::-1]).statistic
