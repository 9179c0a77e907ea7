"""What runs came to by the hour, and how the latest of each job ended"""

import sqlalchemy as sa
from alembic import op

from lamplighter.store.schema import last_outcome_ddl

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "run_hours",
        sa.Column("hour", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("runs", sa.Integer(), server_default="0", nullable=False),
        sa.Column("ok", sa.Integer(), server_default="0", nullable=False),
        sa.Column("failed", sa.Integer(), server_default="0", nullable=False),
        sa.Column("pages", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("records", sa.BigInteger(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("hour", name=op.f("pk_run_hours")),
    )
    op.add_column("crawl_jobs", sa.Column("last_outcome", sa.String(length=10), nullable=True))
    op.add_column("crawl_jobs", sa.Column("last_drifted", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.execute(last_outcome_ddl.FILLED)
    complained = sa.text("last_outcome IN ('warn', 'fail')")
    op.create_index(
        "ix_crawl_jobs_complained",
        "crawl_jobs",
        ["source_id", "last_drifted"],
        unique=False,
        sqlite_where=complained,
        postgresql_where=complained,
    )
