import math

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st

from metrology.stats.cells import Cells
from metrology.stats.generalizability import (
    crossed_components,
    d_study,
    optimal_trials,
    phi_lambda,
    variance_components,
)
from metrology.stats.reliability import cronbach_alpha
from metrology.stats.results import StatsInputError
from tests.stats import golden
from tests.stats.dense_reml import restricted_deviance
from tests.stats.soundness import hostile_scores, sound, trial_tables

NESTED = {"p": "agent", "i": "item", "pi": "agent:item", "t_pi": "trial"}
FAMILIES = {"p": "agent", "cluster": "family", "i_in_cluster": "item", "pi": "agent:item", "t_pi": "trial"}
CROSSED = {
    "p": "agent",
    "i": "item",
    "t": "occasion",
    "pi": "agent:item",
    "pt": "agent:occasion",
    "it": "item:occasion",
    "pit_e": "residual",
}


def named(mapping, names):
    return {key: mapping[name] for key, name in names.items()}


def studies(components, key):
    plans = golden.value(key)
    return [
        {
            "Erho2": s.generalizability,
            "Phi": s.dependability,
            "sem_rel": s.sem_relative,
            "sem_abs": s.sem_absolute,
        }
        for s in d_study(components, [(plan["ni"], plan["nt"]) for plan in plans])
    ]


def normal_scores(agents=6, items=9, trials=3, seed=1, sd=(1.0, 0.7, 0.5, 0.8)):
    rng = np.random.default_rng(seed)
    parts = (
        sd[0] * rng.normal(size=(agents, 1, 1)),
        sd[1] * rng.normal(size=(1, items, 1)),
        sd[2] * rng.normal(size=(agents, items, 1)),
        sd[3] * rng.normal(size=(agents, items, trials)),
    )
    return sum(parts)


def reml(scores):
    return variance_components(Cells.from_trials(scores), method="reml")


def with_gaps(scores, share=0.25, seed=2):
    return np.where(np.random.default_rng(seed).random(scores.shape) < share, np.nan, scores)


def test_reference_anova():
    v = variance_components(golden.long_cells("ait"))
    assert golden.agrees("g.pxi_tnested.ems.ms@ait", named(v.mean_squares, NESTED))
    assert golden.agrees("g.pxi_tnested.ems.var@ait", named(v.raw, NESTED))
    assert golden.agrees("g.pxi_tnested.ems.se@ait", named(v.se, NESTED))
    g = v.generalizability
    assert golden.agrees("g.erho2_feldt_ci95@ait", {"est": g.value, "lower": g.low, "upper": g.high})
    assert g.value == pytest.approx(cronbach_alpha(golden.long_cells("ait")).value)


@pytest.mark.parametrize("name", ["ait", "ait_missing"])
def test_reference_reml(name):
    v = variance_components(golden.long_cells(name), method="reml")
    assert golden.agrees(f"g.pxi_tnested.reml.var@{name}", named(v.raw, NESTED))
    assert golden.agrees(f"g.pxi_tnested.reml.crit@{name}", v.criterion)
    mean = {"mean": v.grand_mean.value, "se": v.grand_mean.se}
    assert golden.agrees(f"g.pxi_tnested.reml.grandmean@{name}", mean)
    assert golden.agrees(f"g.pxi_tnested.dstudy@{name}", studies(v, f"g.pxi_tnested.dstudy@{name}"))
    f = variance_components(golden.long_cells(name), method="reml", families=True)
    assert golden.agrees(f"g.p_x_icluster.reml.var@{name}", named(f.raw, FAMILIES))


def test_reference_crossed():
    rows = golden.table("pit")
    cube = np.stack([t.pivot(index="p", columns="i", values="y") for _, t in rows.groupby("t")], axis=2)
    anova, reml = crossed_components(cube), crossed_components(cube, method="reml")
    squares = named(anova.mean_squares, CROSSED)
    assert golden.agrees("g.pxixt.ms@pit", {key.removesuffix("_e"): value for key, value in squares.items()})
    assert golden.agrees("g.pxixt.ems.var@pit", named(anova.raw, CROSSED))
    assert golden.agrees("g.pxixt.reml.var@pit", named(reml.raw, CROSSED))
    assert golden.agrees("g.pxixt.reml.crit@pit", reml.criterion)
    assert golden.agrees("g.pxixt.dstudy@pit", studies(anova, "g.pxixt.dstudy@pit"))


@pytest.mark.parametrize("families", [False, True])
@pytest.mark.parametrize("shape", [(5, 8, 3), (9, 5, 2), (6, 10, 1), (10, 6, 1)])
def test_reml_is_the_lowest_dense_deviance(shape, families):
    scores = with_gaps(normal_scores(*shape), 0.15)
    groups = [position % 3 for position in range(shape[1])]
    cells = Cells.from_trials(scores, families=groups)
    v = variance_components(cells, method="reml", families=families)
    names, own = list(v.raw), groups if families else None

    def deviance(logs):
        return restricted_deviance(scores, dict(zip(names, np.exp(logs), strict=True)), own)

    assert restricted_deviance(scores, v.raw, own) == pytest.approx(v.criterion, rel=1e-9)
    start = np.log(np.maximum([v.raw[name] for name in names], 1e-3))
    options = {"maxiter": 60}
    assert scipy.optimize.minimize(deviance, start, method="L-BFGS-B", options=options).fun > v.criterion - 1e-4


def test_standard_errors_are_those_of_the_dense_information():
    scores = with_gaps(normal_scores(8, 7, 2, seed=4), 0.1)
    v = variance_components(Cells.from_trials(scores), method="reml")
    names = list(v.raw)
    point = np.array([v.raw[name] for name in names])
    assert point.min() > 0
    step = 1e-3 * point

    def deviance(moves):
        return restricted_deviance(scores, dict(zip(names, point + moves * step, strict=True)))

    unit = np.eye(4)
    information = np.array(
        [[sum(s * t * deviance(s * a + t * b) for s in (1, -1) for t in (1, -1)) / 8 for b in unit] for a in unit]
    )
    expected = np.sqrt(np.diag(np.linalg.inv(information))) * step
    assert [v.se[name] for name in names] == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("crossed", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_balanced_reml_is_the_lowest_dense_deviance_at_the_boundary(seed, crossed):
    scores = normal_scores(4, 5, 3, seed=seed, sd=(0.0, 0.0, 0.1, 1.0))
    v = crossed_components(scores, method="reml") if crossed else reml(scores)
    names = list(v.raw)
    assert restricted_deviance(scores, v.raw) == pytest.approx(v.criterion, rel=1e-9)

    def deviance(logs):
        return restricted_deviance(scores, dict(zip(names, np.exp(logs), strict=True)))

    start = np.log(np.maximum([v.raw[name] for name in names], 1e-2))
    assert scipy.optimize.minimize(deviance, start, method="L-BFGS-B").fun > v.criterion - 1e-5
    assert ("BOUNDARY" in v.codes) == (min(v.raw.values()) == 0)


def test_unbalanced_reml_meets_balanced_reml():
    scores = normal_scores()
    dropped = scores.copy()
    dropped[0, 0, 0] = np.nan
    a = variance_components(Cells.from_trials(scores), method="reml")
    b = variance_components(Cells.from_trials(dropped), method="reml")
    for name, value in a.raw.items():
        assert b.raw[name] == pytest.approx(value, rel=0.2)
    assert a.raw == pytest.approx(variance_components(Cells.from_trials(scores)).raw)


def test_degenerate_tables():
    ones = variance_components(Cells.from_trials(np.ones((4, 10, 3))))
    assert (ones.status, ones.codes, ones.grand_mean.value) == ("undefined", ("ZERO_VARIANCE",), 1.0)
    one_agent = variance_components(Cells.from_trials(np.random.default_rng(1).integers(0, 2, (1, 8, 3))))
    assert one_agent.codes == ("TOO_FEW_AGENTS",)
    assert one_agent.raw["trial"] > 0
    assert variance_components(Cells.from_matrix([[1], [0]])).codes == ("TOO_FEW_ITEMS",)
    nothing = variance_components(Cells.from_matrix([[None, None], [None, None]]))
    assert nothing.codes == ("NO_DATA", "MISSING")
    alike = variance_components(Cells.from_matrix([[1, 0, 1]] * 3))
    assert (alike.status, alike.codes[-1], alike.raw["agent"]) == ("warn", "ZERO_VARIANCE", 0.0)
    assert alike.generalizability.value is None
    negative = variance_components(Cells.from_matrix([[1, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0]]))
    assert "NEGATIVE_ESTIMATE" in negative.codes
    assert negative.raw["agent"] == pytest.approx(-1 / 9)
    assert negative.used["agent"] == 0
    pieces = np.full((4, 4, 2), np.nan)
    pieces[:2, :2], pieces[2:, 2:] = 1, [[1, 0], [0, 1]]
    assert variance_components(Cells.from_trials(pieces), method="reml").codes == ("DISCONNECTED", "MISSING")


def test_agents_and_items_without_verdicts_are_left_out():
    scores = normal_scores()
    padded = np.full((7, 10, 3), np.nan)
    padded[:6, :9] = scores
    a, b = (variance_components(Cells.from_trials(x)) for x in (scores, padded))
    assert b.raw == pytest.approx(a.raw)
    assert (b.codes, b.n["agents"], b.n["items"]) == (("MISSING",), 6, 9)


def test_tables_without_trial_noise_keep_a_trial_component_of_zero():
    scores = np.repeat(normal_scores(6, 8, 1), 3, axis=2)
    scores[0, 0, 0] = np.nan
    v = variance_components(Cells.from_trials(scores), method="reml")
    once = variance_components(Cells.from_trials(scores[:, :, 1:2]), method="reml")
    assert (v.raw["trial"], v.criterion) == (0.0, None)
    assert "BOUNDARY" in v.codes
    assert v.raw["agent:item"] == pytest.approx(once.raw["residual"], rel=1e-5)


@pytest.mark.parametrize("turn", [False, True])
def test_scores_that_agents_and_items_explain_exactly(turn):
    rng = np.random.default_rng(8)
    agents, items = rng.normal(size=6), rng.normal(size=9)
    table = agents[:, None] + items
    table[0, 0] = table[3, 5] = np.nan
    v = variance_components(Cells.from_matrix(table.T if turn else table), method="reml")
    first, second = (items, agents) if turn else (agents, items)
    assert v.raw["agent"] == pytest.approx(first.var(ddof=1))
    assert v.raw["item"] == pytest.approx(second.var(ddof=1))
    assert v.raw["residual"] == 0
    groups = list("aabbccddd")[: table.shape[1]]
    families = Cells.from_matrix(table, families=groups)
    assert variance_components(families, method="reml", families=True).codes[0] == "NOT_IDENTIFIED"


def test_families_that_cannot_be_told_from_items():
    scores = normal_scores(5, 4, 2)
    single = Cells.from_trials(scores, families=["f"] * 4)
    assert variance_components(single, method="reml", families=True).codes == ("TOO_FEW_CLUSTERS",)
    own = Cells.from_trials(scores, families=list("abcd"))
    assert variance_components(own, method="reml", families=True).codes == ("CONFOUNDED",)


def test_decision_studies():
    v = variance_components(Cells.from_trials(normal_scores()))
    small, more_items, more_trials = d_study(v, [(10, 2), (20, 2), (10, 4)])
    assert more_items.sem_relative < more_trials.sem_relative < small.sem_relative
    fixed = d_study(v, [(20, 3)], universe="fixed")[0]
    assert fixed.sem_absolute == fixed.sem_relative == pytest.approx(math.sqrt(v.used["trial"] / 60))
    single = variance_components(Cells.from_matrix(normal_scores(6, 9, 1)[:, :, 0]))
    over_items, over_trials = d_study(single, [(8, 1), (8, 3)])
    assert over_items.generalizability is not None
    assert (over_trials.status, over_trials.codes) == ("refused", ("CONFOUNDED",))
    assert d_study(single, [(8, 1)], universe="fixed")[0].status == "refused"
    assert d_study(variance_components(Cells.from_matrix([[1, 0]])), [(8, 1)])[0].status == "undefined"


def test_families_weigh_on_the_absolute_error():
    groups = [position // 3 for position in range(12)]
    family_effect = np.repeat(np.random.default_rng(3).normal(size=4), 3)
    scores = normal_scores(8, 12, 2, seed=5) + 2 * family_effect[None, :, None]
    v = variance_components(Cells.from_trials(scores, families=groups), method="reml", families=True)
    study = d_study(v, [(24, 2)])[0]
    expected = v.used["item"] / 24 + v.used["family"] / 8
    assert study.sem_absolute**2 - study.sem_relative**2 == pytest.approx(expected)
    assert d_study(v, [(12, 2)])[0].sem_absolute ** 2 == pytest.approx(v.absolute_error)


def test_phi_lambda_is_lowest_at_the_mean():
    v = variance_components(Cells.from_trials(normal_scores(12)))
    mean = v.grand_mean.value
    at_mean, off = phi_lambda(v, mean).value, phi_lambda(v, mean + 1).value
    assert at_mean < off < phi_lambda(v, mean + 2).value < 1
    assert phi_lambda(variance_components(Cells.from_matrix([[1, 0]])), 0.5).status == "undefined"


def test_optimal_trials_is_where_the_error_for_the_money_is_least():
    v = variance_components(Cells.from_trials(normal_scores(12, 20, 3)))
    best = optimal_trials(v, cost_per_item=20, cost_per_run=1).value

    def error(trials):
        return (v.used["agent:item"] + v.used["trial"] / trials) * (20 + trials)

    assert error(best) < min(error(best * 1.1), error(best / 1.1))
    assert optimal_trials(v, cost_per_item=1e-9, cost_per_run=1).value == 1
    single = variance_components(Cells.from_matrix(normal_scores(6, 9, 1)[:, :, 0]))
    assert optimal_trials(single, cost_per_item=1, cost_per_run=1).codes == ("CONFOUNDED",)


CELLS = Cells.from_trials(normal_scores(3, 3, 2))
COMPONENTS = variance_components(CELLS)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: variance_components(CELLS, method="ml"),
        lambda: variance_components(CELLS, families=True),
        lambda: variance_components(CELLS, method="reml", families=True),
        lambda: crossed_components([[1, 2], [3, 4]]),
        lambda: d_study(COMPONENTS, [(0, 1)]),
        lambda: d_study(COMPONENTS, [3]),
        lambda: d_study(COMPONENTS, [(3, 1)], universe="world"),
        lambda: phi_lambda(COMPONENTS, float("nan")),
        lambda: optimal_trials(COMPONENTS, cost_per_item=0, cost_per_run=1),
        lambda: optimal_trials(crossed_components(normal_scores(3, 3, 3)), cost_per_item=1, cost_per_run=1),
    ],
)
def test_bad_input_is_refused(wrong):
    with pytest.raises(StatsInputError):
        wrong()


def check_everything(components):
    assert sound(components)
    for universe in ("items", "fixed"):
        assert sound(d_study(components, [(1, 1), (10, 3)], universe=universe))
    assert sound(phi_lambda(components, 0.5))
    if "occasion" not in components.raw and "crossed" not in components.design:
        assert sound(optimal_trials(components, cost_per_item=2, cost_per_run=1))


@given(trial_tables(scores=hostile_scores), st.sampled_from(["anova", "reml"]))
def test_any_scores_give_sound_components(scores, method):
    check_everything(variance_components(Cells.from_trials(scores), method=method))


@given(trial_tables(largest=(6, 6, 3)), st.booleans())
def test_any_verdicts_give_sound_reml(scores, families):
    groups = [position % 3 for position in range(len(scores[0]))]
    cells = Cells.from_trials(scores, families=groups)
    check_everything(variance_components(cells, method="reml", families=families))


@given(trial_tables(scores=st.one_of(st.sampled_from([0.0, 1.0]), st.floats(-9, 9)), largest=(4, 4, 4)))
def test_any_cube_gives_sound_crossed_components(scores):
    for method in ("anova", "reml"):
        check_everything(crossed_components(scores, method=method))


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.sampled_from(["anova", "reml"]))
def test_order_and_labels_do_not_matter(seed, method):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 2, (4, 6, 2)).astype(float)
    if method == "reml":
        scores[rng.random(scores.shape) < 0.15] = np.nan
    rows, columns = rng.permutation(4), rng.permutation(6)
    first = variance_components(Cells.from_trials(scores), method=method)
    shuffled = scores[rows][:, columns][:, :, ::-1]
    second = variance_components(Cells.from_trials(shuffled, agents=[f"agent {r}" for r in rows]), method=method)
    assert first.codes == second.codes
    for name, value in first.raw.items():
        assert second.raw[name] == pytest.approx(value, rel=1e-3, abs=1e-6)
