"""All crawling can stand still"""

import sqlalchemy as sa
from alembic import op

from lamplighter.store.schema.types import UtcTime

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "standstill",
        sa.Column("name", sa.String(length=20), nullable=False),
        sa.Column("since", UtcTime(), nullable=False),
        sa.Column("paused_by", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_standstill")),
    )
