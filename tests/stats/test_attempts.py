import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrology.stats.attempts import pass_at_k, pass_at_k_score, pass_hat_k, pass_hat_k_score, task_variation
from metrology.stats.cells import Cells
from metrology.stats.errorbars import agent_score
from metrology.stats.results import StatsInputError
from tests.stats import golden
from tests.stats.soundness import hostile_scores, sound, trial_tables


@pytest.mark.parametrize("key", golden.keys("passk."))
def test_reference_values(key):
    counts = [golden.value(key)[name] for name in "nck"]
    assert golden.agrees(key, {"pass_at_k": pass_at_k(*counts).value, "pass_hat_k": pass_hat_k(*counts).value})


@given(st.integers(1, 7), st.data())
def test_both_are_the_shares_of_all_draws(n, data):
    passes, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    verdicts = [1] * passes + [0] * (n - passes)
    draws = list(itertools.combinations(verdicts, k))
    assert pass_at_k(n, passes, k).value == pytest.approx(np.mean([max(d) for d in draws]))
    assert pass_hat_k(n, passes, k).value == pytest.approx(np.mean([min(d) for d in draws]))


def test_more_attempts_than_trials_are_not_extrapolated():
    assert pass_at_k(3, 2, 4).codes == ("TOO_FEW_TRIALS",)
    assert pass_hat_k(0, 0, 1).status == "undefined"


@pytest.mark.parametrize("call", [(3, 4, 1), (3, 2, 0), (3, 2, 1.5), (-1, 0, 1)])
def test_impossible_counts_are_refused(call):
    with pytest.raises(StatsInputError):
        pass_at_k(*call)


def test_items_with_too_few_trials_are_left_out_and_counted():
    cells = Cells.from_counts([[4, 1, 5, 2]], [[4, 2, 5, 4]])
    e = pass_hat_k_score(cells, "1", 3)
    assert (e.n["items"], e.n["items_used"]) == (4, 3)
    assert (e.status, e.codes[0]) == ("warn", "TOO_FEW_TRIALS")
    assert e.value == pytest.approx(np.mean([1, 1, 0]))


def test_one_attempt_is_the_plain_score_with_its_families():
    rng = np.random.default_rng(7)
    cells = Cells.from_trials(rng.integers(0, 2, (1, 30, 4)).astype(float), families=[i // 2 for i in range(30)])
    score, attempt = agent_score(cells, "1"), pass_at_k_score(cells, "1", 1)
    assert (attempt.value, attempt.se, attempt.df) == pytest.approx((score.value, score.se, score.df))


def test_graded_scores_have_no_attempts():
    with pytest.raises(StatsInputError):
        pass_at_k_score(Cells.from_matrix([[0.5, 1]]), "1", 1)


@given(trial_tables(), st.integers(1, 4))
def test_scores_of_attempts_are_always_sound(scores, k):
    cells = Cells.from_trials(scores)
    at, hat = pass_at_k_score(cells, "1", k), pass_hat_k_score(cells, "1", k)
    assert sound(at)
    assert sound(hat)
    if at.value is not None:
        assert -1e-12 <= hat.value <= at.value + 1e-12


@pytest.mark.parametrize("who", "ab")
def test_reference_variation(who):
    rows = golden.table("paired")
    v = task_variation(Cells.from_long([who] * len(rows), rows.item, rows[who]), who)
    key = f"eb.variance_decomposition_{who}@paired"
    assert golden.agrees(
        key,
        {
            "var_item_means": v.variance_of_task_means,
            "within": v.within,
            "between": v.between,
            "total_single_trial": v.total,
        },
    )


def test_variation_recovers_what_was_simulated():
    rng = np.random.default_rng(11)
    chance = rng.choice([0.2, 0.6], size=4000)
    v = task_variation(Cells.from_trials((rng.random((1, 4000, 3)) < chance[:, None]).astype(float)), "1")
    assert v.between == pytest.approx(0.04, abs=0.006)
    assert v.within == pytest.approx(0.2, abs=0.006)


def test_one_trial_per_item_leaves_noise_unknown():
    v = task_variation(Cells.from_matrix([[1, 0, 1]]), "1")
    assert (v.within, v.between, v.total, v.status) == (None, None, None, "warn")
    assert v.flaky_share == 0
    assert v.variance_of_task_means == pytest.approx(1 / 3)


@given(trial_tables(scores=hostile_scores))
def test_variation_is_always_sound(scores):
    assert sound(task_variation(Cells.from_trials(scores), "1"))
