"""SQL about the processes that work on this database."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from lamplighter.model.fleet import Duty, Instance
from lamplighter.store.database import Connection
from lamplighter.store.tables import instances
from lamplighter.store.upsert import insert

#: what changes from one heartbeat to the next
_BEAT = ("heartbeat_at", "figures", "is_stopping")
_EVERYONE = sa.select(instances).order_by(instances.c.started_at, instances.c.id)


async def beat(db: Connection, instance: Instance) -> None:
    """Says that a process is there; one that somebody took for lost is there again."""
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
    """A process has ended as it should."""
    await db.execute(sa.delete(instances).where(instances.c.id == instance_id))


async def everyone(db: Connection) -> list[Instance]:
    """All that are known, the longest there first."""
    return [_instance(row) for row in await db.execute(_EVERYONE)]


async def get(db: Connection, instance_id: str) -> Instance | None:
    """The process with this name; None when it has left, or was never there."""
    row = (await db.execute(sa.select(instances).where(instances.c.id == instance_id))).one_or_none()
    return _instance(row) if row is not None else None


async def forget(db: Connection, *, before: datetime) -> None:
    """Removes those of whom nothing was heard since then."""
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
