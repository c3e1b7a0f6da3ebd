from __future__ import annotations

import os
import socket
import subprocess
import sys
from datetime import timedelta

import pytest

from metrology.errors import ConflictError
from metrology.storage.campaigns import acquire, heartbeat, held_by, release
from metrology.storage.coordinators import process_start
from metrology.storage.store import Store
from tests.storage.samples import NOW, a_campaign

MINUTE = timedelta(minutes=1)


def test_a_second_coordinator_is_told_who_holds_the_campaign(store: Store) -> None:
    with store.write() as connection:
        campaign_id = a_campaign(connection).campaign_id
        acquire(connection, campaign_id, holder="one", now=NOW, stale_after=MINUTE)
    with store.write() as connection, pytest.raises(ConflictError) as error:
        acquire(connection, campaign_id, holder="two", now=NOW + MINUTE / 2, stale_after=MINUTE)
    assert f"process {os.getpid()} on {socket.gethostname()}, last heard of 30 s ago" in error.value.message
    with store.read() as connection:
        found = held_by(connection, campaign_id)
    assert found is not None
    assert found.holder == "one"


def test_the_same_holder_may_ask_again(store: Store) -> None:
    with store.write() as connection:
        campaign_id = a_campaign(connection).campaign_id
        acquire(connection, campaign_id, holder="one", now=NOW, stale_after=MINUTE)
        acquire(connection, campaign_id, holder="one", now=NOW, stale_after=MINUTE)
        assert heartbeat(connection, campaign_id, "one", NOW)


def test_a_stale_holder_is_replaced_and_finds_out(store: Store) -> None:
    later = NOW + 2 * MINUTE
    with store.write() as connection:
        campaign_id = a_campaign(connection).campaign_id
        acquire(connection, campaign_id, holder="one", now=NOW, stale_after=MINUTE, host="elsewhere", pid=7)
        acquire(connection, campaign_id, holder="two", now=later, stale_after=MINUTE)
        assert not heartbeat(connection, campaign_id, "one", later)
        release(connection, campaign_id, "one")
        found = held_by(connection, campaign_id)
    assert found is not None
    assert found.holder == "two"


def test_a_heartbeat_keeps_the_lease(store: Store) -> None:
    with store.write() as connection:
        campaign_id = a_campaign(connection).campaign_id
        acquire(connection, campaign_id, holder="one", now=NOW, stale_after=MINUTE, host="elsewhere", pid=7)
        assert heartbeat(connection, campaign_id, "one", NOW + 2 * MINUTE)
        with pytest.raises(ConflictError, match="process 7 on elsewhere"):
            acquire(connection, campaign_id, holder="two", now=NOW + 2.5 * MINUTE, stale_after=MINUTE)


def test_a_dead_process_of_this_host_is_replaced_at_once(store: Store) -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        with store.write() as connection:
            campaign_id = a_campaign(connection).campaign_id
            acquire(connection, campaign_id, holder="one", now=NOW, stale_after=MINUTE, pid=child.pid)
            with pytest.raises(ConflictError):
                acquire(connection, campaign_id, holder="two", now=NOW, stale_after=MINUTE)
    finally:
        child.kill()
        child.communicate()
    with store.write() as connection:
        acquire(connection, campaign_id, holder="two", now=NOW, stale_after=MINUTE)
        assert heartbeat(connection, campaign_id, "two", NOW)


def test_a_later_process_with_the_same_number_is_not_the_holder(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with store.write() as connection:
        campaign_id = a_campaign(connection).campaign_id
        acquire(connection, campaign_id, holder="one", now=NOW, stale_after=MINUTE)
        monkeypatch.setattr("metrology.storage.coordinators.process_start", lambda pid: "another/1")
        acquire(connection, campaign_id, holder="two", now=NOW, stale_after=MINUTE)
        assert heartbeat(connection, campaign_id, "two", NOW)


def test_a_released_campaign_is_free(store: Store) -> None:
    with store.write() as connection:
        campaign_id = a_campaign(connection).campaign_id
        acquire(connection, campaign_id, holder="one", now=NOW, stale_after=MINUTE)
        release(connection, campaign_id, "one")
        assert held_by(connection, campaign_id) is None
        acquire(connection, campaign_id, holder="two", now=NOW, stale_after=MINUTE)


def test_a_zombie_does_not_live() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert process_start(child.pid) is None
    child.wait()
    assert process_start(child.pid) is None
    assert process_start(os.getpid())
