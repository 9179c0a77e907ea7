"""Hours know outcomes and bytes, samples are kept, and processes tell their latest requests"""

import sqlalchemy as sa
from alembic import op

from lamplighter.store.schema.types import Json

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    pages = ("pages_fetched", "pages_unchanged", "pages_failed", "pages_refused")
    for name in (*pages, "records_inserted", "records_updated", "records_unchanged", "bytes_fetched"):
        op.add_column("run_hours", sa.Column(name, sa.BigInteger(), nullable=True))
    op.create_table(
        "samples",
        sa.Column("step", sa.Integer(), autoincrement=False, nullable=False),
        *(sa.Column(name, sa.Integer(), server_default="0", nullable=False) for name in ("to_fetch", "to_parse")),
        sa.Column("due", sa.Integer(), server_default="0", nullable=False),
        sa.Column("expected_staleness", sa.Float(), nullable=True),
        sa.Column("measured_staleness", sa.Float(), nullable=True),
        sa.Column("budget_per_hour", sa.Float(), nullable=True),
        sa.PrimaryKeyConstraint("step", name=op.f("pk_samples")),
    )
    op.add_column("instances", sa.Column("requests", Json, nullable=True))
