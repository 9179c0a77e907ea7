"""Writes many sources at once: a few statements for any number of sources."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import uuid4

import sqlalchemy as sa

from lamplighter.model.access import Stamp
from lamplighter.model.source import Source
from lamplighter.store.engine.after_commit import Signal, signal
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import audit_log, events, sources
from lamplighter.store.sources.sources import COLUMNS, difference, source_of


class SourceEdit(NamedTuple):
    """A change of a source, with its event and its entry in the audit log."""

    source: Source
    #: the source as it is to be stored
    becomes: Source
    event: str
    payload: Mapping[str, Any]
    before: Mapping[str, Any]
    after: Mapping[str, Any]


async def ids_of(db: Connection, public_ids: Sequence[str]) -> dict[str, int]:
    """Public id -> id, without implicit sources."""
    is_own = sa.and_(sources.c.public_id.in_(public_ids), sources.c.is_implicit.is_(sa.false()))
    query = sa.select(sources.c.public_id, sources.c.id).where(is_own)
    return {row.public_id: row.id for row in await db.execute(query)}


async def lock(db: Connection, ids: Iterable[int]) -> list[Source]:
    """These sources, locked until the transaction ends."""
    query = sa.select(*COLUMNS).where(sources.c.id.in_(sorted(ids))).order_by(sources.c.id).with_for_update()
    return [source_of(row) for row in await db.execute(query)]


async def write(db: Connection, edits: Sequence[SourceEdit], *, stamp: Stamp, action: str) -> None:
    """Changes sources; writes an event and a line of the audit log for each."""
    if not edits:
        return
    alike: dict[tuple[tuple[str, Any], ...], list[int]] = {}
    for edit in edits:
        alike.setdefault(tuple(difference(edit.source, edit.becomes).items()), []).append(edit.source.id)
    for values, ids in alike.items():
        changed = sa.update(sources).where(sources.c.id.in_(ids))
        await db.execute(changed.values(updated_at=stamp.now, **dict(values)))
    await db.execute(sa.insert(events), [_event(edit, stamp.now) for edit in edits])
    signal(Signal.EVENTS)
    noted = {"at": stamp.now, "actor": stamp.actor, "action": action}
    await db.execute(sa.insert(audit_log), [noted | _change(edit) for edit in edits])


def _event(edit: SourceEdit, now: datetime) -> dict[str, Any]:
    about = {"source_id": edit.source.id, "source_public_id": edit.source.public_id, "payload": dict(edit.payload)}
    return {"event_id": str(uuid4()), "type": edit.event, "created_at": now, **about}


def _change(edit: SourceEdit) -> dict[str, Any]:
    return {"subject": edit.source.url, "before": dict(edit.before), "after": dict(edit.after)}
