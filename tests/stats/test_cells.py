import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrology.stats.cells import Cells
from metrology.stats.results import StatsInputError
from tests.stats.soundness import trial_tables

CUBE = np.random.default_rng(3).integers(0, 2, (3, 4, 2)).astype(float)


def same(a: Cells, b: Cells) -> bool:
    arrays = all(np.array_equal(getattr(a, name), getattr(b, name)) for name in ("n", "total", "total_sq"))
    return arrays and (a.agents, a.items, a.families, a.missing) == (b.agents, b.items, b.families, b.missing)


def test_all_constructors_agree():
    trials = Cells.from_trials(CUBE)
    agent, item, _ = (index.ravel() + 1 for index in np.indices(CUBE.shape))
    assert same(trials, Cells.from_counts(CUBE.sum(2), np.full((3, 4), 2)))
    assert same(trials, Cells.from_long(agent.tolist(), [str(i) for i in item], CUBE.ravel().tolist()))
    assert same(trials, Cells.from_sums(trials.n, trials.total, trials.total_sq))
    grouped = Cells.from_grouped(agent, item, np.ones(agent.size), CUBE.ravel(), np.square(CUBE).ravel())
    assert same(trials, grouped)


def test_labels_stand_in_order_of_first_appearance():
    cells = Cells.from_long(["b", "a", "b"], [10, 2, 2], [1, 0, 1], family=["y", "x", "x"])
    assert (cells.agents, cells.items, cells.families) == (("b", "a"), ("10", "2"), ("y", "x"))
    assert cells.n.tolist() == [[1, 1], [0, 1]]
    assert np.isnan(cells.mean[1, 0])


def test_one_and_text_one_are_the_same_label():
    cells = Cells.from_long([1, "1", 2], ["x", "x", "x"], [1, 1, 0])
    assert cells.agents == ("1", "2")
    assert cells.n.tolist() == [[2], [1]]


def test_select_follows_the_order_asked_for_and_its_own_missing_trials():
    scores = CUBE.copy()
    scores[0, 0, 0] = np.nan
    cells = Cells.from_trials(scores, agents=["a", "b", "c"], families=["f", "f", "g", "g"])
    part = cells.select(agents=["c", "b"], items=["4", "1"])
    assert (part.agents, part.items, part.families, part.missing) == (("c", "b"), ("4", "1"), ("g", "f"), 0)
    assert part.total[0, 1] == CUBE[2, 0].sum()
    assert cells.select(agents=["a"]).missing == 1


def test_arrays_are_read_only():
    with pytest.raises(ValueError, match="read-only"):
        Cells.from_trials(CUBE).n[0, 0] = 7


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Cells.from_counts([[3]], [[2]]),
        lambda: Cells.from_counts([[0.5]], [[1]]),
        lambda: Cells.from_counts([[-1]], [[1]]),
        lambda: Cells.from_counts([[1, 1]], [[1]]),
        lambda: Cells.from_matrix([[1, float("inf")]]),
        lambda: Cells.from_matrix([[1, 1e60]]),
        lambda: Cells.from_matrix([["pass", "fail"]]),
        lambda: Cells.from_matrix([[1, 0], [1]]),
        lambda: Cells.from_matrix([1, 0]),
        lambda: Cells.from_matrix([[1, 0]], families=["x"]),
        lambda: Cells.from_matrix([[1, 0]], items=["x", "x"]),
        lambda: Cells.from_matrix([[1, 0]], items="xy"),
        lambda: Cells.from_matrix([[1, 0]], items=["x", None]),
        lambda: Cells.from_long([1, 2], [1], [1, 1]),
        lambda: Cells.from_long([1, None], [1, 1], [1, 1]),
        lambda: Cells.from_long([1, [2]], [1, 1], [1, 1]),
        lambda: Cells.from_long([1, 1], [1, 1], [1, 1], family=["x", "y"]),
        lambda: Cells.from_long([1, 1], [1, 1], [1, 1], family=["x"]),
        lambda: Cells.from_sums([[2]], [[2]], [[1]]),
        lambda: Cells.from_sums([[0]], [[1]], [[1]]),
        lambda: Cells.from_sums([[1]], [[float("nan")]], [[1]]),
        lambda: Cells.from_sums([[1]], [[1]], [[1]], missing=-1),
        lambda: Cells.from_sums([[1]], [[1]], [[1]], missing=[[1, 2]]),
        lambda: Cells.from_grouped([1], [1], [1, 1], [1], [1]),
        lambda: Cells.from_matrix([[1, 0]]).select(items=["9"]),
        lambda: Cells.from_matrix([[1, 0]]).select(items=["1", "1"]),
    ],
)
def test_bad_input_is_refused(wrong):
    with pytest.raises(StatsInputError):
        wrong()


@given(trial_tables())
def test_a_missing_trial_changes_no_verdict_count(scores):
    cells = Cells.from_trials(scores)
    more = Cells.from_trials([[[*trials, None] for trials in row] for row in scores])
    assert np.array_equal(cells.n, more.n)
    assert np.array_equal(cells.total, more.total)
    assert more.missing == cells.missing + cells.n.size
    assert more.incomplete


@given(trial_tables(), st.randoms())
def test_the_order_of_rows_does_not_matter(scores, random):
    rows = [
        (agent, item, score)
        for agent, by_item in enumerate(scores)
        for item, trials in enumerate(by_item)
        for score in trials
    ]
    first = Cells.from_long(*zip(*rows, strict=True))
    random.shuffle(rows)
    second = Cells.from_long(*zip(*rows, strict=True)).select(agents=first.agents, items=first.items)
    assert same(first, second)


def test_graded_scores_are_not_verdicts():
    assert not Cells.from_matrix([[0.5, 1]]).binary
    assert Cells.from_trials(CUBE).binary
