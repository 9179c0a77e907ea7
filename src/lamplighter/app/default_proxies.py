"""The default proxy pool, for hosts without own proxies: read from the settings, stored as database rows."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from lamplighter.errors import BadInput, BadSetting, LamplighterError
from lamplighter.model.proxy import ProxyChange
from lamplighter.ports import Clock, Vault
from lamplighter.rules.proxies import proxy_address
from lamplighter.rules.proxies.proxy_address import ProxyAddress
from lamplighter.settings import Settings
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.proxies import proxies, proxy_turns


def pool_of(settings: Settings) -> tuple[ProxyAddress, ...]:
    """The proxies in the settings; none while proxies are disabled."""
    return tuple(_named(settings)) if settings.proxies_enabled else ()


async def write_pool(db: Database, settings: Settings, *, vault: Vault, clock: Clock) -> None:
    """Writes the settings' default pool into the database, once at the start of a service."""
    pool, now = pool_of(settings), clock.now()
    await db.write(lambda connection: write_rows(connection, pool, vault=vault, now=now))


def _named(settings: Settings) -> Iterator[ProxyAddress]:
    given = settings.proxy_urls.get_secret_value() if settings.proxy_urls is not None else ""
    for number, text in enumerate((part.strip() for part in given.split(",") if part.strip()), start=1):
        # Do not quote the value: it may contain a password.
        where = f"the {number}. address of {settings.variable_of('proxy_urls')}"
        try:
            address = proxy_address.parse(text)
        except BadInput as error:
            raise BadSetting(f"{where}: {error}") from None
        if address.protocol is None or address.port is None:
            raise BadSetting(f"{where} needs a scheme and a port, as in socks5://user:password@proxy.example:1080")
        yield address


async def write_rows(db: Connection, named: Sequence[ProxyAddress], *, vault: Vault, now: datetime) -> None:
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
