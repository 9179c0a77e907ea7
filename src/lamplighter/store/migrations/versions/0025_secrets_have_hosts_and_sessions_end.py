"""Secrets name their hosts and sessions end when a user logs out"""

import sqlalchemy as sa
from alembic import op

from lamplighter.store.schema.types import UtcTime

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "ended_sessions",
        sa.Column("number", sa.String(length=40), nullable=False),
        sa.Column("ends_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_ended_sessions")),
    )
    # A secret from before is sent to no host until an admin names its hosts: whose it is, no column says.
    op.add_column("secrets", sa.Column("hosts", sa.Text(), server_default="", nullable=False))
