"""``metrology benchmark``: register, look at, compare and release versions of instruments."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metrology.cli.output import JsonOption, emit, shown_lines, table, workspace

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(help="Register, show, compare and release benchmark versions.", no_args_is_help=True)

BenchmarkArgument = Annotated[str, typer.Argument(help="BENCHMARK, BENCHMARK@VERSION or BENCHMARK@sha256:...")]


@app.command()
def register(
    folder: Annotated[Path, typer.Argument(help="Folder with benchmark.toml and items/.")],
    as_json: JsonOption = False,
) -> None:
    """Register the version that a folder holds; the same content again changes nothing."""
    with workspace() as ws:
        done = ws.register(folder)

    payload = {
        "benchmark": done.version.name,
        "version": done.label,
        "identity": done.version.identity,
        "items": len(done.version.items),
        "created": done.created,
        "superseded": done.superseded,
        "warnings": done.warnings,
    }

    def human(out: Console) -> None:
        what = "registered" if done.created else "already registered"
        out.print(f"{what}: {done.version.name} {done.label} {done.version.identity} ({len(done.version.items)} items)")
        for warning in done.warnings:
            out.print(f"warning: {warning}")

    emit(payload, as_json, human)


@app.command("list")
def list_versions(as_json: JsonOption = False) -> None:
    """List all versions of all benchmarks."""
    with workspace(read_only=True) as ws:
        versions = ws.versions()
    emit(
        versions,
        as_json,
        lambda out: table(
            "",
            ("benchmark", "version", "state", "origin", "purpose", "identity", "created"),
            [(v.name, v.label, v.state, v.origin, v.purpose, v.identity[:19], v.created_at) for v in versions],
            out=out,
        ),
    )


@app.command()
def show(benchmark: BenchmarkArgument, as_json: JsonOption = False) -> None:
    """Show what one version is: what it claims to measure, its identity and its items."""
    with workspace(read_only=True) as ws:
        version = ws.version(benchmark)
        items = ws.item_summaries(benchmark)

    def human(out: Console) -> None:
        out.print(f"{version.name} {version.label} ({version.state}, {version.purpose})")
        out.print(f"identity   {version.identity}")
        out.print(f"licence    {version.licence}")
        out.print(f"owner      {version.owner}")
        out.print(f"construct  {' '.join(version.construct.split())}")
        for warning in version.warnings:
            out.print(f"warning    {warning}")
        families: dict[str, int] = {}
        for item in items:
            families[item.family or "-"] = families.get(item.family or "-", 0) + 1
        table(f"{len(items)} items", ("family", "items"), sorted(families.items()), out=out)

    emit({"version": version, "items": items}, as_json, human)


@app.command()
def diff(before: BenchmarkArgument, after: BenchmarkArgument, as_json: JsonOption = False) -> None:
    """Compare two versions item by item and say which version bump the change requires."""
    with workspace(read_only=True) as ws:
        difference = ws.diff(before, after)
    payload = {
        "before": difference.before,
        "after": difference.after,
        "same": difference.same,
        "required": difference.required.name.lower(),
        "sufficient": difference.sufficient,
        "old_results": difference.required.words,
        "description": difference.description,
        "items": difference.items,
        "notes": difference.notes,
    }
    emit(payload, as_json, lambda out: out.print(shown_lines(difference.describe())))


@app.command()
def release(
    benchmark: Annotated[str, typer.Argument(help="BENCHMARK@VERSION")],
    folder: Annotated[Path | None, typer.Option(help="Check that this folder still holds the version.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Release a version: from then on it never changes."""
    with workspace() as ws:
        version = ws.release(benchmark, folder=folder)
    emit(version, as_json, lambda out: out.print(f"released {version.name} {version.label} {version.identity}"))
