"""Queries for implicit sources, to which tasks belong: a host has at most one."""

from typing import NamedTuple

import sqlalchemy as sa

from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import hosts


class TaskHost(NamedTuple):
    """The settings of a host for its tasks."""

    id: int
    key: str
    #: the source that its tasks belong to; None before the first
    task_source_id: int | None
    #: the default interval of tasks; None leaves it to the caller who submits them
    task_frequency_seconds: int | None
    #: the kind of record on its pages, if it names one; None when the host is not a domain
    parser_name: str | None


_COLUMNS = tuple(hosts.c[name] for name in TaskHost._fields)


async def get(db: Connection, host_id: int) -> TaskHost | None:
    """The host with this id, locked until the transaction ends."""
    return await _one(db, hosts.c.id == host_id)


async def by_key(db: Connection, key: str) -> TaskHost | None:
    """The host with this key, locked until the transaction ends."""
    return await _one(db, hosts.c.key == key)


async def _one(db: Connection, which: sa.ColumnElement[bool]) -> TaskHost | None:
    return await queries.one(db, sa.select(*_COLUMNS).where(which).with_for_update(), TaskHost._make)


async def assign(db: Connection, host_id: int, source_id: int) -> None:
    """Makes this source the implicit source of a host."""
    await db.execute(sa.update(hosts).where(hosts.c.id == host_id).values(task_source_id=source_id))


async def id_of(db: Connection, key: str) -> int | None:
    """The id of the host with this key; None when it is unknown."""
    found: int | None = await db.scalar(sa.select(hosts.c.id).where(hosts.c.key == key))
    return found
