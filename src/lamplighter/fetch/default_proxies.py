"""Stores the proxies of the settings, for hosts that have none of their own, as database rows."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from lamplighter.errors import LamplighterError
from lamplighter.model.proxy import ProxyChange
from lamplighter.ports import Vault
from lamplighter.rules.proxies.proxy_address import ProxyAddress
from lamplighter.store.engine.database import Connection
from lamplighter.store.proxies import proxies, proxy_turns


async def write(db: Connection, named: Sequence[ProxyAddress], *, vault: Vault, now: datetime) -> None:
    """Makes the default pool equal to `named`: new ones are added, others are removed. Idempotent."""
    known = {(row.protocol, row.address, row.port, row.username): row for row in await proxy_turns.pool(db)}
    ids: list[int] = []
    for each in named:
        row = known.get((each.protocol, each.host, each.port, each.username))
        ids.append(await _add(db, each, vault, now) if row is None else await _keep(db, row, each, vault, now))
    await proxy_turns.leave_pool(db, but=ids, now=now)


async def _add(db: Connection, each: ProxyAddress, vault: Vault, now: datetime) -> int:
    assert each.protocol is not None, "settings name whole addresses"
    assert each.port is not None
    return await proxies.add(
        db,
        ProxyChange(
            protocol=each.protocol,
            address=each.host,
            port=each.port,
            username=each.username,
            encrypted_password=vault.encrypt(each.password) if each.password is not None else None,
            in_default_pool=True,
        ),
        now=now,
    )


async def _keep(db: Connection, row: Any, each: ProxyAddress, vault: Vault, now: datetime) -> int:
    changes = ProxyChange()
    if not row.in_default_pool:
        changes |= ProxyChange(in_default_pool=True)
    if not _is_same(row.encrypted_password, each.password, vault):
        sealed = vault.encrypt(each.password) if each.password is not None else None
        changes |= ProxyChange(encrypted_password=sealed)
    if changes:
        await proxies.change(db, row.id, changes, now=now)
    return int(row.id)


def _is_same(sealed: bytes | None, password: str | None, vault: Vault) -> bool:
    if sealed is None or password is None:
        return sealed is None and password is None
    try:
        return vault.decrypt(sealed) == password
    except (LamplighterError, OSError):
        return False
