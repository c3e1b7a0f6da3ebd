"""Several processes on one store: nobody meets a lock, nobody loses what was committed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from metrology.storage import schema
from metrology.storage.reads import cell_table
from metrology.storage.store import Store, open_store
from metrology.storage.trials import attempt_counts, count_trials, finished_keys
from tests.storage.samples import Planned, a_campaign

ROOT = Path(__file__).resolve().parents[2]
WRITERS = 8
EACH = 15


def _start(arguments: Sequence[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _writer(store: Store, what: str, first: int, count: int) -> subprocess.Popen[str]:
    url = str(store.path) if store.path else store.address.render_as_string(hide_password=False)
    return _start(["-m", "tests.storage.writer_program", what, url, "c1", str(first), str(count)])


def _planned(store: Store) -> Planned:
    with store.write() as connection:
        return a_campaign(connection, trials=1_000_000)


def test_eight_writers_and_a_reader_meet_no_lock(store: Store) -> None:
    planned = _planned(store)
    writers = _writer(store, "together", WRITERS, EACH)
    seen = [0]
    try:
        while writers.poll() is None:
            with store.read() as connection:
                cells = cell_table(connection, planned.version_id).n
                # Cells and trials of one snapshot agree at every moment.
                assert cells.sum() == count_trials(connection, planned.campaign_id)
                seen.append(int(cells.sum()))
    finally:
        writers.kill()
        errors = writers.communicate()[1]
    assert errors == ""
    assert writers.returncode == 0
    assert seen == sorted(seen)
    with store.read() as connection:
        assert cell_table(connection, planned.version_id).n.tolist() == [[WRITERS * EACH] * 3] * 2


def test_a_killed_writer_loses_nothing_that_was_committed(store: Store) -> None:
    planned = _planned(store)
    for round_number in range(2):
        first = round_number * 1_000
        writer = _writer(store, "one", first, 1_000)
        assert writer.stdout is not None
        try:
            told = [writer.stdout.readline().strip() for _ in range(5 + 3 * round_number)]
        finally:
            os.kill(writer.pid, signal.SIGKILL)
            rest, errors = writer.communicate()
        assert writer.returncode == -signal.SIGKILL, errors
        # The last line may have been cut off in the middle of a number.
        whole = rest.rpartition("\n")[0].split()
        committed = {int(line) for line in (*told, *whole)}
        assert committed
        with store.write() as connection:
            keys = finished_keys(connection, planned.campaign_id)
            numbers = {key.number for key in keys if first <= key.number < first + 1_000}
            assert committed <= numbers
            # Whole transactions or nothing: each number has all its items and agents, and the cells agree.
            assert len(keys) == 6 * len({key.number for key in keys})
            assert cell_table(connection, planned.version_id).n.sum() == len(keys)
            assert attempt_counts(connection, planned.campaign_id) == {}


def test_many_processes_may_create_one_store_at_once(tmp_path: Path) -> None:
    path = tmp_path / "metrology.db"
    program = f"from metrology.storage.store import open_store\nopen_store({str(path)!r}).close()"
    openers = [_start(["-c", program]) for _ in range(4)]
    errors = [opener.communicate()[1] for opener in openers]
    assert errors == [""] * 4
    with open_store(path) as store:
        found = schema.status(store)
        assert (found.current, found.backups) == (schema.head_revision(), ())
