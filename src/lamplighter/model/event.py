"""Events: facts about sources, and their delivery from publishers to consumers."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any


class SourceFact(StrEnum):
    """What can happen to a source."""

    CREATED = "SOURCE_CREATED"
    UPDATED = "SOURCE_UPDATED"
    DELETED = "SOURCE_DELETED"
    ENABLED = "SOURCE_ENABLED"
    DISABLED = "SOURCE_DISABLED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A fact, whatever published it."""

    #: the same id for every delivery of the event
    id: str
    #: a `SourceFact`, or something that is only recorded
    type: str
    #: the public id of its source; None when it has none
    source: str | None
    at: datetime
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """An event that was delivered, and is ours to process."""

    #: its position in the stream or the outbox
    position: str
    #: how often it has been delivered, this time included
    tries: int
    #: None when the message cannot be parsed
    event: Event | None
    #: why not
    complaint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    """An event that could not be processed and was put aside."""

    id: str
    #: as received
    text: str
    #: None when it could not be parsed
    event_id: str | None
    reason: str
    tries: int
    #: its position when it was received
    position: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFigures:
    """Figures about the event queue."""

    #: outbox or redis
    engine: str
    #: closed: the stream responds. open: it is unavailable, and events wait in the outbox
    circuit: str
    #: not delivered yet; None when that is unknown
    lag: int | None
    #: delivered and not yet processed
    pending: int | None
    dead_letters: int | None
