import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from metrology.stats.cells import Cells
from metrology.stats.compare import paired_difference
from metrology.stats.results import StatsInputError
from metrology.stats.saturation import (
    distinguishable_strata,
    headroom,
    logistic_growth,
    mann_kendall,
    saturation_index,
    theil_sen,
    top_gap,
)
from tests.stats import golden
from tests.stats.soundness import sound, trial_tables


def test_reference_headroom():
    h = headroom(Cells.from_matrix(golden.table("small14x24").to_numpy(float)))
    found = {"n_items": h.n_items, "all_pass": h.all_pass, "all_fail": h.all_fail, "ceil90": h.ceiling_share}
    found |= {"top_agent": h.top_score, "headroom": h.headroom, "mean_item_variance": h.mean_item_variance}
    found |= {"n_negative_discrimination": h.negative_discrimination, "gini_pairs_separated": h.pairs_separated}
    assert golden.agrees("sat.desc@small", found)


def test_reference_top_of_the_table():
    cells = golden.long_cells("ait", families=False)
    g = top_gap(cells)
    found = {"top1": g.candidate.value, "top2": g.baseline.value, "gap": g.effect.value}
    assert golden.agrees("sat.top2@ait", found | {"se_paired": g.effect.se, "z": g.statistic})
    for key, options in (
        ("sat.S_index_alpha0.5@ait", {"standard_error": "independent", "exponent": 0.5}),
        ("sat.S_index_alpha1@ait", {"standard_error": "independent"}),
        ("sat.S_index_paired@ait", {}),
    ):
        s = saturation_index(cells, **options)
        found = {"s1": s.top, "s5": s.other, "n_eff": s.effective_n, "se_delta": s.standard_error}
        found |= {"R_norm": s.normalized_gap, "S_index": s.index}
        assert golden.agrees(key, {part: found[part] for part in found if part in golden.value(key)})


def test_reference_growth_and_trend():
    rows = golden.table("saturation")
    g = logistic_growth(rows.month, rows.score)
    found = {"Asym": g.asymptote.value, "xmid": g.midpoint.value, "scal": g.scale.value, "sigma": g.residual_sd}
    found |= {"se_Asym": g.asymptote.se, "se_xmid": g.midpoint.se, "se_scal": g.scale.se, "logLik": g.log_likelihood}
    assert golden.agrees("saturation.logistic_nls@sat", found)
    assert golden.agrees("saturation.t95_of_asymptote@sat", {"t95": g.t95.value, "se": g.t95.se})
    assert golden.agrees("trend.ols@sat", {"aic_linear": g.aic_linear, "aic_logistic": g.aic_logistic})
    sen = theil_sen(rows.month, rows.score)
    found = {"slope": sen.slope.value, "intercept_median_resid": sen.intercept}
    assert golden.agrees("trend.theil_sen@sat", found)
    assert golden.agrees("trend.sen_ci95_sorted_rank@sat", {"lower": sen.slope.low, "upper": sen.slope.high})
    m = mann_kendall(rows.month, rows.score)
    found = {"S": m.s, "varS_ties_in_y": m.variance, "z": m.z, "tau_b": m.tau}
    assert golden.agrees("trend.mann_kendall@sat", found)


def test_headroom_of_a_used_up_and_an_empty_benchmark():
    full = headroom(Cells.from_matrix(np.ones((3, 4))))
    assert (full.all_pass, full.all_fail, full.headroom, full.ceiling_share) == (4, 0, 0.0, 1.0)
    assert (full.pairs_separated, full.negative_discrimination) == (0.0, 0)
    assert headroom(Cells.from_matrix([[None, None]])).codes == ("NO_DATA", "MISSING")
    one = headroom(Cells.from_matrix([[1.0, 0.0]]))
    assert (one.top_score, one.pairs_separated, one.negative_discrimination) == (0.5, None, None)
    holes = headroom(Cells.from_matrix([[1, None], [1, 0], [1, 1]]))
    assert (holes.all_pass, holes.negative_discrimination) == (1, None)
    assert "MISSING" in holes.codes


def test_pairs_separated_counts_pairs():
    scores = np.random.default_rng(1).integers(0, 2, (7, 5)).astype(float)
    pairs = [(i, j) for i in range(7) for j in range(i + 1, 7)]
    share = np.mean([[scores[i, k] != scores[j, k] for i, j in pairs] for k in range(5)])
    assert headroom(Cells.from_matrix(scores)).pairs_separated == pytest.approx(share)


def test_top_gap_picks_by_rank():
    trials = np.random.default_rng(3).integers(0, 2, (6, 12, 4)).astype(float)
    cells = Cells.from_trials(trials)
    scores = trials.mean((1, 2))
    order = np.argsort(-scores, kind="stable")
    expected = paired_difference(cells, str(order[2] + 1), str(order[0] + 1))
    assert top_gap(cells, rank=3) == expected
    assert top_gap(cells, rank=7).codes == ("TOO_FEW_AGENTS",)
    assert saturation_index(cells, rank=7).status == "undefined"


def test_saturation_index_without_error_is_undefined():
    replay = Cells.from_matrix(np.ones((5, 6)))
    for kind in ("paired", "independent"):
        index = saturation_index(replay, standard_error=kind)
        assert (index.index, index.gap, "ZERO_VARIANCE" in index.codes) == (None, 0.0, True)


def test_strata():
    assert distinguishable_strata(2.0, 1.0).value == pytest.approx(3.0)
    assert distinguishable_strata(0, 1.0).value == pytest.approx(1 / 3)
    assert distinguishable_strata(1, 0).codes == ("ZERO_DENOMINATOR",)


def test_growth_gives_a_date_only_after_a_seen_bend():
    t = np.arange(1, 11.0)
    flat = logistic_growth(range(1, 6), [0.9] * 5)
    assert (flat.status, flat.codes) == ("undefined", ("NOT_IDENTIFIED",))
    rising = logistic_growth(t, 0.01 * np.exp(0.28 * t) * (1 + 0.01 * np.cos(3 * t)))
    assert (rising.t95.value, "NOT_IDENTIFIED" in rising.codes) == (None, True)
    assert logistic_growth(t, t[::-1] / 10).status == "undefined"
    assert logistic_growth([1, 2, 3], [0.1, 0.2, 0.3]).codes == ("TOO_FEW_POINTS",)
    perfect = logistic_growth(t, 0.8 / (1 + np.exp((4 - t) / 1.5)))
    assert perfect.codes == ("ZERO_ERROR",)
    assert (perfect.asymptote.value, perfect.asymptote.se) == (pytest.approx(0.8), None)
    assert perfect.t95.value == pytest.approx(4 + 1.5 * math.log(19))


def test_growth_does_not_depend_on_units_or_order():
    r = np.random.default_rng(6)
    t = np.arange(24.0)
    y = 0.9 / (1 + np.exp((10 - t) / 3)) + r.normal(0, 0.02, 24)
    base = logistic_growth(t, y)
    order = r.permutation(24)
    moved = logistic_growth(1000 + 30 * t[order], 100 * y[order])
    assert moved.asymptote.value == pytest.approx(100 * base.asymptote.value, rel=1e-6)
    assert moved.midpoint.value == pytest.approx(1000 + 30 * base.midpoint.value, rel=1e-6)
    assert moved.t95.se == pytest.approx(30 * base.t95.se, rel=1e-5)
    assert moved.residual_sd == pytest.approx(100 * base.residual_sd, rel=1e-6)


def test_growth_interval_covers_at_the_nominal_rate():
    r, t, covered, runs = np.random.default_rng(9), np.arange(20.0), 0, 120
    for _ in range(runs):
        e = logistic_growth(t, 0.9 / (1 + np.exp((8 - t) / 2)) + r.normal(0, 0.03, 20)).asymptote
        covered += e.low <= 0.9 <= e.high
    assert 0.89 < covered / runs < 0.99


def test_trend_against_scipy():
    x, y = np.random.default_rng(7).normal(size=(2, 30))
    y[5] = y[6]
    sen = theil_sen(x, y)
    want = scipy.stats.theilslopes(y, x)
    assert (sen.slope.value, sen.slope.low, sen.slope.high) == pytest.approx((want[0], want[2], want[3]))
    assert sen.intercept == pytest.approx(np.median(y - want[0] * x))
    assert mann_kendall(x, y).tau == pytest.approx(scipy.stats.kendalltau(x, y).statistic)


def test_trend_limits():
    assert theil_sen([1, 1, 1], [1, 2, 3]).slope.codes == ("ZERO_VARIANCE",)
    assert theil_sen([1], [1]).slope.codes == ("TOO_FEW_POINTS",)
    line = theil_sen([1, 2, 3, 4], [0.1, 0.2, 0.3, 0.4])
    assert (line.slope.value, line.slope.low, line.slope.codes) == (pytest.approx(0.1), None, ("ZERO_ERROR",))
    assert theil_sen([1, 2, 3], [1, 3, 2]).slope.codes == ("TOO_FEW_POINTS",)
    steps = theil_sen(range(12), [0] * 11 + [1])
    assert (steps.slope.value, steps.slope.low, steps.slope.codes) == (0.0, None, ("DEGENERATE_CI",))
    assert mann_kendall([1, 2], [1, 2]).codes == ("TOO_FEW_POINTS",)
    assert mann_kendall([1, 2, 3], [1, 1, 1]).codes == ("ZERO_VARIANCE",)
    assert mann_kendall([1, 2, 3, None], [1, 2, 1, 5]).codes == ("MISSING",)


@pytest.mark.parametrize(
    "call",
    [
        lambda: headroom(Cells.from_matrix([[2.0, 1.0]])),
        lambda: top_gap(Cells.from_matrix([[1, 0]]), rank=1),
        lambda: saturation_index(Cells.from_matrix([[1, 0]]), standard_error="wald"),
        lambda: saturation_index(Cells.from_matrix([[1, 0]]), exponent=0),
        lambda: distinguishable_strata(-1, 1),
        lambda: distinguishable_strata(1, -1),
        lambda: logistic_growth([1, 2], [1]),
        lambda: theil_sen([1, 2], ["a", "b"]),
        lambda: mann_kendall([1, float("inf")], [1, 2]),
    ],
)
def test_bad_input_is_named(call):
    with pytest.raises(StatsInputError, match=r"`|lengths differ"):
        call()


@given(trial_tables())
def test_headroom_is_sound_and_blind_to_order(table):
    cells = Cells.from_trials(table)
    h = headroom(cells)
    assert sound(h)
    back = headroom(cells.select(agents=cells.agents[::-1], items=cells.items[::-1]))
    assert (back.all_pass, back.all_fail, back.negative_discrimination) == (
        h.all_pass,
        h.all_fail,
        h.negative_discrimination,
    )
    assert back.mean_item_variance == (None if h.mean_item_variance is None else pytest.approx(h.mean_item_variance))
    for kind in ("paired", "independent"):
        assert sound(saturation_index(cells, rank=2, standard_error=kind))
    assert sound(top_gap(cells))


values = st.one_of(st.none(), st.sampled_from([0.0, 0.1, 0.3, 1e100, -1e100, 1e-300, float("nan")]), st.floats(-1, 1))


@given(st.lists(st.tuples(values, values), max_size=9))
def test_growth_and_trend_are_sound_on_any_series(pairs):
    time, score = [a for a, _ in pairs], [b for _, b in pairs]
    assert sound(logistic_growth(time, score))
    assert sound(theil_sen(time, score))
    m = mann_kendall(time, score)
    assert sound(m)
    back = mann_kendall(time[::-1], score[::-1])
    assert (back.s, back.variance, back.p) == (m.s, m.variance, m.p)


@given(st.floats(0, 1e90), st.floats(0, 1e90))
def test_strata_are_sound(true_sd, sem):
    assert sound(distinguishable_strata(true_sd, sem))
