"""Keeps a small database of the current schema as SQL text. Run it once, when a release is made:

python -m tests.storage.keep_release
"""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from datetime import timedelta
from pathlib import Path

from metrology.domain.lifecycle import ItemState
from metrology.domain.observation import Observation
from metrology.domain.status import Status
from metrology.domain.trial import TrialKey
from metrology.domain.verdict import Verdict
from metrology.storage.benchmarks import add_lifecycle_event, set_released, version_items
from metrology.storage.campaigns import acquire, set_state
from metrology.storage.imports import add_batch
from metrology.storage.observations import add_observations
from metrology.storage.schema import head_revision
from metrology.storage.store import Store, open_store
from metrology.storage.tables import CampaignState, ImportKind
from metrology.storage.trials import Regraded, list_trials, record_finished, record_starts, record_verdicts
from tests.storage.samples import NOW, a_campaign, over

FOLDER = Path(__file__).resolve().parents[1] / "data" / "databases"


def fill(store: Store) -> None:
    """Put at least one row into every table."""
    with store.write() as connection:
        planned = a_campaign(connection, check_standards=("hasty",), started_at=NOW)
        set_released(connection, planned.version_id, NOW)
        first, second, third = planned.revision_ids
        careful, hasty = planned.agent_ids
        set_state(connection, planned.campaign_id, CampaignState.RUNNING, NOW)
        acquire(
            connection,
            planned.campaign_id,
            holder="gone",
            host="elsewhere",
            pid=1,
            now=NOW,
            stale_after=timedelta(minutes=1),
        )
        ended = [
            over(first, careful, 0, 1.0),
            over(first, careful, 1, 0.25),
            over(second, careful, 0, None, status=Status.JUDGE_ERROR),
            over(first, hasty, 0, 0.0, status=Status.AGENT_TIMEOUT),
        ]
        record_finished(connection, planned.campaign_id, ended, "0.1.0")
        record_starts(connection, planned.campaign_id, [(TrialKey(third, hasty, 1), 0, NOW)])
        trial = list_trials(connection, planned.campaign_id)[0]
        record_verdicts(connection, [Regraded(trial.id, Verdict(0.75, True, "sha256:new"))], "0.1.1", NOW)
        item = version_items(connection, planned.version_id)[2]
        add_lifecycle_event(connection, item.item_id, ItemState.QUARANTINED, "ann", "wrong key", {"trial": 1}, NOW)
        batch = add_batch(
            connection,
            ImportKind.OUTCOMES,
            source_name="outcomes.csv",
            content_digest="sha256:content",
            map_digest="sha256:map",
            target="",
            account={"lines": 1},
            when=NOW,
        )
        add_observations(
            connection, batch, [Observation("careful", NOW.date(), NOW.date(), "all", "resolved", 0.5, 10)]
        )


def main() -> None:
    """Write ``tests/data/databases/<revision>.sql``."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "metrology.db"
        with open_store(path) as store:
            fill(store)
        with closing(sqlite3.connect(path)) as connection:
            FOLDER.mkdir(parents=True, exist_ok=True)
            (FOLDER / f"{head_revision()}.sql").write_text("\n".join(connection.iterdump()) + "\n")


if __name__ == "__main__":
    main()
