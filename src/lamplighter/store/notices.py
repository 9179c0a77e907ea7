"""SQL about what somebody may want to be told of: written with what happened, taken by who hands it out."""

from collections.abc import Iterable

import sqlalchemy as sa

from lamplighter.model.notice import Notice, NoticeKind
from lamplighter.store.database import Connection
from lamplighter.store.tables import notices


async def write(db: Connection, some: Iterable[Notice]) -> None:
    """Notes what happened, in the transaction in which it did."""
    rows = [{"kind": each.kind, "at": each.at, "source_id": each.source_id, "data": each.data} for each in some]
    if rows:
        await db.execute(sa.insert(notices), rows)


async def are_there(db: Connection) -> bool:
    """Whether there is anything to hand out."""
    return bool(await db.scalar(sa.select(sa.exists().where(notices.c.id.is_not(None)))))


async def take(db: Connection, *, limit: int) -> list[Notice]:
    """The oldest that nobody has handed out, in their order; they are gone when the transaction ends well."""
    first = sa.select(notices.c.id).order_by(notices.c.id).limit(limit).with_for_update(skip_locked=True)
    rows = (await db.execute(sa.delete(notices).where(notices.c.id.in_(first)).returning(notices))).all()
    return [
        Notice(kind=NoticeKind(row.kind), at=row.at, source_id=row.source_id, data=row.data)
        for row in sorted(rows, key=lambda row: row.id)
    ]
