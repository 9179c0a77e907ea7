"""SQL about the processes that work on this database."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from lamplighter.model.fleet import Duty, Instance
from lamplighter.store.engine.database import Connection
from lamplighter.store.engine.upsert import insert
from lamplighter.store.schema.tables import instances

#: what changes from one heartbeat to the next
_BEAT = ("heartbeat_at", "figures", "is_stopping")
_EVERYONE = sa.select(instances).order_by(instances.c.started_at, instances.c.id)


async def beat(db: Connection, instance: Instance) -> None:
    """Writes a process's heartbeat; adds the process if its row is missing."""
    row: Mapping[str, Any] = {
        "id": instance.id,
        "kind": instance.kind,
        "machine": instance.machine,
        "pid": instance.pid,
        "duties": sorted(instance.duties),
        "version": instance.version,
        "started_at": instance.started_at,
        "heartbeat_at": instance.heartbeat_at,
        "figures": dict(instance.figures),
        "is_stopping": instance.is_stopping,
    }
    statement = insert(db, instances).values(row)
    said = {name: row[name] for name in _BEAT}
    await db.execute(statement.on_conflict_do_update(index_elements=["id"], set_=said))


async def leave(db: Connection, instance_id: str) -> None:
    """Removes a process that ended."""
    await db.execute(sa.delete(instances).where(instances.c.id == instance_id))


async def everyone(db: Connection) -> list[Instance]:
    """All known processes, the oldest first."""
    return [_instance(row) for row in await db.execute(_EVERYONE)]


async def get(db: Connection, instance_id: str) -> Instance | None:
    """The process with this id; None when it has left or is unknown."""
    row = (await db.execute(sa.select(instances).where(instances.c.id == instance_id))).one_or_none()
    return _instance(row) if row is not None else None


async def forget(db: Connection, *, before: datetime) -> None:
    """Removes processes without a heartbeat since then."""
    await db.execute(sa.delete(instances).where(instances.c.heartbeat_at < before))


def _instance(row: Any) -> Instance:
    return Instance(
        id=row.id,
        kind=row.kind,
        machine=row.machine,
        pid=row.pid,
        duties=frozenset(Duty(name) for name in row.duties),
        version=row.version,
        started_at=row.started_at,
        heartbeat_at=row.heartbeat_at,
        figures=row.figures,
        is_stopping=row.is_stopping,
    )
