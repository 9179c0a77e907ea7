"""Secrets that recipes refer to by name: stored encrypted, and never shown again."""

import re
from collections.abc import Sequence
from typing import Any

from lamplighter.errors import BadInput, NotFound, NotPossible
from lamplighter.model.access import Stamp
from lamplighter.ports import Vault
from lamplighter.rules.access import secret_hosts
from lamplighter.store.access import audit_log, secrets
from lamplighter.store.access.secrets import Sealed, SecretInfo
from lamplighter.store.engine.database import Connection, Database

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,63}")
_VALUE = re.compile(r"[\x20-\x7e]{1,4000}")


def plain_name(name: str) -> str:
    """The name as recipes know it."""
    plain = name.strip().lower()
    if not _NAME.fullmatch(plain):
        raise BadInput(
            f"{name[:100]!r} is not a valid name of a secret; use a letter, then up to 63 letters, digits, _ and -",
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


async def put(
    db: Connection, name: str, sealed: bytes | None, *, hosts: Sequence[str] | None = None, stamp: Stamp
) -> SecretInfo:
    """Stores a secret for its hosts, in place of one of the same name; what is None stays as it is."""
    plain = plain_name(name)
    known = await secrets.get(db, plain)
    if known is None and sealed is None:
        raise NotFound(f"there is no stored secret {plain!r}; set its value first", code="secret_not_found")
    bound = known.hosts if known is not None and hosts is None else secret_hosts.parse(hosts or ())
    if sealed is None:
        await secrets.set_hosts(db, plain, bound, now=stamp.now)
    else:
        await secrets.put(db, plain, sealed, hosts=bound, now=stamp.now)
    stored = SecretInfo(name=plain, hosts=bound, updated_at=stamp.now)
    before = _shown(known) if known else None
    action = "secret.bind" if sealed is None else "secret.set"
    await audit_log.write(db, stamp, action, f"secret:{plain}", before=before, after=_shown(stored))
    return stored


async def remove(db: Connection, name: str, *, stamp: Stamp) -> None:
    """Forgets a secret."""
    plain = name.strip().lower()
    known = await secrets.get(db, plain)
    if known is None:
        raise NotFound(f"there is no stored secret {name[:100]!r}", code="secret_not_found")
    await secrets.remove(db, plain)
    await audit_log.write(db, stamp, "secret.remove", f"secret:{plain}", before=_shown(known))


def _shown(secret: SecretInfo) -> dict[str, Any]:
    return {"hosts": list(secret.hosts), "updated_at": secret.updated_at.isoformat()}


async def renew(db: Database, vault: Vault, old: Sealed) -> bool:
    """Encrypts a value anew under the newest key; False when no key opens it."""
    try:
        fresh = vault.encrypt(vault.decrypt(old.value))
    except NotPossible:
        return False
    await db.write(lambda writing: secrets.reseal(writing, old, fresh))
    return True


async def note_rotation(
    db: Connection, *, stamp: Stamp, count: int, unreadable: Sequence[str], is_new_key: bool
) -> None:
    """Notes that all secrets were encrypted anew."""
    after = {"count": count, "unreadable": list(unreadable), "new_key": is_new_key}
    await audit_log.write(db, stamp, "secrets.rotate", "secrets", after=after)
