"""A PostgreSQL cluster in a temporary folder, for the time of a test session."""

from __future__ import annotations

import getpass
import itertools
import os
import shlex
import shutil
import socket
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

# Newest first; Debian keeps the server's programs off the PATH.
_FOLDERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), reverse=True)


def _program(name: str) -> str | None:
    found = shutil.which(name)
    return found or next((str(folder / name) for folder in _FOLDERS if (folder / name).exists()), None)


def missing_reason() -> str:
    """Say why no cluster can be started, or return an empty string."""
    if _program("initdb") is None or _program("pg_ctl") is None:
        return "PostgreSQL is not installed: no initdb"
    if os.geteuid() == 0 and shutil.which("runuser") is None:
        return "PostgreSQL does not run as root and there is no runuser"
    return ""


@dataclass
class Cluster:
    """A running server; ``create`` makes a database in it."""

    folder: Path
    port: int
    user: str
    numbers: itertools.count[int] = field(default_factory=itertools.count)
    watch: subprocess.Popen[bytes] | None = None

    @classmethod
    def start(cls) -> Cluster:
        """Make a cluster and start it, with the speed of one that may lose its data."""
        # Sockets have short paths only, and the server's user must be able to come here.
        folder = Path(tempfile.mkdtemp(prefix="metrology-pg-"))
        user = "postgres" if os.geteuid() == 0 else getpass.getuser()
        if user == "postgres":
            shutil.chown(folder, user)
        cluster = cls(folder, _free_port(), user)
        data = str(folder / "data")
        cluster._run("initdb", "-D", data, "-U", user, "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        options = (
            f"-k {folder} -p {cluster.port} -c listen_addresses=127.0.0.1 -c fsync=off -c full_page_writes=off"
            " -c max_connections=60 -c shared_buffers=64MB"
        )
        cluster._run("pg_ctl", "-D", data, "-l", str(folder / "log"), "-w", "-t", "60", "-o", options, "start")
        cluster.watch = cluster._watch()
        return cluster

    def stop(self) -> None:
        """Stop the server and remove its files."""
        if self.watch is not None:
            self.watch.kill()
            self.watch.wait()
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-m", "immediate", "-w", "stop")
        shutil.rmtree(self.folder)

    def create(self, name: str = "") -> str:
        """Create an empty database and return its URL."""
        import psycopg

        name = name or f"test_{next(self.numbers)}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        return self.url(name)

    def empty(self, url: str) -> None:
        """Remove all rows of a migrated database and number them from 1 again."""
        import psycopg

        with psycopg.connect(url) as connection:
            # A test that left a transaction open is found here instead of hanging for ever.
            connection.execute("SET lock_timeout = '20s'")
            tables = connection.execute(
                "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version'"
            ).fetchall()
            connection.execute(f"TRUNCATE {', '.join(name for (name,) in tables)} RESTART IDENTITY")

    def url(self, name: str) -> str:
        """Return the URL of a database of this cluster."""
        return f"postgresql://{self.user}@127.0.0.1:{self.port}/{name}"

    def _watch(self) -> subprocess.Popen[bytes]:
        """Stop the server when the test session dies without doing so: nobody else would."""
        stop = shlex.join(self._command("pg_ctl", "-D", str(self.folder / "data"), "-m", "immediate", "-w", "stop"))
        waiting = f"while kill -0 {os.getpid()} 2>/dev/null; do sleep 2; done"
        script = f"{waiting}; {stop}; rm -rf {shlex.quote(str(self.folder))}"
        quiet = subprocess.DEVNULL
        return subprocess.Popen(["sh", "-c", script], stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)

    def _command(self, program: str, *arguments: str) -> list[str]:
        command = [str(_program(program)), *arguments]
        if self.user == "postgres" and os.geteuid() == 0:
            return ["runuser", "-u", self.user, "--", *command]
        return command

    def _run(self, program: str, *arguments: str) -> None:
        command = self._command(program, *arguments)
        with (self.folder / f"{program}.log").open("w") as log:
            subprocess.run(command, check=True, stdout=log, stderr=subprocess.STDOUT, cwd=self.folder)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
