"""A domain has a name, a task a parent, a batch and a webhook, and a page the time of its request in flight"""

import sqlalchemy as sa
from alembic import op

from lamplighter.store.schema.types import BigId, UtcTime

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("hosts", sa.Column("domain_name", sa.String(length=255), nullable=True))
    op.add_column("page_orders", sa.Column("parent_page_id", BigId, nullable=True))
    op.add_column("page_orders", sa.Column("batch_id", sa.String(length=36), nullable=True))
    op.add_column("page_orders", sa.Column("channel_id", BigId, nullable=True))
    op.add_column("pages", sa.Column("requested_at", UtcTime(), nullable=True))
    out = sa.text("requested_at IS NOT NULL")
    op.create_index("ix_pages_requested", "pages", ["requested_at"], sqlite_where=out, postgresql_where=out)
    some = sa.text("batch_id IS NOT NULL")
    op.create_index("ix_page_orders_batch", "page_orders", ["batch_id"], sqlite_where=some, postgresql_where=some)
