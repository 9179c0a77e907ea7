"""Is a source under a takedown? A run of it would ask for nothing, fail, and count against it."""

from lamplighter.errors import NotPossible
from lamplighter.rules import takedown, urls
from lamplighter.store import takedowns
from lamplighter.store.database import Connection


async def entry_covering(db: Connection, url: str) -> str | None:
    """What of the list covers this URL; None when it may be asked."""
    return takedown.matching(urls.parse(url).href, await takedowns.all_of_them(db))


async def refuse_run(db: Connection, url: str) -> None:
    """Refuses a run that would ask for nothing."""
    entry = await entry_covering(db, url)
    if entry is not None:
        raise NotPossible(f"{url} cannot be run: {entry} is on the list of takedowns; lift that first")
