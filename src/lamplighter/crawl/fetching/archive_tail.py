"""Finds what a process archived and did not store before it died, so that its successor does not ask the site again."""

import asyncio
import hashlib
from datetime import datetime, timedelta
from typing import NamedTuple

from lamplighter import telemetry
from lamplighter.model.capture import Capture
from lamplighter.model.page import Page
from lamplighter.ports import Archive, Clock, StrayCapture
from lamplighter.rules.urls import urls
from lamplighter.store.engine.database import Database
from lamplighter.store.pages import bodies
from lamplighter.store.pages.bodies import NewBody
from lamplighter.store.runs import crawl_runs

log = telemetry.logger("fetch")
#: how long before its lease ended the dead may have archived what it did not store
_BEFORE = timedelta(minutes=10)
#: segments that are searched, the latest first
_MOST_SEGMENTS = 100
#: captures that are remembered
_MOST_CAPTURES = 5_000


class FoundCapture(NamedTuple):
    """A capture that is in the archive and not in the database."""

    capture: Capture
    body: NewBody


class ArchiveTail:
    """Searches the archive once for all leases that ended before; what it finds is used once."""

    def __init__(self, db: Database, archive: Archive, *, clock: Clock) -> None:
        self._db = db
        self._archive = archive
        self._clock = clock
        self._strays: dict[str, StrayCapture] = {}
        self._looked_at: datetime | None = None
        self._looking = asyncio.Lock()

    async def take(self, page: Page, *, abandoned_until: datetime) -> FoundCapture | None:
        """What the host's last holder, whose lease ended then, archived of the page in this run, if anything."""
        try:
            return await self._found(page, abandoned_until)
        except Exception as error:  # whatever is wrong there, the site can still be asked
            log.warning("fetch.tail_unread", url=page.url, error=f"{type(error).__name__}: {error}")
            return None

    async def _found(self, page: Page, abandoned_until: datetime) -> FoundCapture | None:
        async with self._looking:
            if self._looked_at is None or self._looked_at < abandoned_until:
                self._looked_at = self._clock.now()
                self._strays = await self._look(abandoned_until - _BEFORE)
        stray = self._strays.pop(urls.url_key(page.url), None)
        if stray is None or page.retry_count or stray.fetched_at > abandoned_until:
            return None
        run = await self._db.look(lambda db: crawl_runs.get(db, page.run_id))
        if run is None or stray.fetched_at < run.started_at:
            return None
        capture = await self._archive.capture(stray.at.key)
        if capture is None:
            return None
        body_hash = hashlib.sha256(capture.body).hexdigest()
        return FoundCapture(capture, NewBody(body_hash, *stray.at, len(capture.body)))

    async def _look(self, since: datetime) -> dict[str, StrayCapture]:
        """The stray captures of the segments that were written to since then, by URL; of one URL the latest."""
        segments = [each for each in await self._archive.segments() if each.changed_at >= since]
        found: dict[str, StrayCapture] = {}
        for segment in sorted(segments, key=lambda each: each.changed_at, reverse=True)[:_MOST_SEGMENTS]:
            known = await self._db.look(lambda db, name=segment.name: bodies.keys_in(db, name))  # type: ignore[misc]
            for stray in await self._archive.strays(segment, known):
                key = urls.url_key(stray.url)
                if stray.fetched_at >= since and (key not in found or found[key].fetched_at < stray.fetched_at):
                    found[key] = stray
            if len(found) >= _MOST_CAPTURES:
                break
        log.info("fetch.tail_read", segments=len(segments), captures=len(found))
        return found
