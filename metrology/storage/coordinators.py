"""The lease of a campaign: one coordinator at a time, and a dead one is found out at once.

The lease is a row with a heartbeat. Whoever finds it held by a process of this host that no longer lives, or by
anyone whose heartbeat stopped, takes it over; everyone else is told who holds it.
"""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy import Connection, delete, insert, select, update

from metrology.errors import ConflictError
from metrology.storage.tables import core

_LEASE = core("coordinator")
_CAMPAIGN = core("campaign")


@dataclass(frozen=True)
class HeldBy:
    """Who runs a campaign."""

    holder: str
    host: str
    pid: int
    process_start: str
    acquired_at: datetime
    heartbeat_at: datetime


def acquire(
    connection: Connection,
    campaign_id: int,
    *,
    holder: str,
    now: datetime,
    stale_after: timedelta,
    host: str | None = None,
    pid: int | None = None,
) -> None:
    """Take the lease of a campaign for ``holder``, running as process ``pid`` (this one) on ``host`` (this one).

    Raises:
        ConflictError: when another coordinator holds it: names process, host and last heartbeat.
    """
    here = socket.gethostname()
    host, pid = here if host is None else host, os.getpid() if pid is None else pid
    # PostgreSQL lets two transactions see no lease at once; the campaign's own row makes them queue.
    connection.execute(select(_CAMPAIGN.c.id).where(_CAMPAIGN.c.id == campaign_id).with_for_update())
    found = held_by(connection, campaign_id)
    if found is not None and found.holder != holder and lives(found, now, stale_after):
        seconds = max(0.0, (now - found.heartbeat_at).total_seconds())
        raise ConflictError(
            f"the campaign is run by process {found.pid} on {found.host}, last heard of {seconds:.0f} s ago",
            hint="wait for it, or stop that process and resume here",
        )
    connection.execute(delete(_LEASE).where(_LEASE.c.campaign_id == campaign_id))
    connection.execute(
        insert(_LEASE).values(
            campaign_id=campaign_id,
            holder=holder,
            host=host,
            pid=pid,
            process_start=(process_start(pid) or "") if host == here else "",
            acquired_at=now,
            heartbeat_at=now,
        )
    )


def heartbeat(connection: Connection, campaign_id: int, holder: str, now: datetime) -> bool:
    """Renew the lease and return True; False when another holds it now and ``holder`` must stop."""
    result = connection.execute(
        update(_LEASE).where(_LEASE.c.campaign_id == campaign_id, _LEASE.c.holder == holder).values(heartbeat_at=now)
    )
    return result.rowcount == 1


def release(connection: Connection, campaign_id: int, holder: str) -> None:
    """Give the lease back; a lease that another holds by now is left alone."""
    connection.execute(delete(_LEASE).where(_LEASE.c.campaign_id == campaign_id, _LEASE.c.holder == holder))


def held_by(connection: Connection, campaign_id: int) -> HeldBy | None:
    """Return who holds the lease of a campaign, dead or alive, or None."""
    row = connection.execute(select(_LEASE).where(_LEASE.c.campaign_id == campaign_id)).first()
    if row is None:
        return None
    return HeldBy(row.holder, row.host, row.pid, row.process_start, row.acquired_at, row.heartbeat_at)


def process_start(pid: int) -> str | None:
    """Return when a process of this host started, as the kernel counts it, or None when it does not live.

    The number of a process is given again to a later one, its start is not. Empty on systems without /proc, where
    only the number can be checked.
    """
    try:
        # The name of the program stands in brackets and may hold anything; what follows is counted from its end.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return "" if _signalable(pid) else None
    # A zombie is dead to us: it will never write again.
    return None if fields[0] in ("Z", "X") else f"{boot}/{fields[19]}"


def lives(found: HeldBy, now: datetime, stale_after: timedelta) -> bool:
    """Return whether the holder of a lease still runs: heard of lately and, on this host, still the same process."""
    if now - found.heartbeat_at > stale_after:
        return False
    return found.host != socket.gethostname() or process_start(found.pid) == found.process_start


def _signalable(pid: int) -> bool:
    if Path("/proc/self").exists():
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
