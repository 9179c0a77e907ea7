"""SQL about the processes that work on this database."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from lamplighter.model.fleet import Duty, Instance, PastRequest
from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.engine.upsert import insert
from lamplighter.store.schema.tables import instances

#: what changes from one heartbeat to the next
_BEAT = ("heartbeat_at", "figures", "requests", "is_stopping")
#: without the requests, which only the lanes of hosts need
_COLUMNS = tuple(column for column in instances.c if column is not instances.c.requests)
_EVERYONE = sa.select(*_COLUMNS).order_by(instances.c.started_at, instances.c.id)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


async def beat(db: Connection, instance: Instance, requests: Sequence[PastRequest] = ()) -> None:
    """Writes a process's heartbeat with its latest requests; adds the process if its row is missing."""
    row: dict[str, Any] = {column.name: getattr(instance, column.name) for column in _COLUMNS}
    row |= {"duties": sorted(instance.duties), "figures": dict(instance.figures)}
    row["requests"] = [_form(past) for past in requests]
    said = {name: row[name] for name in _BEAT}
    await db.execute(insert(db, instances).values(row).on_conflict_do_update(index_elements=["id"], set_=said))


async def leave(db: Connection, instance_id: str) -> None:
    """Removes a process that ended."""
    await db.execute(sa.delete(instances).where(instances.c.id == instance_id))


async def everyone(db: Connection) -> list[Instance]:
    """All known processes, the oldest first."""
    return [_instance(row) for row in await db.execute(_EVERYONE)]


async def requests_of_others(db: Connection, instance_id: str, *, since: datetime) -> list[PastRequest]:
    """The latest requests of all processes but this one, as of their last heartbeats."""
    others = sa.select(instances.c.requests).where(instances.c.id != instance_id, instances.c.heartbeat_at >= since)
    found = (_past(form) for forms in await db.scalars(others) for form in forms or ())
    return [past for past in found if past.ended_at >= since]


async def get(db: Connection, instance_id: str) -> Instance | None:
    """The process with this id; None when it has left or is unknown."""
    return await queries.one(db, sa.select(*_COLUMNS).where(instances.c.id == instance_id), _instance)


async def forget(db: Connection, *, before: datetime) -> None:
    """Removes processes without a heartbeat since then."""
    await db.execute(sa.delete(instances).where(instances.c.heartbeat_at < before))


def _instance(row: Any) -> Instance:
    return Instance(**{**row._mapping, "duties": frozenset(map(Duty, row.duties))})


def _form(past: PastRequest) -> list[Any]:
    """Times in microseconds: there may be hundreds in every heartbeat."""
    spans = (past.began_at - _EPOCH, past.ended_at - past.began_at, past.delay)
    return [past.host, *(span // _MICROSECOND for span in spans), past.is_shared, past.outcome]


def _past(form: list[Any]) -> PastRequest:
    host, began, took, delay, is_shared, outcome = form
    began_at = _EPOCH + began * _MICROSECOND
    return PastRequest(host, began_at, began_at + took * _MICROSECOND, delay * _MICROSECOND, is_shared, outcome)
