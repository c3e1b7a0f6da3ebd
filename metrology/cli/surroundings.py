"""Commands about the installation: ``init``, ``doctor``, ``plugins``, ``dashboard``."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from metrology.cli.output import EXIT_GATE_FAILED, JsonOption, emit, table, workspace
from metrology.errors import MetrologyError

if TYPE_CHECKING:
    from rich.console import Console

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command()(init)
    app.command()(doctor)
    app.command("plugins")(plugins)
    app.command()(dashboard)


def init(as_json: JsonOption = False) -> None:
    """Create the workspace's database, or say that it is there."""
    with workspace() as ws:
        url = ws.url
    emit({"database": url}, as_json, lambda out: out.print(f"ready: {url}"))


def doctor(as_json: JsonOption = False) -> None:
    """Check this installation and workspace; exit 3 when something is broken."""
    with workspace(read_only=True) as ws:
        checks = ws.doctor()

    def human(out: Console) -> None:
        marks = {"ok": "ok", "absent": "--", "broken": "BROKEN"}
        rows = [(marks[check.state], check.name, check.detail, check.hint) for check in checks]
        table("", ("", "check", "finding", "hint"), rows, out=out)

    emit(checks, as_json, human)
    if any(check.state == "broken" for check in checks):
        raise typer.Exit(EXIT_GATE_FAILED)


def plugins(as_json: JsonOption = False) -> None:
    """List harnesses, scorers, environments, importers and analyses, also those that could not be loaded."""
    from metrology.plugins import GROUPS, available

    found = [plugin for group in GROUPS for plugin in available(group)]
    emit(
        found,
        as_json,
        lambda out: table(
            "",
            ("group", "name", "from", "module", "error"),
            [(p.group, p.name, p.distribution, p.module, p.error) for p in found],
            out=out,
        ),
    )


def dashboard(
    port: Annotated[int, typer.Option(help="Port to listen on.")] = 8501,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    unsafe_no_auth: Annotated[
        bool, typer.Option("--unsafe-no-auth", help="Allow an address that others can reach; there is no login.")
    ] = False,
) -> None:
    """Open the dashboard; it reads the workspace through a read-only connection."""
    from metrology.resources import shipped_folder

    if host not in LOOPBACK and not unsafe_no_auth:
        raise MetrologyError(
            f"the dashboard has no login and {host} can be reached from elsewhere",
            hint="keep 127.0.0.1 behind a proxy with a login, or add --unsafe-no-auth",
        )
    with workspace(read_only=True) as ws:
        os.environ.setdefault("METROLOGY_DB", ws.url)
    command = [
        sys.executable, "-m", "streamlit", "run", str(shipped_folder("dashboards") / "app.py"),
        "--server.address", host, "--server.port", str(port), "--server.headless", "true",
        "--browser.gatherUsageStats", "false", "--server.fileWatcherType", "none",
        "--client.toolbarMode", "minimal",
    ]  # fmt: skip
    raise typer.Exit(subprocess.run(command, check=False).returncode)
