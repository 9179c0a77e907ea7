"""A task keeps the frequency that was given, and says by itself whether it recurs"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("page_orders", sa.Column("is_recurring", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.execute("UPDATE page_orders SET is_recurring = true WHERE frequency_seconds IS NOT NULL")
