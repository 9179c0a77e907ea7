"""Records may be searched elsewhere"""

import sqlalchemy as sa
from alembic import op

from lamplighter.store.schema import index_outbox_ddl
from lamplighter.store.schema.types import BigId, UtcTime

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Nothing ever wrote to the table that had this name.
    op.drop_table("index_outbox")
    op.create_table(
        "index_outbox",
        sa.Column("record_id", BigId, autoincrement=False, nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False, server_default="1"),
        sa.Column("entered_at", UtcTime(), nullable=False),
        sa.Column("ticket", sa.String(length=100), nullable=True),
        sa.Column("try_count", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("due_at", UtcTime(), nullable=True),
        sa.Column("parked_at", UtcTime(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("record_id", name=op.f("pk_index_outbox")),
    )
    _partial_index("ix_index_outbox_due", "try_count", "record_id", where="ticket IS NULL AND parked_at IS NULL")
    _partial_index("ix_index_outbox_sent", "ticket", where="ticket IS NOT NULL")
    _partial_index("ix_index_outbox_parked", "record_id", where="parked_at IS NOT NULL")
    op.create_table(
        "index_state",
        sa.Column("id", BigId, autoincrement=True, nullable=False),
        sa.Column("is_on", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("engine", sa.Text(), nullable=True),
        sa.Column("lease_owner", sa.String(length=100), nullable=True),
        sa.Column("lease_until", UtcTime(), nullable=True),
        sa.Column("ordered", sa.String(length=10), nullable=True),
        sa.Column("done", sa.BigInteger(), nullable=True),
        sa.Column("reconciled_at", UtcTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_index_state")),
    )
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    for statement in index_outbox_ddl.SQLITE if is_sqlite else index_outbox_ddl.POSTGRESQL:
        op.execute(statement)


def _partial_index(name: str, *columns: str, where: str) -> None:
    op.create_index(
        name,
        "index_outbox",
        list(columns),
        unique=False,
        sqlite_where=sa.text(where),
        postgresql_where=sa.text(where),
    )
