"""Rules watch records, a source has a baseline, and channels have a rate"""

import sqlalchemy as sa
from alembic import op

from lamplighter.store.schema.types import UtcTime

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("crawl_jobs", sa.Column("baseline_at", UtcTime(), nullable=True))
    op.add_column("notification_channels", sa.Column("max_per_minute", sa.Integer(), nullable=True))
    op.add_column("notification_channels", sa.Column("minute_began_at", UtcTime(), nullable=True))
    op.add_column("notification_channels", sa.Column("minute_count", sa.Integer(), server_default="0", nullable=False))
    op.add_column("notification_rules", sa.Column("words", sa.String(length=500), nullable=True))
    op.add_column("notification_rules", sa.Column("record_field", sa.String(length=100), nullable=True))
    op.add_column("notification_rules", sa.Column("price_below", sa.Float(), nullable=True))
    op.add_column(
        "notification_rules", sa.Column("with_baseline", sa.Boolean(), server_default=sa.false(), nullable=False)
    )
    op.create_index("ix_record_changes_run", "record_changes", ["run_id", "id"])
    # Sources that ran well before have their baseline; channels get the rate that new ones get.
    op.execute(
        "UPDATE crawl_jobs SET baseline_at = last_run_at WHERE last_outcome IN ('ok', 'warn') "
        "OR EXISTS (SELECT 1 FROM records WHERE records.source_id = crawl_jobs.source_id)"
    )
    op.execute("UPDATE notification_channels SET max_per_minute = CASE WHEN kind = 'webhook' THEN 60 ELSE 10 END")
