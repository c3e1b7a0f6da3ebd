import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrology.stats.agreement import (
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    percent_agreement,
)
from metrology.stats.results import StatsInputError
from tests.stats import golden
from tests.stats.soundness import sound

METRICS = ["nominal", "ordinal", "interval", "ratio"]


@pytest.mark.parametrize("metric", METRICS)
def test_reference_krippendorff(metric):
    ratings = golden.table("krippendorff4x12").to_numpy(float)
    assert golden.agrees(f"kripp.{metric}@krip", krippendorff_alpha(ratings, metric=metric).estimate.value)


def by_definition(ratings, squared_distance):
    """Alpha from all pairs of ratings within units against all pairs of ratings."""
    units = [[v for v in row if not np.isnan(v)] for row in ratings]
    units = [unit for unit in units if len(unit) > 1]
    every = [v for unit in units for v in unit]
    within = sum(sum(squared_distance(a, b) for a in unit for b in unit) / (len(unit) - 1) for unit in units)
    chance = sum(squared_distance(a, b) for a in every for b in every) / (len(every) - 1)
    return 1 - within / chance


def test_krippendorff_by_definition():
    ratings = np.random.default_rng(2).integers(1, 4, (9, 4)).astype(float)
    ratings[0, :2] = ratings[3, 1:] = np.nan
    for metric, distance in (("nominal", lambda a, b: float(a != b)), ("interval", lambda a, b: (a - b) ** 2)):
        alpha = krippendorff_alpha(ratings, metric=metric)
        assert alpha.estimate.value == pytest.approx(by_definition(ratings, distance))
        assert alpha.codes == ("MISSING",)
        assert alpha.estimate.value == pytest.approx((alpha.observed - alpha.expected) / (1 - alpha.expected))


def test_cohen_kappa_by_hand():
    # Fleiss, Cohen & Everitt: 2 x 2 table 20 5 / 10 15
    ratings = [[0, 0]] * 20 + [[0, 1]] * 5 + [[1, 0]] * 10 + [[1, 1]] * 15
    kappa = cohen_kappa(ratings)
    assert (kappa.observed, kappa.expected, kappa.estimate.value) == pytest.approx((0.7, 0.5, 0.4))
    assert cohen_kappa(ratings, weights="linear").estimate.value == pytest.approx(0.4)
    scheme = [[1, 1], [3, 3], [1, 3], [3, 3]]
    assert cohen_kappa(scheme, weights="linear", categories=[1, 2, 3]).estimate.value == pytest.approx(0.5)
    assert cohen_kappa([[1, 2], [2, 1], [1, None]]).n["units"] == 2


def test_cohen_standard_error_by_simulation():
    r = np.random.default_rng(6)
    cells = r.choice(4, size=(2000, 80), p=[0.4, 0.1, 0.15, 0.35])
    kappas = [cohen_kappa(np.column_stack([c // 2, c % 2])).estimate for c in cells[:400]]
    assert np.mean([k.se for k in kappas]) == pytest.approx(np.std([k.value for k in kappas]), rel=0.12)


def test_two_complete_raters_make_fleiss_scotts_pi():
    ratings = np.random.default_rng(3).integers(0, 3, (20, 2)).astype(float)
    shares = np.array([(ratings == c).mean() for c in range(3)])
    observed, expected = (ratings[:, 0] == ratings[:, 1]).mean(), (shares**2).sum()
    assert fleiss_kappa(ratings).estimate.value == pytest.approx((observed - expected) / (1 - expected))
    chance = (shares * (1 - shares)).sum() / 2
    assert gwet_ac1(ratings).estimate.value == pytest.approx((observed - chance) / (1 - chance))
    assert percent_agreement(ratings).value == pytest.approx(observed)


def test_one_category_perfect_agreement_and_no_pairs():
    for coefficient in (cohen_kappa, fleiss_kappa, gwet_ac1, krippendorff_alpha):
        one = coefficient([[1, 1], [1, 1], [1, 1]])
        assert (one.status, one.codes, one.observed) == ("undefined", ("ZERO_VARIANCE",), 1.0)
        assert coefficient([[1, None], [None, 2]]).estimate.codes == ("NO_PAIRS", "MISSING")
        perfect = coefficient([[1, 1], [2, 2], [1, 1], [2, 2]])
        assert (perfect.estimate.value, perfect.estimate.low) == (1.0, None)
    assert fleiss_kappa([[1, 1], [2, 2], [1, 1]]).codes == ("ZERO_ERROR",)
    assert percent_agreement([[1, 1], [1, 1]]).value == 1.0
    assert percent_agreement([]).codes == ("NO_PAIRS",)


@pytest.mark.parametrize(
    "call",
    [
        lambda: cohen_kappa([[1, 2, 3]]),
        lambda: cohen_kappa([[1, 2]], weights="cubic"),
        lambda: cohen_kappa([[1, 2]], categories=[1, 3]),
        lambda: fleiss_kappa([1, 2]),
        lambda: gwet_ac1([["a", "b"]]),
        lambda: krippendorff_alpha([[1, 2]], metric="circular"),
        lambda: krippendorff_alpha([[-1, 2], [1, 1]], metric="ratio"),
    ],
)
def test_bad_input_is_named(call):
    with pytest.raises(StatsInputError, match="`"):
        call()


rating = st.one_of(st.none(), st.integers(0, 3).map(float), st.sampled_from([1e-300, 1e100, 0.5]))


@given(
    st.integers(1, 4).flatmap(lambda raters: st.lists(st.lists(rating, min_size=raters, max_size=raters), max_size=7))
)
def test_coefficients_are_sound_and_blind_to_the_order_of_raters(ratings):
    coefficients = [fleiss_kappa, gwet_ac1, *(lambda r, m=m: krippendorff_alpha(r, metric=m) for m in METRICS)]
    if not ratings or len(ratings[0]) == 2:
        coefficients.append(cohen_kappa)
    for coefficient in coefficients:
        there = coefficient(ratings)
        assert sound(there)
        back = coefficient([row[::-1] for row in ratings[::-1]])
        assert back.codes == there.codes
        if there.estimate.value is not None:
            assert back.estimate.value == pytest.approx(there.estimate.value, abs=1e-9)
            assert there.estimate.value <= 1 + 1e-12
    assert sound(percent_agreement(ratings))
