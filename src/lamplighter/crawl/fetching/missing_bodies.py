"""Fetches pages again whose bodies are gone from the archive."""

from collections.abc import Callable, Iterable
from datetime import datetime

from lamplighter import telemetry
from lamplighter.model.page import Phase
from lamplighter.ports import Clock
from lamplighter.rules.hosts import politeness
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.hosts import hosts
from lamplighter.store.pages import bodies, downloads, pages
from lamplighter.store.pages.pages import Downloaded
from lamplighter.store.runs import crawl_runs

log = telemetry.logger("parse")


class MissingBodies:
    """Makes pages pending again, as often as a page is retried after failed fetches."""

    def __init__(self, db: Database, *, clock: Clock, page_retries: int, wake: Callable[[Iterable[int]], None]) -> None:
        self._db = db
        self._clock = clock
        self._page_retries = page_retries
        #: says that hosts have pages to fetch
        self._wake = wake

    async def fetch_again(self, page: Downloaded) -> bool:
        """Has a page fetched again if its run is still open; False if it has no retry left.

        If its body is missing again and again, this process uses another archive than the process that fetched
        it. That must not load the site: the page is fetched no more often than after failed fetches.
        """
        log.warning("parse.body_missing", url=page.url)
        now = self._clock.now()
        woken = await self._db.write(lambda db: self._put_back(db, page, now=now))
        if woken is None:
            return False
        self._wake(woken)
        return True

    async def _put_back(self, db: Connection, page: Downloaded, *, now: datetime) -> list[int] | None:
        """The hosts to wake; None when the page has no retry left."""
        is_open = await crawl_runs.lock_open(db, [page.run_id])
        waiting = await pages.still_in(db, [page.id], Phase.DOWNLOADED)
        if not is_open or not waiting:
            return []
        if waiting[page.id].body_key != page.body_key:  # its body moved meanwhile, and can be read from there
            await pages.save(db, [{"page": page.id, "lease_owner": None, "lease_until": None}])
            return []
        retries, most = await downloads.retries(db, page.id, otherwise=self._page_retries)
        if retries >= max(1, most):
            return None
        row = pages.body_values(None) | {
            "page": page.id,
            "phase": Phase.PENDING,
            "retry_count": retries + 1,
            "due_at": now + politeness.page_backoff(retries) if retries else None,
            "lease_owner": None,
            "lease_until": None,
        }
        await bodies.lost(db, page.id, page.body_key)
        await pages.save(db, [row])
        woken = await pages.hosts_of(db, [page.id])
        await hosts.wake(db, woken, now=now)
        return woken
