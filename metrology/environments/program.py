"""One program of a process box: started under limits, watched, and killed with all it started."""

from __future__ import annotations

import asyncio
import os
import re
import resource
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metrology.environments.base import BoxError, Ended, Limit, Limits
from metrology.environments.stragglers import kill_stragglers

SHELL = "/bin/sh"
CHUNK = 65_536
# What may stand in a pipe when the main process ends; reading more would be waiting for a straggler.
PIPE_REST = 1_048_576
KILL_SECONDS = 10.0
PROCESSORS = os.cpu_count() or 1
# A refused allocation kills nobody: the program's own words are the only trace. They decide between agent_error and
# limit_reached, which count alike.
_OUT_OF_MEMORY = re.compile(
    rb"MemoryError|std::bad_alloc|[Cc]annot allocate memory|[Oo]ut ?[Oo]f ?[Mm]emory|memory allocation of \d+ bytes"
)


@dataclass(frozen=True)
class Command:
    """What to start: arguments (the first one an absolute path), folder, whole environment, input."""

    arguments: Sequence[str]
    folder: str
    environment: Mapping[str, str]
    stdin: bytes
    time_limit_seconds: float
    box_folder: str


class _Output:
    """Reads one pipe as it fills and keeps the first ``limit`` bytes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept = bytearray()
        self.truncated = False
        self._reader, self.writer = os.pipe()
        os.set_blocking(self._reader, False)
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._reader, self._read)

    def _read(self) -> int:
        try:
            data = os.read(self._reader, CHUNK)
        except BlockingIOError:
            return 0
        if not data:
            self._loop.remove_reader(self._reader)
        room = self._limit - len(self._kept)
        self._kept += data[:room]
        self.truncated = self.truncated or len(data) > room
        return len(data)

    def finish(self) -> bytes:
        """Take what stands in the pipe at this instant, wait for nothing, close."""
        rest = PIPE_REST
        while rest > 0 and (read := self._read()):
            rest -= read
        self._loop.remove_reader(self._reader)
        os.close(self._reader)
        return bytes(self._kept)


async def run_program(command: Command, limits: Limits) -> Ended:
    """Run a program to its end or its deadline; nothing that it started is left as far as can be told.

    Raises:
        BoxError: it could not be started, or could not be killed.
    """
    started, own_peak = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    output, errors = _Output(limits.output_bytes), _Output(limits.output_bytes)
    try:
        process = _start(command, limits, output.writer, errors.writer)
    except OSError as error:
        output.finish()
        errors.finish()
        raise BoxError(f"the program cannot be started: {error.strerror}", hint="see metrology doctor") from error
    finally:
        os.close(output.writer)
        os.close(errors.writer)
    # Not waited for until everything is killed: until then neither its number nor its group's can be given away.
    ended = asyncio.get_running_loop().create_future()
    descriptor = os.pidfd_open(process.pid)
    asyncio.get_running_loop().add_reader(descriptor, _tell, ended)
    timed_out, stragglers = False, 0
    try:
        done, _ = await asyncio.wait([ended], timeout=command.time_limit_seconds)
        timed_out = not done
    finally:
        seconds = time.monotonic() - started
        _kill_group(process.pid)
        stragglers = kill_stragglers(command.box_folder, main=process.pid, seconds=seconds)
        stdout, stderr = output.finish(), errors.finish()
        if not ended.done():
            await asyncio.wait([ended], timeout=KILL_SECONDS)
        asyncio.get_running_loop().remove_reader(descriptor)
        os.close(descriptor)
        usage = _wait(process)
    return _ended(
        process.returncode,
        Ended(
            exit_code=None,
            signal=None,
            stdout=stdout,
            stderr=stderr,
            timed_out=timed_out,
            seconds=seconds,
            truncated=output.truncated or errors.truncated,
            peak_bytes=None if usage.ru_maxrss <= own_peak else usage.ru_maxrss * 1024,
            stragglers=stragglers,
        ),
        usage,
        limits,
    )


def limit_script(limits: Limits, deadline_seconds: float) -> str:
    """Return the shell text that sets the limits and becomes the program.

    A limit that cannot be set is already tighter on this host. The CPU limit backs up the deadline: whatever
    should escape being killed ends by it.
    """
    backstop = int(deadline_seconds * PROCESSORS) + 10
    processor = limits.cpu_seconds or backstop
    # The soft limit ends a program by a signal of its own (SIGXCPU); the hard one whoever catches that.
    lines = ["ulimit -c 0", f"ulimit -H -t {processor + 1}", f"ulimit -S -t {processor}"]
    if limits.memory_bytes is not None:
        lines.append(f"ulimit -v {limits.memory_bytes // 1024}")
    if limits.file_bytes is not None:
        lines.append(f"ulimit -f {limits.file_bytes // 512}")
    if limits.processes is not None:
        # dash says -p, bash says -u; the number counts all processes of the user, and root is exempt.
        count = limits.processes + _processes_of_user()
        lines.append(f"ulimit -p {count} || ulimit -u {count}")
    return "{ " + "; ".join(lines) + '; } 2>/dev/null; exec "$@"'


def _start(command: Command, limits: Limits, stdout: int, stderr: int) -> subprocess.Popen[bytes]:
    stdin = _input(command.stdin)
    try:
        return subprocess.Popen(
            [SHELL, "-c", limit_script(limits, command.time_limit_seconds), "sh", *command.arguments],
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            cwd=command.folder,
            env=dict(command.environment),
            start_new_session=True,
        )
    finally:
        os.close(stdin)


def _input(data: bytes) -> int:
    """A file in memory: a program that never reads its input cannot make us wait."""
    if not data:
        return os.open(os.devnull, os.O_RDONLY)
    descriptor = os.memfd_create("stdin")
    with os.fdopen(os.dup(descriptor), "wb") as stream:
        stream.write(data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _tell(ended: asyncio.Future[None]) -> None:
    if not ended.done():
        ended.set_result(None)


def _kill_group(group: int) -> None:
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        # Nobody is left in it, or only a set-id program that is not ours to kill.
        return


def _wait(process: subprocess.Popen[bytes]) -> resource.struct_rusage:
    found, status, usage = os.wait4(process.pid, os.WNOHANG)
    if not found:
        raise BoxError("the program could not be killed", hint="it hangs inside the kernel; look at the host's storage")
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage


def _ended(code: int, raw: Ended, usage: resource.struct_rusage, limits: Limits) -> Ended:
    """Tell the exit code from the signal and name the limit that ended the program, if one did."""
    if raw.timed_out:
        return raw
    number = -code if code < 0 else None
    processor = usage.ru_utime + usage.ru_stime
    limit, measured = None, None
    spent = limits.cpu_seconds is not None and processor >= limits.cpu_seconds
    if number == signal.SIGXCPU or (spent and number == signal.SIGKILL):
        limit, measured = Limit.CPU, processor
    elif number == signal.SIGXFSZ:
        limit, measured = Limit.FILE_SIZE, float(limits.file_bytes or 0)
    elif code != 0 and limits.memory_bytes is not None:
        near = raw.peak_bytes is not None and raw.peak_bytes >= 0.9 * limits.memory_bytes
        if near or _OUT_OF_MEMORY.search(raw.stderr[-4096:]):
            limit, measured = Limit.MEMORY, None if raw.peak_bytes is None else float(raw.peak_bytes)
    return Ended(
        **{
            **vars(raw),
            "exit_code": None if number else code,
            "signal": number,
            "limit": limit,
            "measured": measured,
        }
    )


def _processes_of_user() -> int:
    """How many threads the user has now; counted only where the limit holds, that is not for root."""
    if os.geteuid() == 0:
        return 0
    return sum(_threads(name) for name in os.listdir("/proc") if name.isdecimal())  # noqa: PTH208 - names are enough


def _threads(name: str) -> int:
    try:
        if os.stat(f"/proc/{name}").st_uid != os.geteuid():  # noqa: PTH116 - called for every process of the host
            return 0
        return len(os.listdir(f"/proc/{name}/task"))  # noqa: PTH208 - names are enough
    except (FileNotFoundError, ProcessLookupError):
        return 0
