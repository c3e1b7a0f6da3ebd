"""What an importer is and what it reports: the contract of the plug-in group ``metrology.importers``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from metrology.errors import InputError, InputErrors
from metrology.exchange.account import Account
from metrology.storage.store import Store

# What Store.read and Store.write yield; its type belongs to storage.
Connection = Any


@dataclass(frozen=True)
class Progress:
    """How far an import is: "read" counts bytes of the file, "write" rows; ``total`` may be unknown."""

    phase: str
    done: int
    total: int | None


ProgressCallback = Callable[[Progress], None]


@dataclass(frozen=True)
class ImportOptions:
    """What a user may ask of any importer.

    ``map`` is a column map for formats that need one, ``version`` the label of the recorded version instead of that
    of the map, ``dry_run`` gives the account and changes nothing, ``strict`` imports nothing when any line is refused.
    """

    map: Path | None = None
    version: str | None = None
    dry_run: bool = False
    strict: bool = False
    progress: ProgressCallback | None = None


@dataclass(frozen=True)
class ImportedBenchmark:
    """What an import brought to one benchmark version; the ids are None after a dry run.

    ``already_imported`` says that ``campaign`` holds the same rows, read with the same map: nothing was added.
    """

    name: str
    version: str
    version_id: int | None
    campaign: str
    campaign_id: int | None
    items: int
    agents: int
    trials: int
    cells: int
    already_imported: bool


@dataclass(frozen=True)
class ImportReport:
    """The account of one import and what it brought."""

    source: str
    format: str
    dry_run: bool
    account: Account
    benchmarks: tuple[ImportedBenchmark, ...]
    warnings: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        """True when something was stored."""
        return not self.dry_run and any(not benchmark.already_imported for benchmark in self.benchmarks)

    def document(self) -> dict[str, Any]:
        """The report as JSON-ready values."""
        return {
            "source": self.source,
            "format": self.format,
            "dry_run": self.dry_run,
            "changed": self.changed,
            "account": self.account.document(),
            "benchmarks": [dict(vars(benchmark)) for benchmark in self.benchmarks],
            "warnings": list(self.warnings),
        }

    def describe(self) -> str:
        """The report in words, several lines."""
        text = [f"{self.source}: {self.account.describe()}"]
        for benchmark in self.benchmarks:
            counted = f"{benchmark.trials:,} trials" if benchmark.trials else f"{benchmark.cells:,} cells of counts"
            what = f"{counted} of {benchmark.agents:,} agents on {benchmark.items:,} items"
            if benchmark.already_imported:
                end = f"already imported as campaign {benchmark.campaign}; nothing added"
            else:
                end = f"{'would become' if self.dry_run else 'stored as'} campaign {benchmark.campaign}"
            text.append(f"{benchmark.name} {benchmark.version}: {what}; {end}")
        return "\n".join(text + [f"warning: {warning}" for warning in self.warnings])


class RefusedImportError(InputErrors):
    """Nothing was imported because of refused lines; ``account`` is the account of all lines."""

    def __init__(self, source: str, account: Account, *, hint: str) -> None:
        errors = [
            InputError(line.reason, file=source, line=line.line, field=line.field) for line in account.refused_lines
        ]
        super().__init__(errors[:20], hint=hint)
        self.account = account


class Importer(Protocol):
    """One format. Register it in the entry-point group ``metrology.importers`` under ``name``.

    An importer reads the whole file before it writes, writes in one transaction, adds nothing for content that is
    stored already, and never turns a missing verdict into a score.
    """

    name: str

    def import_results(self, store: Store, path: Path, options: ImportOptions) -> ImportReport:
        """Import ``path`` and return the account.

        Raises:
            InputError: when nothing of the file can be taken.
        """
        ...
