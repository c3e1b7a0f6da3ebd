from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from metrology.domain.status import Status
from metrology.domain.trial import Usage
from metrology.storage import bulk
from metrology.storage.bulk import TrialWriter, add_to_cells
from metrology.storage.reads import cell_table
from metrology.storage.store import Store
from metrology.storage.trials import count_trials, list_trials
from tests.storage.samples import NOW, a_campaign


def test_imported_rows_keep_every_column(store: Store) -> None:
    zone = timezone(timedelta(hours=5, minutes=30))
    columns = ("started_at", "cost_usd", "input_tokens", "answer", "source_line")
    with store.write() as connection:
        planned = a_campaign(connection, trials=None)
        revision, agent = planned.revision_ids[0], planned.agent_ids[0]
        with TrialWriter(connection, planned.campaign_id, columns) as writer:
            writer.add_rows(
                [
                    (revision, agent, 0, "completed", 0.5, True, NOW.astimezone(zone), 0.5, 2**40, 'a\t"b"\\n\n', 2),
                    (revision, agent, 1, "unknown_error", None, None, None, None, None, None, 3),
                ]
            )
            assert writer.written == 2
    with store.read() as connection:
        first, second = list_trials(connection, planned.campaign_id)
    assert (first.started_at, first.answer, first.source_line) == (NOW, 'a\t"b"\\n\n', 2)
    assert first.usage == Usage(input_tokens=2**40, cost_usd=0.5)
    assert (second.status, second.score, second.passed, second.attempts) == (Status.UNKNOWN_ERROR, None, None, 1)
    assert (second.started_at, second.usage, second.source_line) == (None, Usage(), 3)


@pytest.mark.parametrize("held", [200_000, 10])
def test_cells_of_an_import_are_right_whatever_the_memory(
    store: Store, held: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "_HELD_KINDS", held)
    with store.write() as connection:
        planned = a_campaign(connection, trials=None)
        with TrialWriter(connection, planned.campaign_id, ("attempts",)) as writer:
            for number in range(40):
                rows = [
                    (revision, agent, number, "completed", number / 40, number >= 20, 2)
                    for revision in planned.revision_ids
                    for agent in planned.agent_ids
                ]
                rows[0] = (*rows[0][:3], "sandbox_error", None, None, 3)
                writer.add_rows(rows)
        table = cell_table(connection, planned.version_id)
        attempts = {one.attempts for one in list_trials(connection, planned.campaign_id, limit=1000)}
    assert table.n.tolist() == [[0, 40, 40], [40, 40, 40]]
    assert table.missing.tolist() == [[40, 0, 0], [0, 0, 0]]
    assert table.planned.tolist() == [[40] * 3] * 2
    assert table.passed[1].tolist() == [20, 20, 20]
    assert table.total[1].tolist() == pytest.approx([19.5] * 3)
    assert table.total_squares[1, 0] == pytest.approx(sum((number / 40) ** 2 for number in range(40)))
    assert attempts == {2, 3}


def test_a_failed_import_stores_nothing(store: Store) -> None:
    with store.write() as connection:
        planned = a_campaign(connection, trials=None)
    revision, agent = planned.revision_ids[0], planned.agent_ids[0]

    def fail() -> None:
        with store.write() as connection, TrialWriter(connection, planned.campaign_id) as writer:
            writer.add_rows([(revision, agent, number, "completed", 1.0, True) for number in range(200)])
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with store.read() as connection:
        assert count_trials(connection, planned.campaign_id) == 0
        assert cell_table(connection, planned.version_id).n.sum() == 0


def test_an_unknown_column_and_a_naive_time_are_refused(store: Store) -> None:
    with store.write() as connection:
        planned = a_campaign(connection, trials=None)
        with pytest.raises(ValueError, match="colour"):
            TrialWriter(connection, planned.campaign_id, ("colour",))
        writer = TrialWriter(connection, planned.campaign_id, ("started_at",))
        row = (planned.revision_ids[0], planned.agent_ids[0], 0, "completed", 1.0, True, datetime(2026, 1, 1))  # noqa: DTZ001
        with pytest.raises(ValueError, match="naive"):
            writer.add_rows([row])


def test_counts_alone_make_cells(store: Store) -> None:
    with store.write() as connection:
        planned = a_campaign(connection, trials=None)
        revision, agent = planned.revision_ids[0], planned.agent_ids[0]
        add_to_cells(connection, [(planned.campaign_id, revision, agent, 10, 7, 7.0, 7.0, 1)])
        add_to_cells(connection, [(planned.campaign_id, revision, agent, 5, 1, 1.0, 1.0, 0)])
        table = cell_table(connection, planned.version_id)
    assert (table.n[0, 0], table.passed[0, 0], table.total[0, 0], table.missing[0, 0]) == (15, 8, 8.0, 1)
    assert (table.planned[0, 0], table.planned[1, 1]) == (16, 0)
