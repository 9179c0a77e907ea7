"""Secrets that recipes refer to by name: stored encrypted, and never shown again."""

import re
from collections.abc import Sequence
from datetime import datetime

from lamplighter.errors import BadInput, NotFound, NotPossible
from lamplighter.ports import Vault
from lamplighter.store import audit_log, secrets
from lamplighter.store.database import Connection, Database
from lamplighter.store.secrets import Known, Sealed

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,63}")
_VALUE = re.compile(r"[\x20-\x7e]{1,4000}")


def plain_name(name: str) -> str:
    """The name as recipes know it."""
    plain = name.strip().lower()
    if not _NAME.fullmatch(plain):
        raise BadInput(
            f"{name[:100]!r} is no name of a secret; begin with a letter, then up to 63 letters, digits, _ and -",
            field="name",
            code="invalid_name",
        )
    return plain


def seal(vault: Vault, value: str) -> bytes:
    """What is stored in place of a value; BadInput when a header could not carry it."""
    if not _VALUE.fullmatch(value):
        raise BadInput(
            "a secret has 1 to 4000 printable ASCII characters on one line", field="value", code="invalid_secret"
        )
    return vault.encrypt(value)


async def put(db: Connection, name: str, sealed: bytes, *, actor: str, now: datetime) -> Known:
    """Stores a secret, in place of one of the same name."""
    plain = plain_name(name)
    known = await secrets.get(db, plain)
    await secrets.put(db, plain, sealed, now=now)
    before = {"updated_at": known.updated_at.isoformat()} if known else None
    await audit_log.write(
        db,
        actor=actor,
        action="secret.set",
        subject=f"secret:{plain}",
        now=now,
        before=before,
        after={"updated_at": now.isoformat()},
    )
    return Known(name=plain, updated_at=now)


async def remove(db: Connection, name: str, *, actor: str, now: datetime) -> None:
    """Forgets a secret."""
    plain = name.strip().lower()
    known = await secrets.get(db, plain)
    if known is None:
        raise NotFound(f"there is no stored secret {name[:100]!r}", code="secret_not_found")
    await secrets.remove(db, plain)
    before = {"updated_at": known.updated_at.isoformat()}
    await audit_log.write(db, actor=actor, action="secret.remove", subject=f"secret:{plain}", now=now, before=before)


async def to_renew(db: Database) -> Sequence[Sealed]:
    """All that is stored encrypted."""
    async with db.read() as reading:
        return await secrets.everything_sealed(reading)


async def renew(db: Database, vault: Vault, old: Sealed) -> bool:
    """Encrypts a value anew under the newest key; False when no key opens it."""
    try:
        fresh = vault.encrypt(vault.decrypt(old.value))
    except NotPossible:
        return False
    await db.write(lambda writing: secrets.reseal(writing, old, fresh))
    return True


async def note_rotation(
    db: Connection, *, actor: str, now: datetime, count: int, unreadable: Sequence[str], is_new_key: bool
) -> None:
    """Notes that all that is stored was encrypted anew."""
    after = {"count": count, "unreadable": list(unreadable), "new_key": is_new_key}
    await audit_log.write(db, actor=actor, action="secrets.rotate", subject="secrets", now=now, after=after)
