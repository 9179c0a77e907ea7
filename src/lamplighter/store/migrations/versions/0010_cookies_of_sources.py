"""Sources may keep cookies"""

import sqlalchemy as sa
from alembic import op

from lamplighter.store.schema.types import BigId, UtcTime

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "source_cookies",
        sa.Column("id", BigId, autoincrement=True, nullable=False),
        sa.Column("source_id", BigId, nullable=False),
        sa.Column("site", sa.String(length=300), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("encrypted_value", sa.LargeBinary(), nullable=False),
        sa.Column("expires_at", UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name=op.f("fk_source_cookies_source_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_source_cookies")),
        sa.UniqueConstraint("source_id", "site", "key", name=op.f("uq_source_cookies_source_id_site_key")),
    )
    op.create_index("ix_source_cookies_site", "source_cookies", ["site"], unique=False)
    op.create_index("ix_source_cookies_expires", "source_cookies", ["expires_at"], unique=False)
