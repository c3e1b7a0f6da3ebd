import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from metrology.stats.cells import Cells
from metrology.stats.errorbars import agent_score, clustered_mean
from metrology.stats.intervals import proportion_interval
from metrology.stats.results import StatsInputError
from tests.stats import golden
from tests.stats.soundness import hostile_scores, sound, trial_tables


def paired(who: str) -> Cells:
    rows = golden.table("paired")
    return Cells.from_long([who] * len(rows), rows.item, rows[who], family=rows.cluster)


@pytest.mark.parametrize("who", "ab")
def test_reference_error_bars(who):
    cells = paired(who)
    e = agent_score(cells, who)
    cr0 = clustered_mean(cells.mean[0], cells.families, method="CR0")
    found = {"CR0_miller": cr0.se, "CR2": e.se, "CR2_satt_df": e.df, "CR2_ci_lo": e.low, "CR2_ci_hi": e.high}
    assert golden.agrees(f"eb.se_cluster.{who}@paired", found)
    assert golden.agrees("eb.mean@paired", {who: e.value})
    assert golden.agrees("eb.se_clt@paired", {who: agent_score(cells, who, universe="items").se})
    assert golden.agrees("eb.n@paired", {"n_items": e.n["items"], "n_clusters": e.n["clusters"], "K": e.n["trials"]})


def test_without_clusters_it_is_the_ordinary_t_interval():
    values = np.random.default_rng(1).random(17)
    e = clustered_mean(values)
    low, high = scipy.stats.t.interval(0.95, 16, loc=values.mean(), scale=scipy.stats.sem(values))
    assert (e.low, e.high, e.df) == pytest.approx((low, high, 16))


def test_satterthwaite_df_by_its_definition():
    sizes = [1, 4, 2, 7, 3]
    clusters = np.repeat(range(5), sizes)
    n = len(clusters)
    hat = np.full((n, n), 1 / n)
    form = np.zeros((n, n))
    for cluster, size in enumerate(sizes):
        row = (clusters == cluster).astype(float) @ (np.eye(n) - hat)
        form += np.outer(row, row) / (1 - size / n)
    expected = np.trace(form) ** 2 / np.trace(form @ form)
    assert clustered_mean(np.random.default_rng(2).random(n), clusters).df == pytest.approx(expected)


def test_reference_edge_cases():
    assert clustered_mean([1, 0, 1], [1, 1, 1]).codes == ("TOO_FEW_CLUSTERS",)
    two = clustered_mean([1, 0, 1, 1], [1, 1, 2, 2])
    assert (two.status, two.codes) == ("warn", ("FEW_CLUSTERS",))
    assert (two.se, two.df) == pytest.approx((0.25, 1.0))
    assert clustered_mean([]).codes == ("NO_DATA",)
    constant = clustered_mean([0.1 + 0.2, 0.3, 0.3])
    assert (constant.se, constant.low, constant.codes) == (None, None, ("ZERO_VARIANCE",))
    cancelling = clustered_mean([1, 0, 0, 1], [1, 1, 2, 2])
    assert (cancelling.value, cancelling.se, cancelling.status) == (0.5, None, "warn")


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: clustered_mean([1, 2], [1]),
        lambda: clustered_mean([1, 2], [1, None]),
        lambda: clustered_mean([1, 2], method="CR3"),
        lambda: clustered_mean([1, float("inf")]),
        lambda: clustered_mean(["a", "b"]),
        lambda: clustered_mean([1, 2], level=95),
        lambda: agent_score(Cells.from_matrix([[1, 0]]), "nobody"),
        lambda: agent_score(Cells.from_matrix([[1, 0]]), "1", universe="families"),
        lambda: agent_score(Cells.from_matrix([[1, 0]]), "1", universe="world"),
    ],
)
def test_bad_input_is_refused(wrong):
    with pytest.raises(StatsInputError):
        wrong()


def test_one_verdict_per_item_gets_wilson():
    e = agent_score(Cells.from_matrix([[1, 1, 0, None, 1]]), "1")
    w = proportion_interval(3, 4)
    assert (e.low, e.high, e.codes) == (w.low, w.high, ("MISSING",))


def test_fixed_items_leave_only_trial_noise():
    scores = (np.random.default_rng(5).random((1, 12, 6)) < np.linspace(0.1, 0.9, 12)[:, None]).astype(float)
    e = agent_score(Cells.from_trials(scores), "1", universe="fixed")
    assert e.se == pytest.approx(np.sqrt((scores[0].var(1, ddof=1) / 6).sum()) / 12)
    assert e.se < agent_score(Cells.from_trials(scores), "1").se
    single = agent_score(Cells.from_matrix([[1, 0]]), "1", universe="fixed")
    assert (single.value, single.se, single.codes) == (0.5, None, ("TOO_FEW_TRIALS",))


@given(trial_tables(scores=hostile_scores), st.sampled_from([None, "items", "fixed"]))
def test_any_table_gives_a_sound_score(scores, universe):
    cells = Cells.from_trials(scores)
    assert sound(agent_score(cells, "1", universe=universe))


@given(st.lists(st.tuples(hostile_scores, st.integers(0, 4)), max_size=12), st.sampled_from(["CR2", "CR0"]))
def test_any_clustered_values_give_a_sound_mean(pairs, method):
    values, clusters = [v for v, _ in pairs], [c for _, c in pairs]
    assert sound(clustered_mean(values, clusters, method=method))


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 4)), min_size=2, max_size=20), st.permutations(range(5)))
def test_order_and_labels_do_not_matter(pairs, names):
    first = clustered_mean([v / 8 for v, _ in pairs], [c for _, c in pairs])
    second = clustered_mean([v / 8 for v, _ in pairs[::-1]], [f"family {names[c]}" for _, c in pairs[::-1]])
    assert first.codes == second.codes
    for name in ("value", "se", "low", "high", "df"):
        a, b = getattr(first, name), getattr(second, name)
        assert (a is None) == (b is None)
        assert a is None or a == pytest.approx(b, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("clusters", [5, 8])
def test_cr2_covers_with_few_clusters_where_cr0_does_not(clusters):
    rng = np.random.default_rng(20240)
    size, repeats = 6, 1500
    labels = np.repeat(range(clusters), size)
    values = rng.normal(size=(repeats, clusters)).repeat(size, axis=1) + rng.normal(size=(repeats, clusters * size))
    covered = {"CR2": 0, "CR0": 0}
    for row in values:
        for method in covered:
            e = clustered_mean(row, labels, method=method)
            covered[method] += e.low <= 0 <= e.high
    shares = {method: count / repeats for method, count in covered.items()}
    assert 0.93 <= shares["CR2"] <= 0.97
    assert shares["CR0"] < 0.93
