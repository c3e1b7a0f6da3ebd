"""The process environment: a temporary folder, resource limits, an own process group that is killed whole.

For programs that are trusted not to attack the host: the file system, the network and the user are the host's. It
keeps runs apart, clean and bounded; it is no prison. As root the limit on the number of processes does not hold.
What cannot be found and killed is said in :mod:`metrology.environments.stragglers`. Linux only.
"""

from __future__ import annotations

import asyncio
import atexit
import errno
import functools
import itertools
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from metrology import plugins
from metrology.domain.status import Status
from metrology.environments.base import Box, BoxError, Collected, CollectLimits, Ended, Environment, Limits
from metrology.environments.collecting import collect_folder
from metrology.environments.paths import relative_path
from metrology.environments.program import Command, run_program
from metrology.environments.stragglers import MARKER, kill_stragglers

log = logging.getLogger(__name__)

SEARCH_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
FOLDER_PREFIX = "metrology-boxes-"
SMALL_ENTRIES = 64
SMALL_BYTES = 1_048_576


_numbers = itertools.count()


class ProcessTable(BaseModel):
    """An item's environment. An image is recorded and compared, but a process box does not use it."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    kind: str = "process"
    image: str | None = None


class ProcessEnvironment(Environment):
    """Opens boxes below one temporary folder per operating-system process, which is removed when that ends."""

    kind = "process"
    Table: ClassVar[type[BaseModel]] = ProcessTable

    def __init__(self) -> None:
        """Look whether this is Linux.

        Raises:
            BoxError: it is not (``config_error``).
        """
        if not sys.platform.startswith("linux"):
            raise BoxError("the process environment needs Linux", status=Status.CONFIG_ERROR)

    @classmethod
    def problems(cls, table: Mapping[str, Any]) -> tuple[plugins.Problem, ...]:
        """Only ``kind`` and ``image`` are known."""
        return plugins.problems(cls.Table, table)

    async def open(self, table: Mapping[str, Any], limits: Limits | None = None) -> Box:  # noqa: ARG002 - no keys act
        """Return a fresh box.

        Raises:
            BoxError: its folders cannot be made.
        """
        return ProcessBox(_boxes_folder(os.getpid()) / str(next(_numbers)), limits or Limits())


class ProcessBox(Box):
    """A folder with ``work``, ``home`` and ``tmp``, owner only."""

    def __init__(self, root: Path, limits: Limits) -> None:
        """Make the folders.

        Raises:
            BoxError: they cannot be made.
        """
        self._root = root
        self._work = root / "work"
        self._limits = limits
        with _box_errors():
            for folder in (root, self._work, root / "home", root / "tmp"):
                folder.mkdir(mode=0o700)

    async def put(self, files: Mapping[str, bytes], *, folder: str = "") -> None:
        """Write files below the work folder; see :meth:`Box.put`."""
        base = Path(self.inside(folder))
        with _box_errors():
            for name, data in files.items():
                path = base / relative_path(name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)

    async def run(
        self,
        arguments: Sequence[str],
        *,
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
        time_limit_seconds: float,
        folder: str = "",
    ) -> Ended:
        """Run a program; see :meth:`Box.run`.

        Raises:
            BoxError: the program is not there (``config_error``), or the box failed.
        """
        program = shutil.which(arguments[0], path=SEARCH_PATH)
        if program is None:
            raise BoxError(
                f"there is no program {arguments[0]!r}",
                status=Status.CONFIG_ERROR,
                hint=f"it is looked for in {SEARCH_PATH}",
            )
        before = _memory_kills()
        command = Command(
            arguments=(program, *arguments[1:]),
            folder=self.inside(folder),
            environment={**self._environment(), **(environment or {}), MARKER: str(self._root)},
            stdin=stdin,
            time_limit_seconds=time_limit_seconds,
            box_folder=str(self._root),
        )
        ended = await run_program(command, self._limits)
        if ended.signal == signal.SIGKILL and ended.limit is None and _memory_kills() > before:
            raise BoxError(
                "the host ran out of memory and killed the program",
                status=Status.OUT_OF_RESOURCES,
                hint="lower the concurrency",
            )
        return ended

    async def collect(self, paths: Sequence[str], limits: CollectLimits | None = None) -> Collected:
        """Return declared artifacts; see :meth:`Box.collect`."""
        if not paths:
            return Collected()
        declared, caps = [relative_path(path) for path in paths], limits or CollectLimits()
        if _is_small(self._work):
            return collect_folder(str(self._work), declared, caps)
        return await asyncio.to_thread(collect_folder, str(self._work), declared, caps)

    async def close(self) -> None:
        """Kill what is left and remove the folder."""
        if _is_small(self._root):
            _remove(self._root)
        else:
            await asyncio.to_thread(_remove, self._root)

    def inside(self, path: str = "") -> str:
        """Return the absolute path below the work folder."""
        return str(self._work / relative_path(path)) if path else str(self._work)

    def _environment(self) -> dict[str, str]:
        """All that a program sees of an environment: nothing of the host's variables."""
        return {
            "PATH": SEARCH_PATH,
            "HOME": str(self._root / "home"),
            "TMPDIR": str(self._root / "tmp"),
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
        }


@functools.cache
def _boxes_folder(owner: int) -> Path:
    """The folder of this process's boxes, named after it so that a later one can tell that its owner is dead."""
    clear_left_behind()
    try:
        folder = tempfile.mkdtemp(prefix=f"{FOLDER_PREFIX}{owner}-{_start_time(owner)}-")
    except OSError as error:
        raise BoxError(
            f"no temporary folder can be made: {error.strerror}",
            status=Status.OUT_OF_RESOURCES,
            hint="point TMPDIR to a folder with room",
        ) from error
    atexit.register(_remove_own, Path(folder), owner)
    return Path(folder).resolve()


def _remove_own(folder: Path, owner: int) -> None:
    # A forked child inherits the exit handlers but not the boxes.
    if os.getpid() == owner:
        _remove(folder)


def clear_left_behind() -> int:
    """Remove folders and processes of owners that are dead (killed hard); return how many folders were found."""
    found = 0
    for folder in Path(tempfile.gettempdir()).glob(f"{FOLDER_PREFIX}*"):
        owner, _, start = folder.name.removeprefix(FOLDER_PREFIX).partition("-")
        start = start.partition("-")[0]
        if folder.is_symlink() or folder.stat().st_uid != os.geteuid() or _start_time(int(owner)) == start:
            continue
        found += 1
        kill_stragglers(str(folder))
        _remove(folder)
    return found


def _remove(folder: Path) -> None:
    """Remove a folder whatever an agent made of it; what cannot be removed is logged, it is no fault of a trial."""
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        return
    except (OSError, RecursionError):
        # Folders without permissions, or nested deeper than Python recurses: the system's tools cope with both.
        for tool in (("chmod", "-R", "u+rwX"), ("rm", "-rf")):
            subprocess.run([*tool, "--", str(folder)], check=False, capture_output=True)
    if folder.exists():
        log.warning("the box folder %s could not be removed", folder)


def _is_small(folder: Path) -> bool:
    """Whether a folder is handled faster than a thread would be woken up for it; looks at a few entries only."""
    folders, entries, size = [folder], 0, 0
    while folders:
        try:
            with os.scandir(folders.pop()) as found:
                for entry in found:
                    entries += 1
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(Path(entry.path))
                    else:
                        size += entry.stat(follow_symlinks=False).st_size
                    if entries > SMALL_ENTRIES or size > SMALL_BYTES:
                        return False
        except OSError:
            # Whatever an agent did to this folder: not a thing to wait for here.
            return False
    return True


@contextmanager
def _box_errors() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE)
        raise BoxError(
            f"the box cannot be written: {error.strerror}",
            status=Status.OUT_OF_RESOURCES if full else Status.SANDBOX_ERROR,
            hint="make room in the temporary folder or point TMPDIR elsewhere",
        ) from error


def _memory_kills() -> int:
    """How many processes this host's kernel killed for memory since it started."""
    for line in Path("/proc/vmstat").read_bytes().splitlines():
        if line.startswith(b"oom_kill "):
            return int(line.split()[1])
    return 0


def _start_time(process: int) -> str | None:
    """When a process started, in clock ticks since boot; None when there is no such process."""
    try:
        status = Path(f"/proc/{process}/stat").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return status[status.rindex(b")") + 2 :].split()[19].decode()
