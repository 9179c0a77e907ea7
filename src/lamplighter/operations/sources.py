"""Sources: add, find, change, clone, remove."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy.exc import IntegrityError

from lamplighter.crawl import job_keeper
from lamplighter.crawl.norms import Norms
from lamplighter.errors import Duplicate, NotFound
from lamplighter.operations.source_edits import refuse_deleted
from lamplighter.operations.source_selectors import selectors_from
from lamplighter.operations.source_wish import NewSource as NewSource
from lamplighter.operations.source_wish import checked_tags, values_of, wish_of
from lamplighter.operations.source_wish import warnings as warnings
from lamplighter.operations.source_words import priority_word, rate_of
from lamplighter.rules import urls
from lamplighter.store import audit_log, events, sightings, sources, tags
from lamplighter.store.database import Connection
from lamplighter.store.sources import SourceRow, span_of_ms


async def add(db: Connection, new: NewSource, *, actor: str, now: datetime, public_id: str | None = None) -> int:
    """Stores a source and the event that gets it a crawl job; refuses what could never be crawled.

    With `public_id` it keeps the name under which others know it already.
    """
    values, labels = values_of(new), checked_tags(new.tags)
    await _refuse_known(db, values["url"])
    toggled = {} if new.enabled else {"disabled_at": now, "disabled_by": actor}
    source_id = await sources.add(db, now=now, tags=labels, public_id=public_id or str(uuid4()), **values, **toggled)
    if source_id is None:
        raise await duplicate(db, values["url"])
    await events.publish(db, "SOURCE_CREATED", source_id=source_id, payload=_created(values), now=now)
    told = _told(values) | {"tags": list(labels)}
    await audit_log.write(db, actor=actor, action="source.add", subject=values["url"], now=now, after=told)
    return source_id


async def create(
    db: Connection, new: NewSource, *, norms: Norms, actor: str, now: datetime, public_id: str | None = None
) -> int:
    """Adds a source together with its crawl job, so that the answer already tells when it runs."""
    source_id = await add(db, new, actor=actor, now=now, public_id=public_id)
    await job_keeper.match(db, source_id, norms=norms, now=now)
    return source_id


async def find(db: Connection, public_id: UUID | str) -> SourceRow:
    """The source with this public id, deleted or not; what only holds submitted pages is nobody's to change."""
    source = await sources.by_public_id(db, str(public_id))
    if source is None or source.is_implicit:
        raise NotFound(f"there is no source {public_id}", code="source_not_found")
    return source


async def find_by_url(db: Connection, url: str) -> SourceRow:
    """The source that watches this URL, deleted or not."""
    source = await sources.by_url(db, urls.normalise(url))
    if source is None:
        raise NotFound(f"no source watches {url}; `lamplighter sources list` shows them", code="source_not_found")
    return source


async def hold(db: Connection, source: SourceRow) -> SourceRow:
    """The source as it is now, held until the transaction ends."""
    held = await sources.lock(db, source.id)
    if held is None:
        raise NotFound(f"there is no source {source.public_id}", code="source_not_found")
    return held


async def change(
    db: Connection,
    source: SourceRow,
    alter: Callable[[NewSource], NewSource],
    *,
    norms: Norms,
    actor: str,
    now: datetime,
) -> None:
    """Makes a source what `alter` says of it, with the event that tells what changed; its job follows at once."""
    held = await hold(db, source)
    refuse_deleted(held)
    before = tuple((await tags.of_sources(db, [held.id])).get(held.id, ()))
    wish = alter(wish_of(held, before))
    values, labels = values_of(wish), checked_tags(wish.tags)
    changed = {name: value for name, value in values.items() if getattr(held, name) != value}
    if not changed and labels == before:
        return
    if "url" in changed:
        await _refuse_known(db, changed["url"])
    try:
        await sources.change(db, held.id, now=now, **changed, **_toggle(changed, actor=actor, now=now))
    except IntegrityError:  # somebody else took the URL in between
        raise Duplicate(f"{values['url']} is watched already", code="duplicate_url") from None
    for label in labels:
        await tags.label(db, [held.id], label)
    for label in set(before) - set(labels):
        await tags.unlabel(db, [held.id], label)
    previous: dict[str, Any] = {name: getattr(held, name) for name in changed}
    if labels != before:
        previous, changed = previous | {"tags": list(before)}, changed | {"tags": list(labels)}
    await tell_change(db, held, previous=previous, current=changed, actor=actor, now=now)
    # Whoever enables a source asks for its job.
    held_to = norms.as_asked() if changed.get("enabled") else norms
    await job_keeper.match(db, held.id, norms=held_to, now=now)


async def tell_change(
    db: Connection,
    source: SourceRow,
    *,
    previous: Mapping[str, Any],
    current: Mapping[str, Any],
    actor: str,
    now: datetime,
) -> None:
    """Publishes that a source was changed, and notes who did it."""
    before, after = _told(previous), _told(current)
    payload = {"changed_fields": sorted(after), "previous": before, "current": after}
    await events.publish(db, "SOURCE_UPDATED", source_id=source.id, payload=payload, now=now)
    await audit_log.write(
        db, actor=actor, action="source.change", subject=source.url, now=now, before=before, after=after
    )


async def clone(
    db: Connection,
    source: SourceRow,
    *,
    url: str,
    name: str | None,
    norms: Norms,
    actor: str,
    now: datetime,
) -> int:
    """Watches another URL in the very same way: recipe, schedule and labels are copied."""
    labels = (await tags.of_sources(db, [source.id])).get(source.id, ())
    wish = replace(wish_of(source, labels), url=url, name=name or f"{source.name} (copy)")
    return await create(db, wish, norms=norms, actor=actor, now=now)


async def remove_tagged(db: Connection, tag: str, *, actor: str, now: datetime) -> int:
    """Removes every source with this tag and all that was found through it; returns how many."""
    doomed = await sources.all_with_tag(db, tag)
    for source in doomed:
        await forget(db, source, actor=actor, now=now)
    return len(doomed)


async def remove(db: Connection, url: str, *, actor: str, now: datetime) -> None:
    """Removes the source that watches this URL, and all that was found through it."""
    await forget(db, await find_by_url(db, url), actor=actor, now=now)


async def forget(db: Connection, source: SourceRow, *, actor: str, now: datetime) -> None:
    """Removes a source for good, and all that was found through it and is shown by no other."""
    payload = {"name": source.name, "deletion_reason": "removed by an operator"}
    await events.publish(db, "SOURCE_DELETED", source_id=source.id, payload=payload, now=now)
    await sightings.hand_over(db, source.id)
    await sources.remove(db, source.id)
    told = {"name": source.name, "id": source.public_id}
    await audit_log.write(db, actor=actor, action="source.remove", subject=source.url, now=now, before=told)


async def _refuse_known(db: Connection, url: str) -> None:
    if await sources.by_url(db, url) is not None:
        raise await duplicate(db, url)


async def duplicate(db: Connection, url: str) -> Duplicate:
    """Why a URL cannot be watched once more: by which source it is already."""
    known = await sources.by_url(db, url)
    if known is None:
        return Duplicate(f"{url} is watched already; try again to see by which source", code="duplicate_url")
    remedy = "restore that one instead" if known.deleted_at else "change that source instead of adding another"
    state = "was deleted, and is kept as" if known.deleted_at else "is watched already, as"
    return Duplicate(f"{url} {state} source {known.public_id} ({known.name!r}); {remedy}", code="duplicate_url")


def _toggle(changed: Mapping[str, Any], *, actor: str, now: datetime) -> dict[str, Any]:
    """What is noted when a change enables or disables a source."""
    if "enabled" not in changed:
        return {}
    is_off = not changed["enabled"]
    return {
        "disabled_reason": None,
        "disabled_at": now if is_off else None,
        "disabled_by": actor if is_off else None,
    }


def _created(values: Mapping[str, Any]) -> dict[str, Any]:
    told = _told(values)
    payload = {name: told[name] for name in ("name", "url", "rate_limit", "max_depth", "enabled", "priority")}
    return payload | {"selectors": selectors_from(values["recipe"])}


def _told(values: Mapping[str, Any]) -> dict[str, Any]:
    """Columns in the words of events and of the audit log."""
    told = dict(values)
    if "priority" in told:
        told["priority"] = priority_word(told["priority"])
    if "min_delay_ms" in told:
        told["rate_limit"] = rate_of(span_of_ms(told.pop("min_delay_ms")))
    return told
