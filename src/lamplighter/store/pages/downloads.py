"""SQL about downloaded pages: leases of those to be parsed."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial

import sqlalchemy as sa

from lamplighter import metrics
from lamplighter.model.page import Phase
from lamplighter.model.reading import PageRole
from lamplighter.store.engine.after_commit import after_commit
from lamplighter.store.engine.database import Connection
from lamplighter.store.pages.pages import Downloaded
from lamplighter.store.schema.tables import pages

_COLUMNS = tuple(pages.c[name] for name in Downloaded._fields if name != "seen_hash")


async def claim(
    db: Connection, *, owner: str, now: datetime, until: datetime, limit: int, among: Sequence[int] | None = None
) -> list[Downloaded]:
    """Leases pages that no worker parses yet; only these with `among`."""
    free = sa.or_(pages.c.lease_until.is_(None), pages.c.lease_until <= now)
    waiting = sa.select(pages.c.id, pages.c.lease_until).where(pages.c.phase == Phase.DOWNLOADED, free)
    if among is not None:
        waiting = waiting.where(pages.c.id.in_(sorted(among)))
    chosen = await db.execute(waiting.order_by(pages.c.id).limit(limit).with_for_update(skip_locked=True))
    leases = {row.id: row.lease_until for row in chosen}
    if not leases:
        return []
    rows = await db.execute(
        sa.update(pages)
        .where(pages.c.id.in_(list(leases)), pages.c.phase == Phase.DOWNLOADED, free)
        .values(lease_owner=owner, lease_until=until, parsing_since=None)
        .returning(*_COLUMNS)
    )
    claimed = [Downloaded(*tuple(row))._replace(role=PageRole(row.role)) for row in rows]
    expired = sum(leases[page.id] is not None for page in claimed)
    after_commit(partial(metrics.LEASES_EXPIRED.labels("page").inc, expired))
    return claimed


async def keep(db: Connection, ids: Iterable[int], *, owner: str, until: datetime) -> None:
    """Renews the leases of pages that are still being parsed."""
    mine = sa.and_(pages.c.id.in_(sorted(ids)), pages.c.lease_owner == owner, pages.c.phase == Phase.DOWNLOADED)
    await db.execute(sa.update(pages).where(mine).values(lease_until=until))


async def give_back(db: Connection, ids: Iterable[int], *, owner: str) -> None:
    """Gives up our leases of pages."""
    mine = sa.and_(pages.c.id.in_(sorted(ids)), pages.c.lease_owner == owner)
    await db.execute(sa.update(pages).where(mine).values(lease_owner=None, lease_until=None))


async def note_crash(db: Connection, page_id: int) -> None:
    """Counts a reader that died on this page, before the next try."""
    crashed = sa.update(pages).where(pages.c.id == page_id).values(crash_count=pages.c.crash_count + 1)
    await db.execute(crashed)


async def retries(db: Connection, page_id: int, *, otherwise: int) -> tuple[int, int]:
    """A page's retries in its run, and its maximum of retries; `otherwise` if it has none of its own."""
    said = sa.select(pages.c.retry_count, sa.func.coalesce(pages.c.max_retries, otherwise).label("most"))
    row = (await db.execute(said.where(pages.c.id == page_id))).one()
    return row.retry_count, row.most


async def unknown(db: Connection, ids: Iterable[int]) -> set[int]:
    """Which of these pages do not exist."""
    wanted = set(ids)
    return wanted - set(await db.scalars(sa.select(pages.c.id).where(pages.c.id.in_(sorted(wanted)))))
