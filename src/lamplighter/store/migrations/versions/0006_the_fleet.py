"""Workers are known, and one of them leads"""

import sqlalchemy as sa
from alembic import op

from lamplighter.store.schema.types import Json, UtcTime

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "instances",
        sa.Column("id", sa.String(100), nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("machine", sa.String(255), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("duties", Json, nullable=False),
        sa.Column("version", sa.String(40), nullable=False),
        sa.Column("started_at", UtcTime(), nullable=False),
        sa.Column("heartbeat_at", UtcTime(), nullable=False),
        sa.Column("figures", Json, nullable=False),
        sa.Column("is_stopping", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_instances")),
    )
    op.create_table(
        "leads",
        sa.Column("name", sa.String(20), nullable=False),
        sa.Column("owner", sa.String(100), nullable=False),
        sa.Column("until", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_leads")),
    )
    is_leased = sa.text("lease_until IS NOT NULL")
    op.create_index(
        "ix_hosts_leased",
        "hosts",
        ["lease_until"],
        unique=False,
        sqlite_where=is_leased,
        postgresql_where=is_leased,
    )
