import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrology.stats.intervals import proportion_difference_interval, proportion_interval
from metrology.stats.results import StatsInputError
from tests.stats import golden
from tests.stats.soundness import sound

METHODS = ("wilson", "clopper_pearson", "jeffreys", "beta")


@pytest.mark.parametrize("key", golden.keys("binom.ci."))
def test_reference_intervals(key):
    given_ = golden.value(key)
    names = dict(zip(METHODS, ("wilson", "clopper_pearson", "jeffreys", "beta11_equal_tailed"), strict=True))
    found = {name: proportion_interval(given_["x"], given_["n"], method=method) for method, name in names.items()}
    assert golden.agrees(key, {name: [e.low, e.high] for name, e in found.items()})


def test_reference_difference():
    key = "binom.newcombe_diff"
    e = proportion_difference_interval(*(golden.value(key)[name] for name in ("x1", "n1", "x2", "n2")))
    assert golden.agrees(key, {"diff": e.value, "lower": e.low, "upper": e.high})


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.sampled_from(METHODS), st.floats(0.01, 0.999))
def test_any_count_gives_an_interval_around_its_share(a, b, method, level):
    e = proportion_interval(min(a, b), max(a, b), method=method, level=level)
    assert sound(e)
    if max(a, b) == 0:
        assert (e.status, e.codes) == ("undefined", ("NO_DATA",))
    else:
        assert 0 <= e.low < e.high <= 1
        assert method == "beta" or e.low <= e.value <= e.high


@given(st.integers(1, 400), st.data())
def test_failures_mirror_passes(n, data):
    passes = data.draw(st.integers(0, n))
    a, b = proportion_interval(passes, n), proportion_interval(n - passes, n)
    assert a.low == pytest.approx(1 - b.high, abs=1e-12)


@given(st.tuples(*(st.integers(0, 60) for _ in range(4))))
def test_a_difference_changes_sign_with_its_order(counts):
    a, b = sorted(counts[:2]), sorted(counts[2:])
    there, back = proportion_difference_interval(*a, *b), proportion_difference_interval(*b, *a)
    assert sound(there)
    if there.value is not None:
        assert there.value == pytest.approx(-back.value)
        assert there.low == pytest.approx(-back.high)
        assert -1 <= there.low < there.high <= 1


@pytest.mark.parametrize("call", [(3, 2), (-1, 2), (0.5, 2), (None, 2), ("1", 2), (1, float("nan"))])
def test_impossible_counts_are_refused(call):
    with pytest.raises(StatsInputError):
        proportion_interval(*call)


@pytest.mark.parametrize("options", [{"method": "wald"}, {"level": 1.0}, {"level": float("nan")}])
def test_unknown_options_are_refused(options):
    with pytest.raises(StatsInputError):
        proportion_interval(1, 2, **options)
