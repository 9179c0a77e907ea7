"""Applies events: effect and receipt are in one transaction, so that an event takes effect once."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple, Protocol

from lamplighter.crawl.events import event_counts
from lamplighter.crawl.jobs import job_keeper
from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.model.event import Delivery, Event, SourceFact
from lamplighter.model.source import Source
from lamplighter.rules.formats import event_words
from lamplighter.store.engine.after_commit import after_commit
from lamplighter.store.engine.database import Connection
from lamplighter.store.events import events, foreign_events
from lamplighter.store.events.events import EventResult, Note
from lamplighter.store.sources import sources


class EventEffect(NamedTuple):
    """An event's effect."""

    result: EventResult
    #: what changed, or why there was nothing to do
    detail: str | None = None
    #: how long it took; of our own events, which are applied together, a share
    took: timedelta = timedelta(0)


class ApplyForeign(Protocol):
    """Applies another publisher's event to our sources; raises BadEnvelope if it is invalid."""

    async def __call__(
        self, db: Connection, event: Event, *, source_defaults: SourceDefaults, now: datetime
    ) -> EventEffect: ...


#: how long receipts of handled events are kept
RECEIPTS_KEPT = timedelta(days=7)
#: tolerated clock difference of publishers
_CLOCKS_DIFFER = timedelta(minutes=5)
_FACTS = frozenset(SourceFact)


class EventEffects:
    """Settles events, several in one transaction."""

    def __init__(
        self, *, source_defaults: SourceDefaults, foreign: ApplyForeign, monotonic: Callable[[], float]
    ) -> None:
        self.source_defaults = source_defaults
        self._foreign = foreign
        self._monotonic = monotonic

    async def settle(
        self, db: Connection, deliveries: Sequence[Delivery], *, now: datetime, delivered_at: datetime | None
    ) -> dict[str, EventEffect]:
        """Applies events and stores their effects, by id. Without `delivered_at` they still wait for the stream.

        An event does one thing: it reads the source as it is now, and makes its job match. So the order of events
        does not matter. Another publisher's event first changes our source.
        """
        began = self._monotonic()
        by_id = {each.event.id: _not_ahead(each, each.event, now) for each in deliveries if each.event is not None}
        facts = [each.event for each in by_id.values() if each.event is not None]
        fresh = await events.take_receipts(db, by_id, now=now)
        ours = await events.ours(db, by_id)
        effects = {event.id: EventEffect(EventResult.DUPLICATE) for event in facts if event.id not in fresh}
        mine = [event for event in facts if event.id in fresh and event.id in ours]
        own = await self._own(db, mine, now=now) if mine else {}
        took = timedelta(seconds=self._monotonic() - began) / max(1, len(mine))
        effects |= {event_id: effect._replace(took=took) for event_id, effect in own.items()}
        theirs = [event for event in facts if event.id in fresh and event.id not in ours]
        await foreign_events.one_at_a_time(db, {event.source for event in theirs if event.source is not None})
        # Within this batch an overtaking event is not stored yet, so the batch is sorted.
        for event in sorted(theirs, key=_in_order):
            since = self._monotonic()
            effect = await self._of_others(db, event, now=now)
            effects[event.id] = effect._replace(took=timedelta(seconds=self._monotonic() - since))
        await self._note(db, by_id, effects, ours, now=now, delivered_at=delivered_at)
        settled = [(event, effects[event.id].result, effects[event.id].took) for event in facts]
        after_commit(partial(event_counts.settled, settled))
        return effects

    async def _of_others(self, db: Connection, event: Event, *, now: datetime) -> EventEffect:
        # An old one may be our own, handled and pruned, in a stream that is read from the start again.
        if event.at < now - RECEIPTS_KEPT:
            return EventEffect(EventResult.IGNORED, f"it is of {event.at:%Y-%m-%d}, older than what we remember")
        return await self._foreign(db, event, source_defaults=self.source_defaults, now=now)

    async def _own(self, db: Connection, mine: Sequence[Event], *, now: datetime) -> dict[str, EventEffect]:
        about = [event for event in mine if event.type in _FACTS]
        known = await sources.by_public_ids(db, {event.source for event in about if event.source is not None})
        enabled, changed = set[int](), set[int]()
        for event in about:
            source = known.get(event.source or "")
            if source is None:
                continue
            if event.type == SourceFact.ENABLED:
                await job_keeper.bring_back(db, source.id, requested_at=event.at, now=now)
                enabled.add(source.id)
            else:
                changed.add(source.id)
        if enabled:
            await job_keeper.match_many(db, enabled, source_defaults=self.source_defaults.as_requested(), now=now)
        if changed - enabled:
            await job_keeper.match_many(db, changed - enabled, source_defaults=self.source_defaults, now=now)
        return {event.id: _effect(event, known) for event in mine}

    async def _note(
        self,
        db: Connection,
        by_id: Mapping[str, Delivery],
        effects: Mapping[str, EventEffect],
        ours: Collection[str],
        *,
        now: datetime,
        delivered_at: datetime | None,
    ) -> None:
        notes = [Note(event_id, effect.result, effect.detail, effect.took) for event_id, effect in effects.items()]
        await events.note(db, [note for note in notes if note.event_id in ours], delivered_at=delivered_at)
        foreign = [
            (event, by_id[note.event_id].position, note)
            for note in notes
            if note.event_id not in ours and (event := by_id[note.event_id].event) is not None
        ]
        await foreign_events.note(db, foreign, now=now)


def _not_ahead(delivery: Delivery, event: Event, now: datetime) -> Delivery:
    """Sets an event from a clock far ahead to now: it must not overtake later events of others."""
    return delivery if event.at <= now + _CLOCKS_DIFFER else replace(delivery, event=replace(event, at=now))


def _in_order(event: Event) -> tuple[datetime, bool]:
    """Sorts a source's creation before its other events of the same second."""
    return event.at, event.type != SourceFact.CREATED


def _effect(event: Event, known: Mapping[str, Source]) -> EventEffect:
    if event.type not in _FACTS or event.source in known or event.type == SourceFact.DELETED:
        return EventEffect(EventResult.SUCCESS, event_words.changes_of(event.payload))
    return missing(event)


def missing(event: Event) -> EventEffect:
    """The effect for an unknown source: the event is ignored."""
    return EventEffect(EventResult.IGNORED, f"there is no source {event.source}")
