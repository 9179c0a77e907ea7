"""Priors are fitted, and siblings tell on each other"""

import sqlalchemy as sa
from alembic import op

from lamplighter.store.schema.types import BigId, Json, UtcTime

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("crawl_jobs", sa.Column("prior_a", sa.Float(), nullable=True))
    op.add_column("crawl_jobs", sa.Column("prior_b", sa.Float(), nullable=True))
    op.add_column("crawl_jobs", sa.Column("is_felt", sa.Boolean(), server_default=sa.true(), nullable=False))
    op.add_column("crawl_jobs", sa.Column("evidence_changes", sa.Float(), server_default="0", nullable=False))
    op.add_column("crawl_jobs", sa.Column("evidence_hours", sa.Float(), server_default="0", nullable=False))
    # What was believed so far is the only evidence of earlier visits.
    op.execute("UPDATE crawl_jobs SET evidence_changes = belief_a, evidence_hours = belief_b WHERE belief_a > 0")
    op.add_column("pricing", sa.Column("owed", sa.Float(), server_default="0", nullable=False))
    op.drop_column("pricing", "correction")
    op.add_column("cohorts", sa.Column("shape", sa.Float(), server_default="0.6", nullable=False))
    op.add_column("cohorts", sa.Column("is_felt", sa.Boolean(), server_default=sa.true(), nullable=False))
    op.create_table(
        "host_activity",
        sa.Column("host_id", BigId, autoincrement=False, nullable=False),
        sa.Column("looked_at", UtcTime(), nullable=False),
        sa.Column("began_at", UtcTime(), nullable=False),
        sa.Column("bin_seconds", sa.Float(), nullable=False),
        sa.Column("levels", Json, nullable=False),
        sa.Column("gain", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["host_id"], ["hosts.id"], name=op.f("fk_host_activity_host_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("host_id", name=op.f("pk_host_activity")),
    )
