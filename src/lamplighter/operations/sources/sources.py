"""Sources: add, find, change, clone, remove."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy.exc import IntegrityError

from lamplighter.crawl.jobs import job_keeper
from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.errors import Duplicate, NotFound
from lamplighter.model.access import Stamp
from lamplighter.model.fields import plain
from lamplighter.model.source import Source, SourceOptions
from lamplighter.operations.sources.source_edits import refuse_deleted
from lamplighter.operations.sources.source_input import NewSource as NewSource
from lamplighter.operations.sources.source_input import altered_source, checked, checked_tags, input_of
from lamplighter.operations.sources.source_input import warnings as warnings
from lamplighter.operations.sources.source_words import depth_word, priority_word, rate_of, selectors_from
from lamplighter.rules.urls import urls
from lamplighter.store.access import audit_log
from lamplighter.store.engine.database import Connection
from lamplighter.store.events import events
from lamplighter.store.pages import waiting_pages
from lamplighter.store.records import sightings
from lamplighter.store.sources import sources, tags


async def add(db: Connection, new: NewSource, *, stamp: Stamp, public_id: str | None = None) -> int:
    """Stores a source and the event that gets it a crawl job; refuses what could never be crawled.

    With `public_id` it keeps the name under which others know it already.
    """
    options, labels = checked(new), checked_tags(new.tags)
    return await add_checked(db, options, labels, stamp=stamp, public_id=public_id)


async def add_checked(
    db: Connection, options: SourceOptions, labels: tuple[str, ...], *, stamp: Stamp, public_id: str | None = None
) -> int:
    """The same for what `source_input` has checked already."""
    await _refuse_known(db, options.url)
    source_id = await sources.add(
        db,
        options,
        public_id=public_id or str(uuid4()),
        tags=labels,
        disabled_by=None if options.enabled else stamp.actor,
        now=stamp.now,
    )
    if source_id is None:
        raise await duplicate(db, options.url)
    shown = _shown(plain(options, SourceOptions))
    await events.publish(db, "SOURCE_CREATED", source_id=source_id, payload=_created(shown), now=stamp.now)
    await audit_log.write(db, stamp, "source.add", options.url, after=shown | {"tags": list(labels)})
    return source_id


async def create(
    db: Connection, new: NewSource, *, source_defaults: SourceDefaults, stamp: Stamp, public_id: str | None = None
) -> int:
    """Adds a source together with its crawl job, so that the answer already tells when it runs."""
    source_id = await add(db, new, stamp=stamp, public_id=public_id)
    await job_keeper.match(db, source_id, source_defaults=source_defaults, now=stamp.now)
    return source_id


async def find(db: Connection, public_id: UUID | str) -> Source:
    """The source with this public id, deleted or not; implicit sources are not found."""
    source = await sources.by_public_id(db, str(public_id))
    if source is None or source.is_implicit:
        raise NotFound(f"there is no source {public_id}", code="source_not_found")
    return source


async def find_by_url(db: Connection, url: str) -> Source:
    """The source that watches this URL, deleted or not."""
    source = await sources.by_url(db, urls.normalise(url))
    if source is None:
        raise NotFound(f"no source watches {url}; `lamplighter sources list` shows them", code="source_not_found")
    return source


async def hold(db: Connection, source: Source) -> Source:
    """The source as it is now, held until the transaction ends."""
    held = await sources.lock(db, source.id)
    if held is None:
        raise NotFound(f"there is no source {source.public_id}", code="source_not_found")
    return held


async def change(
    db: Connection,
    source: Source,
    alter: Callable[[NewSource], NewSource],
    *,
    source_defaults: SourceDefaults,
    stamp: Stamp,
) -> None:
    """Makes a source what `alter` says of it, with the event that tells what changed; its job follows at once."""
    held = await hold(db, source)
    refuse_deleted(held)
    before = tuple((await tags.of_sources(db, [held.id])).get(held.id, ()))
    submitted = alter(input_of(held, before))
    becomes, labels = altered_source(held, checked(submitted)), checked_tags(submitted.tags)
    if becomes == held and labels == before:
        return
    if becomes.url != held.url:
        await _refuse_known(db, becomes.url)
    if (becomes.url, _follows(becomes)) != (held.url, _follows(held)):
        await waiting_pages.forget(db, held.id)
    try:
        await sources.save(db, held, _toggled(held, becomes, stamp=stamp), now=stamp.now)
    except IntegrityError:  # another transaction took the URL meanwhile
        raise Duplicate(f"{becomes.url} is already a source", code="duplicate_url") from None
    for label in labels:
        await tags.label(db, [held.id], label)
    for label in set(before) - set(labels):
        await tags.unlabel(db, [held.id], label)
    await _tell_change(db, held, becomes, before=before, after=labels, stamp=stamp)
    # Enabling a source asks for its job.
    held_to = source_defaults.as_requested() if becomes.enabled and not held.enabled else source_defaults
    await job_keeper.match(db, held.id, source_defaults=held_to, now=stamp.now)


def _follows(source: Source) -> tuple[Any, ...]:
    """What decides which links are followed."""
    return source.max_depth, source.recipe.get("include"), source.recipe.get("exclude")


async def _tell_change(
    db: Connection, source: Source, becomes: Source, *, before: tuple[str, ...], after: tuple[str, ...], stamp: Stamp
) -> None:
    """Publishes that a source was changed, and notes who did it."""
    changed = sources.difference(source, becomes)
    old = plain(source, SourceOptions)
    previous, current = _shown({name: old[name] for name in changed}), _shown(changed)
    if after != before:
        previous, current = previous | {"tags": list(before)}, current | {"tags": list(after)}
    payload = {"changed_fields": sorted(current), "previous": previous, "current": current}
    await events.publish(db, "SOURCE_UPDATED", source_id=source.id, payload=payload, now=stamp.now)
    await audit_log.write(db, stamp, "source.change", source.url, before=previous, after=current)


async def clone(
    db: Connection, source: Source, *, url: str, name: str | None, source_defaults: SourceDefaults, stamp: Stamp
) -> int:
    """Watches another URL in the very same way: recipe, schedule and labels are copied."""
    labels = (await tags.of_sources(db, [source.id])).get(source.id, ())
    submitted = replace(input_of(source, labels), url=url, name=name or f"{source.name} (copy)")
    return await create(db, submitted, source_defaults=source_defaults, stamp=stamp)


async def remove_tagged(db: Connection, tag: str, *, stamp: Stamp) -> int:
    """Removes every source with this tag and all that was found through it; returns how many."""
    doomed = await sources.all_with_tag(db, tag)
    for source in doomed:
        await forget(db, source, stamp=stamp)
    return len(doomed)


async def remove(db: Connection, url: str, *, stamp: Stamp) -> None:
    """Removes the source that watches this URL, and all that was found through it."""
    await forget(db, await find_by_url(db, url), stamp=stamp)


async def forget(db: Connection, source: Source, *, stamp: Stamp) -> None:
    """Removes a source for good, and all that was found through it and is shown by no other."""
    payload = {"name": source.name, "deletion_reason": "removed by an operator"}
    await events.publish(db, "SOURCE_DELETED", source_id=source.id, payload=payload, now=stamp.now)
    await sightings.hand_over(db, source.id)
    await sources.remove(db, source.id)
    await audit_log.write(db, stamp, "source.remove", source.url, before={"name": source.name, "id": source.public_id})


async def _refuse_known(db: Connection, url: str) -> None:
    if await sources.by_url(db, url) is not None:
        raise await duplicate(db, url)


async def duplicate(db: Connection, url: str) -> Duplicate:
    """Why a URL cannot be watched once more: by which source it is already."""
    known = await sources.by_url(db, url)
    if known is None:
        return Duplicate(f"{url} is already a source; try again to see which one", code="duplicate_url")
    remedy = "restore that one instead" if known.deleted_at else "change that source instead of adding another"
    state = "was deleted, but is kept as" if known.deleted_at else "is already"
    return Duplicate(f"{url} {state} source {known.public_id} ({known.name!r}); {remedy}", code="duplicate_url")


def _toggled(held: Source, becomes: Source, *, stamp: Stamp) -> Source:
    """With what is noted when a change enables or disables a source."""
    if becomes.enabled == held.enabled:
        return becomes
    if becomes.enabled:
        return replace(becomes, disabled_reason=None, disabled_at=None, disabled_by=None)
    return replace(becomes, disabled_reason=None, disabled_at=stamp.now, disabled_by=stamp.actor)


def _created(shown: Mapping[str, Any]) -> dict[str, Any]:
    payload = {name: shown[name] for name in ("name", "url", "rate_limit", "max_depth", "enabled", "priority")}
    return payload | {"selectors": selectors_from(shown["recipe"])}


def _shown(values: Mapping[str, Any]) -> dict[str, Any]:
    """Plain values of a source in the words of events and of the audit log."""
    shown = dict(values)
    if "priority" in shown:
        shown["priority"] = priority_word(shown["priority"])
    if "max_depth" in shown:
        shown["max_depth"] = depth_word(shown["max_depth"])
    if "min_delay_ms" in shown:
        milliseconds = shown.pop("min_delay_ms")
        shown["rate_limit"] = rate_of(timedelta(milliseconds=milliseconds) if milliseconds is not None else None)
    return shown
