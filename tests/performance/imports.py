"""Prints rows per second and memory of an import of one million CSV rows into SQLite.

Run it as `python tests/performance/imports.py [ROWS]`. The rows are 1,000 items x 50 agents x trials with a score and a
measured duration, so that one column never repeats itself. Memory is the peak of the whole process.
"""

from __future__ import annotations

import random
import resource
import sys
import tempfile
import time
from pathlib import Path

from metrology.exchange.base import Progress
from metrology.exchange.table import import_results
from metrology.storage.reads import cell_table
from metrology.storage.store import open_store

MAP = """
schema_version = 1
[benchmark]
name = "million"
version = "1.0.0"
licence = "CC0-1.0"
source = "made for this measurement"
[columns]
item = "item"
agent = "agent"
trial = "trial"
status = "status"
score = "score"
duration_seconds = "duration"
"""


def write_table(path: Path, rows: int) -> None:
    """Write a table of at least ``rows`` rows."""
    draw = random.Random(7)
    with path.open("w", encoding="utf-8") as stream:
        stream.write("item,agent,trial,status,score,duration\n")
        for trial in range(-(-rows // 50_000)):
            for item in range(1000):
                for agent in range(50):
                    score, seconds = int(draw.random() < 0.4), draw.random() * 90
                    stream.write(f"item-{item:04d},agent-{agent:02d},{trial},completed,{score},{seconds:.3f}\n")


def main() -> None:
    """Make the table, import it, print the figures."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        table, column_map = Path(folder) / "million.csv", Path(folder) / "map.toml"
        write_table(table, rows)
        column_map.write_text(MAP, encoding="utf-8")
        read_until = 0.0

        def note(progress: Progress) -> None:
            nonlocal read_until
            if progress.phase == "read":
                read_until = time.perf_counter()

        with open_store(Path(folder) / "metrology.db") as store:
            start, processor = time.perf_counter(), time.process_time()
            report = import_results(store, table, column_map, progress=note)
            seconds, busy = time.perf_counter() - start, time.process_time() - processor
            with store.read() as connection:
                begun = time.perf_counter()
                cells = cell_table(connection, report.benchmarks[0].version_id or 0)
                counted = time.perf_counter() - begun
        imported = report.account.accepted
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"rows             {imported:>12,}")
        print(f"rows per second  {imported / seconds:>12,.0f}   ({seconds:.1f} s; reading {read_until - start:.1f} s)")
        print(f"processor        {busy:>12.1f} s")
        print(f"peak memory      {peak:>12.0f} MB")
        print(f"cells read in    {counted:>12.2f} s  ({int(cells.n.sum()):,} trials in {cells.n.size:,} cells)")


if __name__ == "__main__":
    main()
