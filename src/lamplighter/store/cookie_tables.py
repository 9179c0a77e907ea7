"""The table of cookies that sites set for sources whose recipes ask for them."""

import sqlalchemy as sa

from lamplighter.store import columns
from lamplighter.store.columns import metadata

source_cookies = sa.Table(
    "source_cookies",
    metadata,
    columns.id_(),
    columns.ref("source_id", "sources.id"),
    # the registered domain that may get it back, with its port when that is not the scheme's own
    sa.Column("site", sa.String(300), nullable=False),
    # sha256 of what makes it this cookie and no other
    sa.Column("key", sa.String(64), nullable=False),
    # all of it, name and path too
    sa.Column("encrypted_value", sa.LargeBinary, nullable=False),
    columns.time("expires_at", nullable=False),
    sa.UniqueConstraint("source_id", "site", "key"),
    sa.Index("ix_source_cookies_site", "site"),
    sa.Index("ix_source_cookies_expires", "expires_at"),
)
