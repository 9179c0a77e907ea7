"""Users: who may log in, and with which role. Somebody who may say so always stays."""

import re
from datetime import datetime
from typing import Any

from lamplighter.errors import BadInput, Duplicate, NotFound, NotPossible
from lamplighter.model.access import Role, User
from lamplighter.store import audit_log, users
from lamplighter.store.database import Connection

_NAME = re.compile(r"[a-z0-9][a-z0-9._@-]{0,99}")


def plain_name(name: str) -> str:
    """The name as it is stored: case and surrounding space do not tell people apart."""
    plain = name.strip().lower()
    if not _NAME.fullmatch(plain):
        raise BadInput(
            f"{name[:100]!r} is no user name; use up to 100 letters, digits and . _ @ - in ASCII",
            field="name",
            code="invalid_name",
        )
    return plain


async def add(db: Connection, name: str, *, role: Role, password_hash: str, actor: str, now: datetime) -> User:
    """Lets somebody log in."""
    plain = plain_name(name)
    if not await users.add(db, name=plain, role=role, password_hash=password_hash, now=now):
        raise Duplicate(f"there is a user {plain!r} already; choose another name", code="user_exists")
    await audit_log.write(
        db, actor=actor, action="user.add", subject=f"user:{plain}", now=now, after={"role": role, "enabled": True}
    )
    return await find(db, plain)


async def find(db: Connection, name: str) -> User:
    """The user with this name."""
    user = await users.get(db, name.strip().lower())
    if user is None:
        raise NotFound(f"there is no user {name[:100]!r}", code="user_not_found")
    return user


async def change(
    db: Connection,
    name: str,
    *,
    actor: str,
    now: datetime,
    role: Role | None = None,
    enabled: bool | None = None,
    password_hash: str | None = None,
) -> User:
    """Changes what is given. A new password or being disabled ends every session of the user."""
    admins = await users.hold_admins(db)
    user = await find(db, name)
    if (role not in (None, Role.ADMIN) or enabled is False) and admins == {user.name}:
        raise _last_admin(user.name)
    given = (("role", role), ("enabled", enabled))
    shown: dict[str, Any] = {column: value for column, value in given if value is not None}
    values = dict(shown)
    if password_hash is not None:
        values["password_hash"], shown["password"] = password_hash, "changed"
    if not values:
        return user
    await users.change(db, user.name, **values)
    if password_hash is not None or enabled is False:
        await users.end_sessions(db, user.name)
    before = {"role": user.role, "enabled": user.enabled}
    await audit_log.write(
        db,
        actor=actor,
        action="user.change",
        subject=f"user:{user.name}",
        now=now,
        before={column: value for column, value in before.items() if column in shown},
        after=shown,
    )
    return await find(db, user.name)


async def remove(db: Connection, name: str, *, actor: str, now: datetime) -> None:
    """Takes somebody's access away for good."""
    admins = await users.hold_admins(db)
    user = await find(db, name)
    if admins == {user.name}:
        raise _last_admin(user.name)
    await users.remove(db, user.name)
    before = {"role": user.role, "enabled": user.enabled}
    await audit_log.write(db, actor=actor, action="user.remove", subject=f"user:{user.name}", now=now, before=before)


async def log_out_everywhere(db: Connection, name: str, *, actor: str, now: datetime) -> None:
    """Ends every session of a user."""
    user = await find(db, name)
    await users.end_sessions(db, user.name)
    await audit_log.write(db, actor=actor, action="user.log_out", subject=f"user:{user.name}", now=now)


def _last_admin(name: str) -> NotPossible:
    return NotPossible(
        f"{name!r} is the last admin who can log in; make somebody else admin first",
        code="last_admin",
        possible=("add",),
    )
