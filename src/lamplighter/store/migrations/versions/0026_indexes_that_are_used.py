"""Redirects of a run are found by their index, and an index that nothing used is gone"""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    redirected = sa.text("redirected_to IS NOT NULL")
    op.drop_index("ix_pages_requested", "pages")
    op.drop_index("ix_pages_redirects", "pages")
    op.create_index(
        "ix_pages_redirected", "pages", ["run_id", "hops"], sqlite_where=redirected, postgresql_where=redirected
    )
