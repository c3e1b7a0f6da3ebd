"""kill -9 at random moments: after the resumes a campaign ends in the rows of an undisturbed one."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from metrology.campaigns.planning import plan_campaign, run_campaign
from metrology.storage import campaigns as campaign_store
from metrology.storage import trials as trial_store
from metrology.storage.campaigns import StoredCampaign
from metrology.storage.recount import miscounted_cells
from metrology.storage.store import Store
from metrology.storage.tables import CampaignState
from tests.campaigns.samples import COIN, REFERENCE, benchmark, item, program_agent, registered, stored

KILLS = 20
RUN = """
import sys, metrology
with metrology.open(sys.argv[1]) as ws:
    handle = ws.find_campaign_handle(sys.argv[2])
    print("ready", flush=True)
    handle.run(concurrency=3)
"""


def _campaign(store: Store, tmp_path: Path, name: str) -> StoredCampaign:
    version = stored(store, benchmark([item(f"{letter}{number}") for letter in "ab" for number in range(10)]))
    agents = registered(store, program_agent(tmp_path, COIN, "coin"), REFERENCE)
    return plan_campaign(store, version, agents, trials=20, seed=11, name=name)


def _rows(store: Store, campaign: StoredCampaign) -> list[tuple[object, ...]]:
    with store.read() as conn:
        trials = trial_store.list_trials(conn, campaign.id, limit=10_000)
    return [(trial.item, trial.agent, trial.key.number, trial.status, trial.score, trial.answer) for trial in trials]


def test_twenty_kills_end_in_the_same_rows(store: Store, tmp_path: Path) -> None:
    undisturbed = _campaign(store, tmp_path, "undisturbed")
    run_campaign(store, undisturbed, platform_version="test", concurrency=3, on_progress=None)
    expected = _rows(store, undisturbed)
    assert len(expected) == 800
    assert {row[4] for row in expected} == {0.0, 1.0}

    killed = _campaign(store, tmp_path, "killed")
    moments = random.Random(3)
    address = str(store.path) if store.path else store.address.render_as_string(hide_password=False)
    for _ in range(KILLS):
        child = subprocess.Popen(
            [sys.executable, "-c", RUN, address, "killed"], stdout=subprocess.PIPE, start_new_session=True
        )
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        time.sleep(moments.uniform(0.0, 0.35))
        # Only the coordinator dies, as with the kernel's memory killer: what it had started is left to itself.
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        child.stdout.close()
    run_campaign(store, killed, platform_version="test", concurrency=3, on_progress=None)

    assert _rows(store, killed) == expected
    with store.read() as conn:
        assert campaign_store.campaign_by_id(conn, killed.id).state is CampaignState.FINISHED
        assert miscounted_cells(conn) == ()
        assert campaign_store.held_by(conn, killed.id) is None
