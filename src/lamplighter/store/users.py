"""SQL about users."""

import secrets
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from lamplighter.model.access import Role, User
from lamplighter.store.access_tables import users
from lamplighter.store.database import Connection, rows_written
from lamplighter.store.upsert import insert

_COLUMNS = [users.c[name] for name in ("name", "role", "enabled", "session_epoch", "created_at", "last_login_at")]
#: below it begin the numbers of sessions, with room to count on in the column
_EPOCHS = 1 << 30


async def add(db: Connection, *, name: str, role: Role, password_hash: str, now: datetime) -> bool:
    """Adds a user; False when the name is taken."""
    # Not from 0: whoever had the name before may still have a cookie, under a number that would come again.
    row = {"name": name, "role": role, "password_hash": password_hash, "created_at": now, "session_epoch": _epoch()}
    return rows_written(await db.execute(insert(db, users).values(**row).on_conflict_do_nothing())) == 1


async def get(db: Connection, name: str) -> User | None:
    """The user with this name."""
    row = (await db.execute(sa.select(*_COLUMNS).where(users.c.name == name))).one_or_none()
    return _user(row) if row is not None else None


async def password_hash(db: Connection, name: str) -> str | None:
    """What the password of a user who may log in is checked against."""
    query = sa.select(users.c.password_hash).where(users.c.name == name, users.c.enabled)
    found: str | None = await db.scalar(query)
    return found


async def listed(db: Connection, *, limit: int, offset: int) -> list[User]:
    """A part of all users, by name."""
    query = sa.select(*_COLUMNS).order_by(users.c.name).limit(limit).offset(offset)
    return [_user(row) for row in await db.execute(query)]


async def count(db: Connection) -> int:
    """How many there are."""
    return int(await db.scalar(sa.select(sa.func.count()).select_from(users)))


async def hold_admins(db: Connection) -> set[str]:
    """Who may log in as admin; nobody else changes that before this transaction ends."""
    query = sa.select(users.c.name).where(users.c.role == Role.ADMIN, users.c.enabled).order_by(users.c.id)
    return set(await db.scalars(query.with_for_update()))


async def change(db: Connection, name: str, **values: Any) -> None:
    """Sets columns of a user."""
    await db.execute(sa.update(users).where(users.c.name == name).values(**values))


async def end_sessions(db: Connection, name: str) -> None:
    """Makes every session of a user void."""
    await change(db, name, session_epoch=users.c.session_epoch + 1)


async def end_all_sessions(db: Connection) -> None:
    """Makes every session of everybody void, also those under numbers that the users have yet to come to."""
    await db.execute(sa.update(users).values(session_epoch=_epoch()))


async def remove(db: Connection, name: str) -> None:
    """Forgets a user."""
    await db.execute(sa.delete(users).where(users.c.name == name))


def _epoch() -> int:
    """A number under which no session was ever opened, but for one chance in a thousand million."""
    return secrets.randbelow(_EPOCHS)


def _user(row: Any) -> User:
    return User(**{**row._mapping, "role": Role(row.role)})
