import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrology.stats.cells import Cells
from metrology.stats.reliability import (
    binomial_standard_error_of_measurement,
    cronbach_alpha,
    intraclass_correlation,
    spearman_brown,
    spearman_brown_factor,
    split_half,
    standard_error_of_measurement,
)
from metrology.stats.results import StatsInputError
from tests.stats import golden
from tests.stats.soundness import hostile_scores, sound, trial_tables

FORMS = ("1,1", "2,1", "3,1", "1,k", "2,k", "3,k")


def small() -> Cells:
    return Cells.from_matrix(golden.table("small14x24"))


def test_reference_reliability():
    alpha = cronbach_alpha(small())
    halves = split_half(small())
    assert golden.agrees("ctt.alpha@small", alpha.value)
    assert golden.agrees("ctt.alpha_feldt_ci95@small", {"lower": alpha.low, "upper": alpha.high})
    assert golden.agrees("ctt.sem@small", standard_error_of_measurement(small(), scale="sum").value)
    assert golden.agrees("ctt.splithalf_oddeven_r@small", halves.correlation.value)
    assert golden.agrees("ctt.splithalf_spearman_brown@small", halves.spearman_brown.value)
    assert golden.agrees("ctt.splithalf_flanagan_rulon@small", halves.flanagan_rulon.value)
    assert golden.agrees("ctt.spearman_brown_double@small", spearman_brown(alpha.value, 2).value)
    assert golden.agrees("ctt.spearman_brown_k_for_.90@small", spearman_brown_factor(alpha.value, 0.9).value)
    lord = [binomial_standard_error_of_measurement(x, 24).value for x in range(25)]
    assert golden.agrees("ctt.lord_binomial_csem@small", lord)


def test_alpha_of_repeated_trials_uses_their_means():
    assert golden.agrees("g.alpha_over_items@ait", cronbach_alpha(golden.long_cells("ait")).value)


@pytest.mark.parametrize("form", FORMS)
def test_reference_intraclass_correlation(form):
    e = intraclass_correlation(golden.table("shrout_fleiss"), form=form)
    key = f"icc.ICC{form[0]}{'k' if form[2] == 'k' else ''}@icc"
    assert golden.agrees(key, {"icc": e.value, "lower": e.low, "upper": e.high})


def test_degenerate_alpha():
    assert cronbach_alpha(Cells.from_matrix(np.ones((6, 4)))).codes == ("ZERO_VARIANCE",)
    assert cronbach_alpha(Cells.from_matrix([[1], [0]])).codes == ("TOO_FEW_ITEMS",)
    assert cronbach_alpha(Cells.from_matrix([[1, 0]])).codes == ("TOO_FEW_AGENTS",)
    negative = cronbach_alpha(Cells.from_matrix([[1, 0], [0, 1], [1, 0], [0, 1], [1, 1]]))
    assert (negative.value, negative.codes) == (pytest.approx(-4), ("NEGATIVE_ESTIMATE",))
    gap = cronbach_alpha(Cells.from_matrix([[1, None, 1], [0, 1, 1], [1, 0, 0]]))
    assert (gap.status, gap.codes) == ("refused", ("MISSING",))
    perfect = cronbach_alpha(Cells.from_matrix([[1, 1], [0, 0], [1, 1]]))
    assert (perfect.value, perfect.low, perfect.codes) == (1.0, None, ("ZERO_ERROR",))


def test_constant_items_stay_among_the_items():
    scores = np.random.default_rng(4).integers(0, 2, (8, 6))
    with_constant = cronbach_alpha(Cells.from_matrix(np.hstack([scores, np.ones((8, 1))])))
    assert with_constant.codes[0] == "CONSTANT_ITEMS"
    assert (with_constant.n["items"], with_constant.n["active_items"]) == (7, 6)
    assert with_constant.value == pytest.approx(cronbach_alpha(Cells.from_matrix(scores)).value * 7 / 6 * 5 / 6)


def test_degenerate_intraclass_correlation():
    identical = [[1, 1], [2, 2], [3, 3], [4, 4]]
    for form in FORMS:
        e = intraclass_correlation(identical, form=form)
        assert (e.value, e.low, e.status, e.codes) == (1.0, None, "ok", ("ZERO_ERROR",))
        assert intraclass_correlation([[1, 2], [1, 2], [1, 2]], form=form).codes == ("ZERO_VARIANCE",)
    assert intraclass_correlation([[1, 2, 3]]).codes == ("TOO_FEW_AGENTS",)
    assert intraclass_correlation([[1], [2]]).codes == ("TOO_FEW_TRIALS",)
    assert intraclass_correlation([[1, None], [2, 1]]).status == "refused"
    shifted = intraclass_correlation([[1, 2], [2, 3], [5, 6]], form="2,1")
    assert shifted.low < shifted.value < 1


def test_split_half_follows_the_mask_and_says_when_it_cannot():
    scores = np.random.default_rng(6).random((9, 6))
    mask = np.array([True, True, False, False, False, True])
    expected = np.corrcoef(scores[:, mask].sum(1), scores[:, ~mask].sum(1))[0, 1]
    assert split_half(Cells.from_matrix(scores), first_half=mask).correlation.value == pytest.approx(expected)
    two = split_half(Cells.from_matrix(scores[:2]))
    assert two.correlation.codes == ("TOO_FEW_AGENTS",)
    assert two.flanagan_rulon.value is not None
    opposed = split_half(Cells.from_matrix([[1, 0], [0, 1], [1, 0]]))
    assert opposed.correlation.value == pytest.approx(-1)
    assert opposed.spearman_brown.codes == ("NON_POSITIVE_RELIABILITY",)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: standard_error_of_measurement(small(), scale="percent"),
        lambda: binomial_standard_error_of_measurement(5, 4),
        lambda: split_half(small(), first_half=[True] * 24),
        lambda: split_half(small(), first_half=[1, 0] * 12),
        lambda: split_half(small(), first_half=[True, False]),
        lambda: spearman_brown(1.2, 2),
        lambda: spearman_brown(0.5, 0),
        lambda: spearman_brown_factor(0.5, 1),
        lambda: intraclass_correlation([[1, 2], [3]]),
        lambda: intraclass_correlation([[1, 2], [3, 4]], form="4,1"),
    ],
)
def test_bad_input_is_refused(wrong):
    with pytest.raises(StatsInputError):
        wrong()


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_length_factor_and_prophecy_are_inverse(reliability, target):
    factor = spearman_brown_factor(reliability, target).value
    assert spearman_brown(reliability, factor).value == pytest.approx(target)


@given(st.integers(2, 60), st.data())
def test_lords_error_is_symmetric(items, data):
    passes = data.draw(st.integers(0, items))
    e = binomial_standard_error_of_measurement(passes, items)
    assert e.value == binomial_standard_error_of_measurement(items - passes, items).value
    assert e.value <= math.sqrt(items**2 / 4 / (items - 1)) + 1e-12


@given(trial_tables(scores=hostile_scores))
def test_any_table_gives_sound_reliability(scores):
    cells = Cells.from_trials(scores)
    for result in (cronbach_alpha(cells), standard_error_of_measurement(cells), split_half(cells)):
        assert sound(result)


@given(trial_tables(scores=hostile_scores, largest=(6, 5, 1)), st.sampled_from(FORMS))
def test_any_ratings_give_a_sound_correlation(scores, form):
    assert sound(intraclass_correlation([[trials[0] for trials in row] for row in scores], form=form))


@given(trial_tables(scores=st.integers(0, 4), largest=(6, 5, 1)), st.randoms())
def test_order_does_not_matter(scores, random):
    table = np.array(scores, dtype=float)[:, :, 0]
    rows, columns = list(range(table.shape[0])), list(range(table.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    first, second = (cronbach_alpha(Cells.from_matrix(t)) for t in (table, table[rows][:, columns]))
    assert first.codes == second.codes
    assert first.value is None or first.value == pytest.approx(second.value, rel=1e-9, abs=1e-9)


def test_feldt_interval_covers_with_few_agents():
    rng = np.random.default_rng(31)
    agents, items, repeats = 5, 12, 1500
    truth = 1 / (1 + 1.5 / items)
    covered = 0
    for _ in range(repeats):
        scores = rng.normal(size=(agents, 1)) + rng.normal(scale=math.sqrt(1.5), size=(agents, items))
        e = cronbach_alpha(Cells.from_matrix(scores))
        covered += e.low <= truth <= e.high
    assert 0.93 <= covered / repeats <= 0.97
