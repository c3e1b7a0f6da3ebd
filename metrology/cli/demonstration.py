"""``metrology demo``: the whole mission on real input, in a folder of its own, in a few minutes."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metrology.cli.analyze import print_analysis
from metrology.cli.output import JsonOption, console, emit
from metrology.cli.progress import campaign_bar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from metrology.workspace import Workspace

PROGRAM_AGENTS = ("careful", "shallow", "flaky", "noop", "reference")
CHECK_STANDARD = "flaky"
CHECK_FAMILIES = ("counting", "arithmetic", "transform")
CHECK_CAMPAIGNS = 8
CHECK_TRIALS = 2
TRIALS = 5
SEED = 20_26


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(demo)


def demo(
    directory: Annotated[Path, typer.Option(help="Folder of the demo workspace; it may exist.")] = Path(".demo"),
    concurrency: Annotated[int, typer.Option(help="Trials at a time.", min=1)] = 2,
    as_json: JsonOption = False,
) -> None:
    """Register an instrument, measure real agents repeatedly, analyse the results, point to the dashboard."""
    from metrology.workspace import Workspace

    directory.mkdir(parents=True, exist_ok=True)
    os.environ["METROLOGY_DB"] = str(directory / "metrology.db")
    begun = time.monotonic()
    with Workspace.open(os.environ["METROLOGY_DB"]) as ws:
        out = console(stderr=as_json)
        build(ws, out, concurrency)
        results = {name: ws.analyze(name, "gauge", **options) for name, options in _questions()}
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


def _questions() -> list[tuple[str, dict[str, object]]]:
    return [(name, {}) for name in _TABLES]


def build(ws: Workspace, out: Console, concurrency: int) -> None:
    """Fill a workspace with the demonstration; what is there already is kept and not measured again."""
    from metrology.resources import shipped_folder

    gauge = shipped_folder("benchmarks") / "gauge"
    with _step(out, "register the instrument gauge"):
        version = ws.register(gauge)
    label = f"gauge@{version.label}"
    record = shipped_folder("benchmarks") / "records" / "gauge-smollm2"
    with _step(out, "import the recorded campaign of a language model (8 configurations, 10 trials)"):
        ws.import_results(record, format_name="campaign")
    for name in PROGRAM_AGENTS:
        ws.agent(gauge / "agents" / f"{name}.toml")
    _measure(ws, out, "programs", concurrency, lambda: {"agents": PROGRAM_AGENTS, "trials": TRIALS}, label)
    for night in range(1, CHECK_CAMPAIGNS + 1):
        _measure(
            ws,
            out,
            f"check-{night:02d}",
            concurrency,
            lambda night=night: {
                "agents": (),
                "check_standards": (CHECK_STANDARD,),
                "trials": CHECK_TRIALS,
                "families": CHECK_FAMILIES,
                "seed": SEED + night,
            },
            label,
        )
    with _step(out, "import production outcomes (an example file: simulated, not observed)"):
        ws.import_outcomes(gauge / "example-outcomes" / "outcomes.csv")


def _measure(
    ws: Workspace, out: Console, name: str, concurrency: int, plan: Callable[[], dict[str, object]], label: str
) -> None:
    """Run a campaign unless it is finished already; an interrupted one goes on."""
    from metrology.storage.tables import CampaignState

    known = {campaign.name: campaign for campaign in ws.campaigns()}
    if name in known and known[name].state is CampaignState.FINISHED:
        out.print(f"  campaign {name} is there already")
        return
    if name in known:
        handle = ws.find_campaign_handle(name)
    else:
        handle = ws.campaign(label, name=name, **{"seed": SEED, **plan()})  # type: ignore[arg-type]
    with _step(out, f"campaign {name}: {handle.plan.planned} trials"), campaign_bar(name) as on_progress:
        handle.run(concurrency=concurrency, progress=on_progress)


@contextmanager
def _step(out: Console, what: str) -> Iterator[None]:
    begun = time.monotonic()
    yield
    out.print(f"  {what} ({time.monotonic() - begun:.1f} s)")
