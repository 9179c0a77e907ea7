"""What an event does: the effect and the receipt of it in one transaction, so that it has the effect once."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple, Protocol

from lamplighter.crawl import event_counts, job_keeper
from lamplighter.crawl.norms import Norms
from lamplighter.model.event import Delivery, Event, SourceFact
from lamplighter.store import events, foreign_events, sources
from lamplighter.store.after_commit import after_commit
from lamplighter.store.database import Connection
from lamplighter.store.events import Note, Result
from lamplighter.store.sources import SourceRow


class Effect(NamedTuple):
    """What came of an event."""

    result: Result
    #: why there was nothing to do
    detail: str | None = None


class ApplyForeign(Protocol):
    """What an event of somebody else's does to our sources; raises BadEnvelope when it never can."""

    async def __call__(self, db: Connection, event: Event, *, norms: Norms, now: datetime) -> Effect: ...


#: how long is remembered which events were handled
RECEIPTS_KEPT = timedelta(days=7)
#: clocks of publishers may be so far apart
_CLOCKS_DIFFER = timedelta(minutes=5)
_DONE = Effect(Result.SUCCESS)
_FACTS = frozenset(SourceFact)


class Effects:
    """Settles events, several in one transaction."""

    def __init__(self, *, norms: Norms, foreign: ApplyForeign, monotonic: Callable[[], float]) -> None:
        self._norms = norms
        self._foreign = foreign
        self._monotonic = monotonic

    async def settle(
        self, db: Connection, deliveries: Sequence[Delivery], *, now: datetime, delivered_at: datetime | None
    ) -> dict[str, Effect]:
        """What came of each event, by its id; noted with it. Without `delivered_at` they go on waiting for the stream.

        An event does one thing: the source is read as it is now, and its job made to match. So it does not matter in
        which order events come. One of somebody else's first changes our source.
        """
        began = self._monotonic()
        by_id = {each.event.id: _not_ahead(each, each.event, now) for each in deliveries if each.event is not None}
        facts = [each.event for each in by_id.values() if each.event is not None]
        fresh = await events.take_receipts(db, by_id, now=now)
        ours = await events.ours(db, by_id)
        effects = {event.id: Effect(Result.DUPLICATE) for event in facts if event.id not in fresh}
        mine = [event for event in facts if event.id in fresh and event.id in ours]
        effects |= await self._own(db, mine, now=now) if mine else {}
        theirs = [event for event in facts if event.id in fresh and event.id not in ours]
        await foreign_events.one_at_a_time(db, {event.source for event in theirs if event.source is not None})
        # What overtook another within this batch is not noted yet: the batch is put in order instead.
        for event in sorted(theirs, key=_in_order):
            effects[event.id] = await self._of_others(db, event, now=now)
        took = timedelta(seconds=self._monotonic() - began) / max(1, len(facts))
        await self._note(db, by_id, effects, ours, took=took, now=now, delivered_at=delivered_at)
        results = {event_id: effect.result for event_id, effect in effects.items()}
        after_commit(partial(event_counts.settled, facts, results, took=took))
        return effects

    async def _of_others(self, db: Connection, event: Event, *, now: datetime) -> Effect:
        # Of that age it may be one of our own that was handled and forgotten, in a stream that is read once more.
        if event.at < now - RECEIPTS_KEPT:
            return Effect(Result.IGNORED, f"it is of {event.at:%Y-%m-%d}, older than what we remember")
        return await self._foreign(db, event, norms=self._norms, now=now)

    async def _own(self, db: Connection, mine: Sequence[Event], *, now: datetime) -> dict[str, Effect]:
        about = [event for event in mine if event.type in _FACTS]
        known = await sources.by_public_ids(db, {event.source for event in about if event.source is not None})
        asked, told = set[int](), set[int]()
        for event in about:
            source = known.get(event.source or "")
            if source is None:
                continue
            if event.type == SourceFact.ENABLED:
                await job_keeper.bring_back(db, source.id, asked_at=event.at, now=now)
                asked.add(source.id)
            else:
                told.add(source.id)
        if asked:
            await job_keeper.match_many(db, asked, norms=self._norms.as_asked(), now=now)
        if told - asked:
            await job_keeper.match_many(db, told - asked, norms=self._norms, now=now)
        return {event.id: _effect(event, known) for event in mine}

    async def _note(
        self,
        db: Connection,
        by_id: Mapping[str, Delivery],
        effects: Mapping[str, Effect],
        ours: Collection[str],
        *,
        took: timedelta,
        now: datetime,
        delivered_at: datetime | None,
    ) -> None:
        notes = [Note(event_id, effect.result, effect.detail, took) for event_id, effect in effects.items()]
        await events.note(db, [note for note in notes if note.event_id in ours], delivered_at=delivered_at)
        foreign = [
            (event, by_id[note.event_id].position, note)
            for note in notes
            if note.event_id not in ours and (event := by_id[note.event_id].event) is not None
        ]
        await foreign_events.note(db, foreign, now=now)


def _not_ahead(delivery: Delivery, event: Event, now: datetime) -> Delivery:
    """A publisher whose clock is far ahead tells of now: it must not overtake all that others have yet to say."""
    return delivery if event.at <= now + _CLOCKS_DIFFER else replace(delivery, event=replace(event, at=now))


def _in_order(event: Event) -> tuple[datetime, bool]:
    """What is told of a source comes after its creation, also where clocks count in seconds."""
    return event.at, event.type != SourceFact.CREATED


def _effect(event: Event, known: Mapping[str, SourceRow]) -> Effect:
    if event.type not in _FACTS or event.source in known or event.type == SourceFact.DELETED:
        return _DONE
    return missing(event)


def missing(event: Event) -> Effect:
    """There is no such source: nothing to do, and nobody to blame."""
    return Effect(Result.IGNORED, f"there is no source {event.source}")
