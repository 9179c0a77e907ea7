"""Who may do what"""

import sqlalchemy as sa
from alembic import op

from lamplighter.store.schema.types import BigId, Json, UtcTime

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "api_tokens",
        sa.Column("id", BigId, autoincrement=True, nullable=False),
        sa.Column("public_id", sa.String(length=36), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("prefix", sa.String(length=12), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("role", sa.String(length=10), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("expires_at", UtcTime(), nullable=True),
        sa.Column("last_used_at", UtcTime(), nullable=True),
        sa.Column("revoked_at", UtcTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_tokens")),
        sa.UniqueConstraint("hash", name=op.f("uq_api_tokens_hash")),
        sa.UniqueConstraint("public_id", name=op.f("uq_api_tokens_public_id")),
    )
    op.create_table(
        "secrets",
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("encrypted_value", sa.LargeBinary(), nullable=False),
        sa.Column("updated_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_secrets")),
    )
    op.create_table(
        "users",
        sa.Column("id", BigId, autoincrement=True, nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=False),
        sa.Column("role", sa.String(length=10), nullable=False),
        sa.Column("enabled", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.Column("session_epoch", sa.Integer(), server_default="0", nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("last_login_at", UtcTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("name", name=op.f("uq_users_name")),
    )
    op.create_table(
        "page_orders",
        sa.Column("page_id", BigId, nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("frequency_seconds", sa.BigInteger(), nullable=True),
        sa.Column("scheduled_at", UtcTime(), nullable=False),
        sa.Column("next_at", UtcTime(), nullable=True),
        sa.Column("visit_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["page_id"], ["pages.id"], name=op.f("fk_page_orders_page_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("page_id", name=op.f("pk_page_orders")),
    )
    op.create_index(
        "ix_page_orders_due",
        "page_orders",
        ["next_at"],
        unique=False,
        sqlite_where=sa.text("next_at IS NOT NULL"),
        postgresql_where=sa.text("next_at IS NOT NULL"),
    )

    op.add_column("audit_log", sa.Column("before", Json, nullable=True))
    op.add_column("audit_log", sa.Column("after", Json, nullable=True))
    op.create_index("ix_audit_log_subject", "audit_log", ["subject", "id"], unique=False)
    op.execute("UPDATE audit_log SET after = detail")
    op.drop_column("audit_log", "detail")

    op.add_column("crawl_jobs", sa.Column("state_since", UtcTime(), nullable=True))
    op.add_column("crawl_jobs", sa.Column("auto_managed", sa.Boolean(), server_default=sa.true(), nullable=False))
    op.add_column("crawl_jobs", sa.Column("override", Json, nullable=True))
    op.add_column("crawl_jobs", sa.Column("deleted_at", UtcTime(), nullable=True))
    op.add_column("crawl_jobs", sa.Column("max_retries", sa.Integer(), server_default="3", nullable=False))
    op.add_column("crawl_jobs", sa.Column("retry_backoff_seconds", sa.Integer(), server_default="60", nullable=False))
    op.add_column("crawl_jobs", sa.Column("metadata", Json, nullable=True))
    op.add_column("crawl_jobs", sa.Column("last_run_at", UtcTime(), nullable=True))
    op.execute(
        "UPDATE crawl_jobs SET last_run_at = (SELECT max(started_at) FROM crawl_runs "
        "WHERE crawl_runs.job_id = crawl_jobs.id AND outcome IN ('ok', 'warn', 'fail'))"
    )
    op.create_index("ix_crawl_jobs_created", "crawl_jobs", ["created_at", "id"], unique=False)
    op.create_index("ix_crawl_jobs_last_run", "crawl_jobs", ["last_run_at", "id"], unique=False)
    op.create_index("ix_crawl_jobs_next_run", "crawl_jobs", ["next_run_at", "id"], unique=False)
    op.create_index("ix_crawl_jobs_state", "crawl_jobs", ["state", "id", "pause_reason", "source_id"], unique=False)
    is_unwell = (
        "failure_count > 0 OR retry_count > 0 OR pause_reason IN ('breaker', 'robots', 'takedown') "
        "OR state IN ('failed')"
    )
    op.create_index(
        "ix_crawl_jobs_unwell",
        "crawl_jobs",
        ["source_id"],
        unique=False,
        sqlite_where=sa.text(is_unwell),
        postgresql_where=sa.text(is_unwell),
    )

    op.create_index("ix_crawl_runs_started", "crawl_runs", ["started_at"], unique=False)

    op.add_column("events", sa.Column("result", sa.String(length=10), nullable=True))
    op.add_column("events", sa.Column("detail", sa.Text(), nullable=True))
    op.add_column("events", sa.Column("took_ms", sa.Float(), nullable=True))
    op.add_column("events", sa.Column("try_count", sa.Integer(), server_default="0", nullable=False))
    op.create_index("ix_events_source", "events", ["source_id", "id"], unique=False)

    op.add_column("hosts", sa.Column("enabled", sa.Boolean(), server_default=sa.true(), nullable=False))
    op.add_column("hosts", sa.Column("user_agent", sa.Text(), nullable=True))
    op.add_column("hosts", sa.Column("task_source_id", BigId, nullable=True))
    op.add_column("hosts", sa.Column("task_frequency_seconds", sa.BigInteger(), nullable=True))
    op.add_column("hosts", sa.Column("parser_name", sa.String(length=100), nullable=True))
    op.add_column("hosts", sa.Column("created_at", UtcTime(), nullable=True))

    op.add_column("pages", sa.Column("max_retries", sa.Integer(), nullable=True))

    op.add_column("proxies", sa.Column("city", sa.String(length=100), nullable=True))
    op.add_column("proxies", sa.Column("provider", sa.String(length=100), nullable=True))
    op.add_column("proxies", sa.Column("monthly_cost", sa.Numeric(precision=10, scale=2), nullable=True))
    op.add_column("proxies", sa.Column("failure_count", sa.Integer(), server_default="0", nullable=False))
    op.add_column("proxies", sa.Column("failure_total", sa.Integer(), server_default="0", nullable=False))
    op.add_column("proxies", sa.Column("success_total", sa.Integer(), server_default="0", nullable=False))
    op.add_column("proxies", sa.Column("average_took_ms", sa.Float(), nullable=True))
    op.add_column("proxies", sa.Column("last_used_at", UtcTime(), nullable=True))
    op.add_column("proxies", sa.Column("last_success_at", UtcTime(), nullable=True))
    op.add_column("proxies", sa.Column("last_failure_at", UtcTime(), nullable=True))
    op.add_column("proxies", sa.Column("quarantined_until", UtcTime(), nullable=True))
    op.create_index("ix_proxies_address", "proxies", ["address", "port"], unique=False)

    op.add_column("sources", sa.Column("min_delay_ms", sa.Integer(), nullable=True))
    op.add_column("sources", sa.Column("is_implicit", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("sources", sa.Column("disabled_reason", sa.Text(), nullable=True))
    op.add_column("sources", sa.Column("disabled_at", UtcTime(), nullable=True))
    op.add_column("sources", sa.Column("disabled_by", sa.Text(), nullable=True))
    op.add_column("sources", sa.Column("deleted_at", UtcTime(), nullable=True))
    op.create_index("ix_sources_created", "sources", ["created_at", "id"], unique=False)
    op.create_index(
        "ix_sources_listed",
        "sources",
        ["id", "is_implicit", "deleted_at", "enabled"],
        unique=False,
        sqlite_where=sa.text("deleted_at IS NULL"),
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_index("ix_sources_name", "sources", ["name", "id", "is_implicit", "deleted_at"], unique=False)
    op.create_index("ix_sources_priority", "sources", ["priority", "id"], unique=False)
    op.create_index("ix_sources_updated", "sources", ["updated_at", "id"], unique=False)

    op.create_index("ix_source_tags_sources", "source_tags", ["tag", "source_id"], unique=False)
    op.drop_index("ix_source_tags_tag", "source_tags")

    op.add_column("tags", sa.Column("interval_seconds", sa.BigInteger(), nullable=True))
    op.add_column("tags", sa.Column("min_interval_seconds", sa.BigInteger(), nullable=True))
    op.add_column("tags", sa.Column("max_interval_seconds", sa.BigInteger(), nullable=True))
    op.add_column("tags", sa.Column("windows", Json, nullable=True))
    op.add_column("tags", sa.Column("max_pages", sa.Integer(), nullable=True))
