"""Facts about sources, and how they travel from those who publish them to those who act on them."""

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
    """A fact, whoever published it."""

    #: by which it is recognised however often it comes
    id: str
    #: a `SourceFact`, or something that is only noted
    type: str
    #: the public id of the source it is about; None when it is about none
    source: str | None
    at: datetime
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """An event that has come, and is ours to settle."""

    #: where it stands in the stream or the outbox
    position: str
    #: how often it has been handed out, this time included
    tries: int
    #: None when what came cannot be read
    event: Event | None
    #: why not
    complaint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    """An event that could not be settled and was put aside."""

    id: str
    #: as it came
    text: str
    #: None when it could not be read
    event_id: str | None
    reason: str
    tries: int
    #: where it stood when it came
    position: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFigures:
    """How events fare."""

    #: outbox or redis
    engine: str
    #: closed: the stream answers. open: it is away, and what happens waits in the outbox
    circuit: str
    #: not yet handed to anybody; None when that cannot be known
    lag: int | None
    #: handed out and not yet settled
    pending: int | None
    dead_letters: int | None
