"""Watches the crawl pause: each process reads it every second, so that a check needs no query."""

from lamplighter import telemetry
from lamplighter.crawl.process.bells import Bells
from lamplighter.errors import CrawlPaused
from lamplighter.model.fleet import CrawlPause
from lamplighter.store.engine.database import Database
from lamplighter.store.fleet import crawl_pause

log = telemetry.logger("crawl")


class CrawlPauseWatch:
    """Caches the crawl pause; while the database is away, the last value applies."""

    def __init__(self, db: Database, *, bells: Bells) -> None:
        self._db = db
        self._bells = bells
        #: the crawl pause; None while crawling is not paused
        self.current: CrawlPause | None = None

    async def look(self) -> None:
        """Reads the crawl pause; when crawling resumes, wakes the loops."""
        before = self.current
        self.current = await self._db.look(crawl_pause.get)
        if before is None and self.current is not None:
            log.warning("crawl.paused", by=self.current.paused_by, reason=self.current.reason)
        elif before is not None and self.current is None:
            log.info("crawl.resumed")
            for bell in (self._bells.jobs, self._bells.tasks, self._bells.hosts):
                bell.ring()

    def refuse(self) -> None:
        """The last check before a run's request: raises if crawling is paused."""
        if self.current is not None:
            raise CrawlPaused(self.current.sentence)
