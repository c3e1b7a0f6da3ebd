"""Random tables: what is stored is what was written, whatever the format, order and spelling."""

from __future__ import annotations

import csv
import io
import json
import random
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metrology.exchange.table import import_results
from metrology.settings import Settings
from metrology.storage.store import Store, open_store
from tests.exchange.tables import TRIALS, column_map

NAMES = (
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12).map(str.strip).filter(bool)
)
SCORES = st.one_of(st.none(), st.floats(0, 1, allow_subnormal=False), st.sampled_from([0.0, 1.0]))
TABLES = st.dictionaries(st.tuples(NAMES, NAMES, st.integers(0, 2000)), SCORES, min_size=1, max_size=30)


def as_csv(rows: list[tuple[Any, ...]]) -> bytes:
    stream = io.StringIO(newline="")
    csv.writer(stream).writerows([("item", "agent", "trial", "score"), *rows])
    return stream.getvalue().encode()


def as_json_lines(rows: list[tuple[Any, ...]]) -> bytes:
    keys = ("item", "agent", "trial", "score")
    return "".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in rows).encode()


def stored(store: Store) -> dict[tuple[str, str, int], float | None]:
    query = (
        "SELECT item.name, agent.name, number, score FROM trial JOIN agent ON agent.id = agent_id "
        "JOIN item_revision ON item_revision.id = revision_id JOIN item ON item.id = item_id"
    )
    with store.read() as connection:
        return {(row[0], row[1], row[2]): row[3] for row in connection.exec_driver_sql(query)}


def test_random_tables_come_back_as_they_were_written(tmp_path: Path, sqlite_template: Path) -> None:
    mapped = column_map(tmp_path, TRIALS)

    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(TABLES, st.sampled_from([("t.csv", as_csv), ("t.jsonl", as_json_lines)]), st.integers())
    def check(table: dict[tuple[str, str, int], float | None], form: Any, seed: int) -> None:
        name, written = form
        rows = [(*key, score) for key, score in table.items()]
        database = tmp_path / "metrology.db"
        for leftover in tmp_path.glob("metrology.db*"):
            leftover.unlink()
        database.write_bytes(sqlite_template.read_bytes())
        with open_store(database, settings=Settings(synchronous="normal")) as store:
            (tmp_path / name).write_bytes(written(rows))
            report = import_results(store, tmp_path / name, mapped)
            assert report.account.taken == len(table)
            assert stored(store) == table
            random.Random(seed).shuffle(rows)
            (tmp_path / name).write_bytes(written(rows))
            assert not import_results(store, tmp_path / name, mapped).changed
            assert stored(store) == table

    check()
