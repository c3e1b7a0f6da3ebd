"""``metrology import``, ``export`` and ``outcomes``: results and production figures from files, with an account."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from metrology.cli.output import JsonOption, emit, table, workspace
from metrology.cli.progress import line_bar

PathArgument = Annotated[Path, typer.Argument(help="File to read.")]
MapOption = Annotated[
    str | None, typer.Option("--map", help="Column map: a TOML file or the name of a shipped record set.")
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Give the account and change nothing.")]
StrictOption = Annotated[bool, typer.Option("--strict", help="Import nothing if any line is refused.")]

outcomes_app = typer.Typer(help="Production outcomes.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command("import")(import_results)
    app.command("export")(export)
    app.add_typer(outcomes_app, name="outcomes")


def import_results(
    format_name: Annotated[str, typer.Argument(metavar="FORMAT", help="table, campaign, or an installed importer.")],
    path: PathArgument,
    map_name: MapOption = None,
    version: Annotated[str | None, typer.Option(help="Version label to import under.")] = None,
    dry_run: DryRunOption = False,
    strict: StrictOption = False,
    as_json: JsonOption = False,
) -> None:
    """Import recorded results; the same content twice adds nothing."""
    with workspace() as ws, line_bar(path.name) as bar:
        report = ws.import_results(
            path,
            map_name,
            format_name=format_name,
            version=version,
            dry_run=dry_run,
            strict=strict,
            progress=None if bar is None else lambda now: bar(now.done, now.total),
        )
    emit(report.document(), as_json, lambda out: out.print(report.describe()))


@outcomes_app.command("import")
def import_outcomes(
    path: PathArgument,
    map_name: MapOption = None,
    dry_run: DryRunOption = False,
    strict: StrictOption = False,
    as_json: JsonOption = False,
) -> None:
    """Import production outcomes: agent, period, segment, measure, value, n, censored."""
    with workspace() as ws:
        report = ws.import_outcomes(path, map_name, dry_run=dry_run, strict=strict)
    emit(report.document(), as_json, lambda out: out.print(report.describe()))


@outcomes_app.command("list")
def list_outcomes(as_json: JsonOption = False) -> None:
    """List the measures of production that are known."""
    with workspace(read_only=True) as ws:
        measures = ws.outcome_measures()
    emit(
        measures,
        as_json,
        lambda out: table(
            "",
            ("measure", "segment", "agents", "figures"),
            [(m.measure, m.segment, m.agents, m.figures) for m in measures],
            out=out,
        ),
    )


def export(
    campaign: Annotated[str, typer.Argument(help="Name of the campaign.")],
    folder: Annotated[Path, typer.Argument(help="Folder to write; it must not exist.")],
    as_json: JsonOption = False,
) -> None:
    """Write a campaign as a portable record: plan, agents, rows and transcripts, all with their identities."""
    with workspace(read_only=True) as ws:
        written = ws.export_campaign(campaign, folder)
    payload: dict[str, Any] = {"written": str(folder), "trials": written.trials, "bytes": written.bytes}
    emit(payload, as_json, lambda out: out.print(f"written: {folder} ({written.trials} trials, {written.bytes} bytes)"))
