"""From names to a stored plan, and from a stored plan to a running campaign."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from metrology.campaigns.coordinator import Coordinator
from metrology.campaigns.progress import LiveProgress
from metrology.campaigns.trial import TrialRunner
from metrology.domain.benchmark import VersionState
from metrology.domain.campaign import CampaignPlan
from metrology.domain.item import ItemRevision
from metrology.errors import ConflictError, InputError, NotFoundError
from metrology.storage import agents as agent_store
from metrology.storage import benchmarks as benchmark_store
from metrology.storage import campaigns as campaign_store
from metrology.storage.agents import StoredAgent
from metrology.storage.benchmarks import StoredItem, StoredVersion
from metrology.storage.campaigns import NewCampaign, StoredCampaign
from metrology.storage.store import Connection, Store
from metrology.storage.tables import Origin


def plan_campaign(
    store: Store,
    version: StoredVersion,
    agents: Sequence[StoredAgent],
    *,
    trials: int,
    seed: int,
    items: Sequence[str] | None = None,
    families: Sequence[str] | None = None,
    check_standards: Sequence[StoredAgent] = (),
    max_attempts: int = 3,
    name: str | None = None,
    note: str = "",
) -> StoredCampaign:
    """Store a plan and return it; nothing runs yet.

    Items that are quarantined or retired are left out unless they are named. A check standard that is not among
    ``agents`` is added to them.

    Raises:
        InputError: no agents, no items, fewer than one trial or attempt.
        NotFoundError: an item or family that the version does not have.
        ConflictError: the version is recorded or superseded, or the name is taken.
    """
    if version.origin is Origin.RECORDED:
        raise ConflictError(
            f"{version.name} {version.label} holds recorded results only; its items cannot be run",
            hint="register the benchmark from its folder",
        )
    if version.state is VersionState.SUPERSEDED:
        raise ConflictError(
            f"{version.name} {version.label} was superseded by other content", hint="name the newest version"
        )
    if trials < 1 or max_attempts < 1:
        raise InputError("a campaign needs at least one trial and one attempt", field="trials")
    everyone = list({agent.id: agent for agent in (*agents, *check_standards)}.values())
    if not everyone:
        raise InputError("a campaign needs at least one agent", field="agents", hint="metrology agent register FILE")
    with store.write() as conn:
        chosen = _chosen(benchmark_store.version_items(conn, version.id), version, items, families)
        plan = CampaignPlan(
            version=version.identity,
            items=tuple(item.identity for item in chosen),
            agents=tuple(agent.identity for agent in everyone),
            trials=trials,
            seed=seed,
            check_standards=tuple(agent.identity for agent in check_standards),
            max_attempts=max_attempts,
        )
        campaign_id = campaign_store.add_campaign(
            conn,
            NewCampaign(
                name=name or _free_name(conn, version.name),
                version_id=version.id,
                origin=Origin.LIVE,
                identity=plan.identity,
                revision_ids=tuple(item.revision_id for item in chosen),
                agent_ids=tuple(agent.id for agent in everyone),
                trials=trials,
                seed=seed,
                check_standards=frozenset(agent.id for agent in check_standards),
                document=plan.document(),
                note=note,
            ),
        )
        return campaign_store.campaign_by_id(conn, campaign_id)


def stored_plan(campaign: StoredCampaign) -> CampaignPlan:
    """Return the plan that a campaign was stored with.

    Raises:
        ConflictError: for recorded results, which have none.
    """
    if campaign.origin is Origin.RECORDED:
        raise ConflictError(
            f"campaign {campaign.name} holds recorded results; there is nothing to run",
            hint="plan a campaign: metrology campaign plan BENCHMARK --agent NAME",
        )
    document = campaign.document
    return CampaignPlan(
        version=document["version"],
        items=tuple(document["items"]),
        agents=tuple(document["agents"]),
        trials=document["trials"],
        seed=document["seed"],
        check_standards=tuple(document["check_standards"]),
        max_attempts=document["max_attempts"],
    )


def run_campaign(
    store: Store,
    campaign: StoredCampaign,
    *,
    platform_version: str,
    concurrency: int,
    on_progress: Callable[[LiveProgress], None] | None,
) -> None:
    """Run a stored campaign to its end, or go on with one that was stopped.

    Raises:
        ConflictError: another coordinator runs it, it was cancelled, or it is recorded.
        StoppedError: the operator stopped it.
    """
    plan = stored_plan(campaign)
    if concurrency < 1:
        raise InputError("at least one trial at a time", field="concurrency")
    with store.read() as conn:
        ids = campaign_store.plan_ids(conn, campaign.id)
        items: dict[int, ItemRevision] = {
            item.revision_id: item.revision
            for item in benchmark_store.version_items(conn, campaign.version_id)
            if item.revision_id in set(ids.revision_ids)
        }
        agents = {key: agent.configuration for key, agent in agent_store.agents_by_id(conn, ids.agent_ids).items()}
    runner = TrialRunner(agents, items, seed=plan.seed, blobs=store.blobs)
    Coordinator(
        store,
        campaign.id,
        runner,
        platform_version=platform_version,
        concurrency=concurrency,
        on_progress=on_progress,
    ).run()


def _chosen(
    everything: Sequence[StoredItem],
    version: StoredVersion,
    names: Sequence[str] | None,
    families: Sequence[str] | None,
) -> list[StoredItem]:
    known = {item.revision.name for item in everything}
    for name in names or ():
        if name not in known:
            raise NotFoundError(
                f"{version.name} {version.label} has no item {name!r}", hint=f"metrology item list {version.name}"
            )
    for family in families or ():
        if not any(item.revision.family == family for item in everything):
            raise NotFoundError(
                f"{version.name} {version.label} has no family {family!r}", hint=f"metrology item list {version.name}"
            )
    if names:
        return [item for item in everything if item.revision.name in set(names)]
    chosen = [
        item for item in everything if item.state.counts and (not families or item.revision.family in set(families))
    ]
    if not chosen:
        raise InputError(f"no item of {version.name} {version.label} is left to measure", field="items")
    return chosen


def _free_name(conn: Connection, benchmark: str) -> str:
    taken = {campaign.name for campaign in campaign_store.list_campaigns(conn)}
    number = 1
    while f"{benchmark}-{number}" in taken:
        number += 1
    return f"{benchmark}-{number}"
