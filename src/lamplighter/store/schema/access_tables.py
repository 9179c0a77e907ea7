"""The tables for access: users, API tokens, and the secrets that we keep for sources."""

import sqlalchemy as sa

from lamplighter.store.schema import columns
from lamplighter.store.schema.columns import metadata

users = sa.Table(
    "users",
    metadata,
    columns.id_(),
    sa.Column("name", sa.String(100), nullable=False, unique=True),
    sa.Column("password_hash", sa.Text, nullable=False),
    sa.Column("role", sa.String(10), nullable=False),
    sa.Column("enabled", sa.Boolean, nullable=False, server_default=sa.true()),
    # sessions opened under another number are invalid; random for a new user, not 0
    columns.count("session_epoch"),
    columns.time("created_at", nullable=False),
    columns.time("last_login_at"),
)

api_tokens = sa.Table(
    "api_tokens",
    metadata,
    columns.id_(),
    columns.public_id(),
    sa.Column("name", sa.String(100), nullable=False),
    # its first characters, by which a person recognises it
    sa.Column("prefix", sa.String(12), nullable=False),
    # sha256 of the whole token: it is random and long, so no slower hash is needed
    sa.Column("hash", sa.String(64), nullable=False, unique=True),
    sa.Column("role", sa.String(10), nullable=False),
    sa.Column("created_by", sa.Text, nullable=False),
    columns.time("created_at", nullable=False),
    # NULL means never
    columns.time("expires_at"),
    columns.time("last_used_at"),
    columns.time("revoked_at"),
)

secrets = sa.Table(
    "secrets",
    metadata,
    sa.Column("name", sa.String(100), primary_key=True),
    sa.Column("encrypted_value", sa.LargeBinary, nullable=False),
    columns.time("updated_at", nullable=False),
)
