"""SQL about robots.txt files, one per origin."""

from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa

from lamplighter.model.host import RobotsFile, RobotsState
from lamplighter.store.database import Connection
from lamplighter.store.tables import robots_files
from lamplighter.store.upsert import insert


class Known(NamedTuple):
    """How asking for a robots.txt turned out, without its text."""

    origin: str
    state: RobotsState
    status: int | None
    detail: str | None
    fetched_at: datetime
    expires_at: datetime


async def get(db: Connection, origin: str) -> RobotsFile | None:
    """The robots.txt of an origin as last seen."""
    row = (await db.execute(sa.select(robots_files).where(robots_files.c.origin == origin))).one_or_none()
    if row is None:
        return None
    return RobotsFile(
        origin=row.origin,
        state=RobotsState(row.state),
        body=row.body,
        status=row.status,
        detail=row.detail,
        failure_count=row.failure_count,
        fetched_at=row.fetched_at,
        expires_at=row.expires_at,
        led_to=row.led_to,
        hops=row.hops,
    )


async def save(db: Connection, file: RobotsFile) -> None:
    """Stores what asking for a robots.txt gave."""
    values = asdict(file)
    changes = {name: value for name, value in values.items() if name != "origin"}
    await db.execute(
        insert(db, robots_files).values(**values).on_conflict_do_update(index_elements=["origin"], set_=changes)
    )


async def known(db: Connection, origins: Iterable[str]) -> dict[str, Known]:
    """Of which of these origins the robots.txt was asked for, and how that turned out."""
    columns = [robots_files.c[name] for name in Known._fields]
    rows = await db.execute(sa.select(*columns).where(robots_files.c.origin.in_(sorted(origins))))
    return {row.origin: Known._make(row)._replace(state=RobotsState(row.state)) for row in rows}
