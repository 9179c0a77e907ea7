"""Pages that stay as they are lead on"""

import sqlalchemy as sa
from alembic import op

from lamplighter.store.schema.types import UtcTime

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("pages", sa.Column("links_due_at", UtcTime(), nullable=True))
    # Nobody knows where pages lead that were read before: each is read once more when it is next had unchanged.
    was_read = "content_hash IS NOT NULL AND phase <> 'downloaded'"
    op.execute(sa.text(f"UPDATE pages SET links_due_at = fetched_at WHERE {was_read}"))
