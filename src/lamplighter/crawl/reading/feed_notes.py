"""Remembers the feeds of a source, so that they are polled between its runs."""

from collections.abc import Iterable
from datetime import datetime

from lamplighter.errors import BadUrl
from lamplighter.model.page import POLLED_FEED, Phase
from lamplighter.model.reading import PageRole
from lamplighter.rules.pages import frontier
from lamplighter.rules.urls import urls
from lamplighter.store.engine.database import Connection
from lamplighter.store.hosts import hosts
from lamplighter.store.pages import feed_pages
from lamplighter.store.pages.pages import NewPage

#: feeds of one source that are polled
MOST_FEEDS = 3
_POLLED_RANK = frontier.rank(priority=0, depth=0)


async def note(db: Connection, source_id: int, addresses: Iterable[str], *, now: datetime) -> None:
    """Remembers the first feeds of these addresses; feeds of comments are left out."""
    wanted = [url for address in addresses if (url := _usable(address)) is not None][:MOST_FEEDS]
    if not wanted:
        return
    host_ids = await hosts.ensure(db, {url.host_key for url in wanted}, now=now)
    new = [
        NewPage(
            source_id=source_id,
            run_id=None,
            host_id=host_ids[url.host_key],
            url=url.href,
            url_key=urls.url_key(url.href),
            role=PageRole.LINK,
            depth=0,
            rank=_POLLED_RANK,
            phase=Phase.COMPLETED,
            created_at=now,
            reason=POLLED_FEED,
        )
        for url in wanted
    ]
    await feed_pages.note(db, source_id, new)


def _usable(address: str) -> urls.WebUrl | None:
    if "comment" in address.lower():
        return None
    try:
        return urls.parse(address)
    except BadUrl:
        return None
