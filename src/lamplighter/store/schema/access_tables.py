"""The tables for access: users, API tokens, and the secrets and cookies that we keep for sources."""

import sqlalchemy as sa

from lamplighter.store.schema import columns

users = columns.table(
    "users",
    columns.id_(),
    sa.Column("name", sa.String(100), nullable=False, unique=True),
    sa.Column("password_hash", sa.Text, nullable=False),
    sa.Column("role", sa.String(10), nullable=False),
    sa.Column("enabled", sa.Boolean, nullable=False, server_default=sa.true()),
    columns.count("session_epoch"),
    columns.time("created_at", nullable=False),
    columns.time("last_login_at"),
)

# sessions that ended before their cookies expired
ended_sessions = columns.table(
    "ended_sessions",
    sa.Column("number", sa.String(40), primary_key=True),
    columns.time("ends_at", nullable=False),
)

api_tokens = columns.table(
    "api_tokens",
    columns.id_(),
    columns.public_id(),
    sa.Column("name", sa.String(100), nullable=False),
    sa.Column("prefix", sa.String(12), nullable=False),
    # sha256 of the whole token: it is random and long, so no slower hash is needed
    sa.Column("hash", sa.String(64), nullable=False, unique=True),
    sa.Column("role", sa.String(10), nullable=False),
    sa.Column("created_by", sa.Text, nullable=False),
    columns.time("created_at", nullable=False),
    columns.time("expires_at"),
    columns.time("last_used_at"),
    columns.time("revoked_at"),
)

secrets = columns.table(
    "secrets",
    sa.Column("name", sa.String(100), primary_key=True),
    sa.Column("encrypted_value", sa.LargeBinary, nullable=False),
    # the host names to which it may be sent, separated by spaces; empty means to none
    sa.Column("hosts", sa.Text, nullable=False, server_default=""),
    columns.time("updated_at", nullable=False),
)

# cookies that sites set, for sources whose recipes use cookies
source_cookies = columns.table(
    "source_cookies",
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
