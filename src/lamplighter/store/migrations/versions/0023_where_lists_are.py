"""A source remembers where the lists of its pages are, and a page what it said when it was last read"""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "list_positions",
        sa.Column("source_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("template", sa.Text(), nullable=False),
        sa.Column("grouped_by", sa.String(20), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("links", sa.Text(), nullable=False),
        sa.Column("sure", sa.Float(), nullable=False),
        sa.Column("edition", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name="fk_list_positions_source_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("source_id", "template", name="pk_list_positions"),
    )
    op.add_column("pages", sa.Column("seen_hash", sa.String(64), nullable=True))
