"""Sources are counted by their state"""

import sqlalchemy as sa
from alembic import op

from lamplighter.store.schema import tally_ddl

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_KEYS = ("is_shown", "is_deleted", "has_failed", "is_retrying", "is_held")


def upgrade() -> None:
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    if is_sqlite:
        for name in tally_ddl.TRIGGERS:
            op.execute(f"DROP TRIGGER IF EXISTS {name}")
    # Counted anew below.
    op.drop_table("job_tallies")
    op.create_table(
        "job_tallies",
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("pause_reason", sa.String(length=20), nullable=False),
        *(sa.Column(name, sa.Boolean(), nullable=False) for name in _KEYS),
        sa.Column("last_outcome", sa.String(length=10), nullable=False),
        sa.Column("part", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("jobs", sa.BigInteger(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint(
            *("state", "pause_reason", *_KEYS, "last_outcome", "part"), name=op.f("pk_job_tallies")
        ),
    )
    for statement in tally_ddl.SQLITE if is_sqlite else tally_ddl.POSTGRESQL:
        op.execute(statement)
