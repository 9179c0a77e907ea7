"""What events that others publish do to our sources: the same as a person would do through the API, by the same rules.

Our sources are the truth. A fact that somebody else tells of one of them is an order to make it so: checked like any
other order, never overwriting a source with a new one, and overtaken by a later fact that came first.
"""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any

from lamplighter.crawl.event_effects import Effect, missing
from lamplighter.crawl.norms import Norms
from lamplighter.errors import BadInput, Duplicate, NotPossible
from lamplighter.model.event import Event, SourceFact
from lamplighter.operations import source_states
from lamplighter.operations import sources as operations
from lamplighter.operations.source_edits import Toggle
from lamplighter.operations.source_rows import altered, wish_from
from lamplighter.rules.envelope import BadEnvelope
from lamplighter.store import foreign_events, sources
from lamplighter.store.database import Connection
from lamplighter.store.events import Result
from lamplighter.store.sources import SourceRow

ACTOR = "event stream"
#: what an event says of a source; of what else it may say, we know nothing
_SAID = ("name", "url", "rate_limit", "max_depth", "enabled", "selectors", "priority")
#: facts that undo each other, so that of several the latest holds
_TOGGLES = (SourceFact.ENABLED, SourceFact.DISABLED, SourceFact.DELETED)
_LONGEST_REASON = 1000
_DONE = Effect(Result.SUCCESS)


async def apply(db: Connection, event: Event, *, norms: Norms, now: datetime) -> Effect:
    """Makes what an event tells true of our source, where it can be; refuses what no source could be."""
    source = await sources.by_public_id(db, event.source or "")
    try:
        toggle = _toggle(event, norms=norms, now=now)
        if event.type == SourceFact.CREATED:
            return await _create(db, event, source, toggle)
        if source is None or source.is_implicit:
            return missing(event)
        return await _VERBS[SourceFact(event.type)](db, event, source, toggle)
    except (NotPossible, Duplicate) as error:
        return Effect(Result.IGNORED, str(error))
    except BadInput as error:
        raise BadEnvelope(f"what it says of the source cannot be used: {error}") from None


async def _create(db: Connection, event: Event, source: SourceRow | None, toggle: Toggle) -> Effect:
    if source is not None:
        return Effect(Result.IGNORED, f"source {event.source} is known already; it stays as it is")
    come = await foreign_events.ahead(db, event.source or "", when=event.at, kinds=_VERBS)
    if [told.type for told in come if told.type in _TOGGLES][-1:] == [SourceFact.DELETED]:
        return Effect(Result.IGNORED, "it was deleted since")
    wish = wish_from(_said(event.payload))
    await operations.create(db, wish, norms=toggle.norms, actor=toggle.actor, now=toggle.now, public_id=event.source)
    for told in come:
        await _catch_up(db, told, toggle)
    return _DONE


async def _catch_up(db: Connection, event: Event, toggle: Toggle) -> None:
    """Does what was told of a source before we had heard of it; what cannot be done was ignored, and stays so."""
    source = await sources.by_public_id(db, event.source or "")
    assert source is not None, "it was just created"
    try:
        own = _toggle(event, norms=toggle.norms, now=toggle.now)
        effect = await _VERBS[SourceFact(event.type)](db, event, source, own)
    except (NotPossible, Duplicate, BadInput):
        return
    if effect is _DONE:
        await foreign_events.done_late(db, event.id, detail="it came before its source, and was done when that came")


async def _update(db: Connection, event: Event, source: SourceRow, toggle: Toggle) -> Effect:
    current = event.payload.get("current")
    if not isinstance(current, Mapping):
        raise BadInput("payload.current is not an object with what the source is now", field="payload")
    later = await foreign_events.since(db, source.public_id, when=event.at, kinds=[event.type])
    overtaken = {name for payload in later for name in payload.get("current") or ()}
    row = {name: value for name, value in _said(current).items() if name not in overtaken}
    if not row:
        return Effect(Result.IGNORED, "it says nothing that bears on a crawl, or nothing that was not changed since")
    await operations.change(
        db, source, lambda wish: altered(wish, row), norms=toggle.norms, actor=toggle.actor, now=toggle.now
    )
    return _DONE


async def _enable(db: Connection, event: Event, source: SourceRow, toggle: Toggle) -> Effect:
    if await _is_overtaken(db, event, _TOGGLES):
        return _OVERTAKEN
    await source_states.enable(db, source, toggle)
    return _DONE


async def _disable(db: Connection, event: Event, source: SourceRow, toggle: Toggle) -> Effect:
    if await _is_overtaken(db, event, _TOGGLES):
        return _OVERTAKEN
    await source_states.disable(db, source, toggle)
    return _DONE


async def _delete(db: Connection, event: Event, source: SourceRow, toggle: Toggle) -> Effect:
    if await _is_overtaken(db, event, _TOGGLES):
        return _OVERTAKEN
    await source_states.delete(db, source, toggle)
    return _DONE


_OVERTAKEN = Effect(Result.IGNORED, "a later event about the same has come before it")
_VERBS: Mapping[SourceFact, Callable[[Connection, Event, SourceRow, Toggle], Awaitable[Effect]]] = {
    SourceFact.UPDATED: _update,
    SourceFact.ENABLED: _enable,
    SourceFact.DISABLED: _disable,
    SourceFact.DELETED: _delete,
}


async def _is_overtaken(db: Connection, event: Event, kinds: tuple[SourceFact, ...]) -> bool:
    return bool(await foreign_events.since(db, event.source or "", when=event.at, kinds=kinds))


def _said(payload: Mapping[str, Any]) -> dict[str, Any]:
    """What is said of the source; a rate of zero says no more than none."""
    said = {name: payload[name] for name in _SAID if name in payload}
    if not said.get("rate_limit"):
        said.pop("rate_limit", None)
    return said


def _toggle(event: Event, *, norms: Norms, now: datetime) -> Toggle:
    return Toggle(actor=ACTOR, norms=norms, now=now, reason=_reason(event), toggled_by=_by_whom(event))


def _reason(event: Event) -> str | None:
    return _words(event.payload.get("deletion_reason" if event.type == SourceFact.DELETED else "reason"), "reason")


def _by_whom(event: Event) -> str | None:
    payload = event.payload
    return _words(payload.get("toggled_by") or payload.get("disabled_by") or payload.get("enabled_by"), "toggled_by")


def _words(given: Any, name: str) -> str | None:
    if given is not None and not isinstance(given, str):
        raise BadInput(f"payload.{name} {str(given)[:50]!r} is not text", field=name)
    return given[:_LONGEST_REASON] if given else None
