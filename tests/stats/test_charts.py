import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from metrology.stats.charts import (
    check_standard,
    cusum_chart,
    ewma_chart,
    individuals_chart,
    laney_p_chart,
    overdispersion,
    p_chart,
    xbar_chart,
)
from metrology.stats.control_limits import range_constant
from metrology.stats.results import StatsInputError
from tests.stats import golden
from tests.stats.soundness import sound


@pytest.mark.parametrize(("key", "chart"), [("spc.p@pchv", p_chart), ("spc.laney_pprime@pchv", laney_p_chart)])
def test_reference_proportion_charts(key, chart):
    rows, want = golden.table("pchart_var"), golden.value(key)
    h = chart(rows.fails, rows["size"])
    found = {"center": h.center, "sd": h.sigma, "lcl": list(h.lower), "ucl": list(h.upper)}
    found |= {"beyond": [i + 1 for i in h.beyond], "sigma_z": h.dispersion_ratio}
    assert golden.agrees(key, {part: found[part] for part in found if part in want})


def test_reference_overdispersion():
    rows = golden.table("pchart_var")
    test = overdispersion(rows.fails, rows["size"])
    assert golden.agrees("spc.overdispersion@pchv", {"chi2": test.statistic, "df": test.df, "p": test.p})


def test_range_constants_are_the_published_ones():
    published = [1.128, 1.693, 2.059, 2.326, 2.534, 2.704, 2.847, 2.970, 3.078, 3.173, 3.258, 3.336, 3.407, 3.472]
    assert [range_constant(size) for size in range(2, 16)] == published
    assert range_constant(25) == 3.931


def test_xbar_chart_by_hand():
    subgroups = np.array([[1.0, 3], [2, 4], [3, 3], [9, 9]])
    chart = xbar_chart(subgroups, baseline=3)
    sigma = np.mean([2, 2, 0]) / 1.128
    assert (chart.center, chart.sigma) == pytest.approx((8 / 3, sigma))
    assert chart.upper[0] == pytest.approx(8 / 3 + 3 * sigma / np.sqrt(2))
    assert (chart.points, chart.beyond) == ((2.0, 3.0, 3.0, 9.0), (3,))
    assert chart.codes == ("SHORT_BASELINE",)
    holes = xbar_chart([[1, 3, None], [2, 4, 3], [None, None, None]])
    assert (holes.points, holes.upper[2]) == ((2.0, 3.0, None), None)
    assert holes.sigma == pytest.approx((2 / 1.128 + 2 / 1.693) / 2)
    assert "MISSING" in holes.codes


def test_individuals_chart_by_hand():
    values = [1.0, 2, 1, 3, 2]
    chart = individuals_chart(values)
    assert (chart.center, chart.sigma) == pytest.approx((1.8, 1.25 / 1.128))
    assert chart.upper[0] - chart.lower[0] == pytest.approx(6 * chart.sigma)
    assert individuals_chart(values, limit=2).upper[0] < chart.upper[0]
    assert individuals_chart(list(np.sin(np.arange(25.0)))).status == "ok"


def test_runs_start_counting_at_the_seventh_point():
    values = [0, 1, -1, 0.5, *[0.4] * 9, -1, 0.1, 0, -2]
    chart = individuals_chart(values)
    center = chart.center
    above = [v > center for v in values]
    assert above[3:13] == [True] * 10
    assert chart.runs == (9, 10, 11, 12)


def test_ewma_and_cusum_by_recursion():
    x = np.random.default_rng(5).normal(0.6, 0.02, 24).tolist() + [0.68] * 6
    e, q = ewma_chart(x, baseline=24), cusum_chart(x, baseline=24)
    center, sigma = np.mean(x[:24]), np.abs(np.diff(x[:24])).mean() / 1.128
    assert (e.center, e.sigma, q.center, q.sigma) == pytest.approx((center, sigma, center, sigma))
    smoothed, high = center, 0.0
    for i, value in enumerate(x):
        smoothed = 0.2 * value + 0.8 * smoothed
        high = max(0, high + (value - center) / sigma - 0.5)
        assert (e.points[i], q.high_side[i]) == pytest.approx((smoothed, high))
        width = 3 * sigma * np.sqrt(0.2 / 1.8 * (1 - 0.8 ** (2 * i + 2)))
        assert e.upper[i] == pytest.approx(center + width)
    assert 29 in q.beyond_high
    assert 29 in e.beyond
    assert (e.status, e.runs, q.status, q.beyond_low) == ("ok", (), "ok", ())
    given_limits = ewma_chart(x[:3], center=0.6, sigma=0.02)
    assert given_limits.codes == ()


def test_check_standard_by_definition():
    values = np.random.default_rng(2).normal(0.7, 0.03, (22, 4))
    c = check_standard(values)
    s1, s2 = np.sqrt(values.var(1, ddof=1).mean()), values.mean(1).std(ddof=1)
    assert (c.repeatability_sd, c.occasion_sd) == pytest.approx((s1, s2))
    assert c.repeatability_sd_limit == pytest.approx(s1 * np.sqrt(scipy.stats.f.ppf(0.95, 3, 66)))
    assert c.upper == pytest.approx(values.mean() + scipy.stats.t.ppf(0.975, 21) * s2)
    assert c.between_variance == pytest.approx(s2**2 - s1**2 / 4)
    assert (c.n["occasions"], c.n["replicates"]) == (22, 4)
    one_replicate = check_standard(values[:, :1])
    assert (one_replicate.repeatability_sd, one_replicate.occasion_sd is None) == (None, False)
    one_occasion = check_standard(values[:1])
    assert (one_occasion.occasion_sd, one_occasion.codes) == (None, ("TOO_FEW_POINTS", "SHORT_BASELINE"))
    frozen = check_standard(np.full((20, 3), 0.7))
    assert (frozen.repeatability_sd, frozen.repeatability_sd_limit, frozen.lower) == (0.0, None, None)
    assert "ZERO_VARIANCE" in frozen.codes
    holes = check_standard([[0.6, 0.7], [0.5, None], [0.8, 0.6]])
    assert (holes.n["occasions"], holes.n["dropped"]) == (2, 1)
    assert check_standard([]).codes == ("NO_DATA",)


def test_a_baseline_without_variation_signals_nothing():
    chart = individuals_chart([0.6] * 20 + [0.7], baseline=20)
    assert (chart.sigma, chart.lower[0], chart.beyond, chart.codes) == (0.0, None, (), ("ZERO_VARIANCE",))
    none_failed = p_chart([0, 0, 0, 1], [50, 50, 50, 50], baseline=3)
    assert (none_failed.center, none_failed.upper[0], none_failed.beyond) == (0.0, 0.0, ())
    assert "ZERO_VARIANCE" in none_failed.codes
    assert cusum_chart([0.6] * 20).codes == ("ZERO_VARIANCE",)
    assert overdispersion([0, 0], [5, 5]).codes == ("ZERO_VARIANCE",)
    assert overdispersion([1], [5]).codes == ("TOO_FEW_POINTS",)


@pytest.mark.parametrize("chart", [individuals_chart, ewma_chart])
def test_too_little_data(chart):
    assert chart([]).codes == ("NO_DATA",)
    assert chart([0.5]).codes == ("TOO_FEW_POINTS",)
    assert cusum_chart([None, 0.5]).status == "undefined"
    assert xbar_chart([[1.0], [2.0]]).codes == ("TOO_FEW_UNITS",)
    assert laney_p_chart([1], [5]).codes == ("TOO_FEW_POINTS",)


@pytest.mark.parametrize(
    "call",
    [
        lambda: xbar_chart([1, 2, 3]),
        lambda: xbar_chart([[1, 2], [3]]),
        lambda: individuals_chart([1, 2, 3], baseline=4),
        lambda: individuals_chart([1, 2, 3], baseline=0),
        lambda: individuals_chart([1, 2, 3], limit=0),
        lambda: individuals_chart([1, float("inf")]),
        lambda: p_chart([3], [2]),
        lambda: p_chart([0.5], [2]),
        lambda: p_chart([1, 2], [2]),
        lambda: ewma_chart([1, 2], weight=0),
        lambda: ewma_chart([1, 2], sigma=0),
        lambda: cusum_chart([1, 2], decision=0),
        lambda: cusum_chart([1, 2], allowance=-1),
        lambda: check_standard([[1, 2]], level=0),
    ],
)
def test_bad_input_is_named(call):
    with pytest.raises(StatsInputError, match=r"`|lengths differ"):
        call()


values = st.one_of(st.none(), st.sampled_from([0.0, 0.1, 0.3, 1e100, -1e100, 1e-300, float("nan")]), st.floats(-1, 1))
series = st.lists(values, max_size=12)


@given(series)
def test_charts_are_sound_on_any_series(points):
    for chart in (individuals_chart, ewma_chart, cusum_chart):
        result = chart(points)
        assert sound(result)
        assert chart(points, baseline=max(1, len(points) // 2)) if points else result
    assert sound(ewma_chart(points, center=0.0, sigma=1e-9))
    assert sound(cusum_chart(points, center=0.0, sigma=1e-9))


@given(st.integers(1, 4).flatmap(lambda size: st.lists(st.lists(values, min_size=size, max_size=size), max_size=6)))
def test_subgroup_charts_are_sound_on_any_table(table):
    assert sound(xbar_chart(table))
    assert sound(check_standard(table))


counts = st.one_of(st.none(), st.integers(0, 40))


@given(st.lists(st.tuples(counts, counts), max_size=10))
def test_proportion_charts_are_sound_on_any_counts(pairs):
    sizes = [None if a is None or b is None else a + b for a, b in pairs]
    failures = [a for a, _ in pairs]
    for chart in (p_chart, laney_p_chart):
        result = chart(failures, sizes)
        assert sound(result)
        for low, high in zip(result.lower, result.upper, strict=True):
            assert low is None or 0 <= low <= high <= 1
    assert sound(overdispersion(failures, sizes))


@given(st.lists(st.floats(-1, 1), min_size=3, max_size=15), st.floats(-5, 5), st.floats(0.1, 10))
def test_signals_do_not_depend_on_the_units(points, shift, factor):
    rounded = np.round(points, 3)
    there, moved = individuals_chart(rounded), individuals_chart(rounded * factor + shift)
    if "ZERO_VARIANCE" not in there.codes + moved.codes:
        assert there.center * factor + shift == pytest.approx(moved.center, abs=1e-9)
        assert there.sigma * factor == pytest.approx(moved.sigma, rel=1e-6, abs=1e-9)
