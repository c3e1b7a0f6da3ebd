"""The schema as SQLModel tables. Identities are content hashes; what counts is appended, never overwritten.

Effective values that a later event may move (the state of an item, the score in force of a trial, the sums of a
cell) are kept beside the events so that reading stays one query; ``metrology doctor`` recounts them.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, BigInteger, Column, ForeignKey, Index, Integer, Table, Text, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from metrology.domain.benchmark import Purpose, VersionState
from metrology.domain.lifecycle import ItemState
from metrology.domain.status import Status
from metrology.storage.types import NAMING, UTCDateTime, one_of

SQLModel.metadata.naming_convention = NAMING
# SQLite numbers rows only for a column that is exactly INTEGER PRIMARY KEY.
BIG = BigInteger().with_variant(Integer(), "sqlite")


class Origin(StrEnum):
    """Where a version or campaign comes from: run by us from files, or read from recorded results."""

    LIVE = "live"
    RECORDED = "recorded"


class CampaignState(StrEnum):
    """Where a campaign stands."""

    PLANNED = "planned"
    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class ImportKind(StrEnum):
    """What an import brought."""

    RESULTS = "results"
    OUTCOMES = "outcomes"


def _when(*, nullable: bool = False) -> Any:
    return Field(sa_type=UTCDateTime, nullable=nullable, default=None)


def _json(*, nullable: bool = False) -> Any:
    return Field(sa_type=JSON, nullable=nullable, default=None)


def _text(*, nullable: bool = False) -> Any:
    return Field(sa_type=Text, nullable=nullable, default=None)


class Benchmark(SQLModel, table=True):
    """An instrument; its states are versions."""

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    created_at: datetime = _when()


class BenchmarkVersionRow(SQLModel, table=True):
    """One state of a benchmark. Only one row that is not superseded may hold a label."""

    __tablename__ = "benchmark_version"
    __table_args__ = (
        UniqueConstraint("benchmark_id", "identity"),
        one_of("state", VersionState, "benchmark_version"),
        one_of("origin", Origin, "benchmark_version"),
        one_of("purpose", Purpose, "benchmark_version"),
        Index(
            "uq_benchmark_version_label",
            "benchmark_id",
            "label",
            unique=True,
            sqlite_where=text("state <> 'superseded'"),
            postgresql_where=text("state <> 'superseded'"),
        ),
    )
    id: int | None = Field(default=None, primary_key=True)
    benchmark_id: int = Field(foreign_key="benchmark.id")
    label: str
    identity: str
    state: str
    origin: str
    purpose: str
    title: str = _text()
    construct_statement: str = _text()
    licence: str
    owner: str
    canary: str | None = None
    scorer_defaults: dict[str, Any] = _json()
    warnings: list[str] = _json()
    created_at: datetime = _when()
    released_at: datetime | None = _when(nullable=True)


class Item(SQLModel, table=True):
    """An item keeps its identity over its revisions; ``state`` is where the last lifecycle event left it."""

    __table_args__ = (UniqueConstraint("benchmark_id", "name"), one_of("state", ItemState, "item"))
    id: int | None = Field(default=None, primary_key=True)
    benchmark_id: int = Field(foreign_key="benchmark.id")
    name: str
    state: str


class ItemRevisionRow(SQLModel, table=True):
    """One content-addressed state of an item. ``document`` rebuilds the value; the columns serve reads."""

    __tablename__ = "item_revision"
    __table_args__ = (UniqueConstraint("item_id", "identity"),)
    id: int | None = Field(default=None, primary_key=True)
    item_id: int = Field(foreign_key="item.id")
    identity: str = Field(index=True)
    parts: dict[str, str] = _json()
    document: dict[str, Any] = _json()
    family: str | None = None
    human_minutes: float | None = None
    visibility: str
    scorer_identity: str
    created_at: datetime = _when()


class VersionItem(SQLModel, table=True):
    """Which revision of which item stands in which version."""

    __tablename__ = "version_item"
    version_id: int = Field(foreign_key="benchmark_version.id", primary_key=True)
    revision_id: int = Field(foreign_key="item_revision.id", primary_key=True, index=True)
    position: int


class LifecycleEvent(SQLModel, table=True):
    """One step in the life of an item: who, when, why, with what evidence."""

    __tablename__ = "lifecycle_event"
    __table_args__ = (
        one_of("state_before", ItemState, "lifecycle_event"),
        one_of("state_after", ItemState, "lifecycle_event"),
    )
    id: int | None = Field(default=None, primary_key=True)
    item_id: int = Field(foreign_key="item.id", index=True)
    state_before: str
    state_after: str
    actor: str
    reason: str = _text()
    evidence: dict[str, Any] = _json()
    occurred_at: datetime = _when()


class Agent(SQLModel, table=True):
    """One agent configuration. Two rows may share a name, never an identity."""

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(index=True)
    identity: str = Field(unique=True)
    model: dict[str, Any] = _json()
    harness: dict[str, Any] = _json()
    operations: dict[str, Any] = _json()
    # Where it runs on this installation; never part of the identity.
    volatile: dict[str, Any] = _json()
    moving_alias: str | None = None
    created_at: datetime = _when()


class ImportBatch(SQLModel, table=True):
    """One import with its account. The same content with the same map is taken once."""

    __tablename__ = "import_batch"
    __table_args__ = (
        UniqueConstraint("kind", "content_digest", "map_digest", "target"),
        one_of("kind", ImportKind, "import_batch"),
    )
    id: int | None = Field(default=None, primary_key=True)
    kind: str
    source_name: str
    content_digest: str
    map_digest: str
    target: str
    account: dict[str, Any] = _json()
    created_at: datetime = _when()


class Campaign(SQLModel, table=True):
    """A plan and its state. ``trials`` is None for recorded results whose plan is not known."""

    __table_args__ = (one_of("origin", Origin, "campaign"), one_of("state", CampaignState, "campaign"))
    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    version_id: int = Field(foreign_key="benchmark_version.id", index=True)
    origin: str
    state: str
    identity: str = Field(index=True)
    seed: int | None = Field(default=None, sa_type=BigInteger)
    trials: int | None = None
    document: dict[str, Any] = _json()
    note: str = _text()
    import_id: int | None = Field(default=None, foreign_key="import_batch.id", index=True)
    created_at: datetime = _when()
    started_at: datetime | None = _when(nullable=True)
    finished_at: datetime | None = _when(nullable=True)


class CampaignAgent(SQLModel, table=True):
    """The agents of a campaign; a check standard is measured to watch the instrument, not to be ranked."""

    __tablename__ = "campaign_agent"
    campaign_id: int = Field(foreign_key="campaign.id", primary_key=True)
    agent_id: int = Field(foreign_key="agent.id", primary_key=True, index=True)
    check_standard: bool = False


class CampaignItem(SQLModel, table=True):
    """The item revisions a campaign measures: the denominator that never shrinks."""

    __tablename__ = "campaign_item"
    campaign_id: int = Field(foreign_key="campaign.id", primary_key=True)
    revision_id: int = Field(foreign_key="item_revision.id", primary_key=True, index=True)


class Coordinator(SQLModel, table=True):
    """Who runs a campaign now. One row at most per campaign; a stale or dead holder may be replaced."""

    campaign_id: int = Field(foreign_key="campaign.id", primary_key=True)
    holder: str
    host: str
    pid: int
    process_start: str
    acquired_at: datetime = _when()
    heartbeat_at: datetime = _when()


class Trial(SQLModel, table=True):
    """A finished trial. ``score`` and ``passed`` are the verdict in force, None where there is none."""

    __table_args__ = (
        UniqueConstraint("campaign_id", "revision_id", "agent_id", "number"),
        one_of("status", Status, "trial"),
    )
    id: int | None = Field(default=None, sa_column=Column(BIG, primary_key=True))
    campaign_id: int = Field(foreign_key="campaign.id")
    revision_id: int = Field(foreign_key="item_revision.id")
    agent_id: int = Field(foreign_key="agent.id")
    number: int
    status: str
    score: float | None = None
    passed: bool | None = None
    attempts: int = 1
    started_at: datetime | None = _when(nullable=True)
    duration_seconds: float | None = None
    input_tokens: int | None = Field(default=None, sa_type=BigInteger)
    cached_input_tokens: int | None = Field(default=None, sa_type=BigInteger)
    cache_write_tokens: int | None = Field(default=None, sa_type=BigInteger)
    output_tokens: int | None = Field(default=None, sa_type=BigInteger)
    cost_usd: float | None = None
    answer: str | None = _text(nullable=True)
    transcript: str | None = None
    model_served: str | None = None
    detail: str | None = _text(nullable=True)
    # Line of the imported file, so that a row can be traced to its source.
    source_line: int | None = None


class AttemptRow(SQLModel, table=True):
    """One try of a trial. ``status`` is None while it runs; a dead coordinator leaves it so until the resume."""

    __tablename__ = "attempt"
    __table_args__ = (
        UniqueConstraint("campaign_id", "revision_id", "agent_id", "trial_number", "number"),
        one_of("status", Status, "attempt"),
    )
    id: int | None = Field(default=None, sa_column=Column(BIG, primary_key=True))
    campaign_id: int = Field(foreign_key="campaign.id")
    revision_id: int = Field(foreign_key="item_revision.id")
    agent_id: int = Field(foreign_key="agent.id")
    trial_number: int
    number: int
    status: str | None = None
    started_at: datetime = _when()
    finished_at: datetime | None = _when(nullable=True)
    detail: str | None = _text(nullable=True)


class VerdictRow(SQLModel, table=True):
    """What a scorer that we ran said. Re-grading adds a row; the newest is in force."""

    __tablename__ = "verdict"
    id: int | None = Field(default=None, sa_column=Column(BIG, primary_key=True))
    trial_id: int = Field(sa_column=Column(BIG, ForeignKey("trial.id"), nullable=False, index=True))
    scorer_identity: str
    score: float
    passed: bool
    criteria: dict[str, float] = _json()
    evidence: str = _text()
    platform_version: str
    created_at: datetime = _when()


class Cell(SQLModel, table=True):
    """Sufficient counts of one agent on one item in one campaign: what the statistics read.

    ``n`` trials with a verdict, ``passed`` of them, sums of scores and squared scores, ``missing`` trials without.
    Kept in the transaction that stores a trial. Sources that publish counts only have cells and no trials.
    """

    campaign_id: int = Field(foreign_key="campaign.id", primary_key=True)
    revision_id: int = Field(foreign_key="item_revision.id", primary_key=True, index=True)
    agent_id: int = Field(foreign_key="agent.id", primary_key=True, index=True)
    n: int
    passed: int
    total: float
    total_squares: float
    missing: int


class ObservationRow(SQLModel, table=True):
    """One production figure; ``agent_id`` is set when the name is a registered agent."""

    __tablename__ = "observation"
    id: int | None = Field(default=None, primary_key=True)
    import_id: int = Field(foreign_key="import_batch.id", index=True)
    agent_name: str = Field(index=True)
    agent_id: int | None = Field(default=None, foreign_key="agent.id", index=True)
    period_start: datetime | None = _when(nullable=True)
    period_end: datetime | None = _when(nullable=True)
    segment: str
    measure: str
    value: float
    n: int | None = None
    censored: bool = False


def core(name: str) -> Table:
    """Return the Core table of that name: the aggregates speak Core, no sessions and no lazy loading."""
    return SQLModel.metadata.tables[name]
