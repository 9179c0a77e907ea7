"""Logins, as they stand in the audit log; what was typed does not, for it may be a password in the wrong field."""

from datetime import datetime

from lamplighter.store import audit_log, users
from lamplighter.store.database import Connection


async def succeeded(db: Connection, name: str, *, address: str, now: datetime) -> int | None:
    """Notes that a user logged in; returns the number of their sessions, None when they may no longer."""
    user = await users.get(db, name)
    if user is None or not user.enabled:
        return None
    await users.change(db, name, last_login_at=now)
    await _write(db, name, "login.succeed", address=address, now=now)
    return user.session_epoch


async def failed(db: Connection, name: str, *, address: str, now: datetime) -> None:
    """Notes that somebody had a name or a password wrong."""
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
    await audit_log.write(db, actor=actor, action=action, subject=subject, now=now, after={"address": address})
