"""SQL about API tokens."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa

from lamplighter.model.access import ApiToken, Role
from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import api_tokens

_COLUMNS = [column for column in api_tokens.c if column.name not in ("id", "hash")]


async def add(db: Connection, token: ApiToken, *, token_hash: str) -> None:
    """Stores a token by its hash."""
    row = {column.name: getattr(token, column.name) for column in _COLUMNS}
    await db.execute(sa.insert(api_tokens).values(**row, hash=token_hash))


async def by_hash(db: Connection, token_hash: str) -> ApiToken | None:
    """The token of this hash, valid or not."""
    return await _one(db, api_tokens.c.hash == token_hash)


async def get(db: Connection, public_id: str) -> ApiToken | None:
    """The token with this public id."""
    return await _one(db, api_tokens.c.public_id == public_id)


async def listed(db: Connection, *, limit: int, offset: int) -> list[ApiToken]:
    """One page of all tokens, newest first."""
    query = sa.select(*_COLUMNS).order_by(api_tokens.c.id.desc()).limit(limit).offset(offset)
    return [_token(row) for row in await db.execute(query)]


async def count(db: Connection) -> int:
    """Counts the tokens."""
    return await queries.count(db, api_tokens)


async def revoke(db: Connection, public_id: str, *, now: datetime) -> None:
    """Revokes a token, unless it is revoked."""
    mine = sa.and_(api_tokens.c.public_id == public_id, api_tokens.c.revoked_at.is_(None))
    await db.execute(sa.update(api_tokens).where(mine).values(revoked_at=now))


async def used(db: Connection, public_id: str, *, now: datetime, unless_since: datetime) -> None:
    """Notes that a token was used, unless a use since `unless_since` is noted."""
    is_old = sa.or_(api_tokens.c.last_used_at.is_(None), api_tokens.c.last_used_at < unless_since)
    mine = sa.and_(api_tokens.c.public_id == public_id, is_old)
    await db.execute(sa.update(api_tokens).where(mine).values(last_used_at=now))


async def _one(db: Connection, which: sa.ColumnElement[bool]) -> ApiToken | None:
    return await queries.one(db, sa.select(*_COLUMNS).where(which), _token)


def _token(row: Any) -> ApiToken:
    return ApiToken(**{**row._mapping, "role": Role(row.role)})
