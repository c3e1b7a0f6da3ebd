"""Run by the tests as another process: writes finished trials, and says so once each is committed."""

from __future__ import annotations

import os
import sys
import traceback

from metrology.storage.campaigns import find_campaign, plan_ids
from metrology.storage.store import open_store
from metrology.storage.trials import record_finished
from tests.storage.samples import over


def write(url: str, campaign: str, first: int, count: int) -> None:
    """Record ``count`` trials of every item and agent, from number ``first`` on, one transaction each."""
    with open_store(url) as store:
        with store.read() as connection:
            found = find_campaign(connection, campaign)
            plan = plan_ids(connection, found.id)
        for number in range(first, first + count):
            with store.write() as connection:
                ended = [over(item, agent, number) for item in plan.revision_ids for agent in plan.agent_ids]
                record_finished(connection, found.id, ended, "0.1.0")
            print(number, flush=True)


def write_together(url: str, campaign: str, writers: int, count: int) -> int:
    """Let so many processes write at once; return how many of them failed. What they import is imported once."""
    children = []
    for writer in range(writers):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                write(url, campaign, writer * count, count)
                status = 0
            except Exception:  # noqa: BLE001 - a forked child must not return into the parent's code
                traceback.print_exc()
            finally:
                os._exit(status)
        children.append(child)
    return sum(os.waitpid(child, 0)[1] != 0 for child in children)


if __name__ == "__main__":
    what, url, campaign, first, count = sys.argv[1:]
    if what == "one":
        write(url, campaign, int(first), int(count))
    else:
        sys.exit(write_together(url, campaign, int(first), int(count)))
