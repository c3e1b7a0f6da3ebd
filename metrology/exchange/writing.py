"""The rows of a spool, written as trials or as cells of counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from metrology.exchange.base import Connection, Progress, ProgressCallback
from metrology.exchange.rows import RowParser
from metrology.exchange.spool import Spool, Stored
from metrology.storage.bulk import TrialWriter, add_to_cells

_NAMES = {"date": "started_at"}
_REPORTED_ROWS = 50_000


@dataclass(frozen=True)
class Places:
    """Storage ids for the numbers of a file: campaigns by benchmark, revisions by item, agents by agent.

    A benchmark without a campaign is not written.
    """

    campaigns: Mapping[int, int]
    revisions: Mapping[int, int]
    agents: Sequence[int]
    parser: RowParser

    @property
    def whole_file(self) -> int | None:
        """The campaign when all rows go into one, else None."""
        return next(iter(self.campaigns.values())) if len(self.parser.benchmarks) == 1 else None

    def by_campaign(self, batch: Stored, rows: Iterable[tuple[Any, ...]]) -> dict[int, list[tuple[Any, ...]]]:
        """Return the rows of a batch by the campaign they belong to."""
        whole = self.whole_file
        if whole is not None:
            return {whole: list(rows)}
        sorted_out: dict[int, list[tuple[Any, ...]]] = {}
        items = self.parser.items
        for item, row in zip(batch.items, rows, strict=True):
            campaign = self.campaigns.get(items[item].benchmark)
            if campaign is not None:
                sorted_out.setdefault(campaign, []).append(row)
        return sorted_out


def write_rows(connection: Connection, spool: Spool, places: Places, progress: ProgressCallback | None) -> None:
    """Write all rows of a spool in the caller's transaction; memory does not grow with their number."""
    if not places.campaigns:
        return
    # Items of benchmarks that are not written have no revision; the rows of those are dropped by campaign.
    revisions = [places.revisions.get(number, 0) for number in range(len(places.parser.items))]
    total, done, reported = sum(spool.rows.values()), 0, 0
    with ExitStack() as stack:
        writers: dict[int, TrialWriter] = {}
        for batch in spool:
            revision_ids = [revisions[item] for item in batch.items]
            agent_ids = [places.agents[agent] for agent in batch.agents]
            if places.parser.counts:
                _write_cells(connection, batch, places, revision_ids, agent_ids)
            else:
                _write_trials(connection, stack, writers, batch, places, revision_ids, agent_ids)
            done += len(batch.items)
            if progress is not None and done - reported >= _REPORTED_ROWS:
                progress(Progress("write", done, total))
                reported = done
    if progress is not None:
        progress(Progress("write", total, total))


def _write_cells(
    connection: Connection, batch: Stored, places: Places, revision_ids: list[int], agent_ids: list[int]
) -> None:
    trials, passed = batch.results
    rows = zip(revision_ids, agent_ids, trials, passed, strict=True)
    for campaign, chosen in places.by_campaign(batch, rows).items():
        add_to_cells(
            connection,
            [
                (campaign, revision, agent, n, hits, float(hits), float(hits), 0)
                for revision, agent, n, hits in chosen
                if n
            ],
        )


def _write_trials(
    connection: Connection,
    stack: ExitStack,
    writers: dict[int, TrialWriter],
    batch: Stored,
    places: Places,
    revision_ids: list[int],
    agent_ids: list[int],
) -> None:
    status, score, passed, detail = batch.results
    rows = zip(
        revision_ids,
        agent_ids,
        batch.numbers,
        status,
        score,
        passed,
        *batch.extras.values(),
        detail,
        batch.lines,
        strict=True,
    )
    for campaign, chosen in places.by_campaign(batch, rows).items():
        if campaign not in writers:
            names = [_NAMES.get(field, field) for field in batch.extras]
            writer = TrialWriter(connection, campaign, (*names, "detail", "source_line"))
            writers[campaign] = stack.enter_context(writer)
        writers[campaign].add_rows(chosen)
