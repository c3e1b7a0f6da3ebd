"""The workspace: the one facade over registry, campaigns, imports and analyses.

    import metrology as mt
    ws = mt.open()                                  # METROLOGY_DB or ./metrology.db
    version = ws.register("benchmarks/gauge")
    agent = ws.agent("agents/careful.toml")
    campaign = ws.campaign("gauge", agents=[agent], trials=5, seed=7)
    campaign.run(concurrency=8)
    answer = ws.analyze("reliability", "gauge")

A workspace opened with ``read_only=True`` cannot change the store; the dashboard uses nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from metrology import plugins
from metrology.campaigns.handle import CampaignHandle, CampaignStatus, campaign_status
from metrology.campaigns.planning import plan_campaign, stored_plan
from metrology.domain.agent import AgentConfiguration, AgentDifference, difference
from metrology.domain.lifecycle import ItemState
from metrology.domain.status import Status
from metrology.errors import ConflictError, NotFoundError
from metrology.resources import shipped_folder
from metrology.storage import agents as agent_store
from metrology.storage import benchmarks as benchmark_store
from metrology.storage import campaigns as campaign_store
from metrology.storage import imports as import_store
from metrology.storage import observations as observation_store
from metrology.storage import trials as trial_store
from metrology.storage.agents import StoredAgent
from metrology.storage.benchmarks import ItemSummary, LifecycleRecord, StoredItem, StoredVersion
from metrology.storage.campaigns import StoredCampaign
from metrology.storage.store import Store, open_store
from metrology.storage.tables import CampaignState
from metrology.storage.trials import StoredTrial, TrialRecord

if TYPE_CHECKING:
    from metrology.analysis.base import Analysis
    from metrology.analysis.question import Question
    from metrology.exchange.base import Progress
    from metrology.exchange.campaign_export import WrittenRecord
    from metrology.health import Check
    from metrology.registry.diff import VersionDifference
    from metrology.registry.register import Registration


class Workspace:
    """One open store. Use as a context manager, or call :meth:`close`."""

    def __init__(self, store: Store) -> None:
        self.store = store

    @classmethod
    def open(cls, url: str | Path | None = None, *, read_only: bool = False) -> Workspace:
        """Open the workspace at ``url``: an SQLite path or a PostgreSQL address; None asks METROLOGY_DB.

        Raises:
            StorageError: the database is missing (read-only), newer, locked or out of reach.
        """
        return cls(open_store(url, read_only=read_only))

    def close(self) -> None:
        """Close the store."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def url(self) -> str:
        """The address, without a password."""
        return self.store.url

    @property
    def read_only(self) -> bool:
        """True when nothing can be changed through this workspace."""
        return self.store.read_only

    def data_version(self) -> int:
        """A number that changes when a figure may have changed; for caches."""
        return self.store.data_version()

    # -- registry ---------------------------------------------------------------------------------------------

    def register(self, folder: str | Path) -> Registration:
        """Register the benchmark version that a folder holds; the same content again changes nothing."""
        from metrology.registry.register import register

        return register(self.store, Path(folder))

    def release(self, benchmark: str, *, folder: Path | None = None) -> StoredVersion:
        """Release a version: from then on it never changes."""
        from metrology.registry.register import release

        version = self.version(benchmark)
        return release(self.store, version.name, version.label, folder=folder)

    def versions(self) -> tuple[StoredVersion, ...]:
        """All versions of all benchmarks."""
        with self.store.read() as conn:
            return benchmark_store.list_versions(conn)

    def version(self, benchmark: str) -> StoredVersion:
        """The version that ``name``, ``name@label`` or ``name@sha256:...`` means; the newest without a label."""
        name, _, label = benchmark.partition("@")
        with self.store.read() as conn:
            return benchmark_store.find_version(conn, name, label or None)

    def items(self, benchmark: str) -> tuple[StoredItem, ...]:
        """The items of a version with their whole content."""
        version = self.version(benchmark)
        with self.store.read() as conn:
            return benchmark_store.version_items(conn, version.id)

    def item(self, benchmark: str, name: str) -> StoredItem:
        """One item of a version."""
        for item in self.items(benchmark):
            if item.revision.name == name:
                return item
        raise NotFoundError(f"{benchmark} has no item {name!r}", hint=f"metrology item list {benchmark}")

    def item_summaries(self, benchmark: str) -> tuple[ItemSummary, ...]:
        """The items of a version without their content."""
        version = self.version(benchmark)
        with self.store.read() as conn:
            return benchmark_store.item_summaries(conn, version.id)

    def diff(self, before: str, after: str) -> VersionDifference:
        """Compare two versions item by item and say which bump the change requires."""
        from metrology.registry.diff import compare_stored

        return compare_stored(self.store, self.version(before), self.version(after))

    def lifecycle(self, benchmark: str) -> tuple[LifecycleRecord, ...]:
        """The events in the life of a benchmark's items, oldest first."""
        with self.store.read() as conn:
            return benchmark_store.lifecycle_events(conn, benchmark.partition("@")[0])

    def set_item_state(
        self,
        benchmark: str,
        item: str,
        state: str,
        *,
        actor: str,
        reason: str,
        evidence: Mapping[str, Any] | None = None,
    ) -> LifecycleRecord:
        """Move an item to another state of its life; the event is kept with who, when and why."""
        from metrology.registry.lifecycle import set_state

        return set_state(self.store, benchmark, item, ItemState(state), actor=actor, reason=reason, evidence=evidence)

    # -- agents -----------------------------------------------------------------------------------------------

    def agent(self, source: str | Path | AgentConfiguration) -> StoredAgent:
        """Register an agent from a TOML file or a value; the same configuration again changes nothing."""
        from metrology.registry.agent_file import load_agent

        configuration = source if isinstance(source, AgentConfiguration) else load_agent(Path(source))
        with self.store.write() as conn:
            return agent_store.add_agent(conn, configuration).agent

    def agents(self) -> tuple[StoredAgent, ...]:
        """All registered agents."""
        with self.store.read() as conn:
            return agent_store.list_agents(conn)

    def find_agent(self, name_or_identity: str) -> StoredAgent:
        """The newest agent of a name, or the one with an identity."""
        with self.store.read() as conn:
            return agent_store.find_agent(conn, name_or_identity)

    def agent_difference(self, first: str, second: str) -> AgentDifference:
        """What differs between two agents, and to what a difference of scores could be attributed."""
        return difference(self.find_agent(first).configuration, self.find_agent(second).configuration)

    # -- campaigns --------------------------------------------------------------------------------------------

    def campaign(
        self,
        benchmark: str | StoredVersion,
        *,
        agents: Sequence[str | StoredAgent],
        trials: int,
        seed: int = 0,
        items: Sequence[str] | None = None,
        families: Sequence[str] | None = None,
        check_standards: Sequence[str | StoredAgent] = (),
        max_attempts: int = 3,
        name: str | None = None,
        note: str = "",
    ) -> CampaignHandle:
        """Fix a plan of items x agents x trials; see :func:`metrology.campaigns.planning.plan_campaign`."""
        version = self.version(benchmark) if isinstance(benchmark, str) else benchmark
        planned = plan_campaign(
            self.store,
            version,
            [self._agent(each) for each in agents],
            trials=trials,
            seed=seed,
            items=items,
            families=families,
            check_standards=[self._agent(each) for each in check_standards],
            max_attempts=max_attempts,
            name=name,
            note=note,
        )
        return CampaignHandle(self.store, planned, f"{version.name}@{version.label}")

    def find_campaign_handle(self, name: str) -> CampaignHandle:
        """A planned or interrupted campaign by name, to run it."""
        with self.store.read() as conn:
            campaign = campaign_store.find_campaign(conn, name)
            version = benchmark_store.version_by_id(conn, campaign.version_id)
        return CampaignHandle(self.store, campaign, f"{version.name}@{version.label}")

    def campaigns(self, benchmark: str | None = None) -> tuple[StoredCampaign, ...]:
        """All campaigns, or those of one version, oldest first."""
        version = None if benchmark is None else self.version(benchmark)
        with self.store.read() as conn:
            return campaign_store.list_campaigns(conn, None if version is None else version.id)

    def find_campaign(self, name: str) -> StoredCampaign:
        """One campaign by name."""
        with self.store.read() as conn:
            return campaign_store.find_campaign(conn, name)

    def progress(self, name: str) -> CampaignStatus:
        """How far a campaign has come, also while another process runs it."""
        return campaign_status(self.store, name)

    def trials(
        self, campaign: str, *, status: Status | None = None, offset: int = 0, limit: int = 100
    ) -> tuple[StoredTrial, ...]:
        """One page of a campaign's trials."""
        with self.store.read() as conn:
            found = campaign_store.find_campaign(conn, campaign)
            return trial_store.list_trials(conn, found.id, status=status, offset=offset, limit=limit)

    def count_trials(self, campaign: str, *, status: Status | None = None) -> int:
        """How many trials :meth:`trials` pages through."""
        with self.store.read() as conn:
            return trial_store.count_trials(conn, campaign_store.find_campaign(conn, campaign).id, status=status)

    def trial(self, trial_id: int) -> TrialRecord:
        """One trial with its attempts and verdicts."""
        with self.store.read() as conn:
            return trial_store.trial(conn, trial_id)

    def blob(self, digest: str) -> bytes:
        """The bytes of a transcript or file."""
        return self.store.blobs.get(digest)

    def cancel(self, name: str) -> StoredCampaign:
        """Cancel a campaign; what it measured is kept."""
        with self.store.write() as conn:
            campaign = campaign_store.find_campaign(conn, name)
            stored_plan(campaign)
            if campaign.state is CampaignState.FINISHED:
                raise ConflictError(f"campaign {name} is finished", hint="there is nothing left to cancel")
            campaign_store.set_state(conn, campaign.id, CampaignState.CANCELLED, datetime.now(UTC))
            return campaign_store.campaign_by_id(conn, campaign.id)

    # -- recorded results and production ------------------------------------------------------------------------

    def import_results(
        self,
        path: str | Path,
        map_name: str | Path | None = None,
        *,
        format_name: str = "table",
        version: str | None = None,
        dry_run: bool = False,
        strict: bool = False,
        progress: Callable[[Progress], None] | None = None,
    ) -> Any:
        """Import recorded results through an installed importer and return its account."""
        from metrology.exchange.base import ImportOptions

        importer = plugins.load("importers", format_name)
        options = ImportOptions(
            map=map_file(map_name), version=version, dry_run=dry_run, strict=strict, progress=progress
        )
        return importer.import_results(self.store, Path(path), options)

    def import_outcomes(
        self, path: str | Path, map_name: str | Path | None = None, *, dry_run: bool = False, strict: bool = False
    ) -> Any:
        """Import production outcomes from a table and return the account."""
        from metrology.exchange.outcomes import import_outcomes

        return import_outcomes(
            self.store, Path(path), map_file(map_name, "outcomes.toml"), dry_run=dry_run, strict=strict
        )

    def imports(self) -> tuple[import_store.StoredBatch, ...]:
        """All imports with their accounts."""
        with self.store.read() as conn:
            return import_store.list_batches(conn)

    def export_campaign(self, name: str, folder: Path) -> WrittenRecord:
        """Write a campaign as a portable record that ``import_results(format_name="campaign")`` reads."""
        from metrology.exchange.campaign_export import export_campaign

        return export_campaign(self.store, name, folder)

    def outcome_measures(self) -> tuple[observation_store.MeasureSummary, ...]:
        """The measures of production that are known, with the number of agents and observations."""
        with self.store.read() as conn:
            return observation_store.measures(conn)

    def observations(self, measure: str | None = None) -> tuple[observation_store.StoredObservation, ...]:
        """Production figures, of one measure or all."""
        with self.store.read() as conn:
            return observation_store.observations(conn, measure=measure)

    # -- analyses -------------------------------------------------------------------------------------------------

    def questions(self) -> tuple[Question, ...]:
        """What can be asked about a benchmark."""
        return tuple(plugins.load("analyses", name) for name in plugins.names("analyses"))

    def analyze(self, name: str, benchmark: str, **options: Any) -> Analysis:
        """Answer a question about a benchmark version from everything measured on it.

        Raises:
            PluginError: no such question.
            NotFoundError: an unknown benchmark, agent or campaign.
            InputError: an option that the question does not know.
        """
        from metrology.analysis.request import Request
        from metrology.analysis.source import StoreSource

        question = plugins.load("analyses", name)
        with self.store.read() as conn:
            answer: Analysis = question.analyse(StoreSource(conn), Request.parse(benchmark, **options))
        return answer

    def doctor(self) -> tuple[Check, ...]:
        """Check the installation and this workspace."""
        from metrology.health import checks

        return checks(self.store)

    def _agent(self, agent: str | StoredAgent) -> StoredAgent:
        return self.find_agent(agent) if isinstance(agent, str) else agent


def open_workspace(url: str | Path | None = None, *, read_only: bool = False) -> Workspace:
    """Open the workspace at ``url``; see :meth:`Workspace.open`. Exported as ``metrology.open``."""
    return Workspace.open(url, read_only=read_only)


def map_file(name: str | Path | None, file: str = "map.toml") -> Path | None:
    """Return the path of a column map: a TOML file, or the name of a record set that ships with the platform.

    Raises:
        NotFoundError: there is no such record set, or it has no map of this kind.
    """
    if name is None or Path(name).suffix == ".toml":
        return None if name is None else Path(name)
    records = shipped_folder("benchmarks") / "records"
    known = sorted(path.parent.name for path in records.glob(f"*/{file}"))
    if str(name) not in known:
        raise NotFoundError(
            f"no record set with a {file} is called {str(name)!r}",
            hint=f"give the path of a TOML file, or one of: {', '.join(known)}",
        )
    return records / str(name) / file
