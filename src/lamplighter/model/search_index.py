"""What a search server is told of records, what it is asked, and what it says to that."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any, NamedTuple

from lamplighter.model.record_search import RecordFilter


class Held(NamedTuple):
    """A record that is there, and in which form."""

    id: int
    #: equal on both sides as long as nothing has changed
    stamp: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A record as a search server knows it."""

    id: int
    public_id: str
    stamp: str
    kind: str
    url: str
    title: str
    organisation: str | None
    location_raw: str | None
    description: str | None
    country_iso: str | None
    language: str | None
    deadline: date | None
    published_at: datetime | None
    first_seen_at: datetime
    last_seen_at: datetime
    is_gone: bool
    price: float | None
    tags: tuple[str, ...]
    #: kind-specific values
    fields: Mapping[str, Any]
    source_id: int
    source_name: str
    #: whether its source was deleted: then only who asks for that source may see it
    is_hidden: bool


class IndexQuery(NamedTuple):
    """Which records are wanted."""

    wanted: RecordFilter
    #: what the filter says of their sources, looked up: of these and no others; None is of all that are not deleted
    source_ids: tuple[int, ...] | None = None


class Refusal(NamedTuple):
    """Why something was not taken."""

    reason: str
    #: whether it is about what was sent: then sending it again as it is will not help for long
    is_final: bool


class Sent(NamedTuple):
    """What came of sending something."""

    #: by which to ask later what came of it; None when that is known already
    ticket: str | None = None
    #: record -> why it was not taken; the others were
    refused: Mapping[int, Refusal] = {}


class Progress(StrEnum):
    """How far a search server has come with what it was sent."""

    WAITING = "waiting"
    DONE = "done"
    #: it knows nothing of it, or gave it up; to be sent again
    LOST = "lost"


#: an answer to a ticket
Outcome = Progress | Refusal


class IndexOrder(StrEnum):
    """What a person may ask for."""

    #: makes the whole index anew, beside the one in use
    REINDEX = "reindex"
    #: compares the index with the records, and corrects it
    RECONCILE = "reconcile"
