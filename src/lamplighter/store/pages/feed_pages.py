"""SQL about feeds that a source announces: pages that are polled between runs, marked by their reason."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.page import POLLED_FEED, Phase
from lamplighter.model.reading import PageRole
from lamplighter.store.engine.database import Connection
from lamplighter.store.pages import page_validators, pages
from lamplighter.store.pages.pages import OPEN_PHASES, NewPage
from lamplighter.store.schema.tables import crawl_jobs, sources
from lamplighter.store.schema.tables import pages as table

#: written like the condition of ix_pages_reason
_IS_FEED = table.c.reason == POLLED_FEED


class FeedPage(NamedTuple):
    """A feed of a source."""

    id: int
    source_id: int
    url: str
    content_hash: str | None
    #: when it was last fetched; None before the first poll
    fetched_at: datetime | None
    #: when it last had something new
    changed_at: datetime | None
    #: when it is polled next
    rest_until: datetime | None
    etag: str | None
    last_modified: str | None

    @property
    def validators(self) -> Any:
        """For a conditional request."""
        return page_validators.of_row(self)


_COLUMNS = [table.c[name] for name in FeedPage._fields]
_BY_SOURCE = sa.select(*_COLUMNS).where(_IS_FEED, table.c.source_id == sa.bindparam("source")).order_by(table.c.id)
_DUE = (
    sa.select(*_COLUMNS)
    .join(sources, sources.c.id == table.c.source_id)
    .join(crawl_jobs, crawl_jobs.c.source_id == sources.c.id)
    .where(_IS_FEED, sources.c.enabled, sources.c.deleted_at.is_(None), crawl_jobs.c.deleted_at.is_(None))
    .where(crawl_jobs.c.state.not_in(("paused", "cancelled")))
    .where(sa.or_(table.c.rest_until.is_(None), table.c.rest_until <= sa.bindparam("now")))
    .order_by(table.c.rest_until.nulls_first(), table.c.id)
    .limit(sa.bindparam("most", type_=sa.Integer))
)


async def note(db: Connection, source_id: int, feeds: Iterable[NewPage]) -> None:
    """Remembers feeds of a source; a page that is known as a mere link becomes one."""
    new = list(feeds)
    await pages.add(db, new)
    keys = [page.url_key for page in new]
    mere = sa.and_(table.c.source_id == source_id, table.c.url_key.in_(keys), table.c.role == PageRole.LINK)
    marked = sa.update(table).where(mere, table.c.reason.is_(None), table.c.phase.not_in(OPEN_PHASES))
    await db.execute(marked.values(reason=POLLED_FEED, phase=Phase.COMPLETED))


async def of_source(db: Connection, source_id: int) -> list[FeedPage]:
    """The feeds of a source."""
    return [FeedPage._make(row) for row in await db.execute(_BY_SOURCE, {"source": source_id})]


async def due(db: Connection, *, now: datetime, limit: int) -> list[FeedPage]:
    """The feeds to poll now: those of sources that are crawled, the longest overdue first."""
    return [FeedPage._make(row) for row in await db.execute(_DUE, {"now": now, "most": limit})]
