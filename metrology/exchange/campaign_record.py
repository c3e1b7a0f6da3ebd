"""Reads the record of a campaign that :mod:`metrology.exchange.campaign_export` wrote.

The rows join a registered benchmark: each item's identity must be that of a revision in the store, so results are never
pooled with those of other content. Agents come with their whole configuration and keep their identity.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from metrology.domain.agent import AgentConfiguration
from metrology.domain.status import Status
from metrology.errors import ConflictError, InputError
from metrology.exchange.account import Account
from metrology.exchange.base import ImportedBenchmark, ImportOptions, ImportReport, Progress
from metrology.exchange.campaign_export import CAMPAIGN_FILE, FORMAT, TRANSCRIPTS_FILE, TRIALS_FILE
from metrology.identity import bytes_digest, content_hash, short
from metrology.storage.agents import add_agent
from metrology.storage.benchmarks import StoredVersion, find_version, version_items
from metrology.storage.bulk import OPTIONAL_COLUMNS, TrialWriter
from metrology.storage.campaigns import NewCampaign, add_campaign, list_campaigns
from metrology.storage.imports import add_batch, find_batch
from metrology.storage.store import Connection, Store
from metrology.storage.tables import CampaignState, ImportKind, Origin

_COLUMNS = tuple(column for column in OPTIONAL_COLUMNS if column != "source_line")
_PARTS = ("model", "harness", "operations")


class CampaignRecordImporter:
    """The importer ``campaign``. ``version`` of the options names the registered version to join; maps are not used."""

    name = "campaign"

    def import_results(self, store: Store, path: Path, options: ImportOptions) -> ImportReport:
        """Import the record in the folder ``path``; the same record again adds nothing.

        Raises:
            InputError: a file is missing or broken; names file, line and field.
            NotFoundError: the benchmark is not registered.
            ConflictError: an item of the record has other content in the store.
        """
        document = _document(path / CAMPAIGN_FILE)
        lines = _lines(path / TRIALS_FILE, document["trials"]["digest"])
        texts = _lines(path / TRANSCRIPTS_FILE, document["transcripts"]["digest"])
        trials = [_parsed(path / TRIALS_FILE, number, line) for number, line in enumerate(lines, 1)]
        identity = content_hash(document)
        benchmark = document["benchmark"]
        with store.read() as conn:
            version = find_version(conn, benchmark["name"], options.version or benchmark["version"])
            revisions = _revisions(conn, version, document["items"])
            known = find_batch(conn, ImportKind.RESULTS, identity, FORMAT, version.identity)
            campaigns = list_campaigns(conn, version.id)
        told = document["campaign"]
        same = next(
            (
                campaign
                for campaign in campaigns
                if (known is not None and campaign.import_id == known.id)
                # The record of a campaign that was run here: its trials are in the store already.
                or (campaign.identity == told["identity"] and campaign.started_at == _time(told["started_at"]))
            ),
            None,
        )
        campaign_id = None if same is None else same.id
        account = _account(trials)
        name = _free_name(told["name"], identity, {c.name for c in campaigns}) if same is None else same.name
        if not options.dry_run and campaign_id is None:
            transcripts = [
                store.blobs.put(_text(path / TRANSCRIPTS_FILE, number, line)) for number, line in enumerate(texts, 1)
            ]
            for number, row in enumerate(trials, 1):
                row["transcript"] = _transcript(path / TRIALS_FILE, number, row, transcripts)
            with store.write() as conn:
                batch = add_batch(
                    conn,
                    ImportKind.RESULTS,
                    source_name=path.name,
                    content_digest=identity,
                    map_digest=FORMAT,
                    target=version.identity,
                    account=account.document(),
                )
                campaign_id = _store(conn, version, document, revisions, trials, name, batch)
            if options.progress:
                options.progress(Progress("write", len(trials), len(trials)))
        return ImportReport(
            source=str(path),
            format=self.name,
            dry_run=options.dry_run,
            account=account,
            benchmarks=(
                ImportedBenchmark(
                    name=version.name,
                    version=version.label,
                    version_id=version.id,
                    campaign=name,
                    campaign_id=campaign_id,
                    items=len(document["items"]),
                    agents=len(document["agents"]),
                    trials=len(trials),
                    cells=0,
                    already_imported=same is not None,
                ),
            ),
        )


IMPORTER = CampaignRecordImporter()


def _store(
    conn: Connection,
    version: StoredVersion,
    document: Mapping[str, Any],
    revisions: Mapping[str, int],
    trials: list[dict[str, Any]],
    name: str,
    batch: int,
) -> int:
    agents, standards = {}, set()
    for entry in document["agents"]:
        stored = add_agent(conn, AgentConfiguration(entry["name"], *(entry[part] for part in _PARTS))).agent
        if stored.identity != entry["identity"]:
            raise ConflictError(f"agent {entry['name']} does not have the identity that the record gives it")
        agents[entry["name"]] = stored.id
        if entry["check_standard"]:
            standards.add(stored.id)
    told = document["campaign"]
    campaign_id = add_campaign(
        conn,
        NewCampaign(
            name=name,
            version_id=version.id,
            origin=Origin.RECORDED,
            identity=told["identity"],
            revision_ids=tuple(revisions.values()),
            agent_ids=tuple(agents.values()),
            trials=told["trials"],
            seed=told["seed"],
            check_standards=frozenset(standards),
            state=CampaignState.FINISHED,
            document=told["plan"],
            note=told["note"],
            import_id=batch,
            started_at=_time(told["started_at"]),
            finished_at=_time(told["finished_at"]),
        ),
    )
    with TrialWriter(conn, campaign_id, _COLUMNS) as writer:
        writer.add_rows(
            [
                (
                    revisions[row["item"]],
                    agents[row["agent"]],
                    row["number"],
                    row["status"],
                    row.get("score"),
                    row.get("passed"),
                    *(_time(row.get(key)) if key == "started_at" else row.get(key) for key in _COLUMNS),
                )
                for row in trials
            ]
        )
    return campaign_id


def _document(path: Path) -> dict[str, Any]:
    try:
        document: Any = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise InputError("no such file", file=path, hint="a record is a folder written by metrology export") from error
    except (ValueError, UnicodeDecodeError) as error:
        raise InputError(f"not JSON: {error}", file=path) from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InputError(f"not a record of the format {FORMAT}", file=path, field="format")
    for key in ("benchmark", "items", "agents", "campaign", "trials", "transcripts"):
        if key not in document:
            raise InputError("missing", file=path, field=key, hint="a record is written by metrology export")
    return document


def _lines(path: Path, digest: str) -> list[bytes]:
    """The lines of a packed file, which must be what the record was written with."""
    try:
        with gzip.open(path, "rb") as packed:
            lines = packed.readlines()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise InputError("no such file", file=path, hint="a record is a folder written by metrology export") from error
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"not a whole gzip file: {error}", file=path) from error
    if bytes_digest(b"".join(lines)) != digest:
        raise InputError(
            "the content is not what the record was written with", file=path, hint=f"{CAMPAIGN_FILE} says {digest}"
        )
    return lines


def _parsed(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        row: Any = json.loads(line)
        Status(row["status"])
        row["item"], row["agent"], row["number"]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"not a row of a record: {error!r}", file=path, line=number) from error
    return dict(row)


def _text(path: Path, number: int, line: bytes) -> bytes:
    try:
        return str(json.loads(line)["text"]).encode("utf-8")
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"not a transcript of a record: {error!r}", file=path, line=number) from error


def _transcript(path: Path, number: int, row: Mapping[str, Any], stored: list[str]) -> str | None:
    """The digest of the transcript that a row refers to by its number from 0, or None."""
    place = row.get("transcript")
    if place is None:
        return None
    if not isinstance(place, int) or not 0 <= place < len(stored):
        raise InputError(f"there is no transcript {place!r}", file=path, line=number, field="transcript")
    return stored[place]


def _revisions(conn: Connection, version: StoredVersion, items: Mapping[str, str]) -> dict[str, int]:
    stored = {item.revision.name: item for item in version_items(conn, version.id)}
    other = sorted(name for name, identity in items.items() if name not in stored or stored[name].identity != identity)
    if other:
        shown = ", ".join(other[:5]) + (f" and {len(other) - 5} more" if len(other) > 5 else "")
        raise ConflictError(
            f"{version.name} {version.label} has other content than the record measured: {shown}",
            hint="register the version that was measured, and name it with --version",
        )
    return {name: stored[name].revision_id for name in items}


def _account(trials: list[dict[str, Any]]) -> Account:
    scored = sum(1 for row in trials if row.get("score") is not None)
    statuses = Counter(row["status"] for row in trials)
    return Account(len(trials), scored, len(trials) - scored, 0, 0, statuses=dict(statuses))


def _free_name(name: str, identity: str, taken: set[str]) -> str:
    return name if name not in taken else f"{name} {short(identity)}"


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
