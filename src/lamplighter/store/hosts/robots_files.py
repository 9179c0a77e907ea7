"""SQL about robots.txt files, one per origin."""

from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa

from lamplighter.model.fields import loaded
from lamplighter.model.host import RobotsFile, RobotsState
from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.engine.upsert import insert
from lamplighter.store.schema.tables import robots_files


class RobotsStatus(NamedTuple):
    """The result of fetching a robots.txt, without its text."""

    origin: str
    state: RobotsState
    status: int | None
    detail: str | None
    fetched_at: datetime
    expires_at: datetime


async def get(db: Connection, origin: str) -> RobotsFile | None:
    """The robots.txt of an origin as last fetched."""
    query = sa.select(robots_files).where(robots_files.c.origin == origin)
    return await queries.one(db, query, lambda row: RobotsFile(**loaded(row._mapping, RobotsFile)))


async def save(db: Connection, file: RobotsFile) -> None:
    """Stores the result of fetching a robots.txt."""
    values = asdict(file)
    changes = {name: value for name, value in values.items() if name != "origin"}
    statement = insert(db, robots_files).values(**values)
    await db.execute(statement.on_conflict_do_update(index_elements=["origin"], set_=changes))


async def known(db: Connection, origins: Iterable[str]) -> dict[str, RobotsStatus]:
    """Origin -> its robots.txt status, for origins that have one."""
    columns = [robots_files.c[name] for name in RobotsStatus._fields]
    rows = await db.execute(sa.select(*columns).where(robots_files.c.origin.in_(sorted(origins))))
    return {row.origin: RobotsStatus._make(row)._replace(state=RobotsState(row.state)) for row in rows}
