"""Production outcomes: periods, counts, censoring, and their account."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from metrology.errors import InputError
from metrology.exchange.account import Refusal
from metrology.exchange.base import RefusedImportError
from metrology.exchange.outcomes import import_outcomes
from metrology.exchange.periods import Period, period
from metrology.exchange.table import import_results
from metrology.storage.observations import observations
from metrology.storage.store import Store
from tests.exchange.conftest import count
from tests.exchange.tables import column_map, csv_rows, write

TABLE = """agent,period,segment,measure,value,n,censored
amber,2026-W18,retail,resolved,0.75,120,false
amber,2026-W18,retail,resolved,0.75,120,false
birch,2026-05,,resolved,0.5,,true
birch,2026-05,,resolved,0.6,,true
cedar,2026-13,,resolved,0.5,10,
dune,2026,,csat,4.2,-3,
"""


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2026", date(2026, 1, 1), date(2026, 12, 31)),
        ("2026-Q2", date(2026, 4, 1), date(2026, 6, 30)),
        ("2024-02", date(2024, 2, 1), date(2024, 2, 29)),
        ("2026-W01", date(2025, 12, 29), date(2026, 1, 4)),
        ("2026-05-02", date(2026, 5, 2), date(2026, 5, 2)),
        ("2026-05-02/2026-06", date(2026, 5, 2), date(2026, 6, 30)),
        ("", None, None),
    ],
)
def test_a_period_has_a_first_and_a_last_day(text: str, first: date | None, last: date | None) -> None:
    assert period(text) == Period(first, last)


@pytest.mark.parametrize("text", ["2026-13", "2026-W54", "26", "2026-05-32", "2026-06/2026-05", "soon", "0000"])
def test_what_is_no_period_is_refused(text: str) -> None:
    assert isinstance(period(text), Refusal)


def test_outcomes_are_stored_with_an_account_and_once(store: Store, tmp_path: Path) -> None:
    table = write(tmp_path / "outcomes.csv", TABLE)
    report = import_outcomes(store, table)
    account = report.account
    assert (account.lines, account.accepted, account.ignored, account.refused) == (6, 2, 1, 3)
    assert [(line.line, line.field) for line in account.refused_lines] == [(5, "value"), (6, "period"), (7, "n")]
    with store.read() as connection:
        first, second = (entry.observation for entry in observations(connection))
    assert (first.period_start, first.period_end) == (date(2026, 4, 27), date(2026, 5, 3))
    assert (first.segment, first.value, first.n, first.censored) == ("retail", 0.75, 120, False)
    assert (second.agent, second.n, second.censored) == ("birch", None, True)
    again = import_outcomes(store, table)
    assert again.already_imported
    assert count(store, "observation") == 2


def test_strict_and_dry_runs_store_nothing(lite: Store, tmp_path: Path) -> None:
    table = write(tmp_path / "outcomes.csv", TABLE)
    with pytest.raises(RefusedImportError):
        import_outcomes(lite, table, strict=True)
    assert import_outcomes(lite, table, dry_run=True).observations == 2
    assert count(lite, "observation") == count(lite, "import_batch") == 0


def test_a_table_without_a_value_column_is_named(lite: Store, tmp_path: Path) -> None:
    table = write(tmp_path / "outcomes.csv", "agent,measure\na,b\n")
    with pytest.raises(InputError, match="field value: the file has no such column"):
        import_outcomes(lite, table)


def test_outcomes_that_came_first_are_joined_to_the_agent(lite: Store, tmp_path: Path) -> None:
    import_outcomes(lite, write(tmp_path / "outcomes.csv", TABLE))
    import_results(lite, write(tmp_path / "t.csv", csv_rows(("i1", "amber", 0, 1))), column_map(tmp_path))
    with lite.read() as connection:
        joined = {entry.observation.agent: entry.agent_id is not None for entry in observations(connection)}
    assert joined == {"amber": True, "birch": False}
