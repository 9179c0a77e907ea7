"""The proxies that the settings name, for hosts that have none of their own, as rows of the database."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from lamplighter.errors import LamplighterError
from lamplighter.ports import Vault
from lamplighter.rules.proxy_address import ProxyAddress
from lamplighter.store import proxies, proxy_turns
from lamplighter.store.database import Connection


async def write(db: Connection, named: Sequence[ProxyAddress], *, vault: Vault, now: datetime) -> None:
    """Makes the default pool what is named: new ones are added, others leave it. The second time changes nothing."""
    known = {(row.protocol, row.address, row.port, row.username): row for row in await proxy_turns.pool(db)}
    ids: list[int] = []
    for each in named:
        row = known.get((each.protocol, each.host, each.port, each.username))
        ids.append(await _add(db, each, vault, now) if row is None else await _keep(db, row, each, vault, now))
    await proxy_turns.leave_pool(db, but=ids, now=now)


async def _add(db: Connection, each: ProxyAddress, vault: Vault, now: datetime) -> int:
    return await proxies.add(
        db,
        now=now,
        protocol=each.protocol,
        address=each.host,
        port=each.port,
        username=each.username,
        encrypted_password=vault.encrypt(each.password) if each.password is not None else None,
        in_default_pool=True,
    )


async def _keep(db: Connection, row: Any, each: ProxyAddress, vault: Vault, now: datetime) -> int:
    changes: dict[str, Any] = {}
    if not row.in_default_pool:
        changes["in_default_pool"] = True
    if not _is_same(row.encrypted_password, each.password, vault):
        changes["encrypted_password"] = vault.encrypt(each.password) if each.password is not None else None
    if changes:
        await proxies.change(db, row.id, now=now, **changes)
    return int(row.id)


def _is_same(sealed: bytes | None, password: str | None, vault: Vault) -> bool:
    if sealed is None or password is None:
        return sealed is None and password is None
    try:
        return vault.decrypt(sealed) == password
    except (LamplighterError, OSError):
        return False
