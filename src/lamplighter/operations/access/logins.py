"""Writes logins to the audit log, without the name as typed: it may be a password in the wrong field."""

from datetime import datetime, timedelta

from lamplighter.model.access import Stamp, UserUpdate
from lamplighter.store.access import audit_log, users
from lamplighter.store.access.audit_log import AuditFilter
from lamplighter.store.engine.database import Connection

#: how far back, and over how many logins, the addresses of a user are known
_KNOWN_FOR = timedelta(days=30)
_MOST_KNOWN = 100


async def succeeded(db: Connection, name: str, *, password_hash: str, address: str, now: datetime) -> int | None:
    """Notes that a user logged in; returns the number of their sessions, None when they may no longer.

    `password_hash` is what the password was compared with, which takes a while: it may be another's or void by now.
    """
    user = await users.get(db, name)
    if user is None or await users.password_hash(db, name) != password_hash:
        return None
    await users.change(db, name, UserUpdate(last_login_at=now))
    await _write(db, name, "login.succeed", address=address, now=now)
    return user.session_epoch


async def usual_addresses(db: Connection, name: str, *, now: datetime) -> set[str]:
    """From where a user logged in lately."""
    wanted = AuditFilter(action="login.succeed", subject=f"user:{name}", since=now - _KNOWN_FOR)
    found = await audit_log.listed(db, wanted, limit=_MOST_KNOWN, offset=0)
    return {str(entry.after["address"]) for entry in found if entry.after}


async def failed(db: Connection, name: str, *, address: str, now: datetime) -> None:
    """Notes a login with a wrong name or password."""
    await _write(db, await _known(db, name), "login.fail", address=address, now=now)


async def limited(db: Connection, name: str, *, address: str, now: datetime) -> None:
    """Notes that an address or a name has failed too often."""
    await _write(db, await _known(db, name), "login.limit", address=address, now=now)


async def _known(db: Connection, name: str) -> str | None:
    user = await users.get(db, name)
    return user.name if user is not None else None


async def _write(db: Connection, name: str | None, action: str, *, address: str, now: datetime) -> None:
    subject = f"user:{name}" if name is not None else "an unknown user"
    actor = subject if action == "login.succeed" else "somebody"
    await audit_log.write(db, Stamp(actor, now), action, subject, after={"address": address})
