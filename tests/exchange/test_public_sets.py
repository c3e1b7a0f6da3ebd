"""The shipped maps read the real public result sets, and the figures are the published ones."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from metrology.exchange.base import ImportReport
from metrology.exchange.outcomes import import_outcomes
from metrology.exchange.table import import_results
from metrology.resources import shipped_folder
from metrology.storage.observations import observations
from metrology.storage.reads import CellTable, cell_table
from metrology.storage.store import Store


def load(store: Store, shared: Path, name: str) -> ImportReport:
    return import_results(
        store, shared / "data" / f"{name}.csv.gz", shipped_folder("benchmarks") / "records" / name / "map.toml"
    )


def cells(store: Store, report: ImportReport, benchmark: str) -> CellTable:
    found = next(entry for entry in report.benchmarks if entry.name == benchmark)
    assert found.version_id is not None
    with store.read() as connection:
        return cell_table(connection, found.version_id)


def test_tau_airline_has_the_published_passes_per_task(lite: Store, shared: Path) -> None:
    report = load(lite, shared, "tau_family")
    table = cells(lite, report, "tau-bench/airline")
    assert Counter(table.passed[0].tolist()) == {0: 14, 1: 12, 2: 10, 3: 4, 4: 10}
    assert (table.n == 4).all()


def test_tau_rows_without_a_verdict_on_passing_are_missing_not_failed(lite: Store, shared: Path) -> None:
    report = load(lite, shared, "tau_family")
    assert report.account.without_verdict == 37
    assert report.account.without_verdict_reasons == {"passed is blank": 37}
    table = cells(lite, report, "tau-bench/retail")
    assert (int(table.n.sum()), int(table.passed.sum()), int(table.missing.sum())) == (78, 51, 37)
    assert {entry.name for entry in report.benchmarks} == {
        "tau-bench/airline", "tau-bench/retail", "tau2-bench/airline", "tau2-bench/retail",
    }  # fmt: skip


def test_evalperf_counts_become_cells_without_trials(store: Store, shared: Path) -> None:
    report = load(store, shared, "evalperf_counts")
    table = cells(store, report, "evalperf")
    assert table.n.size == 4012
    assert int(((table.passed == table.n) & (table.n > 0)).sum()) == 1661
    assert int(((table.passed == 0) & (table.n > 0)).sum()) == 140
    assert report.benchmarks[0].trials == 0
    assert report.account.statuses == {"completed": int(table.n.sum())}


def test_swebench_pro_runs_share_418_items(lite: Store, shared: Path) -> None:
    report = load(lite, shared, "swebench_pro")
    table = cells(lite, report, "swe-bench-pro")
    assert table.n.shape == (9, 970)
    assert int((table.n > 0).all(axis=0).sum()) == 418
    assert len(set(table.families)) == 11


def test_llmdrift_prime_means_are_the_published_ones(lite: Store, shared: Path) -> None:
    report = load(lite, shared, "llmdrift")
    table = cells(lite, report, "llmdrift/prime")
    means = dict(zip(table.agent_names, (table.total.sum(axis=1) / table.n.sum(axis=1)).round(3), strict=True))
    assert means["gpt-4-0314"] == 0.840
    assert means["gpt-4-0613"] == 0.502


def test_can_ai_code_saturates_over_the_years(lite: Store, shared: Path) -> None:
    report = load(lite, shared, "can_ai_code")
    assert report.account.accepted == 22_584
    assert {entry.name: entry.items for entry in report.benchmarks} == {
        "can-ai-code/junior-v2": 28,
        "can-ai-code/senior": 6,
    }
    version = next(entry.version_id for entry in report.benchmarks if entry.name == "can-ai-code/junior-v2")
    query = (
        "SELECT substr(trial.started_at, 1, 4), round(avg(passed), 2) FROM trial "
        f"JOIN campaign ON campaign.id = campaign_id WHERE version_id = {version} GROUP BY 1 ORDER BY 1"
    )
    with lite.read() as connection:
        rates = {row[0]: row[1] for row in connection.exec_driver_sql(query)}
    assert rates == {"2023": 0.63, "2024": 0.78, "2025": 0.88}


def test_mint_budgets_are_operations_of_one_model(lite: Store, shared: Path) -> None:
    report = load(lite, shared, "mint_bench")
    assert report.account.accepted == 181_935
    assert report.benchmarks[0].agents == 315
    query = (
        "SELECT json_extract(operations, '$.max_steps'), round(avg(passed), 3) FROM trial "
        "JOIN agent ON agent.id = agent_id WHERE json_extract(operations, '$.feedback_model') = 'none' "
        "AND json_extract(operations, '$.max_steps') <= 5 GROUP BY 1 ORDER BY 1"
    )
    with lite.read() as connection:
        rates = {row[0]: row[1] for row in connection.exec_driver_sql(query)}
        models = connection.exec_driver_sql("SELECT count(DISTINCT json_extract(model, '$.requested')) FROM agent")
        assert models.scalar_one() == 55
    assert rates == {1: 0.047, 2: 0.189, 3: 0.230, 4: 0.253, 5: 0.267}
    assert report.account.statuses["agent_error"] == 4595


def test_livebench_keeps_every_row(lite: Store, shared: Path) -> None:
    report = load(lite, shared, "livebench_2024")
    assert report.account.accepted == report.account.lines == 93_624
    table = cells(lite, report, "livebench")
    assert table.n.shape == (93, 1136)
    assert int((table.n == 2).sum()) == 590
    # A full mark is a score of 1; 204 questions got it from nobody.
    assert int((table.passed.sum(axis=0) == 0).sum()) == 204


def test_static_benchmarks_and_arena_votes_name_the_same_models(lite: Store, shared: Path) -> None:
    report = load(lite, shared, "benchmarks_vs_arena_2024")
    table = cells(lite, report, "static-benchmarks-2024")
    assert "Output Length" not in table.item_names
    assert report.account.ignored_reasons["left out by the map: measure excluded"] == 53
    scores = table.total[table.n > 0]
    assert scores.min() >= 0
    assert scores.max() <= 1
    outcomes = import_outcomes(
        lite,
        shared / "data" / "benchmarks_vs_arena_2024.csv.gz",
        shipped_folder("benchmarks") / "records" / "benchmarks_vs_arena_2024" / "outcomes.toml",
    )
    assert (outcomes.observations, outcomes.measures) == (71, ("Arena Elo",))
    with lite.read() as connection:
        stored = observations(connection, measure="Arena Elo")
    february = {
        entry.observation.agent: entry.observation.value
        for entry in stored
        if str(entry.observation.period_start) == "2024-02-02"
    }
    mmlu = table.item_names.index("MMLU (5-shot)")
    paired = [
        (table.total[place, mmlu], february[agent])
        for place, agent in enumerate(table.agent_names)
        if table.n[place, mmlu] and agent in february
    ]
    ranks = np.argsort(np.argsort(np.array(paired), axis=0), axis=0)
    assert len(paired) == 42
    assert np.corrcoef(ranks.T)[0, 1] == pytest.approx(0.86, abs=0.01)


@pytest.mark.parametrize("name", ["tau_family", "evalperf_counts", "swebench_pro"])
def test_the_same_set_again_adds_nothing(lite: Store, shared: Path, name: str) -> None:
    first = load(lite, shared, name)
    before = lite.data_version()
    again = load(lite, shared, name)
    assert first.changed
    assert not again.changed
    assert all(entry.already_imported for entry in again.benchmarks)
    assert [entry.campaign_id for entry in again.benchmarks] == [entry.campaign_id for entry in first.benchmarks]
    assert lite.data_version() == before
