"""Polls the feeds of sources between their runs: a new entry announces that the source has changed."""

from datetime import datetime, timedelta
from typing import Any

from lamplighter import telemetry
from lamplighter.crawl.planning.planner import Planner
from lamplighter.crawl.reading.announcements import TRUST
from lamplighter.crawl.reading.reader_messages import Digest, PageWork
from lamplighter.crawl.reading.reader_pool import NoReader, ReaderPool, Unreadable
from lamplighter.fetch.door import Door
from lamplighter.model.page import POLLED_FEED
from lamplighter.model.reading import PageRole
from lamplighter.model.recipe import EMPTY
from lamplighter.model.visit import Fetched, NotModified, Visit
from lamplighter.ports import Clock
from lamplighter.rules.urls.scope import LinkScope
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.fleet import crawl_pause
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.pages import feed_pages, page_validators, pages
from lamplighter.store.pages.feed_pages import FeedPage
from lamplighter.store.sources import sources

log = telemetry.logger("feeds")
_BATCH = 20
#: a feed that cannot be fetched or read waits this many times as long
_AFTER_FAILURE = 4
_NO_LINKS = LinkScope(hostnames=(), max_depth=0)


class FeedPoller:
    """Polls due feeds, one after the other, each in its host's turn."""

    def __init__(
        self, db: Database, *, door: Door, pool: ReaderPool, planner: Planner, clock: Clock, every: timedelta
    ) -> None:
        self._db = db
        self._door = door
        self._pool = pool
        self._planner = planner
        self._clock = clock
        self._every = every

    async def poll(self) -> None:
        """Polls the feeds that are due."""
        now = self._clock.now()
        async with self._db.read() as db:
            if await crawl_pause.get(db) is not None:
                return
            due = await feed_pages.due(db, now=now, limit=_BATCH)
        for feed in due:
            await self._poll(feed)

    async def _poll(self, feed: FeedPage) -> None:
        visit = (await self._door.fetcher.fetch_once(feed.url, validators=feed.validators)).visit
        digest = await self._read(feed, visit) if isinstance(visit, Fetched) else None
        await self._db.write(lambda db: self._save(db, feed, visit, digest))

    async def _read(self, feed: FeedPage, visit: Fetched) -> Digest | None:
        """The entries; None when the feed cannot be read. It is parsed in a process that can be killed."""
        work = PageWork(
            page_id=feed.id,
            url=visit.url,
            source_url=feed.url,
            depth=0,
            body=visit.body,
            content_type=visit.content_type,
            robots_tag=None,
            usage=None,
            agent=self._door.robots.token.lower(),
            kind=None,
            recipe=EMPTY,
            scope=_NO_LINKS,
            role=PageRole.LINK,
        )
        try:
            (digest,) = await self._pool.read([work], now=self._clock.now())
        except (Unreadable, NoReader) as error:
            log.warning("feed.unreadable", url=feed.url, error=str(error))
            return None
        return digest if digest.records else None

    async def _save(self, db: Connection, feed: FeedPage, visit: Visit, digest: Digest | None) -> None:
        now = self._clock.now()
        is_fetched = digest is not None or isinstance(visit, NotModified)
        wait = max(self._every, (digest.ttl if digest is not None else None) or self._every)
        row: dict[str, Any] = {"page": feed.id, "reason": POLLED_FEED}
        row["rest_until"] = now + (wait if is_fetched else _AFTER_FAILURE * self._every)
        if is_fetched:
            row["fetched_at"] = now
        is_news = digest is not None and feed.content_hash not in (None, digest.content_hash)
        if digest is not None and isinstance(visit, Fetched):
            # The validators are those of this response: an older body of the page must not go with them.
            row |= pages.body_values(None) | page_validators.values(visit.validators)
            row["content_hash"] = digest.content_hash
        if is_news:
            row["changed_at"] = now
        await pages.save(db, [row])
        if is_news:
            await self._announce(db, feed, now=now)

    async def _announce(self, db: Connection, feed: FeedPage, *, now: datetime) -> None:
        job = await crawl_jobs.of_source(db, feed.source_id)
        job = await crawl_jobs.lock(db, job.id) if job is not None else None
        if job is None or job.learnt is None or job.learnt.visited_at is None or job.learnt.signal:
            return
        changes = await self._planner.after_announcement(db, job, probability=TRUST, now=now)
        await crawl_jobs.change(db, job.id, changes, now=now)
        log.info("feed.announced", url=feed.url, source_id=await sources.public_id(db, feed.source_id))
