"""Counts received and settled events, for `/metrics`."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Final

from lamplighter import metrics
from lamplighter.model.event import Delivery, Event, SourceFact
from lamplighter.store.events.events import EventResult

#: other publishers may use any type name; a metric's label may not
_TYPES = frozenset(SourceFact)
UNREADABLE: Final = "unreadable"
#: an ignored event counts as a success
_AS_SUCCESS = {EventResult.IGNORED: EventResult.SUCCESS}

# Create all series at the start, so that the first error shows as an increase.
for _type in (*SourceFact, metrics.OTHER, UNREADABLE):
    metrics.EVENTS_RECEIVED.labels(_type)
    metrics.EVENT_SECONDS.labels(_type)
    for _result in (EventResult.SUCCESS, EventResult.ERROR, EventResult.DUPLICATE):
        metrics.EVENTS_PROCESSED.labels(_type, _result)


def received(deliveries: Iterable[Delivery]) -> None:
    """Counts first deliveries of events."""
    for each in deliveries:
        if each.tries <= 1:
            metrics.EVENTS_RECEIVED.labels(_type_of(each.event)).inc()


def settled(events: Iterable[tuple[Event, EventResult, timedelta]]) -> None:
    """Counts settled events, each with its result and duration."""
    for event, result, took in events:
        label = _type_of(event)
        metrics.EVENTS_PROCESSED.labels(label, _AS_SUCCESS.get(result, result)).inc()
        metrics.EVENT_SECONDS.labels(label).observe(took.total_seconds())


def failed(event: Event | None) -> None:
    """Counts a failed try."""
    metrics.EVENTS_PROCESSED.labels(_type_of(event), EventResult.ERROR).inc()


def _type_of(event: Event | None) -> str:
    if event is None:
        return UNREADABLE
    return event.type if event.type in _TYPES else metrics.OTHER
