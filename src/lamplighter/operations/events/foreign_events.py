"""Applies events from other programs to our sources, by the same rules as the API.

Our database is the truth. An event is a request to change a source: checked like any other, it never overwrites a
source with a new one, and is ignored if a later event for the same source arrived first.
"""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any

from lamplighter.crawl.events.event_effects import EventEffect, missing
from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.errors import BadInput, BadRecipe, Duplicate, NotPossible
from lamplighter.extract.recipes.recipe import parse_recipe
from lamplighter.model.access import Stamp
from lamplighter.model.event import Event, SourceFact
from lamplighter.model.source import Source
from lamplighter.operations.sources import source_states
from lamplighter.operations.sources import sources as operations
from lamplighter.operations.sources.source_edits import SourceChangeContext
from lamplighter.operations.sources.source_fields import altered, input_from
from lamplighter.operations.sources.source_input import NewSource
from lamplighter.rules.formats import event_words
from lamplighter.rules.formats.envelope import BadEnvelope
from lamplighter.store.engine.database import Connection
from lamplighter.store.events import events, foreign_events
from lamplighter.store.events.events import EventResult
from lamplighter.store.sources import sources

ACTOR = "event stream"
#: what an event says of a source; of what else it may say, we know nothing
_SAID = ("name", "url", "rate_limit", "max_depth", "enabled", "selectors", "priority")
#: facts that undo each other, so that of several the latest holds
_TOGGLES = (SourceFact.ENABLED, SourceFact.DISABLED, SourceFact.DELETED)
_LONGEST_REASON = 1000
_DONE = EventEffect(EventResult.SUCCESS)


async def apply(db: Connection, event: Event, *, source_defaults: SourceDefaults, now: datetime) -> EventEffect:
    """Applies an event to our source where possible, and says what changed; refuses invalid data.

    The change is published already, by this very event: our own events about it are withdrawn.
    """
    before = await events.latest_id(db)
    effect = await _apply(db, event, source_defaults=source_defaults, now=now)
    ours = await events.withdraw(db, event.source or "", after=before, now=now)
    if effect.result is not EventResult.SUCCESS or effect.detail is not None:
        return effect
    # What an update says of the values before may be wrong here; our own event knows them.
    by = [each for each in ours if each.type == event.type] if event.type == SourceFact.UPDATED else [event]
    told = [words for each in by if (words := event_words.changes_of(each.payload)) is not None]
    return effect._replace(detail="; ".join(told) or None)


async def _apply(db: Connection, event: Event, *, source_defaults: SourceDefaults, now: datetime) -> EventEffect:
    source = await sources.by_public_id(db, event.source or "")
    try:
        context = _context(event, source_defaults=source_defaults, now=now)
        if event.type == SourceFact.CREATED:
            return await _create(db, event, source, context)
        if source is None or source.is_implicit:
            return missing(event)
        return await _VERBS[SourceFact(event.type)](db, event, source, context)
    except (NotPossible, Duplicate) as error:
        return EventEffect(EventResult.IGNORED, str(error))
    except BadInput as error:
        raise BadEnvelope(f"its source data is invalid: {error}") from None


async def _create(db: Connection, event: Event, source: Source | None, context: SourceChangeContext) -> EventEffect:
    if source is not None:
        return EventEffect(EventResult.IGNORED, f"source {event.source} exists already; it is unchanged")
    come = await foreign_events.ahead(db, event.source or "", when=event.at, kinds=_VERBS)
    if [event.type for event in come if event.type in _TOGGLES][-1:] == [SourceFact.DELETED]:
        return EventEffect(EventResult.IGNORED, "the source was deleted since")
    submitted, unused = _without_bad_selectors(_said(event.payload))
    await operations.create(
        db, submitted, source_defaults=context.source_defaults, stamp=context.stamp, public_id=event.source
    )
    for event in come:
        await _catch_up(db, event, context)
    return EventEffect(EventResult.SUCCESS, unused)


def _without_bad_selectors(said: Mapping[str, Any]) -> tuple[NewSource, str | None]:
    """The source, and why its selectors are left out if they cannot be used: it is crawled without them."""
    try:
        submitted = input_from(said)
        if submitted.recipe:
            parse_recipe(submitted.recipe)
    except (BadInput, BadRecipe) as error:
        is_about_selectors = isinstance(error, BadRecipe) or error.field == "selectors"
        if "selectors" not in said or not is_about_selectors:
            raise
        rest = {name: value for name, value in said.items() if name != "selectors"}
        return input_from(rest), f"the source was created without its selectors: {error}"
    return submitted, None


async def _catch_up(db: Connection, event: Event, context: SourceChangeContext) -> None:
    """Applies an event that arrived before its source; one that cannot be applied stays ignored."""
    source = await sources.by_public_id(db, event.source or "")
    assert source is not None, "it was just created"
    try:
        own = _context(event, source_defaults=context.source_defaults, now=context.stamp.now)
        effect = await _VERBS[SourceFact(event.type)](db, event, source, own)
    except (NotPossible, Duplicate, BadInput):
        return
    if effect.result is EventResult.SUCCESS:
        await foreign_events.done_late(
            db, event.id, detail="it arrived before its source, and was applied when the source arrived"
        )


async def _update(db: Connection, event: Event, source: Source, context: SourceChangeContext) -> EventEffect:
    current = event.payload.get("current")
    if not isinstance(current, Mapping):
        raise BadInput("payload.current is not an object with the current source", field="payload")
    later = await foreign_events.since(db, source.public_id, when=event.at, kinds=[event.type])
    overtaken = {name for payload in later for name in payload.get("current") or ()}
    row = {name: value for name, value in _said(current).items() if name not in overtaken}
    if not row:
        return EventEffect(
            EventResult.IGNORED, "it changes nothing that affects a crawl, or only values that were changed since"
        )
    await operations.change(
        db,
        source,
        lambda submitted: altered(submitted, row),
        source_defaults=context.source_defaults,
        stamp=context.stamp,
    )
    return _DONE


async def _toggled(db: Connection, event: Event, source: Source, context: SourceChangeContext) -> EventEffect:
    if await foreign_events.since(db, event.source or "", when=event.at, kinds=_TOGGLES):
        return EventEffect(EventResult.IGNORED, "a later event for the same source arrived before it")
    match event.type:
        case SourceFact.ENABLED:
            await source_states.enable(db, source, context)
        case SourceFact.DISABLED:
            await source_states.disable(db, source, context)
        case _:
            await source_states.delete(db, source, context)
    return _DONE


_VERBS: Mapping[SourceFact, Callable[[Connection, Event, Source, SourceChangeContext], Awaitable[EventEffect]]] = {
    SourceFact.UPDATED: _update,
    **dict.fromkeys(_TOGGLES, _toggled),
}


def _said(payload: Mapping[str, Any]) -> dict[str, Any]:
    """What is said of the source; a rate of zero says no more than none."""
    said = {name: payload[name] for name in _SAID if name in payload}
    if not said.get("rate_limit"):
        said.pop("rate_limit", None)
    return said


def _context(event: Event, *, source_defaults: SourceDefaults, now: datetime) -> SourceChangeContext:
    return SourceChangeContext(
        stamp=Stamp(ACTOR, now), source_defaults=source_defaults, reason=_reason(event), toggled_by=_by_whom(event)
    )


def _reason(event: Event) -> str | None:
    return _words(event.payload.get("deletion_reason" if event.type == SourceFact.DELETED else "reason"), "reason")


def _by_whom(event: Event) -> str | None:
    payload = event.payload
    return _words(payload.get("toggled_by") or payload.get("disabled_by") or payload.get("enabled_by"), "toggled_by")


def _words(given: Any, name: str) -> str | None:
    if given is not None and not isinstance(given, str):
        raise BadInput(f"payload.{name} {str(given)[:50]!r} is not text", field=name)
    return given[:_LONGEST_REASON] if given else None
