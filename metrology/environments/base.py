"""The contract of an environment and of the boxes it opens.

A box serves one attempt of one trial, or one grading, and is then closed; nothing in it is used again. The split
that every environment keeps: a program that failed is a result (:class:`Ended`), a box that broke is an exception
(:class:`BoxError`), and what the agent did to its box is a result too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Self

from metrology import plugins
from metrology.domain.status import Status
from metrology.errors import MetrologyError

MEBIBYTE = 1024 * 1024


class BoxError(MetrologyError):
    """The box could not be opened or used for reasons that are not the agent's.

    ``status`` is what the attempt is booked as: ``sandbox_error`` (retried) unless the raiser knows better.
    """

    def __init__(self, message: str, *, status: Status = Status.SANDBOX_ERROR, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.status = status


class Limit(StrEnum):
    """The declared limit at which a program ended."""

    MEMORY = "memory"
    CPU = "cpu"
    FILE_SIZE = "file_size"


@dataclass(frozen=True)
class Limits:
    """What a box may use; None is no limit beyond the host's.

    ``memory_bytes``, ``cpu_seconds`` and ``file_bytes`` (size of one file) hold for each process, ``processes``
    for the box, ``output_bytes`` for each of stdout and stderr: what is beyond is read and dropped.
    """

    memory_bytes: int | None = 2048 * MEBIBYTE
    cpu_seconds: int | None = None
    file_bytes: int | None = 256 * MEBIBYTE
    processes: int | None = 256
    output_bytes: int = MEBIBYTE


@dataclass(frozen=True)
class Ended:
    """How one program ended. Exit codes are data: no meaning is read into them.

    ``exit_code`` is None when a signal ended it (then ``signal`` is set) or the deadline did (``timed_out``).
    ``limit`` is the declared limit that ended it, ``measured`` the value that was measured for it (bytes or seconds).
    ``peak_bytes`` is the largest resident size among the program and what it waited for, None when it stayed below
    our own, which the kernel counts in. ``stragglers`` counts the processes that outlived the program.
    """

    exit_code: int | None
    signal: int | None
    stdout: bytes
    stderr: bytes
    timed_out: bool
    seconds: float
    truncated: bool = False
    limit: Limit | None = None
    measured: float | None = None
    peak_bytes: int | None = None
    stragglers: int = 0

    @property
    def succeeded(self) -> bool:
        """True when the program ended by itself with status 0."""
        return self.exit_code == 0 and not self.timed_out


@dataclass(frozen=True)
class Collected:
    """Declared artifacts that crossed, by their path in the box, and what was left behind with the reason.

    Names that are not UTF-8 are carried with surrogate escapes.
    """

    files: Mapping[str, bytes] = field(default_factory=dict)
    refused: tuple[str, ...] = ()


@dataclass(frozen=True)
class CollectLimits:
    """Caps on what crosses from an agent's box, checked before the bytes are read."""

    total_bytes: int = 64 * MEBIBYTE
    files: int = 10_000
    path_bytes: int = 1024
    depth: int = 32


class Box(ABC):
    """A place for one attempt. Use it as an async context manager, or call :meth:`close` in any case.

    Not safe for two calls at once. After :meth:`run` returned, no process that it started is left (what an
    environment cannot guarantee it says in its own docstring), and what counts is the state at that instant.
    """

    @abstractmethod
    async def put(self, files: Mapping[str, bytes], *, folder: str = "") -> None:
        """Write files (relative POSIX path -> bytes) below ``folder`` of the box's work folder.

        Raises:
            InputError: a path is absolute, leaves the folder or is not portable.
            BoxError: the box cannot be written.
        """

    @abstractmethod
    async def run(
        self,
        arguments: Sequence[str],
        *,
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
        time_limit_seconds: float,
        folder: str = "",
    ) -> Ended:
        """Run a program in ``folder`` of the work folder until its main process ends or the deadline fires.

        ``environment`` is added to the box's own short and clean one; nothing of the host's is inherited.

        Raises:
            BoxError: the program could not be started.
        """

    @abstractmethod
    async def collect(self, paths: Sequence[str], limits: CollectLimits | None = None) -> Collected:
        """Return the declared artifacts (files or folders, relative paths); nothing is executed in the box for it.

        A path that is not there is simply absent. What may not cross is named in ``refused``; over a cap
        collecting stops and says which. Never raises because of what the agent left.
        """

    @abstractmethod
    async def close(self) -> None:
        """End what still runs and remove every trace from the host. Harmless when called twice."""

    @abstractmethod
    def inside(self, path: str = "") -> str:
        """Return the absolute path that a program in the box sees for a path of the work folder."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()


class Environment(ABC):
    """Opens boxes of one kind. A plug-in in the group ``metrology.environments``; shared by many tasks."""

    kind: ClassVar[str]

    @classmethod
    @abstractmethod
    def problems(cls, table: Mapping[str, Any]) -> tuple[plugins.Problem, ...]:
        """Return what is wrong with an item's environment table; called when a benchmark is registered."""

    @abstractmethod
    async def open(self, table: Mapping[str, Any], limits: Limits | None = None) -> Box:
        """Return a fresh, empty box for an item's environment table; ``limits`` tightens or widens its defaults.

        Raises:
            BoxError: no box can be had.
        """

    async def close(self) -> None:  # noqa: B027 - most environments hold nothing of their own
        """Give back what the environment itself holds, after the last box is closed."""


def problems(table: Mapping[str, Any]) -> tuple[plugins.Problem, ...]:
    """Return what is wrong with an item's environment table (unknown kind, unknown or wrong keys)."""
    kind = table.get("kind", "process")
    if kind not in plugins.names("environments"):
        known = ", ".join(plugins.names("environments"))
        return (plugins.Problem("kind", f"no environment is called {kind!r}", hint=f"known: {known}"),)
    environment: type[Environment] = plugins.load("environments", str(kind))
    return environment.problems(table)


def build_environment(kind: str) -> Environment:
    """Return an environment by kind; one per campaign is enough.

    Raises:
        PluginError: the kind is not installed.
    """
    environment: type[Environment] = plugins.load("environments", kind)
    return environment()
