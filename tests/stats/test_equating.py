import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from metrology.stats.equating import equate_anchor_design, equate_equivalent_groups, equate_single_group
from metrology.stats.results import StatsInputError
from tests.stats import golden
from tests.stats.soundness import sound

SMALL = ([12, 15, 9, 20, 17, 11, 14, 18], [13, 15, 11, 19, 18, 13, 13, 20])
ANCHOR = {
    "equate.nominal_weights_mean_w0.5@smallneat": "nominal_weights_mean",
    "equate.tucker_mean_w0.5@smallneat": "tucker_mean",
    "equate.chained_mean@smallneat": "chained_mean",
    "equate.circle_arc_chained_mean@smallneat": "circle_arc_chained",
    "equate.circle_arc_nominal_w0.5@smallneat": "circle_arc_nominal_weights",
}


def anchored(method, **options):
    x, y = golden.table("smallneat_x"), golden.table("smallneat_y")
    return equate_anchor_design(x.total, x.anchor, y.total, y.anchor, method=method, **options)


@pytest.mark.parametrize("key", ANCHOR)
def test_reference_anchor_methods(key):
    result = anchored(ANCHOR[key], items=30, anchor_items=10, at=golden.value(key)["x"])
    assert golden.agrees(key, {"y": list(result.y)})


def test_reference_single_group():
    key = "equate.single_group_linear@singlegroup"
    rows, want = golden.table("singlegroup"), golden.value(key)
    m = equate_single_group(rows.x, rows.y)
    line = equate_single_group(rows.x, rows.y, method="linear", at=want["x"], allow_small_n=True)
    found = {"mean_shift": m.shift.value, "se_mean_shift": m.shift.se, "slope": line.slope}
    assert golden.agrees(key, found | {"intercept": line.intercept, "y": list(line.y), "se": list(line.se)})
    assert (line.status, line.codes[0]) == ("warn", "TOO_FEW_AGENTS")


def test_linear_methods_agree_when_the_groups_are_alike():
    r = np.random.default_rng(3)
    total = r.integers(5, 30, 40).astype(float)
    anchor = np.round(total / 3 + r.normal(0, 1, 40))
    for method in ("tucker", "levine", "chained_linear", "chained_mean", "tucker_mean"):
        result = equate_anchor_design(total, anchor, total, anchor, method=method)
        assert (result.slope, result.intercept) == pytest.approx((1, 0), abs=1e-9)
    shifted = equate_anchor_design(total, anchor, 2 * total + 1, anchor, method="tucker", weight_x=0.3)
    assert (shifted.slope, shifted.intercept) == pytest.approx((2, 1))


def test_bootstrap_is_seeded_and_near_theory():
    r = np.random.default_rng(4)
    total, anchor = r.normal(20, 4, 50), r.normal(8, 2, 50)
    first = equate_anchor_design(total, anchor, total, anchor, at=[20], bootstrap=400, seed=1)
    again = equate_anchor_design(total, anchor, total, anchor, at=[20], bootstrap=400, seed=1)
    assert first == again
    theory = np.sqrt(2 * (total - anchor).var(ddof=1) / 50)
    assert first.se[0] == pytest.approx(theory, rel=0.15)
    assert first.shift.se == first.se[0]
    assert equate_anchor_design(total, anchor, total, anchor).se == (None,) * 50


def test_equivalent_groups_by_hand():
    x, y = [1.0, 2, 3, 4], [2.0, 4, 6, 8, 9]
    mean = equate_equivalent_groups(x, y)
    welch = scipy.stats.ttest_ind(y, x, equal_var=False)
    interval = welch.confidence_interval()
    assert (mean.shift.value, mean.shift.low, mean.shift.high) == pytest.approx((3.3, interval.low, interval.high))
    assert mean.y[0] - mean.x[0] == pytest.approx(3.3)
    line = equate_equivalent_groups(x, y, method="linear", allow_small_n=True)
    assert line.slope == pytest.approx(np.std(y, ddof=1) / np.std(x, ddof=1))


def test_equipercentile_keeps_percentile_ranks():
    scores = np.repeat(np.arange(11), [1, 2, 3, 5, 8, 9, 8, 5, 3, 2, 1])
    same = equate_equivalent_groups(scores, scores, method="equipercentile", max_score=10)
    assert same.y == pytest.approx(tuple(range(11)))
    up = equate_equivalent_groups(scores, scores + 2, method="equipercentile", max_score=12, at=[0, 3, 4.25])
    assert up.y == pytest.approx((2, 5, 6.25))
    outside = equate_equivalent_groups(scores, scores, method="equipercentile", max_score=12, at=[11, 40])
    assert outside.y == (pytest.approx(12.5), None)
    assert outside.codes == ("EXTRAPOLATION",)


def test_small_samples_are_refused_or_undefined():
    anchor = [3, 4, 2, 5, 4, 3, 3, 5]
    for refused in (
        equate_single_group(*SMALL, method="linear"),
        equate_equivalent_groups(*SMALL, method="linear"),
        equate_equivalent_groups(*SMALL, method="equipercentile", max_score=25),
        equate_anchor_design(SMALL[0], anchor, SMALL[1], anchor, method="levine"),
    ):
        assert (refused.status, refused.codes[0]) == ("refused", "TOO_FEW_AGENTS")
        assert set(refused.y) == {None}
    assert equate_single_group([3], [4]).codes == ("TOO_FEW_AGENTS",)
    assert equate_anchor_design([3], [1], [4], [1]).status == "undefined"
    flat = equate_anchor_design(SMALL[0], [5] * 8, SMALL[1], anchor)
    assert (flat.status, flat.codes) == ("undefined", ("ZERO_VARIANCE",))
    assert equate_single_group([5] * 30, range(30), method="linear").codes == ("ZERO_VARIANCE",)
    replay = equate_single_group([3, 4, 5], [4, 5, 6])
    assert (replay.shift.value, replay.se, replay.codes) == (1.0, (None,) * 3, ("ZERO_VARIANCE",))
    assert equate_single_group(*SMALL, method="identity", at=[5, 12]).codes == ("EXTRAPOLATION",)
    unreachable = equate_anchor_design([1, 2], [1, 2], [29, 30], [1, 2], method="circle_arc_chained", items=30)
    assert (unreachable.status, unreachable.codes) == ("undefined", ("NOT_IDENTIFIED",))


@pytest.mark.parametrize(
    "call",
    [
        lambda: equate_single_group([1, 2], [1]),
        lambda: equate_single_group([1, 2], [1, 2], method="kernel"),
        lambda: equate_single_group([1, 2], [1, 2], at=[None]),
        lambda: equate_equivalent_groups([0.5, 1], [1, 2], method="equipercentile"),
        lambda: equate_equivalent_groups([1, 9], [1, 2], method="equipercentile", max_score=5),
        lambda: equate_anchor_design([1, 2], [1], [1, 2], [1, 2]),
        lambda: equate_anchor_design([1, 2], [1, 2], [1, 2], [1, 2], weight_x=2),
        lambda: equate_anchor_design([1, 2], [1, 2], [1, 2], [1, 2], method="nominal_weights_mean", items=5),
        lambda: equate_anchor_design([1, 2], [1, 2], [1, 2], [1, 2], method="circle_arc_chained"),
        lambda: equate_anchor_design([1, 9], [1, 2], [1, 2], [1, 2], method="circle_arc_chained", items=5),
    ],
)
def test_bad_input_is_named(call):
    with pytest.raises(StatsInputError, match=r"`|differ"):
        call()


score = st.one_of(st.none(), st.integers(0, 20).map(float))
pairs = st.lists(st.tuples(score, score), max_size=8)


@given(pairs, pairs)
def test_equating_is_sound_on_any_scores(first, second):
    x, xv = [a for a, _ in first], [b for _, b in first]
    y, yv = [a for a, _ in second], [b for _, b in second]
    for method in ("mean", "linear", "identity"):
        assert sound(equate_single_group(x, xv, method=method, at=[0, 7.5, 20], allow_small_n=True))
    for method in ("mean", "linear", "equipercentile"):
        assert sound(
            equate_equivalent_groups(x, y, method=method, max_score=20, at=[0, 7.5, 20, 30], allow_small_n=True)
        )
    for method in (*ANCHOR.values(), "tucker", "levine", "chained_linear"):
        result = equate_anchor_design(
            x, xv, y, yv, method=method, items=20, anchor_items=5, at=[0, 7.5, 20, 30], bootstrap=3, allow_small_n=True
        )
        assert sound(result)


def test_paired_shift_covers_at_the_nominal_rate():
    r, covered, runs = np.random.default_rng(2), 0, 1000
    for _ in range(runs):
        ability = r.normal(20, 5, 8)
        shift = equate_single_group(ability + r.normal(0, 2, 8), ability + 2 + r.normal(0, 2, 8)).shift
        covered += shift.low <= 2 <= shift.high
    assert 0.92 < covered / runs < 0.975
