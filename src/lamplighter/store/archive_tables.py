"""The tables of the archive: which bodies there are, and which page had which of them when."""

import sqlalchemy as sa

from lamplighter.store import columns
from lamplighter.store.columns import metadata

# a body that the archive keeps, once for all pages that had it
bodies = sa.Table(
    "bodies",
    metadata,
    columns.id_(),
    # sha256
    sa.Column("hash", sa.String(64), nullable=False, unique=True),
    # where the archive keeps it, and in which of its files or objects
    sa.Column("key", sa.Text, nullable=False),
    sa.Column("segment", sa.String(100), nullable=False),
    # what it takes there, and what it measures
    sa.Column("stored_bytes", sa.BigInteger, nullable=False),
    sa.Column("size_bytes", sa.BigInteger, nullable=False),
    # added up in it alone
    sa.Index("ix_bodies_segment", "segment", "stored_bytes"),
)

# what a page was from some time on
page_versions = sa.Table(
    "page_versions",
    metadata,
    columns.id_(),
    columns.ref("page_id", "pages.id"),
    # counts up from 1 for each page
    sa.Column("number", sa.Integer, nullable=False),
    columns.ref("body_id", "bodies.id"),
    sa.Column("status", sa.Integer, nullable=False),
    columns.time("fetched_at", nullable=False),
    # when another version took its place; NULL of the latest
    columns.time("superseded_at"),
    sa.UniqueConstraint("page_id", "number"),
    sa.Index("ix_page_versions_body", "body_id"),
    sa.Index(
        "ix_page_versions_latest",
        "page_id",
        unique=True,
        sqlite_where=sa.text("superseded_at IS NULL"),
        postgresql_where=sa.text("superseded_at IS NULL"),
    ),
    columns.partial_index("ix_page_versions_superseded", "superseded_at", "id", where="superseded_at IS NOT NULL"),
)
