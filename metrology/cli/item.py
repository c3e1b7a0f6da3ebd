"""``metrology item``: look at items and move them through their life, each step with a reason."""

from __future__ import annotations

import getpass
from typing import TYPE_CHECKING, Annotated

import typer

from metrology.cli.benchmark import BenchmarkArgument
from metrology.cli.output import JsonOption, emit, shown, table, workspace

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(help="Show items; quarantine, restore and retire them with a reason.", no_args_is_help=True)

NameArgument = Annotated[str, typer.Argument(help="Name of the item.")]
ReasonOption = Annotated[str, typer.Option("--reason", help="Why; stored with the event.")]
ActorOption = Annotated[str | None, typer.Option("--actor", help="Who decides; default: the user's login name.")]


@app.command("list")
def list_items(benchmark: BenchmarkArgument, as_json: JsonOption = False) -> None:
    """List the items of a version."""
    with workspace(read_only=True) as ws:
        items = ws.item_summaries(benchmark)
    emit(
        items,
        as_json,
        lambda out: table(
            "",
            ("item", "family", "state", "human minutes", "visibility"),
            [(i.name, i.family, i.state, i.human_minutes, i.visibility) for i in items],
            out=out,
        ),
    )


@app.command()
def show(benchmark: BenchmarkArgument, name: NameArgument, as_json: JsonOption = False) -> None:
    """Show one item: instruction, scorer, reference solution, digests of its parts."""
    with workspace(read_only=True) as ws:
        item = ws.item(benchmark, name)

    def human(out: Console) -> None:
        out.print(f"{shown(item.revision.name)} ({item.state})  {item.identity}")
        for part, digest in item.parts.items():
            out.print(f"  {part:<12} {digest}")
        out.print("instruction:")
        for line in item.revision.instruction.splitlines():
            out.print(f"  {shown(line)}")
        out.print(f"scorer: {shown(dict(item.revision.scorer))}")
        out.print(f"reference: {shown(dict(item.revision.reference))}")

    emit({"item": item.revision.document(), "identity": item.identity, "parts": item.parts}, as_json, human)


@app.command()
def history(
    benchmark: Annotated[str, typer.Argument(help="Name of the benchmark.")],
    name: Annotated[str | None, typer.Argument(help="Only this item.")] = None,
    as_json: JsonOption = False,
) -> None:
    """List the events in the life of the items."""
    with workspace(read_only=True) as ws:
        ws.version(benchmark)
        if name is not None:
            ws.item(benchmark, name)
        events = [event for event in ws.lifecycle(benchmark) if name is None or event.item == name]
    emit(
        events,
        as_json,
        lambda out: table(
            "",
            ("when", "item", "from", "to", "who", "why"),
            [(e.occurred_at, e.item, e.before, e.after, e.actor, e.reason) for e in events],
            out=out,
        ),
    )


def _set_state(benchmark: str, name: str, state: str, reason: str, actor: str | None, as_json: bool) -> None:
    with workspace() as ws:
        event = ws.set_item_state(benchmark, name, state, actor=actor or getpass.getuser(), reason=reason)
    emit(event, as_json, lambda out: out.print(f"{shown(name)}: {event.before} -> {event.after}"))


@app.command()
def quarantine(
    benchmark: Annotated[str, typer.Argument(help="Name of the benchmark.")],
    name: NameArgument,
    reason: ReasonOption,
    actor: ActorOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take an item out of the headline figures until it is understood."""
    _set_state(benchmark, name, "quarantined", reason, actor, as_json)


@app.command()
def restore(
    benchmark: Annotated[str, typer.Argument(help="Name of the benchmark.")],
    name: NameArgument,
    reason: ReasonOption,
    actor: ActorOption = None,
    as_json: JsonOption = False,
) -> None:
    """Bring an item back into the headline figures."""
    _set_state(benchmark, name, "active", reason, actor, as_json)


@app.command()
def retire(
    benchmark: Annotated[str, typer.Argument(help="Name of the benchmark.")],
    name: NameArgument,
    reason: ReasonOption,
    actor: ActorOption = None,
    as_json: JsonOption = False,
) -> None:
    """Retire an item: it stays citable and is measured no more."""
    _set_state(benchmark, name, "retired", reason, actor, as_json)
