"""``metrology demo``: the whole mission on real input, in a folder of its own, in a few minutes."""

from __future__ import annotations

import os
import shlex
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from metrology.cli.analyze import print_analysis
from metrology.cli.output import JsonOption, console, emit
from metrology.cli.progress import campaign_bar
from metrology.errors import ConflictError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from metrology.workspace import Workspace

PROGRAM_AGENTS = ("careful", "shallow", "flaky", "noop", "reference")
CHECK_STANDARD = "flaky"
CHECK_FAMILIES = ("counting", "arithmetic", "transform")
CHECK_TRIALS = 2
SEED = 20_26


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(demo)


def demo(
    directory: Annotated[Path, typer.Option(help="Folder of the demo workspace; it may exist.")] = Path(".demo"),
    concurrency: Annotated[int, typer.Option(help="Trials at a time.", min=1)] = 2,
    trials: Annotated[int, typer.Option(help="Trials of each program agent on each item.", min=1)] = 5,
    nights: Annotated[int, typer.Option(help="Short campaigns of the check standard.", min=0)] = 8,
    as_json: JsonOption = False,
) -> None:
    """Register an instrument, measure real agents repeatedly, analyse the results, point to the dashboard."""
    from metrology.workspace import Workspace

    directory.mkdir(parents=True, exist_ok=True)
    os.environ["METROLOGY_DB"] = str(directory / "metrology.db")
    begun = time.monotonic()
    with Workspace.open(os.environ["METROLOGY_DB"]) as ws:
        out = console(stderr=as_json)
        build(ws, out, concurrency=concurrency, trials=trials, nights=nights)
        results = {name: ws.analyze(name, "gauge") for name in _TABLES}
        if not as_json:
            for name, result in results.items():
                out.print()
                print_analysis(result, out, rows=8, tables=_TABLES[name])
    payload = {name: result.to_document() for name, result in results.items()}

    def human(out: Console) -> None:
        out.print()
        out.print(f"done in {time.monotonic() - begun:.0f} s; the workspace is {directory / 'metrology.db'}")
        out.print("open the dashboard with `make dashboard` in a checkout, or")
        out.print(f"  metrology dashboard --db {shlex.quote(str(directory / 'metrology.db'))}")

    emit(payload, as_json, human)


_TABLES: dict[str, tuple[str, ...]] = {
    "reliability": ("agents", "components", "coefficients"),
    "items": ("suspects", "items"),
    "saturation": ("summary",),
    "drift": ("verdicts", "points"),
    "validity": ("correlations",),
    "compare": ("ranking",),
}


def build(ws: Workspace, out: Console, *, concurrency: int, trials: int, nights: int) -> None:
    """Fill a workspace with the demonstration; what is there already is kept and not measured again."""
    from metrology.resources import shipped_folder

    gauge = shipped_folder("benchmarks") / "gauge"
    with _step(out, "register the instrument gauge"):
        version = ws.register(gauge)
    record = shipped_folder("benchmarks") / "records" / "gauge-smollm2"
    with _step(out, "import the recorded campaign of a language model (8 configurations, 10 trials)"):
        ws.import_results(record, format_name="campaign")
    for name in PROGRAM_AGENTS:
        ws.agent(gauge / "agents" / f"{name}.toml")
    plans: dict[str, dict[str, Any]] = {"programs": {"agents": PROGRAM_AGENTS, "trials": trials, "seed": SEED}}
    for night in range(1, nights + 1):
        plans[f"check-{night:02d}"] = {
            "agents": (),
            "check_standards": (CHECK_STANDARD,),
            "trials": CHECK_TRIALS,
            "families": CHECK_FAMILIES,
            "seed": SEED + night,
        }
    for name, plan in plans.items():
        _measure(ws, out, name, f"gauge@{version.label}", plan, concurrency)
    with _step(out, "import production outcomes (an example file: simulated, not observed)"):
        ws.import_outcomes(gauge / "example-outcomes" / "outcomes.csv")


def _measure(ws: Workspace, out: Console, name: str, benchmark: str, plan: dict[str, Any], concurrency: int) -> None:
    """Run a campaign unless it is finished already; an interrupted one goes on.

    Raises:
        ConflictError: the workspace measured another state of the benchmark under this name.
    """
    from metrology.storage.tables import CampaignState

    known = {campaign.name: campaign for campaign in ws.campaigns()}
    if name in known and known[name].version_id != ws.version(benchmark).id:
        raise ConflictError(
            f"the campaign {name} of this workspace measured another state of {benchmark}",
            hint="give the demonstration a new --directory, or remove the old one",
        )
    if name in known and known[name].state is CampaignState.FINISHED:
        out.print(f"  campaign {name} is there already")
        return
    handle = ws.find_campaign_handle(name) if name in known else ws.campaign(benchmark, name=name, **plan)
    with _step(out, f"campaign {name}: {handle.plan.planned} trials"), campaign_bar(name) as on_progress:
        handle.run(concurrency=concurrency, progress=on_progress)


@contextmanager
def _step(out: Console, what: str) -> Iterator[None]:
    begun = time.monotonic()
    yield
    out.print(f"  {what} ({time.monotonic() - begun:.1f} s)")
