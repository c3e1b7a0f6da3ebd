import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from metrology.stats.cells import Cells
from metrology.stats.compare import (
    adjust_p_values,
    equivalence,
    mcnemar,
    paired_difference,
    sign_flip_test,
    tie_groups,
)
from metrology.stats.results import StatsInputError
from tests.stats import golden
from tests.stats.soundness import hostile_scores, sound, trial_tables


def paired(*, families: bool) -> Cells:
    rows = golden.table("paired")
    cluster = [*rows.cluster, *rows.cluster] if families else None
    size = len(rows)
    return Cells.from_long(["a"] * size + ["b"] * size, [*rows.item] * 2, [*rows.a, *rows.b], family=cluster)


def test_reference_paired_difference():
    clustered = paired_difference(paired(families=True), "a", "b")
    e = clustered.effect
    found = {"CR2": e.se, "CR2_satt_df": e.df, "CR2_ci_lo": e.low, "CR2_ci_hi": e.high, "CR2_p": clustered.p}
    assert golden.agrees("eb.se_cluster.diff@paired", found)
    plain = paired_difference(paired(families=False), "a", "b")
    found = {
        "paired": plain.effect.se,
        "unpaired": float(np.hypot(plain.baseline.se, plain.candidate.se)),
        "cor": plain.correlation,
        "t": plain.statistic,
        "p": plain.p,
    }
    assert golden.agrees("eb.se_diff_paired@paired", found)
    assert plain.effect.value == pytest.approx(plain.candidate.value - plain.baseline.value)


@pytest.mark.parametrize("key", ["mcnemar.1", "mcnemar.2", "mcnemar.3", "mcnemar.4"])
def test_reference_mcnemar(key):
    want = golden.value(key)
    exact = mcnemar(want["b"], want["c"], method="exact")
    found = {"p_exact": exact.p, "p_mid": mcnemar(want["b"], want["c"]).p}
    found |= {"or": exact.effect.value, "or_lower": exact.effect.low, "or_upper": exact.effect.high}
    assert golden.agrees(key, {name: found[name] for name in found if name in want})


@pytest.mark.parametrize(("name", "paired_design"), [("paired", True), ("welch", False)])
def test_reference_equivalence(name, paired_design):
    rows, want = golden.table("tost"), golden.value(f"tost.{name}")
    e = equivalence(rows.a, rows.b, golden.value("tost.paired")["bound"], paired=paired_design)
    found = {"diff": e.difference.value, "df": e.df, "p_tost": e.p, "p_lower": e.p_lower, "p_upper": e.p_upper}
    found |= {"t_lower": e.t_lower, "t_upper": e.t_upper, "ci90": [e.difference.low, e.difference.high]}
    assert golden.agrees(f"tost.{name}", {part: found[part] for part in found if part in want})


@pytest.mark.parametrize(
    ("key", "method"),
    [
        ("BH", "benjamini_hochberg"),
        ("BY", "benjamini_yekutieli"),
        ("holm", "holm"),
        ("hochberg", "hochberg"),
        ("bonferroni", "bonferroni"),
    ],
)
def test_reference_adjustments(key, method):
    assert golden.agrees(f"padj.{key}", list(adjust_p_values(golden.table("pvalues").p, method=method)))


def test_only_shared_items_are_compared():
    cells = Cells.from_matrix([[1, 0, 1, None, 1], [None, 1, 1, 0, 0], [None] * 5], agents=["a", "b", "c"])
    comparison = paired_difference(cells, "a", "b")
    assert comparison.effect.value == pytest.approx(0)
    assert (comparison.n["items"], comparison.n["dropped"]) == (3, 2)
    assert "MISSING" in comparison.codes
    nothing = paired_difference(cells, "a", "c")
    assert (nothing.status, nothing.codes) == ("undefined", ("NO_OVERLAP", "MISSING"))
    same = paired_difference(Cells.from_matrix([[1, 0, 1], [1, 0, 1]]), "1", "2")
    assert (same.effect.value, same.effect.low, same.p, same.codes) == (0.0, None, None, ("ZERO_VARIANCE",))
    one_family = paired_difference(Cells.from_matrix([[1, 0, 1], [0, 0, 1]], families=["x"] * 3), "1", "2")
    assert (one_family.status, one_family.codes) == ("undefined", ("TOO_FEW_CLUSTERS",))


def test_mcnemar_limits():
    none = mcnemar(0, 0)
    assert (none.p, none.status, none.codes) == (1.0, "ok", ("NO_DISCORDANT",))
    one_sided = mcnemar(4, 0, method="exact")
    assert (one_sided.p, one_sided.status, one_sided.effect.value) == (pytest.approx(0.125), "ok", None)
    assert one_sided.effect.codes == ("ZERO_DENOMINATOR",)
    assert one_sided.effect.low > 0
    assert one_sided.effect.high is None
    assert mcnemar(3, 3).p == pytest.approx(1 - scipy.stats.binom.pmf(3, 6, 0.5) / 2)
    assert mcnemar(0, 4).effect.low == 0.0


@given(st.integers(0, 10**15), st.integers(0, 10**15), st.sampled_from(["mid_p", "exact"]))
def test_mcnemar_does_not_depend_on_who_is_first(first, second, method):
    there, back = mcnemar(first, second, method=method), mcnemar(second, first, method=method)
    assert sound(there)
    assert there.p == back.p
    assert 0 <= there.p <= 1


@given(st.integers(0, 60), st.integers(0, 60))
def test_exact_limits_hold_the_odds_ratio_and_mirror(first, second):
    effect, mirrored = mcnemar(first, second).effect, mcnemar(second, first).effect
    if effect.value and mirrored.value:
        assert effect.low < effect.value < effect.high
        assert effect.low == pytest.approx(1 / mirrored.high)


def test_mid_p_error_rate_is_near_nominal():
    discordant = np.random.default_rng(12).binomial(60, 0.4, 4000)
    first = np.random.default_rng(13).binomial(discordant, 0.5)
    table = {}
    rejected = 0
    for b, d in zip(first.tolist(), discordant.tolist(), strict=True):
        if (b, d) not in table:
            table[b, d] = mcnemar(b, d - b).p < 0.05
        rejected += table[b, d]
    assert 0.03 < rejected / 4000 < 0.06


def test_clustered_difference_covers_at_the_nominal_rate():
    r, covered, runs = np.random.default_rng(21), 0, 400
    families = np.repeat(np.arange(8), [3, 3, 4, 4, 5, 5, 8, 8])
    for _ in range(runs):
        shift = r.normal(0, 0.1, 8)[families]
        baseline = r.random(40) * 0.5
        cells = Cells.from_matrix([baseline, baseline + 0.1 + shift + r.normal(0, 0.1, 40)], families=families)
        e = paired_difference(cells, "1", "2").effect
        covered += e.low <= 0.1 <= e.high
    assert 0.92 < covered / runs < 0.98


def test_sign_flips():
    assert sign_flip_test([0.1, 0.2, 0.1, 0.3, 0.2, 0.1]).p == pytest.approx(2 / 64)
    pairs = sign_flip_test([0.1, 0.2, 0.1, 0.3, 0.2, 0.1, 0.1, 0.1], [1, 1, 2, 2, 3, 3, 4, 4])
    assert (pairs.p, pairs.codes) == (pytest.approx(2 / 16), ("FEW_CLUSTERS",))
    wide = list(np.linspace(-0.2, 0.5, 40))
    assert sign_flip_test(wide, draws=500, seed=3) == sign_flip_test(wide[::-1], draws=500, seed=3)
    assert sign_flip_test([0.4, 0.3], ["x", "x"]).codes == ("TOO_FEW_CLUSTERS",)
    assert sign_flip_test([]).codes == ("NO_DATA",)
    nothing = sign_flip_test([0.0] * 9)
    assert (nothing.p, nothing.codes) == (1.0, ("ZERO_VARIANCE",))
    exact, sampled = sign_flip_test(wide[:16]).p, sign_flip_test([*wide[:16], 0.0]).p
    assert sampled == pytest.approx(exact, abs=0.02)


def test_missing_p_values_are_not_counted():
    assert adjust_p_values([0.01, None, 0.04], method="benjamini_hochberg") == pytest.approx((0.02, None, 0.04))
    assert adjust_p_values([]) == ()


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=12), st.randoms())
def test_adjusted_p_values_keep_order_and_only_grow(p_values, random):
    order = list(range(len(p_values)))
    random.shuffle(order)
    bonferroni = adjust_p_values(p_values, method="bonferroni")
    for method in ("holm", "hochberg", "benjamini_hochberg", "benjamini_yekutieli"):
        adjusted = adjust_p_values(p_values, method=method)
        assert adjust_p_values([p_values[i] for i in order], method=method) == tuple(adjusted[i] for i in order)
        for raw, new, largest in zip(p_values, adjusted, bonferroni, strict=True):
            assert (new is None) == (raw is None)
            if raw is not None:
                assert raw <= new <= 1
                assert method == "benjamini_yekutieli" or new <= largest + 1e-12


def test_replayed_runs_are_no_evidence_of_equivalence():
    replay = equivalence([0.5, 0.6], [0.5, 0.6], 0.1)
    assert (replay.status, replay.codes, replay.equivalent) == ("warn", ("ZERO_VARIANCE",), None)
    assert (replay.difference.value, replay.difference.low) == (0.0, None)
    # 0.6 - 0.5 and 0.4 - 0.3 differ in the last bit only
    assert equivalence([0.5, 0.3], [0.6, 0.4], 0.3).equivalent is None
    assert equivalence([0.5], [0.6], 0.1).codes == ("TOO_FEW_UNITS",)
    assert equivalence([0.5, 0.5], [0.6, 0.6], 0.1, paired=False).equivalent is None
    assert equivalence([1, 2, None, 3], [1.1, 2.0, 3.0, 3.2], 5).codes == ("MISSING",)
    assert equivalence([1, 2, 3], [1.1, 2.0, 3.2], 5).equivalent is True
    assert equivalence([1, 2, 3], [1.1, 2.0, 3.2], 0.01).equivalent is False


values = st.one_of(st.none(), st.sampled_from([0.0, 0.1, 0.2, 0.3, 1e100, -1e100, 1e-300]), st.floats(-1, 1))


@given(st.lists(st.tuples(values, values), max_size=7), st.booleans())
def test_equivalence_is_sound_on_any_values(pairs, paired_design):
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    there = equivalence(first, second, 0.1, paired=paired_design)
    assert sound(there)
    back = equivalence(second, first, 0.1, paired=paired_design)
    assert there.p == pytest.approx(back.p) if there.p is not None else back.p is None


@given(st.lists(values, max_size=20), st.integers(1, 6))
def test_sign_flips_are_sound_and_blind_to_sign(differences, groups):
    clusters = [i % groups for i in range(len(differences))]
    there = sign_flip_test(differences, clusters, draws=99)
    assert sound(there)
    back = sign_flip_test([None if d is None else -d for d in differences], clusters, draws=99)
    assert there.p == back.p


@given(trial_tables(scores=hostile_scores), st.booleans())
def test_differences_are_sound_on_any_scores(table, clustered):
    families = [str(i // 2) for i in range(len(table[0]))] if clustered else None
    cells = Cells.from_trials(table, families=families)
    if len(cells.agents) > 1:
        there, back = paired_difference(cells, "1", "2"), paired_difference(cells, "2", "1")
        assert sound(there)
        assert there.codes == back.codes
        if there.effect.value is not None:
            assert there.effect.value == pytest.approx(-back.effect.value)


def test_tie_groups():
    solved = np.stack([np.tile(row, (40, 1)) for row in ([1.0, 1, 1, 1, 0], [1.0, 1, 1, 0, 1], [0.0, 0, 1, 0, 0])])
    cells = Cells.from_trials(solved * np.random.default_rng(2).choice([1.0, 1, 1, 0], (3, 40, 5)))
    assert [set(group) for group in tie_groups(cells)] == [{"1", "2"}, {"3"}]
    all_or_nothing = Cells.from_matrix([[0.0] * 12, [1.0] * 12, [1.0] * 12], agents=["none", "all", "too"])
    assert tie_groups(all_or_nothing) == (("all", "too"), ("none",))
    assert tie_groups(Cells.from_matrix([[None, None], [1, 0]])) == (("2",),)
    assert tie_groups(Cells.from_matrix(np.empty((0, 0)))) == ()


@given(trial_tables())
def test_tie_groups_hold_every_scored_agent_once_in_rank_order(table):
    cells = Cells.from_trials(table)
    labels = [label for group in tie_groups(cells) for label in group]
    scored = {label for label, n in zip(cells.agents, cells.n.sum(1), strict=True) if n}
    assert len(labels) == len(scored)
    assert set(labels) == scored
    scores = [np.nanmean(cells.select(agents=[label]).mean) for label in labels]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(
    "call",
    [
        lambda: paired_difference(Cells.from_matrix([[1, 0], [0, 1]]), "1", "nobody"),
        lambda: paired_difference(Cells.from_matrix([[1, 0], [0, 1]]), "1", "1"),
        lambda: mcnemar(-1, 2),
        lambda: mcnemar(1.5, 2),
        lambda: mcnemar(1, 2, method="chi2"),
        lambda: mcnemar(10**16, 2),
        lambda: sign_flip_test([1, 2], ["x"]),
        lambda: sign_flip_test([1, float("inf")]),
        lambda: sign_flip_test([1, 2], draws=0),
        lambda: adjust_p_values([0.1, 1.2]),
        lambda: adjust_p_values([0.1], method="sidak"),
        lambda: equivalence([1, 2], [1, 2], 0),
        lambda: equivalence([1, 2], [1], 0.1),
        lambda: equivalence([1, 2], [1, 2], 0.1, alpha=0.5),
        lambda: tie_groups(Cells.from_matrix([[1, 0]]), method="none"),
        lambda: tie_groups(Cells.from_matrix([[1, 0]]), alpha=0),
    ],
)
def test_bad_input_is_named(call):
    with pytest.raises(StatsInputError, match=r"`|verdicts|lengths differ"):
        call()
