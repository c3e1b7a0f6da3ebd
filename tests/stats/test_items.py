import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrology.stats.cells import Cells
from metrology.stats.intervals import proportion_interval
from metrology.stats.items import delta_plot, item_table, mantel_haenszel, mantel_haenszel_dif
from metrology.stats.reliability import cronbach_alpha
from metrology.stats.results import StatsInputError
from tests.stats import golden
from tests.stats.soundness import hostile_scores, sound, trial_tables


def matrix(name: str) -> Cells:
    rows = golden.table(name)
    return Cells.from_matrix(rows.drop(columns=[c for c in ("group",) if c in rows]).to_numpy(float))


@pytest.mark.parametrize(("data", "tag"), [("sim2pl", "bin2"), ("small14x24", "small")])
def test_reference_item_statistics(data, tag):
    rows = item_table(matrix(data)).items
    assert golden.agrees(f"ctt.item_mean@{tag}", [row.difficulty.value for row in rows])
    assert golden.agrees(f"ctt.r_item_rest@{tag}", [row.item_rest.value for row in rows])
    assert golden.agrees(f"ctt.alpha_if_deleted@{tag}", [row.alpha_if_deleted for row in rows])


def test_reference_mantel_haenszel():
    cells, focal = matrix("sim2pl"), golden.table("sim2pl").group.to_numpy() == 1
    table = mantel_haenszel_dif(cells, focal)
    assert golden.agrees("dif.mh.chi2_corrected@bin2", [row.chi2 for row in table.items])
    assert golden.agrees("dif.mh.alpha@bin2", [row.odds_ratio.value for row in table.items])
    assert golden.agrees("dif.mh.var_log_alpha@bin2", [row.log_odds_ratio_variance for row in table.items])
    assert golden.agrees("dif.mh.delta@bin2", [row.delta for row in table.items])
    assert golden.agrees("dif.std_p_dif@bin2", [row.standardized_p_difference for row in table.items])
    assert [row.ets_class for row in table.items] == golden.value("dif.mh.ets_class@bin2")
    assert [int(label) for label in table.flagged] == golden.value("dif.mh.flagged@bin2")
    plain = mantel_haenszel_dif(cells, focal, continuity=False).items
    assert golden.agrees("dif.mh.chi2_uncorrected@bin2", [row.chi2 for row in plain])
    purified = mantel_haenszel_dif(cells, focal, purify=True)
    assert golden.agrees("dif.mh.purified_chi2@bin2", [row.chi2 for row in purified.items])
    assert purified.n["iterations"] >= 1


def test_reference_delta_plot():
    scores, group = matrix("sim2pl").mean, golden.table("sim2pl").group.to_numpy()
    plot = delta_plot(scores[group == 0].mean(0), scores[group == 1].mean(0))
    assert golden.agrees("drift.angoff_delta.dist@bin2", list(plot.distance))
    assert golden.agrees("drift.angoff_delta.axis@bin2", {"intercept": plot.intercept, "slope": plot.slope})


def test_one_verdict_per_agent_gives_wilson_difficulty_and_alpha_of_the_rest():
    scores = np.random.default_rng(4).integers(0, 2, (8, 6)).astype(float)
    table = item_table(Cells.from_matrix(scores))
    wilson = proportion_interval(int(scores[:, 2].sum()), 8)
    assert (table.items[2].difficulty.low, table.items[2].difficulty.high) == (wilson.low, wilson.high)
    without = cronbach_alpha(Cells.from_matrix(np.delete(scores, 2, axis=1)))
    assert table.items[2].alpha_if_deleted == pytest.approx(without.value)
    assert table.alpha == cronbach_alpha(Cells.from_matrix(scores))
    assert "FEW_AGENTS" in table.codes


def test_several_trials_give_a_t_interval_over_agents():
    trials = np.random.default_rng(5).random((6, 4, 3))
    difficulty = item_table(Cells.from_trials(trials)).items[0].difficulty
    means = trials[:, 0].mean(1)
    assert difficulty.value == pytest.approx(means.mean())
    assert (difficulty.se, difficulty.df) == pytest.approx((means.std(ddof=1) / np.sqrt(6), 5))


def test_what_cannot_discriminate_says_why():
    scores = [[1, 1, 1, 0, 1], [1, 1, 0, 1, 1], [1, 0, 0, 1, 1], [1, 0, 1, 1, 0], [1, 0, 1, 0, 1], [1, 0, 1, 1, 1]]
    constant = item_table(Cells.from_matrix(scores)).items[0]
    assert "CONSTANT_ITEM" in constant.item_rest.codes
    assert "CEILING" in constant.difficulty.codes
    two = item_table(Cells.from_matrix(scores[:2])).items[1].item_rest
    assert (two.status, two.codes) == ("undefined", ("TOO_FEW_AGENTS",))
    holes = item_table(Cells.from_matrix([[1, None, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0]]))
    assert (holes.status, holes.items[0].item_rest.status) == ("warn", "refused")
    assert holes.items[1].difficulty.value == pytest.approx(2 / 3)
    assert holes.items[1].difficulty.n["agents"] == 3
    reversed_key = np.tri(6, 5)
    reversed_key[:, 0] = reversed_key[::-1, 4]
    assert "NEGATIVE_DISCRIMINATION" in item_table(Cells.from_matrix(reversed_key)).codes
    assert item_table(Cells.from_matrix(np.empty((0, 3)))).status == "undefined"


def test_rest_constant_but_for_rounding_is_constant():
    # item 0 varies, the sum of the others is 0.6 in every row, up to the last bit
    rows = [[0.0, 0.1, 0.2, 0.3], [1.0, 0.3, 0.2, 0.1], [0.5, 0.2, 0.1, 0.3], [0.2, 0.3, 0.1, 0.2]]
    assert "ZERO_VARIANCE" in item_table(Cells.from_matrix(rows)).items[0].item_rest.codes


def test_mantel_haenszel_limits():
    assert mantel_haenszel([[[5, 0], [3, 0]]]).odds_ratio.codes == ("ZERO_DENOMINATOR",)
    assert mantel_haenszel([[[5, 1], [0, 0]]]).odds_ratio.codes == ("NO_OVERLAP",)
    infinite = mantel_haenszel([[[5, 0], [0, 4]]])
    assert (infinite.odds_ratio.value, infinite.delta) == (None, None)
    zero = mantel_haenszel([[[0, 4], [5, 0]]])
    assert (zero.odds_ratio.value, zero.odds_ratio.codes, zero.ets_class) == (0.0, ("BOUNDARY",), None)
    # one 2 x 2 table: the common odds ratio is its own odds ratio
    assert mantel_haenszel([[[20, 10], [5, 15]]]).odds_ratio.value == pytest.approx(6.0)
    # |A - E| below 1/2 is not clipped at 0 by the continuity correction
    balanced = mantel_haenszel([[[5, 5], [5, 5]]])
    assert balanced.chi2 == pytest.approx(0.25 / (10 * 10 * 10 * 10 / (20**2 * 19)))


def test_unshared_strata_and_all_undefined():
    scores = np.zeros((8, 6))
    scores[4:] = 1
    scores[:4, 0] = scores[4:, 1] = [1, 0, 1, 0]
    table = mantel_haenszel_dif(Cells.from_matrix(scores), [False] * 4 + [True] * 4)
    assert (table.status, table.flagged) == ("undefined", ())
    assert "NO_OVERLAP" in table.codes
    holes = mantel_haenszel_dif(Cells.from_matrix([[1, None], [0, 1]]), [True, False])
    assert (holes.status, "MISSING" in holes.codes) == ("refused", True)


@pytest.mark.parametrize(
    "call",
    [
        lambda: mantel_haenszel([[1, 2], [3, 4]]),
        lambda: mantel_haenszel([[[1, 2], [3, -4]]]),
        lambda: mantel_haenszel([[[1, 2], [3, 0.5]]]),
        lambda: mantel_haenszel_dif(Cells.from_matrix([[1, 0], [0, 1]]), [True]),
        lambda: mantel_haenszel_dif(Cells.from_matrix([[1, 0], [0, 1]]), [1, 0]),
        lambda: mantel_haenszel_dif(Cells.from_matrix([[1, 0.5], [0, 1]]), [True, False]),
        lambda: mantel_haenszel_dif(Cells.from_trials(np.ones((2, 2, 2))), [True, False]),
        lambda: mantel_haenszel_dif(Cells.from_matrix([[1, 0], [0, 1]]), [True, False], max_iterations=0),
        lambda: delta_plot([0.1, 1.2, 0.3], [0.1, 0.2, 0.3]),
        lambda: delta_plot([0.1, 0.2], [0.1]),
        lambda: delta_plot([0.1], [0.1], threshold=0),
        lambda: item_table(Cells.from_matrix([[1, 0]]), level=1.0),
    ],
)
def test_bad_input_is_named(call):
    with pytest.raises(StatsInputError, match=r"`|verdicts|lengths differ"):
        call()


def test_purification_that_does_not_settle_says_so():
    r = np.random.default_rng(3)
    scores = (r.random((300, 12)) < 0.5).astype(float)
    focal = np.arange(300) % 2 == 1
    scores[focal, :5] = (r.random((150, 5)) < 0.85).astype(float)
    stopped = mantel_haenszel_dif(Cells.from_matrix(scores), focal, purify=True, max_iterations=1)
    settled = mantel_haenszel_dif(Cells.from_matrix(scores), focal, purify=True)
    assert "NOT_CONVERGED" in stopped.codes or settled.n["iterations"] == 1
    assert "NOT_CONVERGED" not in settled.codes
    assert set(settled.flagged) >= {"1", "2", "3", "4", "5"}


def test_delta_plot_limits():
    moved = delta_plot([0.3, 0.5, 0.9, 0.6, 0.4, 0.7, 0.55, 0.45], [0.3, 0.5, 0.3, 0.6, 0.4, 0.7, 0.55, 0.45])
    assert 2 in moved.flagged
    assert moved.distance[2] < 0
    edge = delta_plot([0.2, 0.5, 1.0, 0.7, None], [0.3, 0.6, 0.5, 0.8, 0.5])
    assert edge.distance[2] is None
    assert edge.codes == ("CONSTANT_ITEMS", "MISSING")
    assert delta_plot([0.2, 0.4], [0.2, 0.4]).codes == ("TOO_FEW_ITEMS",)
    assert delta_plot([0.4] * 4, [0.2, 0.4, 0.6, 0.7]).codes == ("NOT_IDENTIFIED",)
    level = delta_plot([0.2, 0.4, 0.6, 0.7], [0.5] * 4)
    assert (level.slope, level.intercept) == (0.0, 13.0)


@given(trial_tables(largest=(6, 5, 2)), st.randoms())
def test_item_order_only_orders_the_rows(table, random):
    cells = Cells.from_trials(table)
    order = list(cells.items)
    random.shuffle(order)
    shuffled = {row.item: row for row in item_table(cells.select(items=order)).items}
    for row in item_table(cells).items:
        again = shuffled[row.item]
        assert row.difficulty == again.difficulty
        assert row.item_rest.codes == again.item_rest.codes
        if row.item_rest.value is not None:
            assert row.item_rest.value == pytest.approx(again.item_rest.value, abs=1e-9)


@given(trial_tables(scores=hostile_scores))
def test_item_table_is_sound_on_any_scores(table):
    assert sound(item_table(Cells.from_trials(table)))


@given(
    st.lists(st.lists(st.integers(0, 1), min_size=4, max_size=4), min_size=1, max_size=12),
    st.lists(st.booleans(), min_size=12, max_size=12),
    st.booleans(),
)
def test_differential_functioning_is_sound_on_any_verdicts(scores, focal, purify):
    assert sound(mantel_haenszel_dif(Cells.from_matrix(scores), focal[: len(scores)], purify=purify))


@given(st.lists(st.lists(st.integers(0, 10**9), min_size=4, max_size=4), min_size=1, max_size=5))
def test_swapping_the_groups_inverts_the_odds_ratio(counts):
    tables = np.array(counts).reshape(-1, 2, 2)
    there, back = mantel_haenszel(tables), mantel_haenszel(tables[:, ::-1])
    assert sound(there)
    if there.odds_ratio.value and back.odds_ratio.value:
        assert there.odds_ratio.value * back.odds_ratio.value == pytest.approx(1)
        assert there.chi2 == pytest.approx(back.chi2, rel=1e-6, abs=1e-9)


shares = st.one_of(st.none(), st.sampled_from([0.0, 1.0, 0.5, 1e-300, 1 - 1e-16]), st.floats(0, 1))


@given(st.lists(st.tuples(shares, shares), max_size=8))
def test_delta_plot_is_sound_on_any_shares(pairs):
    assert sound(delta_plot([a for a, _ in pairs], [b for _, b in pairs]))
