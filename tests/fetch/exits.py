"""Proxies in the database, a clock that the test moves, and what is stored of both."""

from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from cryptography.fernet import Fernet

from lamplighter.adapters.clocks import DatabaseClock
from lamplighter.adapters.key_ring import KeyRing
from lamplighter.fetch.exit_book import ExitBook
from lamplighter.model.host import Host, HostPolicy
from lamplighter.ports import Vault
from lamplighter.store import hosts, proxies
from lamplighter.store.database import Connection, Database
from lamplighter.store.tables import proxies as proxies_table
from lamplighter.store.tables import proxy_standings
from tests.moments import NOON
from tests.proxies.listener import Listener

VAULT: Vault = KeyRing([Fernet.generate_key().decode()], named="the tests")


class TestClock:
    """Stands still until it is moved."""

    __test__ = False

    def __init__(self) -> None:
        self.at = NOON

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return self.at.timestamp()

    def move(self, **by: float) -> None:
        self.at += timedelta(**by)


def a_book(db: Database, clock: TestClock | DatabaseClock, *, vault: Vault = VAULT) -> ExitBook:
    return ExitBook(db, clock=clock, vault=vault, trusted=())


async def a_host(db: Database, key: str = "shop.example", **policy: Any) -> Host:
    """A host as it is stored, with this policy."""

    async def work(connection: Connection) -> Host:
        await hosts.set_policy(connection, key, now=NOON, **policy)
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
            ids.append(await proxies.add(connection, now=NOON, in_default_pool=host is None, **(columns | values)))
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
