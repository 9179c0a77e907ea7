"""Tags: labels of sources, and what sources inherit from them where they say nothing themselves."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from lamplighter.errors import BadInput, NotFound
from lamplighter.model.schedule import PolicyName
from lamplighter.operations.source_rows import altered
from lamplighter.operations.source_wish import (
    MOST_PAGES,
    NewSource,
    checked_tags,
    checked_windows,
    interval_values,
    one_of,
)
from lamplighter.rules import window_text
from lamplighter.store import audit_log, tags
from lamplighter.store.database import Connection
from lamplighter.store.tags import CountedTag

#: what a tag can say, in the words in which sources say it
SAID = ("policy", "interval_minutes", "min_interval_minutes", "max_interval_minutes", "windows", "max_pages")


async def page(db: Connection, *, limit: int, offset: int) -> tuple[Sequence[CountedTag], int]:
    """A part of the tags, in their order, and how many there are."""
    return await tags.counted(db, limit=limit, offset=offset), await tags.count(db)


async def get(db: Connection, tag: str) -> CountedTag:
    """A tag that a source carries or that says something."""
    found = await tags.get(db, tag)
    if found is None:
        raise NotFound(f"no source carries the tag {tag!r}, and it says nothing", code="tag_not_found")
    return found


async def put(db: Connection, tag: str, said: Mapping[str, Any], *, actor: str, now: datetime) -> CountedTag:
    """Says what sources with this tag inherit; what is not said is left to the installation. Jobs follow in minutes."""
    (name,) = checked_tags([tag])
    before = await tags.get(db, name)
    settings = _settings(said)
    await tags.put(db, name, settings, now=now)
    previous = {key: getattr(before.settings, key) for key in settings} if before is not None else None
    await audit_log.write(db, actor=actor, action="tag.change", subject=name, now=now, before=previous, after=settings)
    return await get(db, name)


async def rename(db: Connection, tag: str, to: str, *, actor: str, now: datetime) -> int:
    """Gives its sources another tag in its place; where that exists, the two become one, and what it says holds."""
    before = await get(db, tag)
    (name,) = checked_tags([to])
    if name == before.settings.tag:
        return 0
    count = await tags.rename(db, tag, name)
    await audit_log.write(
        db, actor=actor, action="tag.rename", subject=tag, now=now, before={"tag": tag}, after={"tag": name}
    )
    return count


async def remove(db: Connection, tag: str, *, actor: str, now: datetime) -> int:
    """Takes a tag from every source, and forgets what it said; returns from how many."""
    before = await get(db, tag)
    count = await tags.remove(db, tag)
    told = {"source_count": before.source_count, "policy": before.settings.policy}
    await audit_log.write(db, actor=actor, action="tag.remove", subject=tag, now=now, before=told)
    return count


def _settings(said: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that hold what a tag says; what no source could keep is refused."""
    unknown = [key for key in said if key not in SAID]
    if unknown:
        raise BadInput(f"a tag says nothing of {unknown[0]!r}; it may say {', '.join(SAID)}", field=unknown[0])
    wish = altered(NewSource(url=""), said)
    windows = checked_windows(wish.windows, zone=None)
    if wish.max_pages is not None and not 1 <= wish.max_pages <= MOST_PAGES:
        raise BadInput(f"max_pages {wish.max_pages} is out of range; use 1 to {MOST_PAGES}", field="max_pages")
    return interval_values(wish.interval, wish.min_interval, wish.max_interval) | {
        "policy": one_of(PolicyName, "policy", wish.policy),
        "windows": window_text.to_json(windows) if windows else None,
        "max_pages": wish.max_pages,
    }
