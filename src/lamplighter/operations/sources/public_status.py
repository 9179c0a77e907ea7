"""What the public status page says: which sources are watched, since when, and how fresh what is known of them is.

Strangers see the name and the host of a source and three times: no path or query, which may hold a key, no error, no
person, no channel. Sources inside this network are left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from lamplighter.rules.urls import urls
from lamplighter.rules.urls.addresses import AllowList, is_public_name
from lamplighter.store.engine.database import Connection
from lamplighter.store.sources import public_sources

#: the most sources that are shown, and that are read to find them
MOST = 500
_MOST_READ = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceForAll:
    """A source as strangers see it."""

    name: str
    host: str
    since: datetime
    checked_at: datetime | None
    changed_at: datetime | None


async def watched(db: Connection, *, inside: AllowList) -> Sequence[SourceForAll]:
    """The enabled sources by name, without those that are `inside` this network."""
    found = []
    for each in await public_sources.watched(db, most=_MOST_READ):
        site = urls.parse(each.url)
        if not is_public_name(site.hostname) or inside.permits(site.hostname, site.hostname, site.port):
            continue
        # A URL as a name may have a path or a query.
        name = site.hostname if "://" in each.name else each.name
        found.append(
            SourceForAll(
                name=name,
                host=site.hostname,
                since=each.created_at,
                checked_at=each.visited_at,
                changed_at=each.changed_at,
            )
        )
    return found[: MOST + 1]
