"""The feeds of a source: found by hand, and those that are polled between its runs."""

from dataclasses import dataclass
from datetime import datetime

from lamplighter.crawl.reading import feed_notes
from lamplighter.fetch.door import Door
from lamplighter.model.access import Stamp
from lamplighter.model.source import Source
from lamplighter.operations.explain import feed_discovery
from lamplighter.store.access import audit_log
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.pages import feed_pages


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFeed:
    """A feed of a source."""

    url: str
    #: None before the first poll
    polled_at: datetime | None
    #: when it last had a new entry
    changed_at: datetime | None
    next_poll_at: datetime | None


async def feeds_of(db: Connection, source: Source) -> list[SourceFeed]:
    """The feeds that are polled for a source."""
    return [
        SourceFeed(url=feed.url, polled_at=feed.fetched_at, changed_at=feed.changed_at, next_poll_at=feed.rest_until)
        for feed in await feed_pages.of_source(db, source.id)
    ]


async def find(db: Database, door: Door, source: Source, *, stamp: Stamp) -> list[SourceFeed]:
    """Looks for feeds as `trial feeds` does, announced ones first, and has those that it finds polled."""
    found = [finding.url async for finding in feed_discovery.discover(door, source.url) if finding.type == "feed"]

    async def work(connection: Connection) -> list[SourceFeed]:
        await feed_notes.note(connection, source.id, found, now=stamp.now)
        await audit_log.write(connection, stamp, "source.feeds", source.url, after={"feeds": found})
        return await feeds_of(connection, source)

    return await db.write(work)
