"""Distinguishes sources named only by their host: the rest of their URL is shown beside the name."""

from collections.abc import Mapping

from lamplighter.rules.urls import urls
from lamplighter.store.engine.database import Connection
from lamplighter.store.sources import sources

_LONGEST = 60


def beside_name(name: str, url: str) -> str:
    """The port and path of a source named by its host; empty for other sources and for root URLs."""
    target = urls.parse(url)
    if name != target.hostname:
        return ""
    rest = target.href.partition("://")[2].partition(target.hostname)[2]
    if rest == "/":
        return ""
    return rest if len(rest) <= _LONGEST else f"{rest[: _LONGEST - 1]}…"


async def all_beside(db: Connection, names: Mapping[str, str]) -> dict[str, str]:
    """The port and path of several sources by public id, without the empty ones."""
    # Most names are not host names: those sources are not looked up.
    like_hosts = [public_id for public_id, name in names.items() if "." in name and " " not in name]
    if not like_hosts:
        return {}
    found = await sources.by_public_ids(db, like_hosts)
    short_names = {public_id: beside_name(source.name, source.url) for public_id, source in found.items()}
    return {public_id: rest for public_id, rest in short_names.items() if rest}
