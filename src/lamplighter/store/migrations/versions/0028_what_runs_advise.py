"""What runs advise, and which problems are hidden for a while"""

import sqlalchemy as sa
from alembic import op

from lamplighter.store.schema.types import UtcTime

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

_MESSAGE = """
    SELECT run.message FROM crawl_runs AS run
    WHERE run.job_id = crawl_jobs.id AND run.finished_at IS NOT NULL
        AND run.outcome IN ('ok', 'warn', 'fail') AND run."trigger" <> 'tasks'
    ORDER BY run.number DESC LIMIT 1"""


def upgrade() -> None:
    op.create_table(
        "problem_snoozes",
        sa.Column("key", sa.String(length=400), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("snoozed_by", sa.Text(), nullable=False),
        sa.Column("snoozed_at", UtcTime(), nullable=False),
        sa.Column("until", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_problem_snoozes")),
    )
    op.add_column("crawl_jobs", sa.Column("last_advice", sa.String(length=20), nullable=True))
    # Which sources moved is noted by their next run.
    op.execute(
        "UPDATE crawl_jobs SET last_advice = 'max_pages' "
        f"WHERE last_outcome IN ('ok', 'warn') AND ({_MESSAGE}) LIKE '%cut short at %'"
    )
    advised = sa.text("last_advice IS NOT NULL")
    op.create_index(
        "ix_crawl_jobs_advised",
        "crawl_jobs",
        ["source_id", "last_advice"],
        unique=False,
        sqlite_where=advised,
        postgresql_where=advised,
    )
