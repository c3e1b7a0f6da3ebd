"""Small values that the tests of the store are made of."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection

from metrology.domain.agent import AgentConfiguration
from metrology.domain.benchmark import BenchmarkVersion, Purpose
from metrology.domain.item import ItemRevision
from metrology.domain.status import Status
from metrology.domain.trial import Attempt, FinishedTrial, TrialKey, Usage
from metrology.domain.verdict import Verdict
from metrology.storage.agents import add_agent
from metrology.storage.benchmarks import add_version, version_items
from metrology.storage.campaigns import NewCampaign, add_campaign
from metrology.storage.tables import Origin

NOW = datetime(2026, 3, 1, 12, 30, 15, 123456, tzinfo=UTC)


def an_item(name: str, **changes: object) -> ItemRevision:
    item = ItemRevision(
        name=name,
        instruction=f"Do {name}.",
        environment={"kind": "chat"},
        scorer={"kind": "exact", "expected": name},
        reference={"answer": name},
        family=name.split("-")[0],
        tags=("small", "überall"),
        human_minutes=2.5,
    )
    return replace(item, **changes)


def a_version(*names: str, label: str = "1.0.0", **changes: object) -> BenchmarkVersion:
    version = BenchmarkVersion(
        name="bench",
        version=label,
        purpose=Purpose.EVALUATION,
        title="A bench",
        construct="Doing things.",
        licence="Apache-2.0",
        owner="someone",
        items=tuple(an_item(name) for name in names or ("a-1", "a-2", "b-1")),
        scorer_defaults={"tolerance": 0.5},
        warnings=("a warning",),
    )
    return replace(version, **changes)


def an_agent(name: str = "careful", **operations: object) -> AgentConfiguration:
    return AgentConfiguration(
        name=name,
        model={"requested": f"model-{name}"},
        harness={"name": "chat"},
        operations={"steps": 10, **operations},
        volatile={"base_url": "http://localhost:1"},
    )


@dataclass(frozen=True)
class Planned:
    """Ids of a stored campaign."""

    campaign_id: int
    version_id: int
    revision_ids: tuple[int, ...]
    agent_ids: tuple[int, ...]


def a_campaign(
    connection: Connection,
    *,
    name: str = "c1",
    agents: tuple[str, ...] = ("careful", "hasty"),
    check_standards: tuple[str, ...] = (),
    trials: int | None = 2,
    version: BenchmarkVersion | None = None,
    started_at: datetime | None = None,
) -> Planned:
    registered = add_version(connection, version or a_version(), origin=Origin.LIVE, when=NOW)
    items = version_items(connection, registered.version_id)
    ids = {one: add_agent(connection, an_agent(one), when=NOW).agent.id for one in agents}
    campaign_id = add_campaign(
        connection,
        NewCampaign(
            name=name,
            version_id=registered.version_id,
            origin=Origin.LIVE,
            identity=f"sha256:{name}",
            revision_ids=tuple(item.revision_id for item in items),
            agent_ids=tuple(ids.values()),
            trials=trials,
            seed=2**40,
            check_standards=frozenset(ids[one] for one in check_standards),
            document={"max_attempts": 3},
            created_at=NOW,
            started_at=started_at,
        ),
    )
    return Planned(campaign_id, registered.version_id, tuple(item.revision_id for item in items), tuple(ids.values()))


def over(
    revision_id: int,
    agent_id: int,
    number: int,
    score: float | None = 1.0,
    *,
    status: Status = Status.COMPLETED,
    attempt: int = 0,
    at: datetime = NOW,
) -> FinishedTrial:
    verdict = None
    if score is not None:
        verdict = Verdict(score, score >= 0.5, "sha256:scorer", {"right": score}, "looked at it")
    return FinishedTrial(
        key=TrialKey(revision_id, agent_id, number),
        status=status,
        verdict=verdict,
        attempt=Attempt(attempt, status, at, at + timedelta(seconds=3)),
        duration_seconds=2.5,
        usage=Usage(input_tokens=2**33, output_tokens=7, cost_usd=0.25),
        answer="42",
        transcript="sha256:" + "0" * 64,
        model_served="model-x",
    )
