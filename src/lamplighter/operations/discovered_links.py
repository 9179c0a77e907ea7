"""Discovered links: pages that were found on other pages, and what may be made of them."""

from datetime import datetime
from typing import Any

from lamplighter.crawl.norms import Norms
from lamplighter.errors import NotFound
from lamplighter.model.crawl import CrawlJob
from lamplighter.operations import sources
from lamplighter.operations.source_wish import NewSource
from lamplighter.store import crawl_jobs, page_lists
from lamplighter.store import sources as stored
from lamplighter.store.database import Connection
from lamplighter.store.sources import SourceRow


async def one(db: Connection, page_id: int, *, now: datetime) -> Any:
    """The link with this id; a page that was found on no other is none."""
    page = await page_lists.one(db, page_id, now=now)
    if page is None or page.found_on is None:
        raise NotFound("there is no such discovered link", code="link_not_found")
    return page


async def watch(
    db: Connection, page_id: int, *, name: str | None, norms: Norms, actor: str, now: datetime
) -> tuple[CrawlJob, SourceRow]:
    """Makes a source of a link, which is crawled from then on; returns its crawl job and the source."""
    page = await one(db, page_id, now=now)
    new = NewSource(url=page.url, name=name)
    source_id = await sources.create(db, new, norms=norms, actor=actor, now=now)
    job, source = await crawl_jobs.of_source(db, source_id), await stored.get(db, source_id)
    assert job is not None
    assert source is not None
    return job, source
