"""What pages show, how records changed, and what must not be kept"""

import sqlalchemy as sa
from alembic import op

from lamplighter.store.schema.types import BigId, Json, UtcTime

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "tombstones",
        sa.Column("canonical_hash", sa.String(length=64), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("page_id", BigId, nullable=True),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("canonical_hash", name=op.f("pk_tombstones")),
    )
    op.create_table(
        "record_changes",
        sa.Column("id", BigId, autoincrement=True, nullable=False),
        sa.Column("record_id", BigId, nullable=False),
        sa.Column("run_id", BigId, nullable=True),
        sa.Column("page_id", BigId, nullable=True),
        sa.Column("at", UtcTime(), nullable=False),
        sa.Column("field", sa.String(length=100), nullable=False),
        sa.Column("before", Json, nullable=True),
        sa.Column("after", Json, nullable=True),
        sa.ForeignKeyConstraint(
            ["record_id"], ["records.id"], name=op.f("fk_record_changes_record_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_record_changes")),
    )
    with op.batch_alter_table("record_changes", schema=None) as batch_op:
        batch_op.create_index("ix_record_changes_record", ["record_id", "id"], unique=False)

    op.create_table(
        "sightings",
        sa.Column("page_id", BigId, nullable=False),
        sa.Column("record_id", BigId, nullable=False),
        sa.Column("is_own", sa.Boolean(), nullable=False),
        sa.Column("since", UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(["page_id"], ["pages.id"], name=op.f("fk_sightings_page_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["record_id"], ["records.id"], name=op.f("fk_sightings_record_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("page_id", "record_id", name=op.f("pk_sightings")),
        sqlite_with_rowid=False,
    )
    with op.batch_alter_table("sightings", schema=None) as batch_op:
        batch_op.create_index("ix_sightings_record", ["record_id", "is_own"], unique=False)

    # Not in a batch, which would copy the table for the sake of the default.
    op.add_column("crawl_runs", sa.Column("has_drifted", sa.Boolean(), server_default=sa.false(), nullable=False))
    with op.batch_alter_table("crawl_runs", schema=None) as batch_op:
        batch_op.add_column(sa.Column("records_failed", sa.Integer(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("empty_titles", sa.Integer(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("records_shown", sa.Integer(), nullable=True))

    with op.batch_alter_table("hosts", schema=None) as batch_op:
        batch_op.add_column(sa.Column("allow_js", sa.Boolean(), nullable=True))

    with op.batch_alter_table("pages", schema=None) as batch_op:
        batch_op.add_column(sa.Column("usage", sa.Text(), nullable=True))
        batch_op.create_index(
            "ix_pages_failed",
            ["source_id"],
            unique=False,
            sqlite_where=sa.text("phase IN ('failed')"),
            postgresql_where=sa.text("phase IN ('failed')"),
        )
        batch_op.create_index(
            "ix_pages_listings",
            ["source_id"],
            unique=False,
            sqlite_where=sa.text("role IN ('listing')"),
            postgresql_where=sa.text("role IN ('listing')"),
        )

    with op.batch_alter_table("records", schema=None) as batch_op:
        batch_op.add_column(sa.Column("url_key", sa.String(length=64), nullable=True))
        batch_op.add_column(sa.Column("revision", sa.Integer(), server_default="1", nullable=False))
        batch_op.add_column(sa.Column("is_listed", sa.Boolean(), server_default=sa.false(), nullable=False))
        batch_op.add_column(sa.Column("missing_count", sa.Integer(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("gone_at", UtcTime(), nullable=True))
        batch_op.add_column(sa.Column("expires_at", UtcTime(), nullable=True))
        batch_op.create_index(
            "ix_records_expiring",
            ["expires_at"],
            unique=False,
            sqlite_where=sa.text("expires_at IS NOT NULL AND gone_at IS NULL"),
            postgresql_where=sa.text("expires_at IS NOT NULL AND gone_at IS NULL"),
        )
        batch_op.create_index(
            "ix_records_missing",
            ["source_id"],
            unique=False,
            sqlite_where=sa.text("missing_count > 0"),
            postgresql_where=sa.text("missing_count > 0"),
        )

    # What the pages show was not written down so far: each is read once more, from the archive if the site says that it
    # has not changed.
    op.execute("UPDATE pages SET content_hash = NULL")
