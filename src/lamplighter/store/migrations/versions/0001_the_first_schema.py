"""The first schema"""

import sqlalchemy as sa
from alembic import op

from lamplighter.store.schema.types import BigId, Json, UtcTime

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "audit_log",
        sa.Column("id", BigId, autoincrement=True, nullable=False),
        sa.Column("at", UtcTime(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("action", sa.String(length=60), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("detail", Json, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_log")),
    )
    op.create_table(
        "events",
        sa.Column("id", BigId, autoincrement=True, nullable=False),
        sa.Column("event_id", sa.String(length=36), nullable=False),
        sa.Column("type", sa.String(length=40), nullable=False),
        sa.Column("source_id", BigId, nullable=True),
        sa.Column("payload", Json, nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("delivered_at", UtcTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
        sa.UniqueConstraint("event_id", name=op.f("uq_events_event_id")),
    )
    with op.batch_alter_table("events", schema=None) as batch_op:
        batch_op.create_index(
            "ix_events_outbox",
            ["id"],
            unique=False,
            sqlite_where=sa.text("delivered_at IS NULL"),
            postgresql_where=sa.text("delivered_at IS NULL"),
        )

    op.create_table(
        "hosts",
        sa.Column("id", BigId, autoincrement=True, nullable=False),
        sa.Column("key", sa.String(length=300), nullable=False),
        sa.Column("max_concurrency", sa.Integer(), nullable=True),
        sa.Column("min_delay_ms", sa.Integer(), nullable=True),
        sa.Column("max_pages", sa.Integer(), nullable=True),
        sa.Column("max_page_kb", sa.Integer(), nullable=True),
        sa.Column("crawl_delay_ms", sa.BigInteger(), nullable=True),
        sa.Column("learnt_delay_ms", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("failure_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("blocked_until", UtcTime(), nullable=True),
        sa.Column("block_reason", sa.Text(), nullable=True),
        sa.Column("free_at", UtcTime(), nullable=True),
        sa.Column("due_at", UtcTime(), nullable=True),
        sa.Column("lease_owner", sa.String(length=100), nullable=True),
        sa.Column("lease_token", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("lease_until", UtcTime(), nullable=True),
        sa.Column("updated_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_hosts")),
        sa.UniqueConstraint("key", name=op.f("uq_hosts_key")),
    )
    with op.batch_alter_table("hosts", schema=None) as batch_op:
        batch_op.create_index(
            "ix_hosts_due",
            ["due_at"],
            unique=False,
            sqlite_where=sa.text("due_at IS NOT NULL"),
            postgresql_where=sa.text("due_at IS NOT NULL"),
        )

    op.create_table(
        "proxies",
        sa.Column("id", BigId, autoincrement=True, nullable=False),
        sa.Column("protocol", sa.String(length=10), nullable=False),
        sa.Column("address", sa.String(length=255), nullable=False),
        sa.Column("port", sa.Integer(), nullable=False),
        sa.Column("username", sa.Text(), nullable=True),
        sa.Column("encrypted_password", sa.LargeBinary(), nullable=True),
        sa.Column("country_code", sa.String(length=2), nullable=True),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("max_requests_per_hour", sa.Integer(), server_default="1000", nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("updated_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_proxies")),
    )
    op.create_table(
        "receipts",
        sa.Column("event_id", sa.String(length=36), nullable=False),
        sa.Column("processed_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("event_id", name=op.f("pk_receipts")),
    )
    with op.batch_alter_table("receipts", schema=None) as batch_op:
        batch_op.create_index("ix_receipts_processed", ["processed_at"], unique=False)

    op.create_table(
        "robots_files",
        sa.Column("origin", sa.String(length=320), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column("failure_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("fetched_at", UtcTime(), nullable=False),
        sa.Column("expires_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("origin", name=op.f("pk_robots_files")),
    )
    op.create_table(
        "sources",
        sa.Column("id", BigId, autoincrement=True, nullable=False),
        sa.Column("public_id", sa.String(length=36), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=True),
        sa.Column("recipe", Json, nullable=False),
        sa.Column("max_depth", sa.Integer(), nullable=False),
        sa.Column("max_pages", sa.Integer(), nullable=True),
        sa.Column("interval_seconds", sa.BigInteger(), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("updated_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sources")),
        sa.UniqueConstraint("public_id", name=op.f("uq_sources_public_id")),
        sa.UniqueConstraint("url", name=op.f("uq_sources_url")),
    )
    op.create_table(
        "takedowns",
        sa.Column("domain_or_url", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("domain_or_url", name=op.f("pk_takedowns")),
    )
    op.create_table(
        "webhook_outbox",
        sa.Column("id", BigId, autoincrement=True, nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("payload", Json, nullable=False),
        sa.Column("try_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("due_at", UtcTime(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_outbox")),
    )
    op.create_table(
        "crawl_jobs",
        sa.Column("id", BigId, autoincrement=True, nullable=False),
        sa.Column("public_id", sa.String(length=36), nullable=False),
        sa.Column("source_id", BigId, nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("pause_reason", sa.String(length=20), nullable=True),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("interval_seconds", sa.BigInteger(), nullable=False),
        sa.Column("next_run_at", UtcTime(), nullable=True),
        sa.Column("next_run_reason", Json, nullable=True),
        sa.Column("resume_at", UtcTime(), nullable=True),
        sa.Column("failure_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("unchanged_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("backoff_until", UtcTime(), nullable=True),
        sa.Column("run_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("updated_at", UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name=op.f("fk_crawl_jobs_source_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_crawl_jobs")),
        sa.UniqueConstraint("public_id", name=op.f("uq_crawl_jobs_public_id")),
        sa.UniqueConstraint("source_id", name=op.f("uq_crawl_jobs_source_id")),
    )
    with op.batch_alter_table("crawl_jobs", schema=None) as batch_op:
        batch_op.create_index(
            "ix_crawl_jobs_due",
            ["next_run_at"],
            unique=False,
            sqlite_where=sa.text("state IN ('pending', 'scheduled')"),
            postgresql_where=sa.text("state IN ('pending', 'scheduled')"),
        )
        batch_op.create_index(
            "ix_crawl_jobs_resume",
            ["resume_at"],
            unique=False,
            sqlite_where=sa.text("state = 'paused'"),
            postgresql_where=sa.text("state = 'paused'"),
        )

    op.create_table(
        "proxy_standings",
        sa.Column("host_id", BigId, nullable=False),
        sa.Column("proxy_id", BigId, nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("priority", sa.Integer(), server_default="50", nullable=False),
        sa.Column("failure_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("failure_total", sa.Integer(), server_default="0", nullable=False),
        sa.Column("success_total", sa.Integer(), server_default="0", nullable=False),
        sa.Column("average_took_ms", sa.Float(), nullable=True),
        sa.Column("last_used_at", UtcTime(), nullable=True),
        sa.Column("quarantined_until", UtcTime(), nullable=True),
        sa.ForeignKeyConstraint(["host_id"], ["hosts.id"], name=op.f("fk_proxy_standings_host_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["proxy_id"], ["proxies.id"], name=op.f("fk_proxy_standings_proxy_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("host_id", "proxy_id", name=op.f("pk_proxy_standings")),
    )
    op.create_table(
        "source_tags",
        sa.Column("source_id", BigId, nullable=False),
        sa.Column("tag", sa.String(length=100), nullable=False),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name=op.f("fk_source_tags_source_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("source_id", "tag", name=op.f("pk_source_tags")),
    )
    with op.batch_alter_table("source_tags", schema=None) as batch_op:
        batch_op.create_index("ix_source_tags_tag", ["tag"], unique=False)

    op.create_table(
        "crawl_runs",
        sa.Column("id", BigId, autoincrement=True, nullable=False),
        sa.Column("public_id", sa.String(length=36), nullable=False),
        sa.Column("job_id", BigId, nullable=False),
        sa.Column("source_id", BigId, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("trigger", sa.String(length=20), nullable=False),
        sa.Column("started_at", UtcTime(), nullable=False),
        sa.Column("deadline_at", UtcTime(), nullable=False),
        sa.Column("finished_at", UtcTime(), nullable=True),
        sa.Column("outcome", sa.String(length=10), nullable=True),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("page_budget", sa.Integer(), nullable=False),
        sa.Column("page_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("pages_fetched", sa.Integer(), server_default="0", nullable=False),
        sa.Column("pages_unchanged", sa.Integer(), server_default="0", nullable=False),
        sa.Column("pages_refused", sa.Integer(), server_default="0", nullable=False),
        sa.Column("pages_failed", sa.Integer(), server_default="0", nullable=False),
        sa.Column("pages_changed", sa.Integer(), server_default="0", nullable=False),
        sa.Column("records_found", sa.Integer(), server_default="0", nullable=False),
        sa.Column("records_inserted", sa.Integer(), server_default="0", nullable=False),
        sa.Column("records_updated", sa.Integer(), server_default="0", nullable=False),
        sa.Column("records_unchanged", sa.Integer(), server_default="0", nullable=False),
        sa.Column("records_skipped", sa.Integer(), server_default="0", nullable=False),
        sa.Column("bytes_fetched", sa.BigInteger(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["crawl_jobs.id"], name=op.f("fk_crawl_runs_job_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name=op.f("fk_crawl_runs_source_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_crawl_runs")),
        sa.UniqueConstraint("job_id", "number", name=op.f("uq_crawl_runs_job_id_number")),
        sa.UniqueConstraint("public_id", name=op.f("uq_crawl_runs_public_id")),
    )
    with op.batch_alter_table("crawl_runs", schema=None) as batch_op:
        batch_op.create_index(
            "ix_crawl_runs_open",
            ["deadline_at"],
            unique=False,
            sqlite_where=sa.text("finished_at IS NULL"),
            postgresql_where=sa.text("finished_at IS NULL"),
        )
        batch_op.create_index("ix_crawl_runs_source", ["source_id", "started_at"], unique=False)

    op.create_table(
        "pages",
        sa.Column("id", BigId, autoincrement=True, nullable=False),
        sa.Column("source_id", BigId, nullable=False),
        sa.Column("run_id", BigId, nullable=True),
        sa.Column("host_id", BigId, nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("url_key", sa.String(length=64), nullable=False),
        sa.Column("role", sa.String(length=10), nullable=False),
        sa.Column("depth", sa.Integer(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("found_on", BigId, nullable=True),
        sa.Column("hops", sa.Integer(), server_default="0", nullable=False),
        sa.Column("phase", sa.String(length=12), nullable=False),
        sa.Column("due_at", UtcTime(), nullable=True),
        sa.Column("retry_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lease_owner", sa.String(length=100), nullable=True),
        sa.Column("lease_until", UtcTime(), nullable=True),
        sa.Column("crash_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column("last_modified", sa.Text(), nullable=True),
        sa.Column("content_type", sa.Text(), nullable=True),
        sa.Column("robots_tag", sa.Text(), nullable=True),
        sa.Column("size_bytes", sa.BigInteger(), nullable=True),
        sa.Column("took_ms", sa.Integer(), nullable=True),
        sa.Column("fetched_at", UtcTime(), nullable=True),
        sa.Column("fresh_until", UtcTime(), nullable=True),
        sa.Column("robots_rule", sa.Text(), nullable=True),
        sa.Column("body_hash", sa.String(length=64), nullable=True),
        sa.Column("body_key", sa.Text(), nullable=True),
        sa.Column("content_hash", sa.String(length=64), nullable=True),
        sa.Column("changed_at", UtcTime(), nullable=True),
        sa.Column("redirected_to", sa.Text(), nullable=True),
        sa.Column("reason", sa.String(length=40), nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(["host_id"], ["hosts.id"], name=op.f("fk_pages_host_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["run_id"], ["crawl_runs.id"], name=op.f("fk_pages_run_id"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name=op.f("fk_pages_source_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pages")),
        sa.UniqueConstraint("source_id", "url_key", name=op.f("uq_pages_source_id_url_key")),
    )
    with op.batch_alter_table("pages", schema=None) as batch_op:
        batch_op.create_index(
            "ix_pages_downloaded",
            ["id"],
            unique=False,
            sqlite_where=sa.text("phase = 'downloaded'"),
            postgresql_where=sa.text("phase = 'downloaded'"),
        )
        batch_op.create_index("ix_pages_found_on", ["found_on"], unique=False)
        batch_op.create_index(
            "ix_pages_frontier",
            ["host_id", "rank", "id"],
            unique=False,
            sqlite_where=sa.text("phase = 'pending'"),
            postgresql_where=sa.text("phase = 'pending'"),
        )
        batch_op.create_index(
            "ix_pages_open",
            ["run_id", "phase"],
            unique=False,
            sqlite_where=sa.text("phase IN ('pending', 'downloaded')"),
            postgresql_where=sa.text("phase IN ('pending', 'downloaded')"),
        )
        batch_op.create_index(
            "ix_pages_redirects",
            ["run_id"],
            unique=False,
            sqlite_where=sa.text("redirected_to IS NOT NULL"),
            postgresql_where=sa.text("redirected_to IS NOT NULL"),
        )
        batch_op.create_index("ix_pages_run", ["run_id"], unique=False)
        batch_op.create_index(
            "ix_pages_seeds",
            ["source_id"],
            unique=False,
            sqlite_where=sa.text("role IN ('seed')"),
            postgresql_where=sa.text("role IN ('seed')"),
        )
        batch_op.create_index("ix_pages_url", ["url_key"], unique=False)

    op.create_table(
        "run_log_lines",
        sa.Column("id", BigId, autoincrement=True, nullable=False),
        sa.Column("run_id", BigId, nullable=False),
        sa.Column("at", UtcTime(), nullable=False),
        sa.Column("level", sa.String(length=10), nullable=False),
        sa.Column("category", sa.String(length=20), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["run_id"], ["crawl_runs.id"], name=op.f("fk_run_log_lines_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run_log_lines")),
    )
    with op.batch_alter_table("run_log_lines", schema=None) as batch_op:
        batch_op.create_index("ix_run_log_lines_run", ["run_id", "id"], unique=False)

    op.create_table(
        "records",
        sa.Column("id", BigId, autoincrement=True, nullable=False),
        sa.Column("public_id", sa.String(length=36), nullable=False),
        sa.Column("source_id", BigId, nullable=False),
        sa.Column("page_id", BigId, nullable=True),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("canonical_hash", sa.String(length=64), nullable=False),
        sa.Column("content_hash", sa.String(length=64), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("organisation", sa.Text(), nullable=True),
        sa.Column("location_raw", sa.Text(), nullable=True),
        sa.Column("country_iso", sa.String(length=2), nullable=True),
        sa.Column("deadline", sa.Date(), nullable=True),
        sa.Column("published_at", UtcTime(), nullable=True),
        sa.Column("updated_at", UtcTime(), nullable=True),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("language", sa.String(length=20), nullable=True),
        sa.Column("tags", Json, nullable=False),
        sa.Column("fields", Json, nullable=False),
        sa.Column("provenance", Json, nullable=False),
        sa.Column("quality", sa.Float(), nullable=False),
        sa.Column("first_seen_at", UtcTime(), nullable=False),
        sa.Column("last_seen_at", UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(["page_id"], ["pages.id"], name=op.f("fk_records_page_id"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name=op.f("fk_records_source_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_records")),
        sa.UniqueConstraint("canonical_hash", name=op.f("uq_records_canonical_hash")),
        sa.UniqueConstraint("public_id", name=op.f("uq_records_public_id")),
    )
    with op.batch_alter_table("records", schema=None) as batch_op:
        batch_op.create_index("ix_records_page", ["page_id"], unique=False)
        batch_op.create_index("ix_records_source", ["source_id", "id"], unique=False)

    op.create_table(
        "index_outbox",
        sa.Column("id", BigId, autoincrement=True, nullable=False),
        sa.Column("record_id", BigId, nullable=False),
        sa.Column("action", sa.String(length=10), nullable=False),
        sa.Column("try_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("due_at", UtcTime(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["record_id"], ["records.id"], name=op.f("fk_index_outbox_record_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_index_outbox")),
    )
