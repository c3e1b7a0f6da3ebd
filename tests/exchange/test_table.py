"""Tables become versions, agents, campaigns, trials and cells; the account says what became of each line."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest

from metrology.errors import ConflictError, InputError, NotFoundError
from metrology.exchange.base import Progress, RefusedImportError
from metrology.exchange.table import import_results
from metrology.storage.benchmarks import find_version
from metrology.storage.campaigns import find_campaign
from metrology.storage.reads import cell_table
from metrology.storage.store import Store
from metrology.storage.tables import CampaignState, Origin
from metrology.storage.trials import list_trials
from tests.exchange.conftest import count
from tests.exchange.tables import MAP, STATUSES, TRIALS, column_map, csv_rows, write

ROWS = [(f"i{item}", f"a{agent}", trial, (item * agent + trial) % 2)
        for item, agent, trial in itertools.product(range(4), range(3), range(5))]  # fmt: skip


def test_a_table_lands_as_version_agents_campaign_trials_and_cells(store: Store, tmp_path: Path) -> None:
    text = STATUSES + 'duration_seconds = "seconds"\ncost_usd = "usd"\ninput_tokens = "tokens"\ndate = "when"\n'
    table = csv_rows(
        ("i1", "amber", 0, 1, "completed", 2.5, 0.01, "120.0", "2026-05-02T22:00:00Z"),
        ("i1", "amber", 1, 0.5, "agent_timeout", "", "", "", ""),
        ("i2", "amber", 0, "", "rate_limited", "", "", "", "2026-05-03T00:04:00+02:00"),
        header="item,agent,trial,score,status,seconds,usd,tokens,when",
    )
    report = import_results(store, write(tmp_path / "t.csv", table), column_map(tmp_path, text))
    assert (report.account.accepted, report.account.without_verdict) == (2, 1)
    assert report.account.statuses == {"agent_timeout": 1, "completed": 1, "rate_limited": 1}
    with store.read() as connection:
        version = find_version(connection, "toy", "1.0.0")
        campaign = find_campaign(connection, report.benchmarks[0].campaign)
        trials = {(entry.item, entry.key.number): entry for entry in list_trials(connection, campaign.id)}
        cells = cell_table(connection, version.id)
    assert (version.origin, version.items) == (Origin.RECORDED, 2)
    assert (campaign.state, campaign.trials) == (CampaignState.FINISHED, None)
    assert str(campaign.started_at) == "2026-05-02 22:00:00+00:00"
    assert str(campaign.finished_at) == "2026-05-02 22:04:00+00:00"
    first = trials["i1", 0]
    assert (first.score, first.passed, first.duration_seconds) == (1.0, True, 2.5)
    assert (first.usage.input_tokens, first.usage.cost_usd) == (120, 0.01)
    second = trials["i1", 1]
    assert (second.score, second.passed, second.duration_seconds) == (0.5, False, None)
    assert (trials["i2", 0].status.value, trials["i2", 0].score) == ("rate_limited", None)
    assert cells.n.tolist() == [[2, 0]]
    assert cells.missing.tolist() == [[0, 1]]
    assert cells.total_squares.tolist() == [[1.25, 0]]


def test_the_same_rows_in_any_order_and_packing_add_nothing(lite: Store, tmp_path: Path) -> None:
    mapped = column_map(tmp_path)
    import_results(lite, write(tmp_path / "t.csv", csv_rows(*ROWS)), mapped)
    before = lite.data_version()
    shuffled = random.Random(1).sample(ROWS, len(ROWS))
    for name in ("t.csv", "t.csv.gz"):
        again = import_results(lite, write(tmp_path / name, csv_rows(*shuffled, shuffled[0])), mapped)
        assert again.benchmarks[0].already_imported
        assert not again.changed
        assert "nothing added" in again.describe()
    assert lite.data_version() == before


def test_two_rows_that_swap_their_scores_are_other_rows(lite: Store, tmp_path: Path) -> None:
    mapped = column_map(tmp_path)
    import_results(lite, write(tmp_path / "t.csv", csv_rows(("i1", "a", 0, 1), ("i2", "a", 0, 0))), mapped)
    other = import_results(lite, write(tmp_path / "u.csv", csv_rows(("i1", "a", 0, 0), ("i2", "a", 0, 1))), mapped)
    assert other.changed
    assert "be sure that they are different trials" in other.warnings[0]


def test_a_second_result_for_a_trial_is_refused_and_names_the_first(lite: Store, tmp_path: Path) -> None:
    rows = [("i1", "a", 0, 1), ("i2", "a", 0, 0), ("i1", "a", 0, 1), ("i2", "a", 0, 1)]
    report = import_results(lite, write(tmp_path / "t.csv", csv_rows(*rows)), column_map(tmp_path))
    account = report.account
    assert (account.lines, account.accepted, account.ignored, account.refused) == (4, 2, 1, 1)
    assert [(line.line, line.reason) for line in account.refused_lines] == [
        (5, "another result for the same agent, item and trial: as line 3")
    ]
    assert [(line.line, line.reason) for line in account.ignored_lines] == [(4, "identical repeat: of line 2")]
    assert count(lite, "trial") == 2


def test_without_a_trial_column_every_line_is_a_trial(lite: Store, tmp_path: Path) -> None:
    mapped = column_map(tmp_path, MAP + 'passed = "passed"\n')
    rows = [("i1", "a", 1), ("i1", "a", 1), ("i1", "a", 0)]
    table = write(tmp_path / "t.csv", csv_rows(*rows, header="item,agent,passed"))
    report = import_results(lite, table, mapped)
    assert report.account.accepted == 3
    assert any("numbered in the order" in remark for remark in report.account.remarks)
    with lite.read() as connection:
        trials = list_trials(connection, report.benchmarks[0].campaign_id or 0)
    assert sorted(entry.key.number for entry in trials) == [0, 1, 2]


def test_a_dry_run_says_the_same_and_changes_nothing(lite: Store, tmp_path: Path) -> None:
    table, mapped = write(tmp_path / "t.csv", csv_rows(*ROWS)), column_map(tmp_path)
    before = lite.data_version()
    dry = import_results(lite, table, mapped, dry_run=True)
    assert lite.data_version() == before
    assert not dry.changed
    real = import_results(lite, table, mapped)
    assert dry.account == real.account
    assert dry.benchmarks[0].campaign == real.benchmarks[0].campaign
    assert import_results(lite, table, mapped, dry_run=True).benchmarks[0].already_imported


def test_strict_imports_nothing_when_a_line_is_refused(lite: Store, tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", csv_rows(*ROWS, ("i1", "a9", 0, "NaN")))
    with pytest.raises(RefusedImportError) as caught:
        import_results(lite, table, column_map(tmp_path), strict=True)
    assert caught.value.account.accepted == len(ROWS)
    assert "t.csv, line 62, field score: not a finite number" in caught.value.message
    assert count(lite, "benchmark_version") == count(lite, "import_batch") == count(lite, "agent") == 0


def test_new_items_under_an_old_label_are_a_conflict_and_a_new_label_is_the_way_out(
    lite: Store, tmp_path: Path
) -> None:
    mapped = column_map(tmp_path)
    import_results(lite, write(tmp_path / "t.csv", csv_rows(("i1", "a", 0, 1), ("i2", "a", 0, 1))), mapped)
    grown = write(tmp_path / "u.csv", csv_rows(("i1", "b", 0, 1), ("i3", "b", 0, 1)))
    with pytest.raises(ConflictError, match=r"1 items are not in toy 1\.0\.0 as it is stored: i3"):
        import_results(lite, grown, mapped)
    assert count(lite, "agent") == 1
    assert import_results(lite, grown, mapped, version="1.1.0").benchmarks[0].version == "1.1.0"
    part = import_results(lite, write(tmp_path / "v.csv", csv_rows(("i2", "c", 0, 0))), mapped)
    assert part.changed
    assert part.warnings == ()


def test_results_that_name_an_identity_need_that_version(lite: Store, tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", csv_rows(("i1", "a", 0, 1)))
    declared = TRIALS.replace("[columns]", f'identity = "sha256:{"0" * 64}"\n[columns]')
    with pytest.raises(NotFoundError, match="not registered"):
        import_results(lite, table, column_map(tmp_path, declared))
    import_results(lite, table, column_map(tmp_path))
    with pytest.raises(ConflictError, match="other content"):
        import_results(lite, table, column_map(tmp_path, declared))


def test_the_same_rows_with_another_map_are_a_conflict(lite: Store, tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", csv_rows(*ROWS))
    import_results(lite, table, column_map(tmp_path))
    with pytest.raises(ConflictError, match="read with another map"):
        import_results(lite, table, column_map(tmp_path, TRIALS + "[score]\nscale = [0, 2]\n"))
    assert count(lite, "trial") == len(ROWS)


def test_progress_reports_bytes_and_then_rows(lite: Store, tmp_path: Path) -> None:
    seen: list[Progress] = []
    table = write(tmp_path / "t.csv", csv_rows(*ROWS))
    import_results(lite, table, column_map(tmp_path), progress=seen.append)
    assert seen[-1] == Progress("write", len(ROWS), len(ROWS))
    assert Progress("read", table.stat().st_size, table.stat().st_size) in seen


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.tsv", "item\tagent\ttrial\tscore\ni1\ta\t0\t1\n"),
        ("t.jsonl", '{"item": "i1", "agent": "a", "trial": 0, "score": 1}\n'),
        ("t.jsonl.gz", '{"item": "i1", "agent": "a", "trial": 0, "score": true}\r\n'),
        ("t.csv", '\ufeffitem,agent,trial,score,note\r\ni1,a,0,1,"two\r\nlines"\r\n'),
    ],
)
def test_every_format_gives_the_same_trial(lite: Store, tmp_path: Path, name: str, text: str) -> None:
    report = import_results(lite, write(tmp_path / name, text), column_map(tmp_path))
    with lite.read() as connection:
        (trial,) = list_trials(connection, report.benchmarks[0].campaign_id or 0)
    assert (trial.item, trial.agent, trial.key.number, trial.score) == ("i1", "a", 0, 1.0)


def test_a_parquet_file_is_read_with_its_types(lite: Store, tmp_path: Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns = {"item": ["i1", "i2"], "agent": ["a", "a"], "trial": [0, 0], "score": [0.25, None]}
    parquet.write_table(arrow.table(columns), tmp_path / "t.parquet")
    report = import_results(lite, tmp_path / "t.parquet", column_map(tmp_path))
    assert (report.account.accepted, report.account.without_verdict) == (1, 1)
    write(tmp_path / "broken.parquet", "PAR1 and nothing else")
    with pytest.raises(InputError, match="not readable as Parquet"):
        import_results(lite, tmp_path / "broken.parquet", column_map(tmp_path))
