"""SQL about the crawl pause: one row while all crawling is paused, none otherwise."""

import sqlalchemy as sa

from lamplighter.model.fleet import CrawlPause
from lamplighter.store.engine.database import Connection
from lamplighter.store.engine.upsert import insert
from lamplighter.store.schema.tables import crawl_pause

_NAME = "crawl"
_COLUMNS = (crawl_pause.c.since, crawl_pause.c.paused_by, crawl_pause.c.reason)


async def get(db: Connection) -> CrawlPause | None:
    """The crawl pause; None without one."""
    row = (await db.execute(sa.select(*_COLUMNS).where(crawl_pause.c.name == _NAME))).one_or_none()
    return CrawlPause(**row._mapping) if row is not None else None


async def begin(db: Connection, wanted: CrawlPause) -> bool:
    """Pauses all crawling; False when it was paused already."""
    row = {"since": wanted.since, "paused_by": wanted.paused_by, "reason": wanted.reason}
    statement = insert(db, crawl_pause).values(name=_NAME, **row).on_conflict_do_nothing(index_elements=["name"])
    return (await db.execute(statement.returning(crawl_pause.c.name))).first() is not None


async def end(db: Connection) -> CrawlPause | None:
    """Resumes crawling and returns the pause that ended; None without a pause."""
    gone = sa.delete(crawl_pause).where(crawl_pause.c.name == _NAME).returning(*_COLUMNS)
    row = (await db.execute(gone)).one_or_none()
    return CrawlPause(**row._mapping) if row is not None else None
