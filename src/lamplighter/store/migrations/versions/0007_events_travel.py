"""Events may travel through a stream"""

import sqlalchemy as sa
from alembic import op

from lamplighter.store.schema.types import UtcTime

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("events", sa.Column("source_public_id", sa.String(36), nullable=True))
    op.add_column("events", sa.Column("is_foreign", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("events", sa.Column("published_at", UtcTime(), nullable=True))
    op.add_column("events", sa.Column("stream_id", sa.String(50), nullable=True))
    op.execute(
        "UPDATE events SET source_public_id = (SELECT public_id FROM sources WHERE sources.id = events.source_id)"
    )
    op.drop_index("ix_events_source", "events")
    op.create_index("ix_events_about", "events", ["source_public_id", "id"], unique=False)
    _partial_index("ix_events_unpublished", "id", where="delivered_at IS NULL AND published_at IS NULL")
    _partial_index("ix_events_published", "published_at", where="delivered_at IS NULL")
    _partial_index("ix_events_in_vain", "id", where="result IN ('error')")


def _partial_index(name: str, column: str, *, where: str) -> None:
    op.create_index(
        name, "events", [column], unique=False, sqlite_where=sa.text(where), postgresql_where=sa.text(where)
    )
