import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrology.stats.consensus import normalized_error, random_effects
from metrology.stats.results import StatsInputError
from tests.stats import golden
from tests.stats.soundness import sound

METHODS = ["DL", "PM", "REML"]


def data():
    want = golden.value("consensus.DL")
    return want["y"], want["se"]


@pytest.mark.parametrize("method", ["DL", "REML"])
def test_reference_consensus(method):
    result = random_effects(*data(), method=method, interval="z")
    found = {"mu": result.mean.value, "se_mu": result.mean.se, "Q": result.q, "p_Q": result.p_q, "I2": result.i2}
    want = golden.value(f"consensus.{method}")
    # the file's tolerance would hide an error of the variance, which is as small as 1e-5
    assert result.between_variance == pytest.approx(want["tau2"], rel=2e-3)
    assert found == pytest.approx({part: want[part] for part in found}, rel=1e-3, abs=1e-6)


def test_reference_small_sample_interval_and_normalized_error():
    mean = random_effects(*data()).mean
    assert golden.agrees("consensus.REML_hksj", {"lower": mean.low, "upper": mean.high, "se": mean.se})
    y, se = data()
    found = [normalized_error(v, 2 * u, y[0], 2 * se[0]).value for v, u in zip(y[1:], se[1:], strict=True)]
    assert golden.agrees("consensus.En", found)


def test_paule_mandel_makes_q_its_expectation():
    y, se = (np.array(v) for v in data())
    weights = 1 / (se**2 + random_effects(y, se, method="PM").between_variance)
    center = (weights * y).sum() / weights.sum()
    assert (weights * (y - center) ** 2).sum() == pytest.approx(len(y) - 1)


def test_restricted_likelihood_is_at_its_maximum():
    y, se = (np.array(v) for v in data())

    def deviance(between):
        weights = 1 / (se**2 + between)
        center = (weights * y).sum() / weights.sum()
        return -np.log(weights).sum() + math.log(weights.sum()) + (weights * (y - center) ** 2).sum()

    found = random_effects(y, se).between_variance
    assert deviance(found) <= min(deviance(found * 0.99), deviance(found * 1.01), deviance(0))


def test_equal_errors_have_the_analysis_of_variance_estimate():
    y = np.array([0.5, 0.7, 0.6, 0.9])
    for method in METHODS:
        result = random_effects(y, [0.05] * 4, method=method)
        assert result.between_variance == pytest.approx(y.var(ddof=1) - 0.05**2)
        assert (result.mean.value, result.mean.se) == pytest.approx((y.mean(), y.std(ddof=1) / 2))
        assert result.mean.df == 3


def test_limits():
    assert random_effects([0.6], [0.01]).codes == ("TOO_FEW_UNITS",)
    same = random_effects([0.6, 0.6, 0.6], [0.01, 0.02, 0.01])
    assert (same.mean.value, same.mean.low, same.codes) == (pytest.approx(0.6), None, ("ZERO_VARIANCE",))
    assert random_effects([0.6, 0.6], [0.01, 0.02], interval="z").mean.low is not None
    assert random_effects([0.6, None, 0.7], [0.01, 0.02, 0.03]).codes == ("MISSING",)
    assert normalized_error(1, 0, 1, 0).codes == ("ZERO_DENOMINATOR",)
    assert normalized_error(1, 0.3, 2, 0.4).value == pytest.approx(-2)
    assert normalized_error(None, 0.3, 2, 0.4).codes == ("NO_DATA",)


@pytest.mark.parametrize(
    "call",
    [
        lambda: random_effects([1, 2], [0.1]),
        lambda: random_effects([1, 2], [0.1, 0]),
        lambda: random_effects([1, 2], [0.1, 0.1], method="ML"),
        lambda: random_effects([1, 2], [0.1, 0.1], interval="t"),
        lambda: random_effects([1, 2], [1e-90, 0.1]),
        lambda: normalized_error(1, -0.1, 1, 0.1),
    ],
)
def test_bad_input_is_named(call):
    with pytest.raises(StatsInputError, match=r"`|differ"):
        call()


results = st.tuples(
    st.one_of(st.none(), st.sampled_from([0.0, 0.6]), st.floats(-1e6, 1e6)),
    st.one_of(st.sampled_from([1e-6, 0.01, 0.1]), st.floats(1e-6, 1e6)),
)


@given(st.lists(results, max_size=7), st.sampled_from(METHODS), st.sampled_from(["z", "hksj"]))
def test_consensus_is_sound_and_blind_to_order(pairs, method, interval):
    y, se = [a for a, _ in pairs], [b for _, b in pairs]
    there = random_effects(y, se, method=method, interval=interval)
    assert sound(there)
    if there.mean.value is not None:
        back = random_effects(y[::-1], se[::-1], method=method, interval=interval)
        assert there.between_variance >= 0
        assert 0 <= there.i2 <= 100
        scale = max(abs(v) for v in y if v is not None) + max(se)
        assert back.mean.value == pytest.approx(there.mean.value, rel=1e-4, abs=1e-6 * scale)


@given(*[st.one_of(st.none(), st.floats(0, 1e90))] * 4)
def test_normalized_errors_are_sound(value, uncertainty, reference, reference_uncertainty):
    assert sound(normalized_error(value, uncertainty, reference, reference_uncertainty))
