"""SQL about users."""

import secrets
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from lamplighter.model.access import Role, User, UserUpdate
from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection, rows_written
from lamplighter.store.engine.upsert import insert
from lamplighter.store.schema.tables import users

_COLUMNS = [users.c[name] for name in ("name", "role", "enabled", "session_epoch", "created_at", "last_login_at")]
#: session epochs start below this, which leaves room in the column to count up
_EPOCHS = 1 << 30


async def add(db: Connection, *, name: str, role: Role, password_hash: str, now: datetime) -> bool:
    """Adds a user; False when the name is taken."""
    # Not from 0: a former user of this name may still have a cookie with an epoch that would be reached again.
    row = {"name": name, "role": role, "password_hash": password_hash, "created_at": now, "session_epoch": _epoch()}
    return rows_written(await db.execute(insert(db, users).values(**row).on_conflict_do_nothing())) == 1


async def get(db: Connection, name: str) -> User | None:
    """The user with this name."""
    return await queries.one(db, sa.select(*_COLUMNS).where(users.c.name == name), _user)


async def password_hash(db: Connection, name: str) -> str | None:
    """The password hash of a user who is enabled."""
    query = sa.select(users.c.password_hash).where(users.c.name == name, users.c.enabled)
    found: str | None = await db.scalar(query)
    return found


async def listed(db: Connection, *, limit: int, offset: int) -> list[User]:
    """One page of users, by name."""
    query = sa.select(*_COLUMNS).order_by(users.c.name).limit(limit).offset(offset)
    return [_user(row) for row in await db.execute(query)]


async def count(db: Connection) -> int:
    """Counts the users."""
    return await queries.count(db, users)


async def hold_admins(db: Connection) -> set[str]:
    """The enabled admins, locked until the transaction ends."""
    query = sa.select(users.c.name).where(users.c.role == Role.ADMIN, users.c.enabled).order_by(users.c.id)
    return set(await db.scalars(query.with_for_update()))


async def change(db: Connection, name: str, change: UserUpdate) -> None:
    """Changes a user."""
    await db.execute(sa.update(users).where(users.c.name == name).values(change.columns()))


async def end_sessions(db: Connection, name: str) -> None:
    """Ends every session of a user."""
    ended = sa.update(users).where(users.c.name == name)
    await db.execute(ended.values(session_epoch=users.c.session_epoch + 1))


async def end_all_sessions(db: Connection) -> None:
    """Ends all sessions of all users, even those with epochs that users have yet to reach."""
    await db.execute(sa.update(users).values(session_epoch=_epoch()))


async def remove(db: Connection, name: str) -> None:
    """Deletes a user."""
    await db.execute(sa.delete(users).where(users.c.name == name))


def _epoch() -> int:
    """A random session epoch; the chance of an epoch used before is one in a thousand million."""
    return secrets.randbelow(_EPOCHS)


def _user(row: Any) -> User:
    return User(**{**row._mapping, "role": Role(row.role)})
