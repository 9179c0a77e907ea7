"""It says when something is wrong"""

import sqlalchemy as sa
from alembic import op

from lamplighter.store.schema.types import BigId, Json, UtcTime

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

_HAS_WINDOWS = "windows IS NOT NULL AND CAST(windows AS TEXT) NOT IN ('[]', 'null')"
_IS_UNWELL = (
    "failure_count > 0 OR retry_count > 0 OR pause_reason IN ('breaker', 'robots', 'takedown') OR state IN ('failed')"
)


def upgrade() -> None:
    op.create_table(
        "alerts",
        sa.Column("id", BigId, autoincrement=True, nullable=False),
        sa.Column("public_id", sa.String(length=36), nullable=False),
        sa.Column("rule", sa.String(length=60), nullable=False),
        sa.Column("subject", sa.String(length=400), nullable=False),
        sa.Column("severity", sa.String(length=10), nullable=False),
        sa.Column("since", UtcTime(), nullable=False),
        sa.Column("fired_at", UtcTime(), nullable=True),
        sa.Column("quiet_since", UtcTime(), nullable=True),
        sa.Column("cleared_at", UtcTime(), nullable=True),
        sa.Column("value", sa.Float(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_alerts")),
        sa.UniqueConstraint("public_id", name=op.f("uq_alerts_public_id")),
    )
    op.create_index(
        "ix_alerts_open",
        "alerts",
        ["rule", "subject"],
        unique=True,
        sqlite_where=sa.text("cleared_at IS NULL"),
        postgresql_where=sa.text("cleared_at IS NULL"),
    )
    op.create_index("ix_alerts_rule", "alerts", ["rule", "since", "id"], unique=False)
    op.create_index("ix_alerts_since", "alerts", ["since", "id"], unique=False)
    op.create_table(
        "notices",
        sa.Column("id", BigId, autoincrement=True, nullable=False),
        sa.Column("at", UtcTime(), nullable=False),
        sa.Column("kind", sa.String(length=30), nullable=False),
        sa.Column("source_id", BigId, nullable=True),
        sa.Column("data", Json, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notices")),
    )
    op.create_table(
        "notification_channels",
        sa.Column("id", BigId, autoincrement=True, nullable=False),
        sa.Column("public_id", sa.String(length=36), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("encrypted_target", sa.LargeBinary(), nullable=False),
        sa.Column("target_hint", sa.Text(), nullable=False),
        sa.Column("encrypted_secret", sa.LargeBinary(), nullable=True),
        sa.Column("title_template", sa.Text(), nullable=True),
        sa.Column("body_template", sa.Text(), nullable=True),
        sa.Column("enabled", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.Column("max_tries", sa.Integer(), server_default="8", nullable=False),
        sa.Column("failure_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("last_sent_at", UtcTime(), nullable=True),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("held_until", UtcTime(), nullable=True),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("updated_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notification_channels")),
        sa.UniqueConstraint("name", name=op.f("uq_notification_channels_name")),
        sa.UniqueConstraint("public_id", name=op.f("uq_notification_channels_public_id")),
    )
    op.create_table(
        "notification_rules",
        sa.Column("id", BigId, autoincrement=True, nullable=False),
        sa.Column("public_id", sa.String(length=36), nullable=False),
        sa.Column("channel_id", BigId, nullable=False),
        sa.Column("kind", sa.String(length=30), nullable=False),
        sa.Column("source_id", BigId, nullable=True),
        sa.Column("tag", sa.String(length=100), nullable=True),
        sa.Column("threshold", sa.Integer(), server_default="1", nullable=False),
        sa.Column("digest_minutes", sa.Integer(), nullable=True),
        sa.Column("enabled", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["channel_id"],
            ["notification_channels.id"],
            name=op.f("fk_notification_rules_channel_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name=op.f("fk_notification_rules_source_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notification_rules")),
        sa.UniqueConstraint("public_id", name=op.f("uq_notification_rules_public_id")),
    )
    op.create_index("ix_notification_rules_channel", "notification_rules", ["channel_id"], unique=False)
    op.create_index("ix_notification_rules_source", "notification_rules", ["source_id"], unique=False)
    op.create_table(
        "notifications",
        sa.Column("id", BigId, autoincrement=True, nullable=False),
        sa.Column("public_id", sa.String(length=36), nullable=False),
        sa.Column("channel_id", BigId, nullable=False),
        sa.Column("rule_id", BigId, nullable=True),
        sa.Column("kind", sa.String(length=30), nullable=False),
        sa.Column("payload", Json, nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("due_at", UtcTime(), nullable=False),
        sa.Column("try_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lease_until", UtcTime(), nullable=True),
        sa.Column("sent_at", UtcTime(), nullable=True),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["channel_id"], ["notification_channels.id"], name=op.f("fk_notifications_channel_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notifications")),
        sa.UniqueConstraint("public_id", name=op.f("uq_notifications_public_id")),
    )
    op.create_index("ix_notifications_channel", "notifications", ["channel_id", "id"], unique=False)
    op.create_index("ix_notifications_created", "notifications", ["created_at"], unique=False)
    op.create_index(
        "ix_notifications_due",
        "notifications",
        ["due_at", "id"],
        unique=False,
        sqlite_where=sa.text("state IN ('pending', 'gathering')"),
        postgresql_where=sa.text("state IN ('pending', 'gathering')"),
    )
    op.create_index("ix_notifications_state", "notifications", ["state", "id"], unique=False)
    op.create_table(
        "proxy_trials",
        sa.Column("proxy_id", BigId, nullable=False),
        sa.Column("host_id", BigId, nullable=False),
        sa.Column("at", UtcTime(), nullable=False),
        sa.Column("ok", sa.Boolean(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("took_ms", sa.Float(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["host_id"], ["hosts.id"], name=op.f("fk_proxy_trials_host_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["proxy_id"], ["proxies.id"], name=op.f("fk_proxy_trials_proxy_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("proxy_id", "host_id", name=op.f("pk_proxy_trials")),
    )
    op.create_table(
        "upkeep",
        sa.Column("name", sa.String(length=20), nullable=False),
        sa.Column("at", UtcTime(), nullable=False),
        sa.Column("figures", Json, nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_upkeep")),
    )
    op.drop_table("webhook_outbox")
    op.add_column("crawl_jobs", sa.Column("failed_runs", sa.Integer(), server_default="0", nullable=False))
    op.add_column("crawl_jobs", sa.Column("turned_away_runs", sa.Integer(), server_default="0", nullable=False))
    op.add_column("crawl_runs", sa.Column("figures", Json, nullable=True))
    op.add_column("crawl_runs", sa.Column("log_lines", sa.Integer(), server_default="0", nullable=False))
    op.add_column("hosts", sa.Column("proxy_mode", sa.String(length=10), nullable=True))
    op.add_column("hosts", sa.Column("proxy_country", sa.String(length=2), nullable=True))
    op.add_column("pages", sa.Column("proxy_id", BigId, nullable=True))
    op.create_index("ix_pages_host", "pages", ["host_id", "id"], unique=False)
    op.add_column("crawl_jobs", sa.Column("held_since", UtcTime(), nullable=True))
    op.create_index(
        "ix_crawl_jobs_held",
        "crawl_jobs",
        ["held_since"],
        unique=False,
        sqlite_where=sa.text("held_since IS NOT NULL"),
        postgresql_where=sa.text("held_since IS NOT NULL"),
    )
    op.create_index(
        "ix_crawl_jobs_figures",
        "crawl_jobs",
        ["priority", "watched_hours", "expected_stale_hours", "seen_stale_hours"],
        unique=False,
    )
    for name, table, column in (("ix_sources_windows", "sources", "name"), ("ix_hosts_windows", "hosts", "key")):
        op.create_index(
            name,
            table,
            [column],
            unique=False,
            sqlite_where=sa.text(_HAS_WINDOWS),
            postgresql_where=sa.text(_HAS_WINDOWS),
        )
    op.create_index(
        "ix_crawl_jobs_override",
        "crawl_jobs",
        ["source_id"],
        unique=False,
        sqlite_where=sa.text("override IS NOT NULL"),
        postgresql_where=sa.text("override IS NOT NULL"),
    )
    op.drop_index("ix_crawl_jobs_unwell", table_name="crawl_jobs")
    op.create_index(
        "ix_crawl_jobs_unwell",
        "crawl_jobs",
        ["source_id", "state", "pause_reason", "failure_count", "retry_count", "deleted_at"],
        unique=False,
        sqlite_where=sa.text(_IS_UNWELL),
        postgresql_where=sa.text(_IS_UNWELL),
    )
    op.drop_index("ix_crawl_jobs_complained", table_name="crawl_jobs")
    op.create_index(
        "ix_crawl_jobs_complained",
        "crawl_jobs",
        [
            "source_id",
            "last_drifted",
            "last_outcome",
            "state",
            "pause_reason",
            "failure_count",
            "retry_count",
            "deleted_at",
        ],
        unique=False,
        sqlite_where=sa.text("last_outcome IN ('warn', 'fail')"),
        postgresql_where=sa.text("last_outcome IN ('warn', 'fail')"),
    )
    op.create_index(
        "ix_pages_reason",
        "pages",
        ["reason", "id"],
        unique=False,
        sqlite_where=sa.text("reason IS NOT NULL"),
        postgresql_where=sa.text("reason IS NOT NULL"),
    )
    op.add_column("proxies", sa.Column("in_default_pool", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("proxies", sa.Column("hour_uses", Json, nullable=True))
    op.add_column("proxies", sa.Column("last_error", sa.Text(), nullable=True))
    op.add_column("proxies", sa.Column("quarantine_count", sa.Integer(), server_default="0", nullable=False))
    op.add_column("proxy_standings", sa.Column("last_error", sa.Text(), nullable=True))
    op.add_column("proxy_standings", sa.Column("quarantine_count", sa.Integer(), server_default="0", nullable=False))
    op.add_column("run_log_lines", sa.Column("action", sa.String(length=40), nullable=True))
    op.add_column("run_log_lines", sa.Column("fields", Json, nullable=True))
    op.create_index(
        "ix_hosts_blocked",
        "hosts",
        ["blocked_until"],
        unique=False,
        sqlite_where=sa.text("blocked_until IS NOT NULL"),
        postgresql_where=sa.text("blocked_until IS NOT NULL"),
    )
    op.create_index(
        "ix_hosts_exits",
        "hosts",
        ["id"],
        unique=False,
        sqlite_where=sa.text("proxy_mode IN ('only', 'prefer')"),
        postgresql_where=sa.text("proxy_mode IN ('only', 'prefer')"),
    )
    op.create_index(
        "ix_robots_files_unreachable",
        "robots_files",
        ["origin"],
        unique=False,
        sqlite_where=sa.text("state IN ('unreachable')"),
        postgresql_where=sa.text("state IN ('unreachable')"),
    )
