"""A robots.txt behind redirects can be had over several turns of its host"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("robots_files", sa.Column("led_to", sa.Text(), nullable=True))
    op.add_column("robots_files", sa.Column("hops", sa.Integer(), server_default="0", nullable=False))
