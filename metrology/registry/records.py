"""One record becomes one item revision, or a list of all that is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from metrology import plugins
from metrology.domain.item import FILE_ROLES, ItemRevision
from metrology.environments import base as environments
from metrology.environments.paths import relative_path
from metrology.errors import InputError
from metrology.plugins import Problem
from metrology.registry import names
from metrology.registry.files import FileReader
from metrology.registry.reading import Document, decoded
from metrology.scoring import base as scoring

INSTRUCTION = "instruction.md"
ANSWER = "answer.txt"
FOLDERS = {"environment": "files", "scorer": "scorer", "reference": "reference"}
_PINNED = re.compile(r"@sha256:[0-9a-f]{64}$")


class ItemTable(BaseModel):
    """The keys of an item record. ``files`` inside environment, scorer and reference map paths to text."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)

    name: Any = None
    instruction: str | None = None
    family: str | None = None
    tags: list[str] = []
    human_minutes: float | None = Field(default=None, gt=0.0)
    source: str = ""
    visibility: Literal["public", "private"] = "public"
    canary: str | None = None
    environment: dict[str, Any] = {}
    artifacts: list[str] = []
    scorer: dict[str, Any] | None = None
    reference: dict[str, Any] | None = None


class ReferenceTable(BaseModel):
    """What a reference solution may say beside its files."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    answer: str | None = None


@dataclass(frozen=True)
class Record:
    """An item as it stands in a file; ``folder`` is the item's own folder, None for a JSON record."""

    document: Document
    folder: Path | None = None

    @property
    def name(self) -> object:
        """The item's name as written; a folder without one is called like the folder."""
        default = None if self.folder is None else self.folder.name
        return self.document.table.get("name", default)

    @property
    def place(self) -> str:
        """Where the item stands, for people."""
        file = self.document.file
        if self.folder is not None:
            return f"{self.folder.name}/{file.name}"
        return f"{file.name} line {self.document.first_line}" if file.suffix == ".jsonl" else file.name

    def line(self, field_name: str) -> int | None:
        """The line of a field of the item."""
        return self.document.line(field_name)


@dataclass
class Built:
    """The item, or None with the errors that stand in its way."""

    item: ItemRevision | None = None
    errors: list[InputError] = field(default_factory=list)
    unreadable: set[str] = field(default_factory=set)


class ItemBuilder:
    """Builds the items of one benchmark; collects warnings about moving images."""

    def __init__(self, reader: FileReader, scorer_defaults: Mapping[str, Any]) -> None:
        self._reader = reader
        self._defaults = scorer_defaults
        self.warnings: list[str] = []

    def build(self, record: Record) -> Built:
        """Return the item of a record, or all its errors."""
        document = record.document
        built = Built()
        built.errors.extend(document.error(problem) for problem in _table_problems(record))
        if built.errors:
            return built
        table = ItemTable.model_validate(document.table)
        parts = {role: dict(getattr(table, role) or {}) for role in FILE_ROLES}
        files = {role: dict(self._files(record, role, parts[role], built)) for role in FILE_ROLES}
        instruction = self._text(record, INSTRUCTION, "instruction", table.instruction, built)
        answer = self._text(record, f"reference/{ANSWER}", "reference.answer", parts["reference"].get("answer"), built)
        environment = {"kind": "process", **parts["environment"]}
        scorer = _merged(self._defaults, parts["scorer"])
        reference = {} if answer is None else {"answer": answer}
        problems = [
            *(
                problem
                for problem in _missing(instruction, table.scorer, reference, files["reference"], record)
                if not any(field.startswith(problem.field) for field in built.unreadable)
            ),
            *_prefixed("environment", environments.problems(environment)),
            *_prefixed("reference", plugins.problems(ReferenceTable, parts["reference"])),
            *(
                _prefixed("scorer", scoring.problems(scorer, tuple(files["scorer"])))
                if table.scorer is not None
                else ()
            ),
            *_artifact_problems(table.artifacts),
        ]
        built.errors.extend(document.error(problem) for problem in problems)
        if built.errors:
            return built
        self._warn_of_image(str(record.name), environment)
        built.item = ItemRevision(
            name=str(record.name),
            instruction=instruction or "",
            environment=environment,
            scorer=scorer,
            reference=reference,
            artifacts=tuple(relative_path(path) for path in table.artifacts),
            files={role: paths for role, paths in files.items() if paths},
            family=table.family,
            tags=tuple(table.tags),
            human_minutes=table.human_minutes,
            source=table.source,
            visibility=table.visibility,
            canary=table.canary,
        )
        return built

    def _files(self, record: Record, role: str, part: dict[str, Any], built: Built) -> Iterator[tuple[str, str]]:
        """Yield (path, digest) of the files of one role: written into the record, and from the item's folder."""
        inline = part.pop("files", {})
        taken: set[str] = set()
        if not isinstance(inline, dict):
            built.errors.append(
                record.document.error(Problem(f"{role}.files", "a table is expected", hint="map each path to its text"))
            )
            inline = {}
        for path, text in inline.items():
            try:
                plain = relative_path(path)
            except InputError as error:
                built.errors.append(record.document.error(Problem(f"{role}.files", error.message, error.hint)))
                continue
            if not isinstance(text, str):
                built.errors.append(
                    record.document.error(
                        Problem(f"{role}.files.{path}", "must be text", hint="binary files stand in a folder")
                    )
                )
                continue
            taken.add(plain)
            yield plain, self._reader.keep(text.encode())
        if record.folder is None:
            return
        leave_out = (ANSWER,) if role == "reference" else ()
        for found in self._reader.folder(record.folder / FOLDERS[role], leave_out=leave_out):
            if isinstance(found, InputError):
                built.errors.append(found)
            elif found[0] in taken:
                problem = Problem(f"{role}.files", f"{found[0]} also stands in the folder", hint="keep one of them")
                built.errors.append(record.document.error(problem))
            else:
                yield found

    def _text(self, record: Record, file: str, field_name: str, written: Any, built: Built) -> str | None:
        """The instruction or answer: from the record, or from its own file; never from both."""
        path = None if record.folder is None else record.folder / file
        if path is None or not (path.exists() or path.is_symlink()):
            return written if isinstance(written, str) else None
        if written is not None:
            problem = Problem(field_name, f"also stands in {file}", hint="keep one of them")
            built.errors.append(record.document.error(problem))
            built.unreadable.add(field_name)
            return None
        try:
            return decoded(self._reader.content(path), path)
        except InputError as error:
            built.errors.append(error)
            built.unreadable.add(field_name)
            return None

    def _warn_of_image(self, name: str, environment: Mapping[str, Any]) -> None:
        image = environment.get("image")
        if image is not None and is_moving_image(image):
            self.warnings.append(
                f"item {name}: the image {image} is a moving tag, so a run cannot be repeated exactly; "
                "pin it with @sha256:..."
            )
        if image is not None and environment["kind"] == "process":
            self.warnings.append(f"item {name}: the image {image} is recorded only; a process box runs on the host")


def is_moving_image(image: object) -> bool:
    """Return whether an image reference may mean another image tomorrow: it has no sha256 digest."""
    return _PINNED.search(str(image)) is None


def _table_problems(record: Record) -> Iterator[Problem]:
    if fault := names.name_fault(record.name):
        yield Problem("name", fault, hint="give each item a short text of its own as name")
    yield from plugins.problems(ItemTable, record.document.table)


def _missing(
    instruction: str | None,
    scorer: Mapping[str, Any] | None,
    reference: Mapping[str, Any],
    reference_files: Mapping[str, str],
    record: Record,
) -> Iterator[Problem]:
    own = "" if record.folder is None else f" or write the file {INSTRUCTION}"
    if not (instruction or "").strip():
        yield Problem("instruction", f"item {record.name!r} has no instruction", hint=f"add the key instruction{own}")
    if scorer is None:
        yield Problem("scorer", f"item {record.name!r} has no scorer", hint='add scorer = {kind = "exact", ...}')
    if not str(reference.get("answer", "")).strip() and not reference_files:
        yield Problem(
            "reference",
            f"item {record.name!r} has no reference solution",
            hint="add reference.answer, or files: without one nobody knows that the item can be solved",
        )


def _artifact_problems(artifacts: list[str]) -> Iterator[Problem]:
    for index, path in enumerate(artifacts):
        try:
            relative_path(path)
        except InputError as error:
            yield Problem(f"artifacts.{index}", error.message, error.hint)


def _prefixed(part: str, problems: tuple[Problem, ...]) -> Iterator[Problem]:
    for problem in problems:
        yield Problem(f"{part}.{problem.field}".rstrip("."), problem.message, problem.hint)


def _merged(defaults: Mapping[str, Any], scorer: Mapping[str, Any]) -> dict[str, Any]:
    """The benchmark's scorer defaults below the item's own table, when both speak of the same kind."""
    kind = defaults.get("kind")
    return {**defaults, **scorer} if kind is not None and scorer.get("kind", kind) == kind else dict(scorer)
