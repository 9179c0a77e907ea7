"""SQL about the sources to which submitted pages belong: each host has at most one."""

from typing import NamedTuple

import sqlalchemy as sa

from lamplighter.store.database import Connection
from lamplighter.store.tables import hosts


class TaskHost(NamedTuple):
    """A host, as far as pages submitted for it need to know."""

    id: int
    key: str
    #: the source that such pages belong to; None before the first
    task_source_id: int | None
    #: how often such pages are asked for when nothing is said; None leaves it to whoever submits them
    task_frequency_seconds: int | None
    #: what its pages hold, if that is the name of a kind of record; None when nobody made it a domain
    parser_name: str | None


_COLUMNS = tuple(hosts.c[name] for name in TaskHost._fields)


async def get(db: Connection, host_id: int) -> TaskHost | None:
    """The host with this id, held against other writers until the transaction ends."""
    return await _one(db, hosts.c.id == host_id)


async def by_key(db: Connection, key: str) -> TaskHost | None:
    """The host with this key, held against other writers until the transaction ends."""
    return await _one(db, hosts.c.key == key)


async def _one(db: Connection, which: sa.ColumnElement[bool]) -> TaskHost | None:
    row = (await db.execute(sa.select(*_COLUMNS).where(which).with_for_update())).one_or_none()
    return TaskHost._make(row) if row is not None else None


async def assign(db: Connection, host_id: int, source_id: int) -> None:
    """From now on pages submitted for this host belong to this source."""
    await db.execute(sa.update(hosts).where(hosts.c.id == host_id).values(task_source_id=source_id))


async def id_of(db: Connection, key: str) -> int | None:
    """The id of the host with this key; None when we have not met it."""
    found: int | None = await db.scalar(sa.select(hosts.c.id).where(hosts.c.key == key))
    return found
