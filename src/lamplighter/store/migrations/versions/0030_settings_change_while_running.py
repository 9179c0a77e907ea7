"""Settings change while running"""

import sqlalchemy as sa
from alembic import op

from lamplighter.store.schema.types import Json, UtcTime

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "changed_settings",
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("value", Json, nullable=False),
        sa.Column("changed_by", sa.Text(), nullable=False),
        sa.Column("changed_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_changed_settings")),
    )
