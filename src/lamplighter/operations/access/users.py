"""Users: add, change, remove, log out. The last admin can be neither removed nor disabled."""

import re

from lamplighter.errors import BadInput, Duplicate, NotFound, NotPossible
from lamplighter.model.access import Role, Stamp, User, UserUpdate
from lamplighter.model.fields import UNSET
from lamplighter.store.access import audit_log, users
from lamplighter.store.engine.database import Connection

_NAME = re.compile(r"[a-z0-9][a-z0-9._@-]{0,99}")


def plain_name(name: str) -> str:
    """The name as it is stored: case and surrounding space do not tell people apart."""
    plain = name.strip().lower()
    if not _NAME.fullmatch(plain):
        raise BadInput(
            f"{name[:100]!r} is not a valid user name; use up to 100 letters, digits and . _ @ - in ASCII",
            field="name",
            code="invalid_name",
        )
    return plain


async def add(db: Connection, name: str, *, role: Role, password_hash: str, stamp: Stamp) -> User:
    """Adds a user."""
    plain = plain_name(name)
    if not await users.add(db, name=plain, role=role, password_hash=password_hash, now=stamp.now):
        raise Duplicate(f"the user {plain!r} exists already; choose another name", code="user_exists")
    await audit_log.write(db, stamp, "user.add", f"user:{plain}", after={"role": role, "enabled": True})
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
    stamp: Stamp,
    role: Role | None = None,
    enabled: bool | None = None,
    password_hash: str | None = None,
) -> User:
    """Changes what is given. A new password or being disabled ends every session of the user."""
    admins = await users.hold_admins(db)
    user = await find(db, name)
    if (role not in (None, Role.ADMIN) or enabled is False) and admins == {user.name}:
        raise _last_admin(user.name)
    change = UserUpdate(
        role=role if role is not None else UNSET,
        enabled=enabled if enabled is not None else UNSET,
        password_hash=password_hash if password_hash is not None else UNSET,
    )
    if not change:
        return user
    shown = change.said()
    if shown.pop("password_hash", None) is not None:
        shown["password"] = "changed"
    await users.change(db, user.name, change)
    if password_hash is not None or enabled is False:
        await users.end_sessions(db, user.name)
    before = {name: getattr(user, name) for name in shown if name in ("role", "enabled")}
    await audit_log.write(db, stamp, "user.change", f"user:{user.name}", before=before, after=shown)
    return await find(db, user.name)


async def remove(db: Connection, name: str, *, stamp: Stamp) -> None:
    """Removes a user."""
    admins = await users.hold_admins(db)
    user = await find(db, name)
    if admins == {user.name}:
        raise _last_admin(user.name)
    await users.remove(db, user.name)
    before = {"role": user.role, "enabled": user.enabled}
    await audit_log.write(db, stamp, "user.remove", f"user:{user.name}", before=before)


async def log_out_everywhere(db: Connection, name: str, *, stamp: Stamp) -> None:
    """Ends every session of a user."""
    user = await find(db, name)
    await users.end_sessions(db, user.name)
    await audit_log.write(db, stamp, "user.log_out", f"user:{user.name}")


def _last_admin(name: str) -> NotPossible:
    return NotPossible(
        f"{name!r} is the last admin who can log in; make another user admin first",
        code="last_admin",
        possible=("add",),
    )
