"""Earlier versions of pages are kept"""

import sqlalchemy as sa
from alembic import op

from lamplighter.store.schema import archive_ddl
from lamplighter.store.schema.types import BigId, UtcTime

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_LATEST = "superseded_at IS NULL"
_SUPERSEDED = "superseded_at IS NOT NULL"


def upgrade() -> None:
    op.create_table(
        "bodies",
        sa.Column("id", BigId, autoincrement=True, nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("segment", sa.String(100), nullable=False),
        sa.Column("stored_bytes", sa.BigInteger(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_bodies"),
        sa.UniqueConstraint("hash", name="uq_bodies_hash"),
    )
    op.create_index("ix_bodies_segment", "bodies", ["segment", "stored_bytes"])
    op.create_table(
        "page_versions",
        sa.Column("id", BigId, autoincrement=True, nullable=False),
        sa.Column("page_id", BigId, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("body_id", BigId, nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("fetched_at", UtcTime(), nullable=False),
        sa.Column("superseded_at", UtcTime()),
        sa.PrimaryKeyConstraint("id", name="pk_page_versions"),
        sa.ForeignKeyConstraint(["page_id"], ["pages.id"], name="fk_page_versions_page_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["body_id"], ["bodies.id"], name="fk_page_versions_body_id", ondelete="CASCADE"),
        sa.UniqueConstraint("page_id", "number", name="uq_page_versions_page_id_number"),
    )
    op.create_index("ix_page_versions_body", "page_versions", ["body_id"])
    _partial_index("ix_page_versions_latest", ["page_id"], where=_LATEST, unique=True)
    _partial_index("ix_page_versions_superseded", ["superseded_at", "id"], where=_SUPERSEDED)
    for statement in archive_ddl.taking_over(op.get_bind().dialect.name):
        op.execute(statement)


def _partial_index(name: str, columns: list[str], *, where: str, unique: bool = False) -> None:
    op.create_index(
        name,
        "page_versions",
        columns,
        unique=unique,
        sqlite_where=sa.text(where),
        postgresql_where=sa.text(where),
    )
