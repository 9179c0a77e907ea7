"""SQL about the processes that work on this database."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa

from lamplighter.model.fleet import Duty, Instance
from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.engine.upsert import insert
from lamplighter.store.schema.tables import instances

#: what changes from one heartbeat to the next
_BEAT = ("heartbeat_at", "figures", "is_stopping")
_EVERYONE = sa.select(instances).order_by(instances.c.started_at, instances.c.id)


async def beat(db: Connection, instance: Instance) -> None:
    """Writes a process's heartbeat; adds the process if its row is missing."""
    row: dict[str, Any] = {column.name: getattr(instance, column.name) for column in instances.c}
    row |= {"duties": sorted(instance.duties), "figures": dict(instance.figures)}
    said = {name: row[name] for name in _BEAT}
    await db.execute(insert(db, instances).values(row).on_conflict_do_update(index_elements=["id"], set_=said))


async def leave(db: Connection, instance_id: str) -> None:
    """Removes a process that ended."""
    await db.execute(sa.delete(instances).where(instances.c.id == instance_id))


async def everyone(db: Connection) -> list[Instance]:
    """All known processes, the oldest first."""
    return [_instance(row) for row in await db.execute(_EVERYONE)]


async def get(db: Connection, instance_id: str) -> Instance | None:
    """The process with this id; None when it has left or is unknown."""
    return await queries.one(db, sa.select(instances).where(instances.c.id == instance_id), _instance)


async def forget(db: Connection, *, before: datetime) -> None:
    """Removes processes without a heartbeat since then."""
    await db.execute(sa.delete(instances).where(instances.c.heartbeat_at < before))


def _instance(row: Any) -> Instance:
    return Instance(**{**row._mapping, "duties": frozenset(map(Duty, row.duties))})
