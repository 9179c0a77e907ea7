"""Counts events as they come and are settled, for `/metrics`."""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Final

from lamplighter import metrics
from lamplighter.model.event import Delivery, Event, SourceFact
from lamplighter.store.events import Result

#: what somebody else publishes may call itself anything; a label may not
_TYPES = frozenset(SourceFact)
UNREADABLE: Final = "unreadable"
#: there was nothing to do, and that was done
_AS_SUCCESS = {Result.IGNORED: Result.SUCCESS}

# From the start on, so that the first error is an increase and not a beginning.
for _type in (*SourceFact, metrics.OTHER, UNREADABLE):
    metrics.EVENTS_RECEIVED.labels(_type)
    metrics.EVENT_SECONDS.labels(_type)
    for _result in (Result.SUCCESS, Result.ERROR, Result.DUPLICATE):
        metrics.EVENTS_PROCESSED.labels(_type, _result)


def received(deliveries: Iterable[Delivery]) -> None:
    """Counts what has come for the first time."""
    for each in deliveries:
        if each.tries <= 1:
            metrics.EVENTS_RECEIVED.labels(_type_of(each.event)).inc()


def settled(events: Iterable[Event], results: Mapping[str, Result], *, took: timedelta) -> None:
    """Counts events that were settled, each in this time."""
    for event in events:
        label, result = _type_of(event), results[event.id]
        metrics.EVENTS_PROCESSED.labels(label, _AS_SUCCESS.get(result, result)).inc()
        metrics.EVENT_SECONDS.labels(label).observe(took.total_seconds())


def failed(event: Event | None) -> None:
    """Counts a try in vain."""
    metrics.EVENTS_PROCESSED.labels(_type_of(event), Result.ERROR).inc()


def _type_of(event: Event | None) -> str:
    if event is None:
        return UNREADABLE
    return event.type if event.type in _TYPES else metrics.OTHER
