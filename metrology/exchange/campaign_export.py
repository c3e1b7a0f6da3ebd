"""Writes a campaign as a portable record: what was measured, by whom, every row, every transcript.

A record is a folder of three files. ``campaign.json`` holds the identities of benchmark and items, the agents
with their whole configuration, and the plan; ``trials.jsonl.gz`` one line per finished trial;
``transcripts.jsonl.gz`` one line per transcript, which trials refer to by its number from 0: similar ones stand
together and no digest is repeated, so they pack well. The files are the same, byte for byte, whenever the same
campaign is written.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from metrology.errors import ConflictError
from metrology.identity import bytes_digest
from metrology.storage.agents import agents_by_id
from metrology.storage.benchmarks import version_by_id, version_items
from metrology.storage.campaigns import StoredCampaign, find_campaign, plan_ids
from metrology.storage.store import Connection, Store
from metrology.storage.trials import StoredTrial, list_trials

FORMAT = "metrology/campaign-record/1"
CAMPAIGN_FILE = "campaign.json"
TRIALS_FILE = "trials.jsonl.gz"
TRANSCRIPTS_FILE = "transcripts.jsonl.gz"
_PAGE = 5_000


@dataclass(frozen=True)
class WrittenRecord:
    """A record on disk: its folder, how many trials and transcripts it holds, its size in bytes."""

    folder: Path
    trials: int
    transcripts: int
    bytes: int


def export_campaign(store: Store, name: str, folder: Path) -> WrittenRecord:
    """Write the record of a campaign into a new folder.

    Raises:
        NotFoundError: no such campaign.
        ConflictError: the folder exists and is not empty.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConflictError(f"{folder} exists and is not an empty folder", hint="name a folder that does not exist")
    folder.mkdir(parents=True, exist_ok=True)
    with store.read() as conn:
        campaign = find_campaign(conn, name)
        trials, places = 0, dict[str, int]()

        def rows() -> Iterator[Mapping[str, Any]]:
            nonlocal trials
            for trial in _trials(conn, campaign.id):
                trials += 1
                row = _row(trial)
                if trial.transcript is not None:
                    row["transcript"] = places.setdefault(trial.transcript, len(places))
                yield row

        trials_digest = _write_lines(folder / TRIALS_FILE, rows())
        transcripts_digest = _write_lines(
            folder / TRANSCRIPTS_FILE,
            ({"text": store.blobs.get(digest).decode("utf-8")} for digest in places),
        )
        document = _document(conn, campaign) | {
            "trials": {"count": trials, "digest": trials_digest},
            "transcripts": {"count": len(places), "digest": transcripts_digest},
        }
    text = json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False)
    (folder / CAMPAIGN_FILE).write_text(text + "\n", encoding="utf-8")
    size = sum(path.stat().st_size for path in folder.iterdir())
    return WrittenRecord(folder, trials, len(places), size)


def _document(conn: Connection, campaign: StoredCampaign) -> dict[str, Any]:
    version = version_by_id(conn, campaign.version_id)
    plan = plan_ids(conn, campaign.id)
    measured = set(plan.revision_ids)
    items = [item for item in version_items(conn, version.id) if item.revision_id in measured]
    agents = agents_by_id(conn, plan.agent_ids)
    return {
        "format": FORMAT,
        "benchmark": {"name": version.name, "version": version.label, "identity": version.identity},
        "items": {item.revision.name: item.identity for item in items},
        "agents": [
            {
                "name": agents[key].name,
                "identity": agents[key].identity,
                **agents[key].configuration.content(),
                "check_standard": key in plan.check_standards,
            }
            for key in sorted(plan.agent_ids, key=lambda key: (agents[key].name, agents[key].identity))
        ],
        "campaign": {
            "name": campaign.name,
            "identity": campaign.identity,
            "trials": campaign.trials,
            "seed": campaign.seed,
            "note": campaign.note,
            "plan": dict(campaign.document),
            "started_at": _time(campaign.started_at),
            "finished_at": _time(campaign.finished_at),
        },
    }


def _trials(conn: Connection, campaign_id: int) -> Iterator[StoredTrial]:
    offset = 0
    while page := list_trials(conn, campaign_id, offset=offset, limit=_PAGE):
        yield from page
        offset += len(page)


def _row(trial: StoredTrial) -> dict[str, Any]:
    usage = trial.usage
    row = {
        "item": trial.item,
        "agent": trial.agent,
        "number": trial.key.number,
        "status": trial.status.value,
        "score": trial.score,
        "passed": trial.passed,
        "attempts": trial.attempts,
        "started_at": _time(trial.started_at),
        "duration_seconds": None if trial.duration_seconds is None else round(trial.duration_seconds, 4),
        "input_tokens": usage.input_tokens,
        "cached_input_tokens": usage.cached_input_tokens,
        "cache_write_tokens": usage.cache_write_tokens,
        "output_tokens": usage.output_tokens,
        "cost_usd": usage.cost_usd,
        "answer": trial.answer or None,
        "model_served": trial.model_served,
        "detail": trial.detail or None,
    }
    return {key: value for key, value in row.items() if value is not None}


def _write_lines(path: Path, records: Iterable[Mapping[str, Any]]) -> str:
    """Write JSON lines and return the digest of the uncompressed bytes; no time stamp goes into the file."""
    lines = [json.dumps(record, ensure_ascii=False, sort_keys=True, allow_nan=False) + "\n" for record in records]
    data = "".join(lines).encode("utf-8")
    with path.open("wb") as raw, gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=9, mtime=0) as packed:
        packed.write(data)
    return bytes_digest(data)


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
