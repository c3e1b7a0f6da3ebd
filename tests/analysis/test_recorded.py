"""Analyses over real public result sets, imported through the maps that the project ships."""

from __future__ import annotations

from pathlib import Path

import pytest

from metrology.analysis import compare, items, reliability, saturation, validity
from metrology.analysis.request import Request
from metrology.analysis.source import StoreSource
from metrology.exchange.outcomes import import_outcomes
from metrology.exchange.table import import_results
from metrology.storage.store import open_store

RECORDS = Path(__file__).parents[2] / "benchmarks" / "records"


@pytest.fixture(scope="module")
def analyse(shared, tmp_path_factory):
    """``analyse(set, question, benchmark, **options)`` over a store that holds the sets asked for so far."""
    store = open_store(str(tmp_path_factory.mktemp("recorded") / "metrology.db"))
    imported = set()

    def ask(name, question, benchmark, **options):
        if name not in imported:
            file = shared / "data" / f"{name}.csv.gz"
            import_results(store, file, RECORDS / name / "map.toml")
            if (RECORDS / name / "outcomes.toml").exists():
                import_outcomes(store, file, RECORDS / name / "outcomes.toml")
            imported.add(name)
        with store.read() as connection:
            result = question.analyse(StoreSource(connection), Request.parse(benchmark, **options))
        assert "NaN" not in result.to_json()
        return result

    yield ask
    store.close()


def test_tau_airline_repeats(analyse):
    result = analyse("tau_family", reliability, "tau-bench/airline")
    curve = [result.table("attempts").find(k=k) for k in (1, 2, 3, 4)]
    assert [row["pass_hat_k"] for row in curve] == pytest.approx([0.420, 0.273, 0.220, 0.200], abs=5e-4)
    assert curve[3]["pass_at_k"] == pytest.approx(0.72)
    assert {row["items_used"] for row in curve} == {50}
    assert result.coverage.share == 1


def test_evalperf_saturated_cells(analyse):
    result = analyse("evalperf_counts", saturation, "evalperf")
    cells = result.table("summary").find(figure="saturated_cells")
    assert (cells["value"], cells["n"]) == (1661, 4012)
    assert "1,661 of 4,012 agent-item cells" in " ".join(result.answer)
    assert not any("saturated in" in sentence for sentence in result.answer)


def test_evalperf_reliability_is_unbalanced_and_kept(analyse):
    result = analyse("evalperf_counts", reliability, "evalperf")
    assert result.facts["balanced"] is False
    assert 0.9 < result.facts["generalizability"] < 1
    shares = result.table("components").values("share")
    assert sum(shares) == pytest.approx(1)
    block = result.table("coefficients").find(name="alpha, complete block")
    assert block["low"] < block["value"] < block["high"]


def test_swebench_pro_compares_on_common_items(analyse):
    result = analyse("swebench_pro", compare, "swe-bench-pro")
    assert set(result.table("pairs").values("common_items")) == {418}
    assert result.facts["common_items"] == 418
    assert "418 of 970 items in common" in " ".join(result.answer)
    assert "418 common items of 970" in " ".join(notice.sentence for notice in result.warnings)
    room = analyse("swebench_pro", saturation, "swe-bench-pro").table("summary")
    assert room.find(figure="all_fail")["value"] == 147
    assert room.find(figure="all_pass")["value"] == 6


def test_llmdrift_flip_between_snapshots(analyse):
    result = analyse("llmdrift", compare, "llmdrift/prime", baseline="gpt-4-0314", candidate="gpt-4-0613")
    pair = result.table("pairs").find(baseline="gpt-4-0314", candidate="gpt-4-0613")
    assert pair["baseline_score"] == pytest.approx(0.840, abs=5e-4)
    assert pair["candidate_score"] == pytest.approx(0.502, abs=5e-4)
    assert pair["high"] < -0.29
    assert pair["common_items"] == 1000


def test_can_ai_code_grows(analyse):
    result = analyse("can_ai_code", saturation, "can-ai-code/junior-v2")
    months = list(result.table("months").records())
    assert months[0]["month"] == "2023-07"
    assert len(months) > 12
    assert months[-1]["mean"] > months[0]["mean"]


def test_livebench_items_on_the_complete_block(analyse):
    result = analyse("livebench_2024", items, "livebench")
    assert result.has_warning("INCOMPLETE_MATRIX")
    assert len(result.table("items").rows) == 1136
    assert result.facts["items_used"] < 1136


def test_mint_compares_steps_of_one_model(analyse):
    result = analyse("mint_bench", compare, "mint")
    assert result.has_warning("TOO_MANY_PAIRS")
    steps = result.table("isolating")
    assert "operations" in set(steps.values("part"))
    assert len(result.table("ranking").rows) == 315


def test_static_benchmarks_against_live_votes(analyse):
    name, benchmark = "benchmarks_vs_arena_2024", "static-benchmarks-2024"
    whole = analyse(name, validity, benchmark)
    assert whole.has_warning("PRODUCTION_CONFIGURATION_UNKNOWN")
    assert "validated" not in " ".join(whole.answer)
    mmlu = analyse(name, validity, benchmark, item="MMLU (5-shot)", measure="Arena Elo")
    row = mmlu.table("correlations").find(method="Spearman")
    assert row["value"] == pytest.approx(0.86, abs=0.03)
    assert row["low"] < row["value"] < row["high"]
