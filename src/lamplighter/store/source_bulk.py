"""SQL about many sources at once: a handful of statements, however many there are."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol
from uuid import uuid4

import sqlalchemy as sa

from lamplighter.store.database import Connection
from lamplighter.store.sources import SourceRow
from lamplighter.store.tables import audit_log, events, sources


class Written(Protocol):
    """What is written into a source, and what is told of it: to those who act on it, and to those who ask later."""

    @property
    def source(self) -> SourceRow: ...
    @property
    def values(self) -> Mapping[str, Any]: ...
    @property
    def event(self) -> str: ...
    @property
    def payload(self) -> Mapping[str, Any]: ...
    @property
    def before(self) -> Mapping[str, Any]: ...
    @property
    def after(self) -> Mapping[str, Any]: ...


async def ids_of(db: Connection, public_ids: Sequence[str]) -> dict[str, int]:
    """Public id -> id, of those that an operator added."""
    is_own = sa.and_(sources.c.public_id.in_(public_ids), sources.c.is_implicit.is_(sa.false()))
    query = sa.select(sources.c.public_id, sources.c.id).where(is_own)
    return {row.public_id: row.id for row in await db.execute(query)}


async def lock(db: Connection, ids: Iterable[int]) -> list[SourceRow]:
    """These sources, held against other writers until the transaction ends."""
    columns = (sources.c[name] for name in SourceRow._fields)
    query = sa.select(*columns).where(sources.c.id.in_(sorted(ids))).order_by(sources.c.id).with_for_update()
    return [SourceRow._make(row) for row in await db.execute(query)]


async def write(db: Connection, edits: Sequence[Written], *, actor: str, action: str, now: datetime) -> None:
    """Changes sources, with the event and the line of the audit log that tell of each."""
    if not edits:
        return
    alike: dict[tuple[tuple[str, Any], ...], list[int]] = {}
    for edit in edits:
        alike.setdefault(tuple(edit.values.items()), []).append(edit.source.id)
    for values, ids in alike.items():
        changed = sa.update(sources).where(sources.c.id.in_(ids))
        await db.execute(changed.values(updated_at=now, **dict(values)))
    await db.execute(sa.insert(events), [_event(edit, now) for edit in edits])
    noted = {"at": now, "actor": actor, "action": action}
    await db.execute(sa.insert(audit_log), [noted | _change(edit) for edit in edits])


def _event(edit: Written, now: datetime) -> dict[str, Any]:
    return {
        "event_id": str(uuid4()),
        "type": edit.event,
        "source_id": edit.source.id,
        "source_public_id": edit.source.public_id,
        "payload": dict(edit.payload),
        "created_at": now,
    }


def _change(edit: Written) -> dict[str, Any]:
    return {"subject": edit.source.url, "before": dict(edit.before), "after": dict(edit.after)}
