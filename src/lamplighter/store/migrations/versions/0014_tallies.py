"""How many there are is known without counting"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "job_tallies",
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("pause_reason", sa.String(length=20), nullable=False),
        sa.Column("is_listed", sa.Boolean(), nullable=False),
        sa.Column("has_failed", sa.Boolean(), nullable=False),
        sa.Column("is_retrying", sa.Boolean(), nullable=False),
        sa.Column("ended_badly", sa.Boolean(), nullable=False),
        sa.Column("part", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("jobs", sa.BigInteger(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint(
            "state",
            "pause_reason",
            "is_listed",
            "has_failed",
            "is_retrying",
            "ended_badly",
            "part",
            name=op.f("pk_job_tallies"),
        ),
    )
    op.create_table(
        "run_tallies",
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("part", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("runs", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("ok", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("failed", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("cancelled", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("pages", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("records", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("took_ms", sa.BigInteger(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("step", "part", name=op.f("pk_run_tallies")),
    )
    op.create_table(
        "source_tallies",
        sa.Column("is_deleted", sa.Boolean(), nullable=False),
        sa.Column("is_implicit", sa.Boolean(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("part", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("sources", sa.BigInteger(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("is_deleted", "is_implicit", "enabled", "part", name=op.f("pk_source_tallies")),
    )
    op.add_column("crawl_jobs", sa.Column("source_is_shown", sa.Boolean(), server_default=sa.true(), nullable=False))
    # Their triggers come with 0019.
