"""Runs the command line and the dashboard as a user does: other processes, a free loopback port."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

PROGRAM = [sys.executable, "-c", "from metrology.cli.main import run; run()"]
START_SECONDS = 90.0
LISTENING = "0A"


def command_line(*words: str, database: Path) -> subprocess.CompletedProcess[str]:
    """Run ``metrology`` with these words and return what it printed."""
    return subprocess.run(
        [*PROGRAM, *words, "--db", str(database)], capture_output=True, text=True, check=True, timeout=120
    )


def json_of(*words: str, database: Path) -> Any:
    """Return the JSON that a command prints."""
    return json.loads(command_line(*words, "--json", database=database).stdout)


@contextmanager
def dashboard(database: Path, folder: Path) -> Iterator[str]:
    """Start ``metrology dashboard`` on a free port; yield its address and end it with all its children."""
    port = _free_port()
    environment = {**os.environ, "HOME": str(folder)}
    with (folder / "dashboard.log").open("w") as log:
        process = subprocess.Popen(
            [*PROGRAM, "dashboard", "--port", str(port), "--db", str(database)],
            stdout=log,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env=environment,
            start_new_session=True,
        )
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_until_healthy(address, process, folder / "dashboard.log")
            yield address
        finally:
            _end(process)


def listening_addresses(port: int) -> set[str]:
    """Return the addresses on which a port of this machine is listened to, as the kernel writes them."""
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text(encoding="ascii").splitlines()[1:]:
            fields = line.split()
            host, _, number = fields[1].partition(":")
            if fields[3] == LISTENING and int(number, 16) == port:
                found.add(host)
    return found


def _end(process: subprocess.Popen[bytes]) -> None:
    # Its own session: the whole group goes, also when the first process has gone already.
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, sign)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=15)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_healthy(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        assert process.poll() is None, log.read_text(encoding="utf-8")
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.2)
    raise AssertionError(f"the dashboard did not start: {log.read_text(encoding='utf-8')}")
