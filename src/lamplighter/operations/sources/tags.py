"""Tags: list, change, rename, remove, with the settings that sources inherit from them."""

from collections.abc import Mapping, Sequence
from typing import Any

from lamplighter.errors import BadInput, NotFound
from lamplighter.model.access import Stamp
from lamplighter.model.source import InheritedOptions
from lamplighter.operations.sources.source_fields import altered
from lamplighter.operations.sources.source_input import NewSource, checked_inherited, checked_tags
from lamplighter.store.access import audit_log
from lamplighter.store.engine.database import Connection
from lamplighter.store.sources import tags
from lamplighter.store.sources.tags import CountedTag

#: what a tag can say, in the words in which sources say it
SAID = ("policy", "interval_minutes", "min_interval_minutes", "max_interval_minutes", "windows", "max_pages")


async def page(db: Connection, *, limit: int, offset: int) -> tuple[Sequence[CountedTag], int]:
    """A part of the tags, in their order, and how many there are."""
    return await tags.counted(db, limit=limit, offset=offset), await tags.count(db)


async def get(db: Connection, tag: str) -> CountedTag:
    """A tag that a source carries or that says something."""
    found = await tags.get(db, tag)
    if found is None:
        raise NotFound(f"no source has the tag {tag!r}, and it has no settings", code="tag_not_found")
    return found


async def put(db: Connection, tag: str, said: Mapping[str, Any], *, stamp: Stamp) -> CountedTag:
    """Says what sources with this tag inherit; what is not said is left to the installation. Jobs follow in minutes."""
    (name,) = checked_tags([tag])
    before = await tags.get(db, name)
    settings = _settings(said)
    await tags.put(db, name, settings, now=stamp.now)
    previous = tags.stored_values(before.settings) if before is not None else None
    await audit_log.write(db, stamp, "tag.change", name, before=previous, after=tags.stored_values(settings))
    return await get(db, name)


async def rename(db: Connection, tag: str, to: str, *, stamp: Stamp) -> int:
    """Gives its sources another tag in its place; where that exists, the two become one, and what it says holds."""
    before = await get(db, tag)
    (name,) = checked_tags([to])
    if name == before.settings.tag:
        return 0
    count = await tags.rename(db, tag, name)
    await audit_log.write(db, stamp, "tag.rename", tag, before={"tag": tag}, after={"tag": name})
    return count


async def remove(db: Connection, tag: str, *, stamp: Stamp) -> int:
    """Takes a tag from every source, and forgets what it said; returns from how many."""
    before = await get(db, tag)
    count = await tags.remove(db, tag)
    removed = {"source_count": before.source_count, "policy": before.settings.policy}
    await audit_log.write(db, stamp, "tag.remove", tag, before=removed)
    return count


def _settings(said: Mapping[str, Any]) -> InheritedOptions:
    """What a tag says; what no source could keep is refused."""
    unknown = [key for key in said if key not in SAID]
    if unknown:
        raise BadInput(f"a tag has no setting {unknown[0]!r}; use {', '.join(SAID)}", field=unknown[0])
    return checked_inherited(altered(NewSource(url=""), said))
