import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from metrology.stats.reliability import intraclass_correlation
from metrology.stats.results import StatsInputError
from metrology.stats.validity import (
    disattenuate,
    kendall,
    leave_one_out,
    partial_correlation,
    pearson,
    spearman,
    williams_test,
)
from tests.stats import golden
from tests.stats.soundness import sound

SETS = ["prod", "prod7"]


def columns(name):
    rows = golden.table(name)
    return rows.benchmark.to_numpy(), rows.production.to_numpy(), rows.cost.to_numpy()


@pytest.mark.parametrize("name", SETS)
def test_reference_correlations(name):
    x, y, cost = columns(name)
    r, rho, tau = pearson(x, y), spearman(x, y), kendall(x, y)
    e = r.estimate
    found = {"r": e.value, "lower": e.low, "upper": e.high, "t": r.statistic, "p": r.p}
    assert golden.agrees(f"cor.pearson@{name}", found)
    assert golden.agrees(f"cor.spearman@{name}", {"rho": rho.estimate.value})
    assert golden.agrees(f"cor.kendall@{name}", {"tau": tau.estimate.value, "p_exact": tau.p})
    assert golden.agrees(f"cor.spearman_ci_bonett_wright@{name}", [rho.estimate.low, rho.estimate.high])
    assert golden.agrees(f"cor.kendall_ci_fieller@{name}", [tau.estimate.low, tau.estimate.high])
    assert golden.agrees(f"cor.partial_given_cost@{name}", partial_correlation(x, y, cost).estimate.value)
    jackknife = leave_one_out(x, y)
    assert golden.agrees(f"cor.leave_one_out_range@{name}", {"min": jackknife.low, "max": jackknife.high})
    want = golden.value(f"cor.disattenuated@{name}")
    d = disattenuate(r.estimate, want["rxx"], want["ryy"])
    found = {"r_corrected": d.estimate.value, "lower": d.estimate.low, "upper": d.estimate.high}
    assert golden.agrees(f"cor.disattenuated@{name}", found | {"max_observable": d.ceiling})


def test_reference_permutation_and_williams():
    x, y, _ = columns("prod7")
    assert golden.agrees("cor.pearson_exact_permutation_p@prod7", pearson(x, y).p_permutation)
    assert golden.agrees("cor.spearman_exact_permutation_p@prod7", spearman(x, y).p_permutation)
    x, y, cost = columns("prod")
    r = np.corrcoef([x, y, cost])
    test = williams_test(r[0, 1], r[2, 1], r[0, 2], len(x))
    assert golden.agrees("cor.williams_dependent@prod", {"t": test.statistic, "p": test.p})


def test_reference_retest():
    rows = golden.table("prod")
    both = rows[["benchmark", "benchmark_retest"]].to_numpy()
    found = {
        "pearson": pearson(both[:, 0], both[:, 1]).estimate.value,
        "icc31": intraclass_correlation(both, form="3,1").value,
        "icc21": intraclass_correlation(both, form="2,1").value,
    }
    assert golden.agrees("cor.retest_reliability@prod", found)


def test_few_agents_and_degenerate_values():
    assert pearson([1, 2], [3, 5]).estimate.codes == ("TOO_FEW_AGENTS",)
    three = pearson([1, 2, 3], [1, 2, 4])
    assert (three.status, three.codes) == ("warn", ("TOO_FEW_AGENTS",))
    assert (three.estimate.value, three.estimate.low) == (pytest.approx(0.98198, abs=1e-5), None)
    assert pearson([1, 1, 1, 1], [0.2, 0.5, 0.1, 0.9]).codes == ("ZERO_VARIANCE",)
    perfect = pearson([1, 2, 3, 4, 5], [2, 4, 6, 8, 10])
    assert (perfect.estimate.low, perfect.estimate.high, perfect.codes) == (1.0, 1.0, ("DEGENERATE_CI",))
    assert (perfect.statistic, perfect.p, perfect.p_permutation) == (None, None, 2 / 120)
    assert kendall([1, 2, 3, 4], [1, 3, 2, 4]).codes == ("TOO_FEW_AGENTS",)
    assert spearman([1, 2, None, 4, 5], [1, 3, 2, 5, 4]).codes == ("MISSING",)
    assert spearman([1, 1, 2, 2], [1, 1, 2, 2]).estimate.value == 1.0


def test_vendors_are_counted():
    one_each = pearson([1, 2, 3, 4, 5, 6], [2, 1, 4, 3, 6, 5], families=list("abcdef"))
    assert (one_each.status, one_each.n["families"]) == ("ok", 6)
    clustered = kendall([1, 2, 3, 4, 5, 6], [2, 1, 4, 3, 6, 5], families=["a", "a", "b", "b", None, None])
    assert (clustered.codes, clustered.n["families"]) == (("CLUSTERED_AGENTS",), 4)


def test_kendall_with_ties_and_many_agents():
    x, y = [1, 2, 2, 3, 4, 5], [1, 1, 2, 3, 3, 4]
    tied = kendall(x, y)
    reference = scipy.stats.kendalltau(x, y, method="asymptotic")
    assert (tied.estimate.value, tied.p) == pytest.approx((reference.statistic, reference.pvalue))
    assert tied.statistic == sum(np.sign((x[j] - x[i]) * (y[j] - y[i])) for i in range(6) for j in range(i + 1, 6))
    many = np.random.default_rng(1).normal(size=(2, 300))
    assert kendall(*many).p == pytest.approx(scipy.stats.kendalltau(*many).pvalue, rel=1e-3)


def test_monte_carlo_permutation_meets_enumeration_and_is_seeded():
    x, y = np.random.default_rng(5).normal(size=(2, 9))
    sampled = pearson(x, y)
    assert sampled.p_permutation == pytest.approx(sampled.p, abs=0.05)
    assert pearson(x, y, seed=1) == pearson(x[::-1], y[::-1], seed=1)
    assert pearson(x, y, seed=1).p_permutation != pearson(x, y, seed=2).p_permutation


def test_leave_one_out_names_each_agent():
    result = leave_one_out([1, 2, 3, 10], [1, 3, 2, 10])
    assert result.values[3] == pytest.approx(0.5)
    assert (result.low, result.high) == (min(result.values), max(result.values))
    lonely = leave_one_out([1, 1, 1, 5], [1, 2, 3, 4], method="spearman")
    assert (lonely.values[3], lonely.codes) == (None, ("ZERO_VARIANCE",))
    assert leave_one_out([1, 2, 3], [1, 2, 4]).codes == ("TOO_FEW_AGENTS",)
    assert leave_one_out([1, 2, 3, 5], [1, 2, 3, 4], method="kendall").low == pytest.approx(1)


def test_partial_correlation_by_regression():
    r = np.random.default_rng(8)
    x, y, c = r.normal(size=12), r.normal(size=12), r.normal(size=(12, 2))
    design = np.column_stack([np.ones(12), c])
    rest = [v - design @ np.linalg.lstsq(design, v, rcond=None)[0] for v in (x, y)]
    partial = partial_correlation(x, y, c)
    assert partial.estimate.value == pytest.approx(np.corrcoef(*rest)[0, 1])
    t = partial.estimate.value * math.sqrt(8 / (1 - partial.estimate.value**2))
    assert (partial.statistic, partial.n["controls"]) == (pytest.approx(t), 2)
    redundant = partial_correlation(x, y, np.column_stack([c, c[:, 0] * 2 + 1, np.ones(12)]))
    assert redundant.estimate.value == pytest.approx(partial.estimate.value)
    assert redundant.n["controls"] == 2
    assert partial_correlation(x, y, 3 * x + 1).codes == ("ZERO_VARIANCE",)
    assert partial_correlation(x[:4], y[:4], c[:4]).codes == ("TOO_FEW_AGENTS",)
    assert partial_correlation(x[:5], y[:5], c[:5]).estimate.codes == ("TOO_FEW_AGENTS",)


def test_disattenuation_limits():
    over = disattenuate(0.8, 0.6, 0.7)
    assert (over.estimate.value, over.reported, over.codes) == (pytest.approx(1.2344268), 1.0, ("OVERCORRECTED",))
    assert disattenuate(0.5, -0.1, 0.8).codes == ("NON_POSITIVE_RELIABILITY",)
    assert disattenuate(0.5, None, 0.8).codes == ("NO_DATA",)
    undefined = disattenuate(pearson([1, 2], [2, 1]).estimate, 0.8, 0.8)
    assert (undefined.status, undefined.ceiling) == ("undefined", pytest.approx(0.8))
    assert disattenuate(0.3, 1, 1).estimate.value == 0.3


def test_williams_limits():
    assert williams_test(0.5, 0.4, 0.3, 3).codes == ("TOO_FEW_AGENTS",)
    assert williams_test(0.5, 0.5, 1.0, 10).codes == ("ZERO_DENOMINATOR",)
    assert williams_test(0.5, 0.5, 0.2, 10).p == 1.0
    there, back = williams_test(0.6, 0.3, 0.2, 20), williams_test(0.3, 0.6, 0.2, 20)
    assert (there.statistic, there.p) == (pytest.approx(-back.statistic), pytest.approx(back.p))


@pytest.mark.parametrize(
    "call",
    [
        lambda: pearson([1, 2, 3], [1, 2]),
        lambda: pearson(["a", "b", "c"], [1, 2, 3]),
        lambda: pearson([1, 2, float("inf")], [1, 2, 3]),
        lambda: pearson([1, 2, 3], [1, 2, 3], families=["a"]),
        lambda: pearson([1, 2, 3], [1, 2, 3], level=1.2),
        lambda: spearman([1, 2, 3], [1, 2, 3], draws=0),
        lambda: leave_one_out([1, 2, 3], [1, 2, 3], method="phi"),
        lambda: partial_correlation([1, 2, 3], [1, 2, 3], [1, 2]),
        lambda: williams_test(1.5, 0, 0, 10),
        lambda: williams_test(0.9, 0.9, -0.9, 10),
        lambda: williams_test(0.5, 0.4, 0.3, 4.5),
        lambda: disattenuate(1.1, 0.5, 0.5),
        lambda: disattenuate(0.5, 1.5, 0.5),
    ],
)
def test_bad_input_is_named(call):
    with pytest.raises(StatsInputError, match=r"`|differ|cannot occur"):
        call()


values = st.one_of(
    st.none(),
    st.sampled_from([0.0, 1.0, 0.1, 0.3, 1e100, -1e100, 1e-300, float("nan")]),
    st.floats(-1, 1),
    st.integers(-3, 3).map(float),
)
pairs = st.lists(st.tuples(values, values), max_size=10)


@given(pairs, st.randoms(), st.sampled_from([pearson, spearman]))
def test_correlations_are_sound_and_blind_to_order(data, random, correlation):
    x, y = [a for a, _ in data], [b for _, b in data]
    there = correlation(x, y, draws=49)
    assert sound(there)
    shuffled = random.sample(data, len(data))
    assert correlation([a for a, _ in shuffled], [b for _, b in shuffled], draws=49) == there
    swapped = correlation(y, x, draws=49).estimate
    assert swapped.codes == there.estimate.codes
    if there.estimate.value is not None:
        assert abs(there.estimate.value) <= 1
        assert swapped.value == pytest.approx(there.estimate.value, abs=1e-9)


@given(pairs, pairs)
def test_rank_and_partial_correlations_are_sound(data, more):
    x, y = [a for a, _ in data], [b for _, b in data]
    assert sound(kendall(x, y))
    for method in ("pearson", "spearman", "kendall"):
        assert sound(leave_one_out(x, y, method=method))
    controls = [(more[i] if i < len(more) else (None, 1.0)) for i in range(len(data))]
    assert sound(partial_correlation(x, y, controls))


ratios = st.one_of(st.sampled_from([-1.0, 0.0, 1e-300, 1e-9, 1.0]), st.floats(-1, 1))


@given(ratios, st.one_of(st.none(), ratios), ratios)
def test_disattenuation_is_sound(r, first, second):
    assert sound(disattenuate(r, first, second))


@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(-1, 1), st.integers(0, 10**9))
def test_williams_is_sound_wherever_the_correlations_can_occur_together(r_xy, r_zy, r_xz, n):
    if np.linalg.det([[1, r_xy, r_xz], [r_xy, 1, r_zy], [r_xz, r_zy, 1]]) >= 0:
        assert sound(williams_test(r_xy, r_zy, r_xz, n))


def test_fisher_interval_covers_at_the_nominal_rate():
    r, covered, runs = np.random.default_rng(3), 0, 1500
    for _ in range(runs):
        x = r.normal(size=9)
        e = pearson(x, 0.7 * x + math.sqrt(0.51) * r.normal(size=9), draws=1).estimate
        covered += e.low <= 0.7 <= e.high
    assert 0.92 < covered / runs < 0.98
