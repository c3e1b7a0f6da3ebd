import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from metrology.stats.power import (
    agents_for_correlation,
    items_for_difference,
    items_for_mcnemar,
    minimum_detectable_difference,
    units_for_paired_t,
)
from metrology.stats.results import StatsInputError
from tests.stats import golden
from tests.stats.soundness import sound


def inputs():
    q = golden.value("eb.power.miller_n")
    return {
        "between_variance": q["w2"],
        "within_variance_a": q["sA2"],
        "within_variance_b": q["sB2"],
        "trials_a": q["KA"],
        "trials_b": q["KB"],
        "alpha": q["alpha"],
        "power": q["power"],
    }


def test_reference_plans():
    plan = items_for_difference(golden.value("eb.power.miller_n")["delta"], **inputs())
    assert golden.agrees("eb.power.miller_n", {"n": plan.n})
    want = golden.value("eb.power.miller_mde")
    assert golden.agrees(
        "eb.power.miller_mde", {"mde": minimum_detectable_difference(want["n"], **inputs()).difference}
    )
    assert golden.agrees("power.corr", agents_for_correlation(0.5).n)
    assert golden.agrees("power.paired_t", units_for_paired_t(0.03, 0.1).n)
    assert golden.agrees("power.mcnemar", items_for_mcnemar(0.12, 0.06).n)


def test_detectable_difference_undoes_the_number_of_items():
    plan = items_for_difference(-0.04, **inputs())
    assert minimum_detectable_difference(plan.n, **inputs()).difference == pytest.approx(0.04)


def test_planned_pairs_have_the_planned_power():
    plan = units_for_paired_t(0.6, 1.0, power=0.9)
    n = int(np.ceil(plan.n))
    draws = np.random.default_rng(4).normal(0.6, 1.0, (4000, n))
    assert 0.88 < (scipy.stats.ttest_1samp(draws, 0, axis=1).pvalue < 0.05).mean() < 0.94


def test_no_difference_cannot_be_planned_for():
    assert items_for_difference(0, **inputs()).codes == ("ZERO_DENOMINATOR",)
    assert items_for_mcnemar(0.1, 0.1).codes == ("ZERO_DENOMINATOR",)
    assert units_for_paired_t(0, 1).codes == ("ZERO_DENOMINATOR",)
    assert agents_for_correlation(0).codes == ("ZERO_DENOMINATOR",)
    nothing = {"between_variance": 0, "within_variance_a": 0, "within_variance_b": 0}
    assert items_for_difference(0.1, **nothing).codes == ("ZERO_VARIANCE",)
    assert minimum_detectable_difference(10, **nothing).difference is None
    assert units_for_paired_t(1e9, 1).n == 2.0


@pytest.mark.parametrize(
    "call",
    [
        lambda: items_for_difference(0.1, between_variance=-1, within_variance_a=0, within_variance_b=0),
        lambda: items_for_difference(0.1, between_variance=1, within_variance_a=0, within_variance_b=0, trials_a=0),
        lambda: items_for_difference(0.1, between_variance=1, within_variance_a=0, within_variance_b=0, alpha=0),
        lambda: minimum_detectable_difference(0, between_variance=1, within_variance_a=0, within_variance_b=0),
        lambda: items_for_mcnemar(0.7, 0.6),
        lambda: items_for_mcnemar(-0.1, 0.6),
        lambda: units_for_paired_t(1, 0),
        lambda: units_for_paired_t(1, 1, alpha=0.5, power=0.4),
        lambda: agents_for_correlation(1.0),
    ],
)
def test_bad_input_is_named(call):
    with pytest.raises(StatsInputError, match="`"):
        call()


@given(st.floats(1e-6, 0.99), st.floats(0.001, 0.3), st.floats(0.31, 0.999))
def test_plans_are_sound_and_grow_with_power(effect, alpha, power):
    for plan in (
        lambda p: units_for_paired_t(effect, 1.0, alpha=alpha, power=p),
        lambda p: agents_for_correlation(effect, alpha=alpha, power=p),
        lambda p: items_for_mcnemar(0.5 + effect / 2, 0.5 - effect / 2, alpha=alpha, power=p),
    ):
        some, more = plan(power), plan((1 + power) / 2)
        assert sound(some)
        assert more.n >= some.n * (1 - 1e-9)
