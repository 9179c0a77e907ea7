"""SQL about encrypted values: recipe secrets, proxy passwords, source cookies, channel targets and secrets."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection, rows_written
from lamplighter.store.engine.upsert import insert
from lamplighter.store.schema.tables import notification_channels as channels
from lamplighter.store.schema.tables import proxies, secrets, source_cookies


class SecretInfo(NamedTuple):
    """A secret without its value."""

    name: str
    #: to which it may be sent; a secret from before hosts were named has none
    hosts: tuple[str, ...]
    updated_at: datetime


class SealedSecret(NamedTuple):
    """An encrypted value with its hosts."""

    value: bytes
    hosts: tuple[str, ...]


_INFO = sa.select(secrets.c.name, secrets.c.hosts, secrets.c.updated_at)


async def put(db: Connection, name: str, sealed: bytes, *, hosts: Sequence[str], now: datetime) -> None:
    """Stores or replaces the secret of this name."""
    row = {"encrypted_value": sealed, "hosts": " ".join(hosts), "updated_at": now}
    statement = insert(db, secrets).values(name=name, **row)
    await db.execute(statement.on_conflict_do_update(index_elements=["name"], set_=row))


async def set_hosts(db: Connection, name: str, hosts: Sequence[str], *, now: datetime) -> None:
    """Binds a secret to these hosts."""
    mine = sa.update(secrets).where(secrets.c.name == name)
    await db.execute(mine.values(hosts=" ".join(hosts), updated_at=now))


async def get(db: Connection, name: str) -> SecretInfo | None:
    """The secret with this name, without its value."""
    return await queries.one(db, _INFO.where(secrets.c.name == name), _info)


async def listed(db: Connection, *, limit: int, offset: int) -> list[SecretInfo]:
    """One page of all secrets, by name, without values."""
    query = _INFO.order_by(secrets.c.name).limit(limit).offset(offset)
    return [_info(row) for row in await db.execute(query)]


async def count(db: Connection) -> int:
    """Counts the secrets."""
    return await queries.count(db, secrets)


async def remove(db: Connection, name: str) -> None:
    """Deletes a secret."""
    await db.execute(sa.delete(secrets).where(secrets.c.name == name))


async def sealed_values(db: Connection) -> dict[str, SealedSecret]:
    """Every recipe secret, encrypted."""
    query = sa.select(secrets.c.name, secrets.c.encrypted_value, secrets.c.hosts)
    return {row.name: SealedSecret(row.encrypted_value, tuple(row.hosts.split())) for row in await db.execute(query)}


def _info(row: Any) -> SecretInfo:
    return SecretInfo(name=row.name, hosts=tuple(row.hosts.split()), updated_at=row.updated_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """One encrypted value of any table."""

    #: a key of `_PLACES`, and the row's own key
    kind: str
    key: str | int
    value: bytes

    @property
    def label(self) -> str:
        """Its name in messages."""
        return f"{self.kind} {self.key}"


_PLACES = {
    "secret": (secrets, secrets.c.name, secrets.c.encrypted_value),
    "proxy": (proxies, proxies.c.id, proxies.c.encrypted_password),
    "target of channel": (channels, channels.c.name, channels.c.encrypted_target),
    "secret of channel": (channels, channels.c.name, channels.c.encrypted_secret),
    "cookie": (source_cookies, source_cookies.c.id, source_cookies.c.encrypted_value),
}


async def everything_sealed(db: Connection) -> Sequence[Sealed]:
    """All encrypted values."""
    found = []
    for kind, (_, key, value) in _PLACES.items():
        query = sa.select(key.label("key"), value.label("value")).where(value.is_not(None)).order_by(key)
        found += [Sealed(kind=kind, key=row.key, value=row.value) for row in await db.execute(query)]
    return found


async def reseal(db: Connection, old: Sealed, sealed: bytes) -> bool:
    """Stores a value encrypted with another key; False if it changed meanwhile."""
    table, key, value = _PLACES[old.kind]
    mine = sa.and_(key == old.key, value == old.value)
    return rows_written(await db.execute(sa.update(table).where(mine).values({value: sealed}))) == 1
