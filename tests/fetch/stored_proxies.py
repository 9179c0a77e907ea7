"""Proxies in the database, a clock that the test moves, and what is stored of both."""

from typing import Any

import sqlalchemy as sa
from cryptography.fernet import Fernet

from lamplighter.adapters.clocks import DatabaseClock
from lamplighter.adapters.key_ring import KeyRing
from lamplighter.fetch.proxy_registry import ProxyRegistry
from lamplighter.model.host import Host, HostPolicy
from lamplighter.ports import Vault
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.hosts import hosts
from lamplighter.store.proxies import proxies
from lamplighter.store.schema.tables import proxies as proxies_table
from lamplighter.store.schema.tables import proxy_standings
from tests.changing import add_proxy, set_host
from tests.clocks import At
from tests.moments import NOON
from tests.proxies.listener import Listener

VAULT: Vault = KeyRing([Fernet.generate_key().decode()], named="the tests")


def a_book(db: Database, clock: At | DatabaseClock, *, vault: Vault = VAULT) -> ProxyRegistry:
    return ProxyRegistry(db, clock=clock, vault=vault, trusted=())


async def a_host(db: Database, key: str = "shop.example", **policy: Any) -> Host:
    """A host as it is stored, with this policy."""

    async def work(connection: Connection) -> Host:
        await set_host(connection, key, now=NOON, **policy)
        found = await hosts.get(connection, key, defaults=HostPolicy())
        assert found is not None
        return found

    return await db.write(work)


async def add_proxies(
    db: Database, *given: Listener | str, host: Host | None = None, vault: Vault = VAULT, **values: Any
) -> list[int]:
    """Stores proxies: a host's own, or those of the default pool."""

    async def work(connection: Connection) -> list[int]:
        ids = []
        for each in given:
            columns = (
                {"protocol": "http", "address": each, "port": 8080} if isinstance(each, str) else _columns(each, vault)
            )
            ids.append(await add_proxy(connection, now=NOON, in_default_pool=host is None, **(columns | values)))
        if host is not None:
            await proxies.assign(connection, host.id, ids, priority=50)
        return ids

    return await db.write(work)


def _columns(proxy: Listener, vault: Vault) -> dict[str, Any]:
    return {
        "protocol": proxy.url.partition("://")[0],
        "address": "127.0.0.1",
        "port": proxy.port,
        "username": proxy.username,
        "encrypted_password": vault.encrypt(proxy.password) if proxy.password else None,
    }


async def proxy_row(db: Database, proxy_id: int) -> Any:
    async with db.read() as connection:
        return (await connection.execute(sa.select(proxies_table).where(proxies_table.c.id == proxy_id))).one()


async def pair_row(db: Database, proxy_id: int) -> Any:
    mine = sa.select(proxy_standings).where(proxy_standings.c.proxy_id == proxy_id)
    async with db.read() as connection:
        return (await connection.execute(mine)).one()
