"""Of a page it is known when it failed"""

from alembic import op
from sqlalchemy import Column

from lamplighter.store.schema.types import UtcTime

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("pages", Column("failed_at", UtcTime(), nullable=True))
