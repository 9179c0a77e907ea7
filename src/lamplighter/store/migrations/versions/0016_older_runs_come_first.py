"""Among pages of equal rank those of older runs come first"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

_PENDING = sa.text("phase = 'pending'")


def upgrade() -> None:
    op.drop_index("ix_pages_frontier", table_name="pages")
    op.create_index(
        "ix_pages_in_turn",
        "pages",
        ["host_id", "rank", "run_id", "id"],
        sqlite_where=_PENDING,
        postgresql_where=_PENDING,
    )
