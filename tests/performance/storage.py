"""Prints how fast the store is on this machine; nothing here is asserted. Run it on an idle machine:

python -m tests.performance.storage [--rows 1000000] [--url postgresql://...]
"""

from __future__ import annotations

import argparse
import itertools
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from metrology.domain.trial import TrialKey
from metrology.settings import Settings
from metrology.storage import schema
from metrology.storage.bulk import TrialWriter
from metrology.storage.campaigns import NewCampaign, add_campaign
from metrology.storage.reads import campaign_progress, cell_table, occasion_cells, periods, status_counts
from metrology.storage.store import Store, open_store
from metrology.storage.tables import Origin
from metrology.storage.trials import finished_keys, list_trials, record_finished, record_starts
from tests.storage.samples import NOW, Planned, a_campaign, a_version, over

ITEMS, AGENTS = 1000, 50


def timed(label: str, count: int, work: Callable[[], object]) -> None:
    """Run ``work`` once and print its wall and processor time."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    rate = f"{count / wall:>12,.0f} /s wall {count / processor:>12,.0f} /s processor" if count > 1 else ""
    print(f"{label:<52}{wall * 1000:>10.1f} ms wall {processor * 1000:>10.1f} ms processor {rate}")


def plan(store: Store) -> Planned:
    """Store a benchmark with ``ITEMS`` items, ``AGENTS`` agents and one campaign."""
    names = tuple(f"f{number // 20}-{number}" for number in range(ITEMS))
    with store.write() as connection:
        return a_campaign(
            connection,
            agents=tuple(f"agent-{number}" for number in range(AGENTS)),
            trials=None,
            version=a_version(*names),
        )


def rows(planned: Planned, count: int, order: str) -> Iterator[tuple[object, ...]]:
    """Yield recorded trials as an importer would, agent by agent or at random."""
    each = -(-count // (ITEMS * AGENTS))
    keys: list[tuple[int, int, int]] | Iterator[tuple[int, int, int]]
    keys = ((item, agent, n) for agent in planned.agent_ids for item in planned.revision_ids for n in range(each))
    generator = random.Random(1)
    if order == "random":
        keys = list(keys)
        generator.shuffle(keys)
    for line, (item, agent, number) in enumerate(itertools.islice(keys, count)):
        passed = generator.random() < 0.6
        yield item, agent, number, "completed", float(passed), passed, NOW, 12.5, line


def load(store: Store, planned: Planned, count: int, order: str) -> None:
    """Import ``count`` rows; the time to make them is not counted."""
    spent = processor = 0.0
    source = rows(planned, count, order)
    with store.write() as connection:
        writer = TrialWriter(connection, planned.campaign_id, ("started_at", "duration_seconds", "source_line"))
        while chunk := list(itertools.islice(source, 10_000)):
            begin, busy = time.perf_counter(), time.process_time()
            writer.add_rows(chunk)
            spent += time.perf_counter() - begin
            processor += time.process_time() - busy
        begin, busy = time.perf_counter(), time.process_time()
        writer.close()
    spent += time.perf_counter() - begin
    processor += time.process_time() - busy
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"import of {count:,} rows, order: {order:<12} {spent:>6.2f} s wall {processor:>6.2f} s processor "
        f"{count / spent:>9,.0f} /s wall {count / processor:>9,.0f} /s processor, peak memory {memory:.0f} MB"
    )


def record(store: Store, planned: Planned, batch: int, batches: int, number: int) -> None:
    """Record finished trials in batches, with their starts, one transaction each."""
    cells = list(itertools.product(planned.revision_ids, planned.agent_ids))[:batch]
    work = [[over(item, agent, number + step) for item, agent in cells] for step in range(batches)]
    starts = [[(TrialKey(*cell, number + step), 0, NOW) for cell in cells] for step in range(batches)]

    def run() -> None:
        for ended, begun in zip(work, starts, strict=True):
            with store.write() as connection:
                record_starts(connection, planned.campaign_id, begun)
                record_finished(connection, planned.campaign_id, ended, "0.1.0")

    timed(f"record_starts + record_finished, batches of {batch}", batch * batches, run)


def read(store: Store, planned: Planned) -> None:
    """Time the grouped reads."""
    with store.read() as connection:
        version, campaign = planned.version_id, planned.campaign_id
        timed("cell_table", 1, lambda: cell_table(connection, version))
        timed("occasion_cells of one agent", 1, lambda: occasion_cells(connection, version, planned.agent_ids[0]))
        timed("status_counts", 1, lambda: status_counts(connection, version))
        timed("periods", 1, lambda: periods(connection, version))
        timed("campaign_progress", 1, lambda: campaign_progress(connection, campaign))
        timed("finished_keys", 1, lambda: finished_keys(connection, campaign))
        timed("list_trials, first page", 1, lambda: list_trials(connection, campaign))
        timed("list_trials, page at 50,000", 1, lambda: list_trials(connection, campaign, offset=50_000))
    timed("data_version", 1, store.data_version)


def start_up(path: Path) -> None:
    """Time the interpreter with parts of the store imported."""
    for program in (
        "pass",
        "import metrology.storage",
        "import metrology.storage.store",
        f"from metrology.storage.store import open_store; open_store({str(path)!r}).close()",
        "import metrology.storage.trials",
        "import metrology.storage.reads",
    ):
        shown = program.replace(str(path), "metrology.db")
        timed(f"python -c {shown[:40]!r}", 1, lambda p=program: subprocess.run([sys.executable, "-c", p], check=True))


def main() -> None:
    """Measure SQLite at both levels of care, or the database at ``--url``, which must be empty."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--url")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "metrology.db"
        with open_store(chosen.url or path, upgrade=False) as store:
            timed("create the schema", 1, lambda: schema.upgrade(store))
            planned = plan(store)
            load(store, planned, chosen.rows, "by agent")
            read(store, planned)
            if store.path is not None:
                print(f"size of the file: {store.path.stat().st_size / 1e6:.0f} MB")
        for synchronous in ("full", "normal"):
            settings = Settings(synchronous=synchronous)
            with open_store(chosen.url or path, settings=settings) as store:
                print(f"synchronous = {synchronous}")
                for batch, number in ((1, 10_000), (32, 20_000), (64, 30_000)):
                    record(store, planned, batch, 3_000 // batch, number + (synchronous == "full") * 100_000)
        if chosen.url is None:
            start_up(path)
            with open_store(path) as store, store.write() as connection:
                again = add_campaign(
                    connection,
                    NewCampaign(
                        "c2", planned.version_id, Origin.LIVE, "", planned.revision_ids, planned.agent_ids, None
                    ),
                )
            with open_store(path) as store:
                shuffled = Planned(again, planned.version_id, planned.revision_ids, planned.agent_ids)
                load(store, shuffled, chosen.rows, "random")


if __name__ == "__main__":
    main()
