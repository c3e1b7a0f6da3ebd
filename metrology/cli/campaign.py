"""``metrology campaign``: plan, run, resume, look at and cancel repeated measurements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from metrology.cli.output import JsonOption, emit, table, workspace
from metrology.cli.progress import campaign_bar

if TYPE_CHECKING:
    from rich.console import Console

    from metrology.campaigns.handle import CampaignHandle

app = typer.Typer(help="Plan, run and resume campaigns of items x agents x trials.", no_args_is_help=True)

NameArgument = Annotated[str, typer.Argument(help="Name of the campaign.")]
ConcurrencyOption = Annotated[int, typer.Option(help="Trials at a time.", min=1)]


@app.command()
def plan(
    benchmark: Annotated[str, typer.Argument(help="BENCHMARK or BENCHMARK@VERSION.")],
    agent: Annotated[list[str], typer.Option(help="Name or identity of a registered agent (repeat).")],
    trials: Annotated[int, typer.Option(help="Trials of each agent on each item.", min=1)] = 5,
    seed: Annotated[int, typer.Option(help="Seed of the order and of each trial.")] = 0,
    family: Annotated[list[str] | None, typer.Option(help="Only items of these families (repeat).")] = None,
    item: Annotated[list[str] | None, typer.Option(help="Only these items (repeat).")] = None,
    check_standard: Annotated[
        list[str] | None, typer.Option(help="Agents measured to watch the instrument (repeat).")
    ] = None,
    attempts: Annotated[int, typer.Option(help="Attempts per trial when the infrastructure fails.", min=1)] = 3,
    name: Annotated[str | None, typer.Option(help="Name; default BENCHMARK-NUMBER.")] = None,
    note: Annotated[str, typer.Option(help="Anything worth remembering.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Fix a plan: which items, which agents, how many trials. A change makes a new campaign."""
    with workspace() as ws:
        handle = ws.campaign(
            benchmark,
            agents=agent,
            trials=trials,
            seed=seed,
            items=item,
            families=family,
            check_standards=check_standard or (),
            max_attempts=attempts,
            name=name,
            note=note,
        )
        payload = {"name": handle.name, "planned": handle.plan.planned, "identity": handle.plan.identity}

    def human(out: Console) -> None:
        out.print(
            f"planned {handle.name}: {len(handle.plan.items)} items x {len(handle.plan.agents)} agents x "
            f"{handle.plan.trials} trials = {handle.plan.planned} trials"
        )
        out.print(f"run it with: metrology campaign run {handle.name}")

    emit(payload, as_json, human)


def _carry_out(handle: CampaignHandle, concurrency: int, as_json: bool) -> None:
    with campaign_bar(handle.name) as on_progress:
        progress = handle.run(concurrency=concurrency, progress=on_progress)

    def human(out: Console) -> None:
        out.print(f"{progress.name}: {progress.finished} of {progress.planned} trials finished")
        table("", ("status", "trials"), sorted(progress.by_status.items()), out=out)
        out.print(f"look at it with: metrology analyze reliability {handle.benchmark}")

    emit(progress, as_json, human)


@app.command()
def run(name: NameArgument, concurrency: ConcurrencyOption = 4, as_json: JsonOption = False) -> None:
    """Run a planned campaign to its end; every finished trial is stored before the next begins."""
    with workspace() as ws:
        _carry_out(ws.find_campaign_handle(name), concurrency, as_json)


@app.command()
def resume(name: NameArgument, concurrency: ConcurrencyOption = 4, as_json: JsonOption = False) -> None:
    """Go on with a campaign that was stopped or killed; nothing finished is run again."""
    with workspace() as ws:
        _carry_out(ws.find_campaign_handle(name), concurrency, as_json)


@app.command()
def status(
    name: Annotated[str | None, typer.Argument(help="Name of the campaign; without it, all are listed.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show how far campaigns are."""
    with workspace(read_only=True) as ws:
        names = [name] if name else [campaign.name for campaign in ws.campaigns()]
        rows = [ws.progress(each) for each in names]

    def human(out: Console) -> None:
        table(
            "",
            ("campaign", "state", "finished", "planned", "attempts", "cost USD", "statuses"),
            [
                (
                    p.name,
                    p.standing,
                    p.finished,
                    p.planned,
                    p.attempts,
                    p.cost_usd,
                    ", ".join(f"{key} {value}" for key, value in sorted(p.by_status.items())),
                )
                for p in rows
            ],
            out=out,
        )

    emit(rows[0] if name else rows, as_json, human)


@app.command()
def cancel(name: NameArgument, as_json: JsonOption = False) -> None:
    """Cancel a campaign; what it measured is kept."""
    with workspace() as ws:
        campaign = ws.cancel(name)
    emit(campaign, as_json, lambda out: out.print(f"cancelled {campaign.name}; its finished trials are kept"))
