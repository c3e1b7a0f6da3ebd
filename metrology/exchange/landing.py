"""From the rows of a file to the store: recorded version, agents, campaign, trials and cells, in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from metrology.domain.benchmark import BenchmarkVersion
from metrology.domain.item import ItemRevision
from metrology.errors import ConflictError, NotFoundError
from metrology.exchange.base import Connection, ImportedBenchmark, ProgressCallback
from metrology.exchange.map import BenchmarkTable, ColumnMap
from metrology.exchange.rows import ItemOfFile, RowParser
from metrology.exchange.spool import Spool
from metrology.exchange.writing import Places, write_rows
from metrology.identity import short
from metrology.storage.agents import add_agent, agents_by_id
from metrology.storage.benchmarks import StoredVersion, add_version, find_version, item_summaries, set_released
from metrology.storage.campaigns import NewCampaign, add_campaign, list_campaigns, plan_ids
from metrology.storage.imports import add_batch, find_batch, list_batches
from metrology.storage.observations import join_agent
from metrology.storage.tables import CampaignState, ImportKind, Origin

_NAMED = 3


@dataclass(frozen=True)
class Landed:
    """What became of one benchmark of a file."""

    benchmark: ImportedBenchmark
    warnings: tuple[str, ...]


class Lander:
    """Stores what a spool holds. ``account`` goes into the import's row, ``source_name`` says where it came from."""

    def __init__(
        self,
        column_map: ColumnMap,
        parser: RowParser,
        spool: Spool,
        *,
        source_name: str,
        account: Mapping[str, Any],
        progress: ProgressCallback | None = None,
    ) -> None:
        self._map = column_map
        self._table: BenchmarkTable = column_map.benchmark
        self._parser = parser
        self._spool = spool
        self._source_name = source_name
        self._account = dict(account)
        self._progress = progress

    def look(self, connection: Connection, number: int) -> Landed:
        """Return what :meth:`store` would do with a benchmark of the file.

        Raises:
            ConflictError: when the version is stored with other items or content, or the rows with another map.
            NotFoundError: when the map asks for a registered version that is not there.
        """
        name, items = self._parser.benchmarks[number], self._items(number)
        version = self._version(connection, name, items)
        digest = self._spool.digest(number)
        target = f"{name}@{self._table.version}"
        known = find_batch(connection, ImportKind.RESULTS, digest, self._map.digest, target)
        campaign_id, warnings = None, []
        if known is not None and version is not None:
            campaigns = list_campaigns(connection, version.id)
            campaign_id = next((campaign.id for campaign in campaigns if campaign.import_id == known.id), None)
        else:
            same = [
                batch
                for batch in list_batches(connection, ImportKind.RESULTS)
                if batch.content_digest == digest and batch.target == target
            ]
            if same:
                raise ConflictError(
                    f"the rows of {name} {self._table.version} are stored already, read with another map",
                    hint="keep what is stored, or give this reading a version label of its own (--version)",
                )
            warnings = self._overlaps(connection, version, number)
        rows = self._spool.rows[number]
        benchmark = ImportedBenchmark(
            name=name,
            version=self._table.version,
            version_id=None if version is None else version.id,
            campaign=f"{target} recorded {short(digest)}",
            campaign_id=campaign_id,
            items=len(items),
            agents=len(self._spool.agents[number]),
            trials=0 if self._parser.counts else rows,
            cells=rows if self._parser.counts else 0,
            already_imported=campaign_id is not None,
        )
        return Landed(benchmark, tuple(warnings))

    def store(self, connection: Connection) -> tuple[Landed, ...]:
        """Store every benchmark of the file that is not stored yet, in the caller's transaction."""
        landed = [self.look(connection, number) for number in self._spool.rows]
        fresh = {
            number: result.benchmark
            for number, result in zip(self._spool.rows, landed, strict=True)
            if not result.benchmark.already_imported
        }
        now = datetime.now(UTC)
        agents = self._add_agents(connection, fresh, now)
        revisions: dict[int, int] = {}
        campaigns: dict[int, int] = {}
        versions: dict[int, int] = {}
        for number, benchmark in fresh.items():
            versions[number] = self._add_version(connection, number, now, revisions)
            campaigns[number] = self._add_campaign(
                connection, number, benchmark, versions[number], revisions, agents, now
            )
        write_rows(connection, self._spool, Places(campaigns, revisions, agents, self._parser), self._progress)
        return tuple(
            Landed(
                ImportedBenchmark(
                    **{
                        **vars(result.benchmark),
                        "version_id": versions.get(number, result.benchmark.version_id),
                        "campaign_id": campaigns.get(number, result.benchmark.campaign_id),
                    }
                ),
                result.warnings,
            )
            for number, result in zip(self._spool.rows, landed, strict=True)
        )

    def _items(self, number: int) -> dict[int, ItemOfFile]:
        return {place: item for place, item in enumerate(self._parser.items) if item.benchmark == number}

    def _version(self, connection: Connection, name: str, items: Mapping[int, ItemOfFile]) -> StoredVersion | None:
        try:
            version = find_version(connection, name, self._table.version)
        except NotFoundError:
            if self._table.identity is not None:
                raise NotFoundError(
                    f"the results belong to {name} {self._table.version}, which is not registered",
                    hint="register the benchmark first: metrology benchmark register FOLDER",
                ) from None
            return None
        if self._table.identity not in (None, version.identity):
            raise ConflictError(
                f"{name} {self._table.version} is registered with other content than the results were measured with",
                hint=f"registered {version.identity}, measured {self._table.identity}",
            )
        stored = {item.name for item in item_summaries(connection, version.id)}
        missing = sorted(item.name for item in items.values() if item.name not in stored)
        if missing:
            shown = ", ".join(missing[:_NAMED]) + (", ..." if len(missing) > _NAMED else "")
            raise ConflictError(
                f"{len(missing)} items are not in {name} {self._table.version} as it is stored: {shown}",
                hint="a version never changes; give these results a new label with --version",
            )
        return version

    def _overlaps(self, connection: Connection, version: StoredVersion | None, number: int) -> list[str]:
        if version is None:
            return []
        identities = {self._parser.agents.agents[agent].identity for agent in self._spool.agents[number]}
        warnings = []
        for campaign in list_campaigns(connection, version.id):
            if campaign.origin is not Origin.RECORDED:
                continue
            common = identities & _agent_identities(connection, plan_ids(connection, campaign.id).agent_ids)
            if common:
                warnings.append(
                    f"campaign {campaign.name} holds results of {len(common)} of these agents on the same version: "
                    "figures pool both, so be sure that they are different trials"
                )
        return warnings

    def _add_agents(self, connection: Connection, fresh: Mapping[int, ImportedBenchmark], now: datetime) -> list[int]:
        used = {agent for number in fresh for agent in self._spool.agents[number]}
        ids = []
        for place, configuration in enumerate(self._parser.agents.agents):
            if place not in used:
                ids.append(0)
                continue
            added = add_agent(connection, configuration, when=now)
            ids.append(added.agent.id)
            if added.created:
                join_agent(connection, added.agent.id, configuration.name)
        return ids

    def _add_version(self, connection: Connection, number: int, now: datetime, revisions: dict[int, int]) -> int:
        name, items = self._parser.benchmarks[number], self._items(number)
        version = self._version(connection, name, items)
        if version is None:
            value = _recorded_version(name, self._table, items.values())
            version_id = add_version(connection, value, origin=Origin.RECORDED, when=now).version_id
            set_released(connection, version_id, now)
        else:
            version_id = version.id
        stored = {item.name: item.revision_id for item in item_summaries(connection, version_id)}
        revisions.update({place: stored[item.name] for place, item in items.items()})
        return version_id

    def _add_campaign(
        self,
        connection: Connection,
        number: int,
        benchmark: ImportedBenchmark,
        version_id: int,
        revisions: Mapping[int, int],
        agents: list[int],
        now: datetime,
    ) -> int:
        digest = self._spool.digest(number)
        import_id = add_batch(
            connection,
            ImportKind.RESULTS,
            source_name=self._source_name,
            content_digest=digest,
            map_digest=self._map.digest,
            target=f"{benchmark.name}@{self._table.version}",
            account=self._account,
            when=now,
        )
        first, last = self._spool.spans.get(number, (None, None))
        return add_campaign(
            connection,
            NewCampaign(
                name=benchmark.campaign,
                version_id=version_id,
                origin=Origin.RECORDED,
                identity=digest,
                revision_ids=tuple(sorted(revisions[place] for place in self._items(number))),
                agent_ids=tuple(sorted({agents[agent] for agent in self._spool.agents[number]})),
                trials=self._table.planned_trials,
                state=CampaignState.FINISHED,
                document={"source": self._table.source, "file": self._source_name, "map": self._map.digest},
                note=f"Recorded results: {self._table.source}",
                import_id=import_id,
                created_at=now,
                started_at=first,
                finished_at=last,
            ),
        )


def _agent_identities(connection: Connection, ids: Iterable[int]) -> set[str]:
    return {agent.identity for agent in agents_by_id(connection, ids).values()}


def _recorded_version(name: str, table: BenchmarkTable, items: Iterable[ItemOfFile]) -> BenchmarkVersion:
    return BenchmarkVersion(
        name=name,
        version=table.version,
        purpose=table.purpose,
        title=table.title or name,
        construct=table.construct_statement,
        licence=table.licence,
        owner=table.owner,
        items=tuple(_recorded_item(item, table.source) for item in items),
    )


def _recorded_item(item: ItemOfFile, source: str) -> ItemRevision:
    family, tags = item.attributes or (None, ())
    return ItemRevision(
        name=item.name,
        instruction="",
        environment={},
        scorer={"type": "recorded"},
        reference={},
        family=family,
        tags=tags,
        source=source,
    )
