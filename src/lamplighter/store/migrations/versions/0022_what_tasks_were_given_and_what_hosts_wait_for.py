"""A task keeps the frequency that was given, and a host says until when it waits for a proxy"""

import sqlalchemy as sa
from alembic import op

from lamplighter.store.schema.types import UtcTime

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("page_orders", sa.Column("is_recurring", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.execute("UPDATE page_orders SET is_recurring = true WHERE frequency_seconds IS NOT NULL")
    op.add_column("pages", sa.Column("parsing_since", UtcTime(), nullable=True))
    op.add_column("hosts", sa.Column("proxy_wait_until", UtcTime(), nullable=True))
    op.add_column("hosts", sa.Column("proxy_wait_reason", sa.Text(), nullable=True))
    waits, is_off = sa.text("proxy_wait_until IS NOT NULL"), sa.text("NOT enabled")
    op.create_index("ix_hosts_proxy_wait", "hosts", ["proxy_wait_until"], sqlite_where=waits, postgresql_where=waits)
    op.create_index("ix_hosts_disabled", "hosts", ["id"], sqlite_where=is_off, postgresql_where=is_off)
