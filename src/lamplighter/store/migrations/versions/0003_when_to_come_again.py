"""When to come again"""

import sqlalchemy as sa
from alembic import op

from lamplighter.store.schema.types import BigId, Json, UtcTime

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "cohorts",
        sa.Column("key", sa.String(length=100), nullable=False),
        sa.Column("changes", sa.Float(), nullable=False),
        sa.Column("hours", sa.Float(), nullable=False),
        sa.Column("by_hour", Json, nullable=False),
        sa.Column("has_rhythm", sa.Boolean(), nullable=False),
        sa.Column("updated_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_cohorts")),
    )
    op.create_table(
        "pricing",
        sa.Column("id", BigId, autoincrement=True, nullable=False),
        sa.Column("price", sa.Float(), nullable=True),
        sa.Column("correction", sa.Float(), server_default="1", nullable=False),
        sa.Column("figures", Json, nullable=True),
        sa.Column("solved_at", UtcTime(), nullable=True),
        sa.Column("budget_free_at", UtcTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pricing")),
    )
    op.create_table(
        "tags",
        sa.Column("tag", sa.String(length=100), nullable=False),
        sa.Column("policy", sa.String(length=20), nullable=True),
        sa.Column("updated_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("tag", name=op.f("pk_tags")),
    )
    # Not in a batch: for the sake of such a default it would copy the table, and drop the old one with all that refers
    # to it.
    for table in ("sources", "crawl_jobs"):
        op.add_column(table, sa.Column("recurring", sa.Boolean(), server_default=sa.true(), nullable=False))
    with op.batch_alter_table("crawl_jobs", schema=None) as batch_op:
        batch_op.add_column(sa.Column("host_id", BigId, nullable=True))
        batch_op.add_column(sa.Column("pace_seconds", sa.BigInteger(), nullable=True))
        batch_op.add_column(sa.Column("urgency", sa.Integer(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("moved_at", UtcTime(), nullable=True))
        batch_op.add_column(sa.Column("retry_count", sa.Integer(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("cost", sa.Float(), server_default="1", nullable=False))
        batch_op.add_column(sa.Column("belief_a", sa.Float(), nullable=True))
        batch_op.add_column(sa.Column("belief_b", sa.Float(), nullable=True))
        batch_op.add_column(sa.Column("signal", sa.Float(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("rise", sa.Float(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("fall", sa.Float(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("visit_count", sa.Integer(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("change_count", sa.Integer(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("visited_at", UtcTime(), nullable=True))
        batch_op.add_column(sa.Column("changed_at", UtcTime(), nullable=True))
        batch_op.add_column(sa.Column("watched_hours", sa.Float(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("expected_stale_hours", sa.Float(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("seen_stale_hours", sa.Float(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("page_changes", sa.Float(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("page_hours", sa.Float(), server_default="0", nullable=False))
        batch_op.drop_index(batch_op.f("ix_crawl_jobs_due"), sqlite_where=sa.text("state IN ('pending', 'scheduled')"))
        batch_op.create_index(
            "ix_crawl_jobs_queue",
            ["urgency", "next_run_at", "host_id"],
            unique=False,
            sqlite_where=sa.text("state IN ('pending', 'scheduled')"),
            postgresql_where=sa.text("state IN ('pending', 'scheduled')"),
        )
        batch_op.create_index("ix_crawl_jobs_host", ["host_id"], unique=False)
        batch_op.create_index(
            "ix_crawl_jobs_planned",
            ["next_run_at"],
            unique=False,
            sqlite_where=sa.text("state IN ('pending', 'scheduled')"),
            postgresql_where=sa.text("state IN ('pending', 'scheduled')"),
        )

    with op.batch_alter_table("crawl_runs", schema=None) as batch_op:
        batch_op.add_column(sa.Column("heartbeat_at", UtcTime(), nullable=True))
        batch_op.add_column(sa.Column("revisit_changes", sa.Integer(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("revisit_hours", sa.Float(), server_default="0", nullable=False))
        batch_op.create_index(
            "ix_crawl_runs_open_job",
            ["job_id"],
            unique=False,
            sqlite_where=sa.text("finished_at IS NULL"),
            postgresql_where=sa.text("finished_at IS NULL"),
        )

    with op.batch_alter_table("hosts", schema=None) as batch_op:
        batch_op.add_column(sa.Column("windows", Json, nullable=True))
        batch_op.add_column(sa.Column("budget_per_hour", sa.Float(), nullable=True))
        batch_op.add_column(sa.Column("budget_free_at", UtcTime(), nullable=True))
        batch_op.add_column(sa.Column("price", sa.Float(), nullable=True))

    with op.batch_alter_table("pages", schema=None) as batch_op:
        batch_op.add_column(sa.Column("belief_a", sa.Float(), nullable=True))
        batch_op.add_column(sa.Column("belief_b", sa.Float(), nullable=True))
        batch_op.add_column(sa.Column("rest_until", UtcTime(), nullable=True))
        batch_op.add_column(sa.Column("missing_count", sa.Integer(), server_default="0", nullable=False))

    with op.batch_alter_table("sources", schema=None) as batch_op:
        batch_op.add_column(sa.Column("policy", sa.String(length=20), nullable=True))
        batch_op.add_column(sa.Column("min_interval_seconds", sa.BigInteger(), nullable=True))
        batch_op.add_column(sa.Column("max_interval_seconds", sa.BigInteger(), nullable=True))
        batch_op.add_column(sa.Column("windows", Json, server_default="[]", nullable=False))
        batch_op.add_column(sa.Column("country", sa.String(length=2), nullable=True))
        batch_op.add_column(sa.Column("organisation_type", sa.String(length=20), nullable=True))
        batch_op.add_column(sa.Column("given_seconds", sa.BigInteger(), nullable=True))
    # SQLite can make a column nullable only by copying the table, and dropping the old one would take along all that
    # refers to it.
    op.execute("UPDATE sources SET given_seconds = interval_seconds")
    op.execute("ALTER TABLE sources DROP COLUMN interval_seconds")
    op.execute("ALTER TABLE sources RENAME COLUMN given_seconds TO interval_seconds")
    # Explanations of the earlier schema have another form; the next run of each job brings one of the new.
    op.execute(
        'UPDATE crawl_jobs SET next_run_reason = \'{"why": "planned by an earlier version"}\''
        " WHERE CAST(next_run_reason AS TEXT) LIKE '%interval_seconds%'"
    )
    # Whoever has run before has a host by now.
    op.execute(
        "UPDATE crawl_jobs SET host_id = (SELECT min(host_id) FROM pages"
        " WHERE pages.source_id = crawl_jobs.source_id AND role = 'seed')"
    )
