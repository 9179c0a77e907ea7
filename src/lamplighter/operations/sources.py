"""Sources: add, list, remove."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from lamplighter.errors import BadInput, NotFound
from lamplighter.extract.recipes.recipe import parse_recipe, recipe_to_json
from lamplighter.model.record import RecordKind
from lamplighter.rules import urls
from lamplighter.store import audit_log, events, sources
from lamplighter.store.database import Connection

LONGEST_INTERVAL = timedelta(days=366)
SHORTEST_INTERVAL = timedelta(minutes=1)
#: links followed beyond this many steps are rarely what somebody meant
DEEP = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSource:
    """What an operator says of a source to be watched."""

    url: str
    #: None takes the host's name
    name: str | None = None
    #: None lets the pages tell
    kind: str | None = None
    recipe: Mapping[str, Any] | None = None
    max_depth: int = 3
    #: None leaves it to the host's policy
    max_pages: int | None = None
    interval: timedelta = timedelta(hours=6)
    priority: int = 50
    enabled: bool = True
    tags: tuple[str, ...] = ()


async def add(db: Connection, new: NewSource, *, actor: str, now: datetime) -> int:
    """Stores a source and the event that gets it a crawl job; refuses what could never be crawled."""
    target = urls.parse(new.url)
    if await sources.by_url(db, target.href) is not None:
        raise BadInput(f"{target.href} is watched already; change that source instead of adding another")
    values = {
        "public_id": str(uuid4()),
        "name": (new.name or target.hostname).strip(),
        "url": target.href,
        "kind": _kind(new.kind),
        "recipe": recipe_to_json(parse_recipe(dict(new.recipe or {}))),
        "max_depth": _within("max_depth", new.max_depth, 0, 100),
        "max_pages": None if new.max_pages is None else _within("max_pages", new.max_pages, 1, 10_000_000),
        "interval_seconds": int(_interval(new.interval).total_seconds()),
        "priority": _within("priority", new.priority, 0, 100),
        "enabled": new.enabled,
    }
    source_id = await sources.add(db, now=now, tags=new.tags, **values)
    payload = {name: values[name] for name in ("name", "url", "max_depth", "enabled", "priority")}
    await events.publish(db, "SOURCE_CREATED", source_id=source_id, payload=payload, now=now)
    await audit_log.write(db, actor=actor, action="source.add", subject=target.href, now=now, detail=payload)
    return source_id


async def remove_tagged(db: Connection, tag: str, *, actor: str, now: datetime) -> int:
    """Removes every source with this tag and all that was found through it; returns how many."""
    doomed = await sources.all_with_tag(db, tag)
    for source in doomed:
        await _remove(db, source, actor=actor, now=now)
    return len(doomed)


async def remove(db: Connection, url: str, *, actor: str, now: datetime) -> None:
    """Removes the source that watches this URL."""
    source = await sources.by_url(db, urls.normalise(url))
    if source is None:
        raise NotFound(f"no source watches {url}; `lamplighter sources list` shows them")
    await _remove(db, source, actor=actor, now=now)


async def _remove(db: Connection, source: sources.SourceRow, *, actor: str, now: datetime) -> None:
    await sources.remove(db, source.id)
    payload = {"name": source.name, "deletion_reason": "removed by an operator"}
    await events.publish(db, "SOURCE_DELETED", source_id=source.id, payload=payload, now=now)
    await audit_log.write(db, actor=actor, action="source.remove", subject=source.url, now=now)


def warnings(new: NewSource) -> Iterable[str]:
    """What is allowed but probably not meant."""
    if new.max_depth > DEEP:
        yield f"max_depth {new.max_depth} is deep; most sources need 3 or less"


def _kind(kind: str | None) -> str | None:
    if kind in (None, "auto"):
        return None
    try:
        return RecordKind(kind)
    except ValueError:
        raise BadInput(f"kind {kind!r} is unknown; use auto, {', '.join(RecordKind)}") from None


def _within(name: str, value: int, least: int, most: int) -> int:
    if not least <= value <= most:
        raise BadInput(f"{name} {value} is out of range; use {least} to {most}")
    return value


def _interval(interval: timedelta) -> timedelta:
    if not SHORTEST_INTERVAL <= interval <= LONGEST_INTERVAL:
        raise BadInput(f"an interval of {interval} is out of range; use one minute to one year")
    return interval
