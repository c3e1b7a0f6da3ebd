"""Reads a benchmark's folder into values: ``benchmark.toml`` and one folder, JSON file or JSON line per item.

Nothing is stored here. All problems of a folder are collected and raised together, so that they can be mended at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import semver
from pydantic import BaseModel, ConfigDict, Field

from metrology import plugins
from metrology.domain.benchmark import BenchmarkVersion, Purpose
from metrology.domain.item import ItemRevision
from metrology.errors import InputError, InputErrors
from metrology.identity import IGNORED_NAMES, IGNORED_SUFFIXES
from metrology.plugins import Problem
from metrology.registry import names
from metrology.registry.files import FileReader
from metrology.registry.reading import Document, read_json, read_json_lines, read_toml
from metrology.registry.records import ItemBuilder, Record

MANIFEST = "benchmark.toml"
ITEMS = "items"


@dataclass(frozen=True)
class Loaded:
    """What a folder holds: the version, the bytes of its files by digest, and what its maintainer should know."""

    version: BenchmarkVersion
    blobs: Mapping[str, bytes] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


class BenchmarkTable(BaseModel):
    """``benchmark.toml``. ``text`` names the files whose line ends do not count, as patterns like ``*.md``."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    schema_version: Literal[1]
    name: str
    version: str
    purpose: Literal["evaluation", "training"]
    title: str
    # Pydantic has a method of that name.
    construct_statement: str = Field(alias="construct")
    licence: str
    owner: str
    canary: str | None = None
    text: list[str] = []
    scorer: dict[str, Any] = {}


def load_benchmark(folder: Path | str) -> Loaded:
    """Return the benchmark version in ``folder``.

    Raises:
        InputError: the folder or its manifest cannot be read.
        InputErrors: all problems of its items.
    """
    root = Path(folder)
    if not root.is_dir():
        raise InputError("no such folder", file=root, hint="give the folder that holds benchmark.toml")
    document = read_toml(root / MANIFEST)
    errors = [document.error(problem) for problem in _manifest_problems(document.table)]
    if errors:
        raise InputErrors(errors)
    table = BenchmarkTable.model_validate(document.table)
    reader = FileReader(root, tuple(table.text))
    builder = ItemBuilder(reader, table.scorer)
    records: list[Record] = []
    for found in _records(root / ITEMS):
        if isinstance(found, InputError):
            errors.append(found)
        else:
            records.append(found)
    built = [builder.build(record) for record in records]
    errors.extend(error for one in built for error in one.errors)
    kept, repeats = _without_repeats(records, [one.item for one in built], errors)
    if not records and not errors:
        errors.append(InputError("the benchmark has no items", file=root / ITEMS, hint="add a folder or a .jsonl file"))
    if errors:
        raise InputErrors(sorted(errors, key=lambda error: (error.file or "", error.line or 0)))
    warnings = (*repeats, *builder.warnings, *reader.warnings)
    version = BenchmarkVersion(
        name=table.name,
        version=table.version,
        purpose=Purpose(table.purpose),
        title=table.title,
        construct=table.construct_statement.strip(),
        licence=table.licence,
        owner=table.owner,
        items=tuple(sorted(kept, key=lambda item: item.name)),
        canary=table.canary,
        scorer_defaults=table.scorer or None,
        warnings=warnings,
    )
    return Loaded(version, reader.blobs, warnings)


def _manifest_problems(table: Mapping[str, Any]) -> Iterator[Problem]:
    found = plugins.problems(BenchmarkTable, table)
    yield from found
    broken = {problem.field for problem in found}
    for key in ("name", "title", "construct", "licence", "owner"):
        if key not in broken and not table[key].strip():
            yield Problem(key, "is empty", hint=f"say the {key} in words")
    if "name" not in broken and (fault := names.name_fault(table["name"])):
        yield Problem("name", fault, hint="use letters, digits, - and _")
    elif "name" not in broken and set("/@") & set(table["name"]):
        yield Problem("name", "a benchmark's name holds no / and no @", hint="use letters, digits, - and _")
    if "version" not in broken and not semver.Version.is_valid(table["version"]):
        yield Problem(
            "version", f"{table['version']!r} is not a semantic version", hint="write three numbers, like 1.0.0"
        )


def _records(items: Path) -> Iterator[Record | InputError]:
    """Yield every record below ``items/`` in a fixed order, or an error in its place."""
    if not items.is_dir():
        yield InputError("no such folder", file=items, hint="the items stand in the folder items/")
        return
    for path in sorted(items.iterdir()):
        if path.name in IGNORED_NAMES or path.name.endswith(IGNORED_SUFFIXES):
            continue
        try:
            if path.is_symlink():
                yield InputError("a symbolic link is no item", file=path, hint="copy the item instead")
            elif path.is_dir():
                yield Record(read_toml(path / "item.toml"), folder=path)
            elif path.suffix == ".json":
                yield Record(read_json(path))
            elif path.suffix == ".jsonl":
                yield from (_record(found) for found in read_json_lines(path))
            else:
                yield InputError("not an item", file=path, hint="an item is a folder, a .json or a line of a .jsonl")
        except InputError as error:
            yield error


def _record(found: Document | InputError) -> Record | InputError:
    return found if isinstance(found, InputError) else Record(found)


def _without_repeats(
    records: list[Record], items: list[ItemRevision | None], errors: list[InputError]
) -> tuple[list[ItemRevision], list[str]]:
    """Take identical repeats once and say so; refuse equal names with other content and names that look alike."""
    dropped: set[int] = set()
    warnings: list[str] = []
    for collision in names.collisions([record.name for record in records]):
        places = " and ".join(records[index].place for index in collision.positions)
        first, *others = collision.positions
        shown = ", ".join(dict.fromkeys(repr(records[index].name) for index in collision.positions))
        if collision.exact and len({_content(records[index], items[index]) for index in collision.positions}) == 1:
            dropped.update(others)
            warnings.append(f"item {shown} stands twice with the same content ({places}); taken once")
            continue
        reason = "the same name for different content" if collision.exact else f"names that {collision.reason}"
        if not collision.exact and not isinstance(records[others[0]].name, type(records[first].name)):
            reason = collision.reason
        errors.append(
            InputError(
                f"{reason}: {shown}, at {places}",
                file=records[others[0]].document.file,
                line=records[others[0]].line("name"),
                field="name",
                hint="rename one of them",
            )
        )
    kept = [item for index, item in enumerate(items) if item is not None and index not in dropped]
    return kept, warnings


def _content(record: Record, item: ItemRevision | None) -> str:
    return repr(record.document.table) if item is None else item.identity
