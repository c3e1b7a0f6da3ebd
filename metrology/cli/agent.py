"""``metrology agent``: agent configurations and what differs between two of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metrology.cli.output import JsonOption, emit, shown, table, workspace

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(help="Register, show and compare agent configurations.", no_args_is_help=True)

AgentArgument = Annotated[str, typer.Argument(help="Name or sha256: identity of the agent.")]


@app.command()
def register(
    files: Annotated[list[Path], typer.Argument(help="Agent TOML files.")], as_json: JsonOption = False
) -> None:
    """Register agents: model + harness + operations, hashed without host, port and folder."""
    with workspace() as ws:
        agents = [ws.agent(file) for file in files]

    def human(out: Console) -> None:
        for agent in agents:
            out.print(f"{agent.name} {agent.identity}")
            if agent.moving_alias:
                out.print(f"warning: {agent.name} asks for a moving alias ({agent.moving_alias}): not repeatable")

    emit(agents, as_json, human)


@app.command("list")
def list_agents(as_json: JsonOption = False) -> None:
    """List all agents."""
    with workspace(read_only=True) as ws:
        agents = ws.agents()
    emit(
        agents,
        as_json,
        lambda out: table(
            "",
            ("agent", "model", "harness", "identity", "moving alias"),
            [
                (
                    a.name,
                    a.configuration.model.get("requested") or a.configuration.model.get("name"),
                    a.configuration.harness.get("kind") or a.configuration.harness.get("name"),
                    a.identity[:19],
                    a.moving_alias,
                )
                for a in agents
            ],
            out=out,
        ),
    )


@app.command()
def show(agent: AgentArgument, as_json: JsonOption = False) -> None:
    """Show one configuration with its three parts."""
    with workspace(read_only=True) as ws:
        found = ws.find_agent(agent)

    def human(out: Console) -> None:
        out.print(f"{shown(found.name)}  {found.identity}")
        for part in ("model", "harness", "operations", "volatile"):
            for key, value in sorted(getattr(found.configuration, part).items()):
                out.print(f"  {part}.{shown(key)} = {shown(value)}")

    emit(found, as_json, human)


@app.command()
def diff(first: AgentArgument, second: AgentArgument, as_json: JsonOption = False) -> None:
    """Say what differs between two configurations, and what a score difference could be attributed to."""
    with workspace(read_only=True) as ws:
        difference = ws.agent_difference(first, second)
    payload = {
        "description": difference.describe(),
        "attribution": difference.attribution,
        "parts": difference.parts,
        "changes": difference.changes,
    }

    def human(out: Console) -> None:
        out.print(shown(difference.describe()))
        out.print(f"a difference of scores would be: {difference.attribution}")

    emit(payload, as_json, human)
