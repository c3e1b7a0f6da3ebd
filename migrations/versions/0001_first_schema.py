"""The first schema: instruments, agents, campaigns, trials, verdicts, imports, observations.

Values of enumerations are written out here: a migration must not change when the code does.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

# SQLite numbers rows only for a column that is exactly INTEGER PRIMARY KEY.
_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_STATUSES = (
    "status = 'completed' "
    "OR status = 'agent_timeout' "
    "OR status = 'agent_error' "
    "OR status = 'limit_reached' "
    "OR status = 'refused' "
    "OR status = 'sandbox_error' "
    "OR status = 'rate_limited' "
    "OR status = 'provider_error' "
    "OR status = 'out_of_resources' "
    "OR status = 'interrupted' "
    "OR status = 'scorer_error' "
    "OR status = 'scorer_timeout' "
    "OR status = 'judge_error' "
    "OR status = 'simulator_error' "
    "OR status = 'cancelled' "
    "OR status = 'config_error' "
    "OR status = 'unknown_error' "
    "OR status = 'held' "
    "OR status = 'invalid'"
)
_ITEM_STATES = " OR ".join(f"{{0}} = '{state}'" for state in ("draft", "active", "disputed", "quarantined", "retired"))


def upgrade() -> None:
    op.create_table(
        "agent",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("identity", sa.String(), nullable=False),
        sa.Column("model", sa.JSON(), nullable=False),
        sa.Column("harness", sa.JSON(), nullable=False),
        sa.Column("operations", sa.JSON(), nullable=False),
        sa.Column("volatile", sa.JSON(), nullable=False),
        sa.Column("moving_alias", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_agent")),
        sa.UniqueConstraint("identity", name=op.f("uq_agent_identity")),
    )
    op.create_index(op.f("ix_agent_name"), "agent", ["name"], unique=False)
    op.create_table(
        "benchmark",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_benchmark")),
        sa.UniqueConstraint("name", name=op.f("uq_benchmark_name")),
    )
    op.create_table(
        "import_batch",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("source_name", sa.String(), nullable=False),
        sa.Column("content_digest", sa.String(), nullable=False),
        sa.Column("map_digest", sa.String(), nullable=False),
        sa.Column("target", sa.String(), nullable=False),
        sa.Column("account", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("kind = 'results' OR kind = 'outcomes'", name=op.f("ck_import_batch_kind")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_import_batch")),
        sa.UniqueConstraint(
            "kind",
            "content_digest",
            "map_digest",
            "target",
            name=op.f("uq_import_batch_kind_content_digest_map_digest_target"),
        ),
    )
    op.create_table(
        "benchmark_version",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("benchmark_id", sa.Integer(), nullable=False),
        sa.Column("label", sa.String(), nullable=False),
        sa.Column("identity", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("purpose", sa.String(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("construct_statement", sa.Text(), nullable=False),
        sa.Column("licence", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("canary", sa.String(), nullable=True),
        sa.Column("scorer_defaults", sa.JSON(), nullable=False),
        sa.Column("warnings", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("released_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("origin = 'live' OR origin = 'recorded'", name=op.f("ck_benchmark_version_origin")),
        sa.CheckConstraint("purpose = 'evaluation' OR purpose = 'training'", name=op.f("ck_benchmark_version_purpose")),
        sa.CheckConstraint(
            "state = 'draft' OR state = 'released' OR state = 'superseded'", name=op.f("ck_benchmark_version_state")
        ),
        sa.ForeignKeyConstraint(
            ["benchmark_id"], ["benchmark.id"], name=op.f("fk_benchmark_version_benchmark_id_benchmark")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_benchmark_version")),
        sa.UniqueConstraint("benchmark_id", "identity", name=op.f("uq_benchmark_version_benchmark_id_identity")),
    )
    op.create_index(
        "uq_benchmark_version_label",
        "benchmark_version",
        ["benchmark_id", "label"],
        unique=True,
        sqlite_where=sa.text("state <> 'superseded'"),
        postgresql_where=sa.text("state <> 'superseded'"),
    )
    op.create_table(
        "item",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("benchmark_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.CheckConstraint(
            "state = 'draft' OR state = 'active' OR state = 'disputed' OR state = 'quarantined' OR state = 'retired'",
            name=op.f("ck_item_state"),
        ),
        sa.ForeignKeyConstraint(["benchmark_id"], ["benchmark.id"], name=op.f("fk_item_benchmark_id_benchmark")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_item")),
        sa.UniqueConstraint("benchmark_id", "name", name=op.f("uq_item_benchmark_id_name")),
    )
    op.create_table(
        "observation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("import_id", sa.Integer(), nullable=False),
        sa.Column("agent_name", sa.String(), nullable=False),
        sa.Column("agent_id", sa.Integer(), nullable=True),
        sa.Column("period_start", sa.DateTime(timezone=True), nullable=True),
        sa.Column("period_end", sa.DateTime(timezone=True), nullable=True),
        sa.Column("segment", sa.String(), nullable=False),
        sa.Column("measure", sa.String(), nullable=False),
        sa.Column("value", sa.Float(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=True),
        sa.Column("censored", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agent.id"], name=op.f("fk_observation_agent_id_agent")),
        sa.ForeignKeyConstraint(["import_id"], ["import_batch.id"], name=op.f("fk_observation_import_id_import_batch")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_observation")),
    )
    op.create_index(op.f("ix_observation_agent_id"), "observation", ["agent_id"], unique=False)
    op.create_index(op.f("ix_observation_agent_name"), "observation", ["agent_name"], unique=False)
    op.create_index(op.f("ix_observation_import_id"), "observation", ["import_id"], unique=False)
    op.create_table(
        "campaign",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("identity", sa.String(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=True),
        sa.Column("trials", sa.Integer(), nullable=True),
        sa.Column("document", sa.JSON(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("import_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("origin = 'live' OR origin = 'recorded'", name=op.f("ck_campaign_origin")),
        sa.CheckConstraint(
            "state = 'planned' OR state = 'running' OR state = 'finished' OR state = 'cancelled'",
            name=op.f("ck_campaign_state"),
        ),
        sa.ForeignKeyConstraint(["import_id"], ["import_batch.id"], name=op.f("fk_campaign_import_id_import_batch")),
        sa.ForeignKeyConstraint(
            ["version_id"], ["benchmark_version.id"], name=op.f("fk_campaign_version_id_benchmark_version")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_campaign")),
        sa.UniqueConstraint("name", name=op.f("uq_campaign_name")),
    )
    op.create_index(op.f("ix_campaign_identity"), "campaign", ["identity"], unique=False)
    op.create_index(op.f("ix_campaign_import_id"), "campaign", ["import_id"], unique=False)
    op.create_index(op.f("ix_campaign_version_id"), "campaign", ["version_id"], unique=False)
    op.create_table(
        "item_revision",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("identity", sa.String(), nullable=False),
        sa.Column("parts", sa.JSON(), nullable=False),
        sa.Column("document", sa.JSON(), nullable=False),
        sa.Column("family", sa.String(), nullable=True),
        sa.Column("human_minutes", sa.Float(), nullable=True),
        sa.Column("visibility", sa.String(), nullable=False),
        sa.Column("scorer_identity", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name=op.f("fk_item_revision_item_id_item")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_item_revision")),
        sa.UniqueConstraint("item_id", "identity", name=op.f("uq_item_revision_item_id_identity")),
    )
    op.create_index(op.f("ix_item_revision_identity"), "item_revision", ["identity"], unique=False)
    op.create_table(
        "lifecycle_event",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("state_before", sa.String(), nullable=False),
        sa.Column("state_after", sa.String(), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("evidence", sa.JSON(), nullable=False),
        sa.Column("occurred_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            _ITEM_STATES.format("state_after"),
            name=op.f("ck_lifecycle_event_state_after"),
        ),
        sa.CheckConstraint(
            _ITEM_STATES.format("state_before"),
            name=op.f("ck_lifecycle_event_state_before"),
        ),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name=op.f("fk_lifecycle_event_item_id_item")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_lifecycle_event")),
    )
    op.create_index(op.f("ix_lifecycle_event_item_id"), "lifecycle_event", ["item_id"], unique=False)
    op.create_table(
        "attempt",
        sa.Column("id", _BIG, nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("revision_id", sa.Integer(), nullable=False),
        sa.Column("agent_id", sa.Integer(), nullable=False),
        sa.Column("trial_number", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.CheckConstraint(_STATUSES, name=op.f("ck_attempt_status")),
        sa.ForeignKeyConstraint(["agent_id"], ["agent.id"], name=op.f("fk_attempt_agent_id_agent")),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_attempt_campaign_id_campaign")),
        sa.ForeignKeyConstraint(
            ["revision_id"], ["item_revision.id"], name=op.f("fk_attempt_revision_id_item_revision")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attempt")),
        sa.UniqueConstraint(
            "campaign_id",
            "revision_id",
            "agent_id",
            "trial_number",
            "number",
            name=op.f("uq_attempt_campaign_id_revision_id_agent_id_trial_number_number"),
        ),
    )
    op.create_table(
        "campaign_agent",
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("agent_id", sa.Integer(), nullable=False),
        sa.Column("check_standard", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agent.id"], name=op.f("fk_campaign_agent_agent_id_agent")),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_campaign_agent_campaign_id_campaign")),
        sa.PrimaryKeyConstraint("campaign_id", "agent_id", name=op.f("pk_campaign_agent")),
    )
    op.create_index(op.f("ix_campaign_agent_agent_id"), "campaign_agent", ["agent_id"], unique=False)
    op.create_table(
        "campaign_item",
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("revision_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_campaign_item_campaign_id_campaign")),
        sa.ForeignKeyConstraint(
            ["revision_id"], ["item_revision.id"], name=op.f("fk_campaign_item_revision_id_item_revision")
        ),
        sa.PrimaryKeyConstraint("campaign_id", "revision_id", name=op.f("pk_campaign_item")),
    )
    op.create_index(op.f("ix_campaign_item_revision_id"), "campaign_item", ["revision_id"], unique=False)
    op.create_table(
        "cell",
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("revision_id", sa.Integer(), nullable=False),
        sa.Column("agent_id", sa.Integer(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("passed", sa.Integer(), nullable=False),
        sa.Column("total", sa.Float(), nullable=False),
        sa.Column("total_squares", sa.Float(), nullable=False),
        sa.Column("missing", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agent.id"], name=op.f("fk_cell_agent_id_agent")),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_cell_campaign_id_campaign")),
        sa.ForeignKeyConstraint(["revision_id"], ["item_revision.id"], name=op.f("fk_cell_revision_id_item_revision")),
        sa.PrimaryKeyConstraint("campaign_id", "revision_id", "agent_id", name=op.f("pk_cell")),
    )
    op.create_index(op.f("ix_cell_agent_id"), "cell", ["agent_id"], unique=False)
    op.create_index(op.f("ix_cell_revision_id"), "cell", ["revision_id"], unique=False)
    op.create_table(
        "coordinator",
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("holder", sa.String(), nullable=False),
        sa.Column("host", sa.String(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("process_start", sa.String(), nullable=False),
        sa.Column("acquired_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("heartbeat_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_coordinator_campaign_id_campaign")),
        sa.PrimaryKeyConstraint("campaign_id", name=op.f("pk_coordinator")),
    )
    op.create_table(
        "trial",
        sa.Column("id", _BIG, nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("revision_id", sa.Integer(), nullable=False),
        sa.Column("agent_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("score", sa.Float(), nullable=True),
        sa.Column("passed", sa.Boolean(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("duration_seconds", sa.Float(), nullable=True),
        sa.Column("input_tokens", sa.BigInteger(), nullable=True),
        sa.Column("cached_input_tokens", sa.BigInteger(), nullable=True),
        sa.Column("cache_write_tokens", sa.BigInteger(), nullable=True),
        sa.Column("output_tokens", sa.BigInteger(), nullable=True),
        sa.Column("cost_usd", sa.Float(), nullable=True),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("transcript", sa.String(), nullable=True),
        sa.Column("model_served", sa.String(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column("source_line", sa.Integer(), nullable=True),
        sa.CheckConstraint(_STATUSES, name=op.f("ck_trial_status")),
        sa.ForeignKeyConstraint(["agent_id"], ["agent.id"], name=op.f("fk_trial_agent_id_agent")),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_trial_campaign_id_campaign")),
        sa.ForeignKeyConstraint(["revision_id"], ["item_revision.id"], name=op.f("fk_trial_revision_id_item_revision")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_trial")),
        sa.UniqueConstraint(
            "campaign_id",
            "revision_id",
            "agent_id",
            "number",
            name=op.f("uq_trial_campaign_id_revision_id_agent_id_number"),
        ),
    )
    op.create_table(
        "version_item",
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("revision_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["revision_id"], ["item_revision.id"], name=op.f("fk_version_item_revision_id_item_revision")
        ),
        sa.ForeignKeyConstraint(
            ["version_id"], ["benchmark_version.id"], name=op.f("fk_version_item_version_id_benchmark_version")
        ),
        sa.PrimaryKeyConstraint("version_id", "revision_id", name=op.f("pk_version_item")),
    )
    op.create_index(op.f("ix_version_item_revision_id"), "version_item", ["revision_id"], unique=False)
    op.create_table(
        "verdict",
        sa.Column("id", _BIG, nullable=False),
        sa.Column("trial_id", _BIG, nullable=False),
        sa.Column("scorer_identity", sa.String(), nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("passed", sa.Boolean(), nullable=False),
        sa.Column("criteria", sa.JSON(), nullable=False),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.Column("platform_version", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["trial_id"], ["trial.id"], name=op.f("fk_verdict_trial_id_trial")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_verdict")),
    )
    op.create_index(op.f("ix_verdict_trial_id"), "verdict", ["trial_id"], unique=False)


def downgrade() -> None:
    op.drop_table("verdict")
    op.drop_table("version_item")
    op.drop_table("trial")
    op.drop_table("coordinator")
    op.drop_table("cell")
    op.drop_table("campaign_item")
    op.drop_table("campaign_agent")
    op.drop_table("attempt")
    op.drop_table("lifecycle_event")
    op.drop_table("item_revision")
    op.drop_table("campaign")
    op.drop_table("observation")
    op.drop_table("item")
    op.drop_table("benchmark_version")
    op.drop_table("import_batch")
    op.drop_table("benchmark")
    op.drop_table("agent")
