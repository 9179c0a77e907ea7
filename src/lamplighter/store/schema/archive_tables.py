"""The tables of the archive: the stored bodies, and the versions of each page."""

import sqlalchemy as sa

from lamplighter.store.schema import columns

# a body in the archive, stored once for all pages that had it
bodies = columns.table(
    "bodies",
    columns.id_(),
    # sha256
    sa.Column("hash", sa.String(64), nullable=False, unique=True),
    # its key in the archive, and the file or object that holds it
    sa.Column("key", sa.Text, nullable=False),
    sa.Column("segment", sa.String(100), nullable=False),
    # its size in the archive, and its real size
    sa.Column("stored_bytes", sa.BigInteger, nullable=False),
    sa.Column("size_bytes", sa.BigInteger, nullable=False),
    # sums are read from this index alone
    sa.Index("ix_bodies_segment", "segment", "stored_bytes"),
)

# the content of a page from some time on
page_versions = columns.table(
    "page_versions",
    columns.id_(),
    columns.ref("page_id", "pages.id"),
    # counts up from 1 for each page
    sa.Column("number", sa.Integer, nullable=False),
    columns.ref("body_id", "bodies.id"),
    sa.Column("status", sa.Integer, nullable=False),
    columns.time("fetched_at", nullable=False),
    # when the next version replaced it; NULL for the latest
    columns.time("superseded_at"),
    sa.UniqueConstraint("page_id", "number"),
    sa.Index("ix_page_versions_body", "body_id"),
    columns.partial_index("ix_page_versions_latest", "page_id", unique=True, where="superseded_at IS NULL"),
    columns.partial_index("ix_page_versions_superseded", "superseded_at", "id", where="superseded_at IS NOT NULL"),
)
