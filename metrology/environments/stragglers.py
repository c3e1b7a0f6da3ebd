"""Processes that a box's program left behind, found through /proc and killed.

A program's process group is killed as a whole. What left the group (``setsid``, a double fork) is found by any of:
the box's marker in its environment, a working folder inside the box, or a parent among those found. A process that
cleared its environment, left the folder and lost its parents is not recognised; its CPU limit ends it. Only an
environment with its own process namespace (a container) can promise more.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable
from pathlib import Path

MARKER = "METROLOGY_BOX"
# A box that forks faster than it is killed is frozen first and looked at again, at most this often.
ROUNDS = 20
# Process numbers are handed out upwards, so within a short run only later ones can belong to it. A long run may
# have gone round the whole range.
SHORT_RUN_SECONDS = 1.0
GONE_SECONDS = 0.5


def last_process() -> int:
    """Return the number that was given to the newest process of the system."""
    return int(Path("/proc/loadavg").read_bytes().split()[4])


def kill_stragglers(folder: str, *, main: int | None = None, seconds: float = 0.0) -> int:
    """Kill every process of a box that is still there; return how many were found.

    ``folder`` is the box's folder and the marker's value, ``main`` the process id of its program (ended, not yet
    waited for; None when it is not known), ``seconds`` how long it ran.
    """
    found: set[int] = set()
    roots = set[int]() if main is None else {main}
    for _ in range(ROUNDS):
        fresh = _members(_candidates(main, seconds), folder, found | roots) - found - roots - {os.getpid()}
        if not fresh:
            break
        found |= fresh
        for process in fresh:
            _signal(process, signal.SIGSTOP)
    for process in found:
        _signal(process, signal.SIGKILL)
    _wait_for(found)
    return len(found)


def _wait_for(processes: set[int]) -> None:
    """Wait until the killed are gone, so that none of them writes once more; not for one that hangs in the kernel."""
    deadline = time.monotonic() + GONE_SECONDS
    while any(_lives(process) for process in processes) and time.monotonic() < deadline:
        time.sleep(0.001)


def _lives(process: int) -> bool:
    try:
        _parent(process)
    except (FileNotFoundError, ProcessLookupError):
        return False
    return True


def _candidates(main: int | None, seconds: float) -> list[int]:
    processes = [int(name) for name in os.listdir("/proc") if name.isdecimal()]  # noqa: PTH208 - names are enough
    if main is None or seconds >= SHORT_RUN_SECONDS or (newest := last_process()) < main:
        return processes
    return [process for process in processes if main < process <= newest]


def _members(candidates: Iterable[int], folder: str, known: set[int]) -> set[int]:
    members: set[int] = set()
    for process in sorted(candidates):
        try:
            if _parent(process) in known | members or _is_marked(process, folder):
                members.add(process)
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            # Ended meanwhile, or not ours: another user's process cannot come from this box.
            continue
    return members


def _parent(process: int) -> int:
    status = Path(f"/proc/{process}/stat").read_bytes()
    # The command name stands in brackets and may itself hold brackets and spaces.
    state, parent = status[status.rindex(b")") + 2 :].split()[:2]
    if state == b"Z":
        raise ProcessLookupError
    return int(parent)


def _is_marked(process: int, folder: str) -> bool:
    prefix = f"{MARKER}=".encode()
    marks = [
        os.fsdecode(line.removeprefix(prefix))
        for line in Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
        if line.startswith(prefix)
    ]
    places = [*marks, str(Path(f"/proc/{process}/cwd").readlink())]
    return any(place == folder or place.startswith(f"{folder}/") for place in places)


def _signal(process: int, number: signal.Signals) -> None:
    try:
        os.kill(process, number)
    except ProcessLookupError:
        return
