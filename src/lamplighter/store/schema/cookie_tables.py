"""The table of cookies that sites set, for sources whose recipes use cookies."""

import sqlalchemy as sa

from lamplighter.store.schema import columns
from lamplighter.store.schema.columns import metadata

source_cookies = sa.Table(
    "source_cookies",
    metadata,
    columns.id_(),
    columns.ref("source_id", "sources.id"),
    # the registered domain to which it may be sent, with the port unless it is the scheme's default
    sa.Column("site", sa.String(300), nullable=False),
    # sha256 of what identifies the cookie
    sa.Column("key", sa.String(64), nullable=False),
    # the whole cookie, with name and path
    sa.Column("encrypted_value", sa.LargeBinary, nullable=False),
    columns.time("expires_at", nullable=False),
    sa.UniqueConstraint("source_id", "site", "key"),
    sa.Index("ix_source_cookies_site", "site"),
    sa.Index("ix_source_cookies_expires", "expires_at"),
)
