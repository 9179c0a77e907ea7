"""What tells sources apart that have no name but their host's? The rest of their URL, shown beside it."""

from collections.abc import Mapping

from lamplighter.rules import urls
from lamplighter.store import sources
from lamplighter.store.database import Connection

_LONGEST = 60


def beside_name(name: str, url: str) -> str:
    """The port and the path of a source whose name is that of its host; empty for others, and for a site as a whole."""
    target = urls.parse(url)
    if name != target.hostname:
        return ""
    rest = target.href.partition("://")[2].partition(target.hostname)[2]
    if rest == "/":
        return ""
    return rest if len(rest) <= _LONGEST else f"{rest[: _LONGEST - 1]}…"


async def all_beside(db: Connection, names: Mapping[str, str]) -> dict[str, str]:
    """The same of many sources, whose names are known by their public ids; those that need nothing are left out."""
    # Most have a name that somebody gave them, which no host has: nothing is looked up for these.
    like_hosts = [public_id for public_id, name in names.items() if "." in name and " " not in name]
    if not like_hosts:
        return {}
    found = await sources.by_public_ids(db, like_hosts)
    told = {public_id: beside_name(source.name, source.url) for public_id, source in found.items()}
    return {public_id: rest for public_id, rest in told.items() if rest}
