"""Sources: add, list, remove."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import uuid4

from lamplighter.errors import BadInput, NotFound
from lamplighter.extract.recipes.recipe import parse_recipe, recipe_to_json
from lamplighter.model.record import RecordKind
from lamplighter.model.schedule import OrganisationType, PolicyName
from lamplighter.rules import baseline, country_zones, urls, window, window_text
from lamplighter.store import audit_log, events, sources
from lamplighter.store.database import Connection

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
    #: between runs before anything was observed; None leaves it to the organisation type, then to the installation
    interval: timedelta | None = None
    #: the least and the most time between runs; None leaves them to the installation
    min_interval: timedelta | None = None
    max_interval: timedelta | None = None
    #: how its interval is chosen; None leaves it to its tags, then to the installation
    policy: str | None = None
    #: when it may be crawled, see `rules.window_text`; None means at any time
    windows: str | None = None
    #: ISO 3166; tells the time zone of windows that name none
    country: str | None = None
    organisation_type: str | None = None
    recurring: bool = True
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
        "enabled": new.enabled,
    } | schedule_values(new)
    source_id = await sources.add(db, now=now, tags=new.tags, **values)
    payload = {name: values[name] for name in ("name", "url", "max_depth", "enabled", "priority")}
    await events.publish(db, "SOURCE_CREATED", source_id=source_id, payload=payload, now=now)
    await audit_log.write(db, actor=actor, action="source.add", subject=target.href, now=now, detail=payload)
    return source_id


async def reschedule(db: Connection, url: str, wish: NewSource, *, actor: str, now: datetime) -> None:
    """Gives a watched source the schedule of this wish, and the event that has its job planned anew."""
    source = await sources.by_url(db, urls.normalise(url))
    if source is None:
        raise NotFound(f"no source watches {url}; `lamplighter sources list` shows them")
    values = schedule_values(wish)
    changed = {name: value for name, value in values.items() if getattr(source, name) != value}
    if not changed:
        return
    await sources.change(db, source.id, now=now, **changed)
    payload = {
        "changed_fields": sorted(changed),
        "previous": {name: getattr(source, name) for name in changed},
        "current": changed,
    }
    await events.publish(db, "SOURCE_UPDATED", source_id=source.id, payload=payload, now=now)
    await audit_log.write(db, actor=actor, action="source.change", subject=source.url, now=now, detail=changed)


async def schedule_of(db: Connection, url: str) -> NewSource:
    """A watched source's schedule, to be changed in part."""
    source = await sources.by_url(db, urls.normalise(url))
    if source is None:
        raise NotFound(f"no source watches {url}; `lamplighter sources list` shows them")
    windows, _ = window_text.loaded(source.windows)
    return NewSource(
        url=source.url,
        interval=source.interval,
        min_interval=source.min_interval,
        max_interval=source.max_interval,
        policy=source.policy,
        windows=window_text.describe(windows) if windows else None,
        country=source.country,
        organisation_type=source.organisation_type,
        recurring=source.recurring,
        priority=source.priority,
    )


def schedule_values(new: NewSource) -> dict[str, Any]:
    """The columns that bear on the schedule; what could never be kept is refused."""
    spans = {"interval": new.interval, "min_interval": new.min_interval, "max_interval": new.max_interval}
    seconds = {
        f"{name}_seconds": None if span is None else int(baseline.checked_interval(span).total_seconds())
        for name, span in spans.items()
    }
    if new.min_interval is not None and new.max_interval is not None and new.min_interval > new.max_interval:
        raise BadInput(f"min_interval {new.min_interval} is longer than max_interval {new.max_interval}; swap them")
    country = new.country.upper() if new.country else None
    if country is not None and country_zones.zone_of(country) is None:
        raise BadInput(f"country {new.country!r} is unknown; use a two-letter code such as DE")
    zone = country_zones.zone_of(country) if country is not None else None
    windows = window_text.parse(new.windows, zone=zone) if new.windows else ()
    window.check(windows)
    return seconds | {
        "policy": _one_of(PolicyName, "policy", new.policy),
        "organisation_type": _one_of(OrganisationType, "organisation type", new.organisation_type),
        "country": country,
        "windows": window_text.to_json(windows),
        "recurring": new.recurring,
        "priority": _within("priority", new.priority, 0, 100),
    }


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


def _one_of(names: type[StrEnum], what: str, value: str | None) -> str | None:
    if value is None:
        return None
    try:
        return names(value)
    except ValueError:
        raise BadInput(f"{what} {value!r} is unknown; use {', '.join(names)}") from None
