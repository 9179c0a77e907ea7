"""Documents, queries and results of a search server."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any, NamedTuple

from lamplighter.model.record_search import RecordFilter


class IndexedRecord(NamedTuple):
    """A record in the index, and its version."""

    id: int
    #: equal on both sides as long as nothing has changed
    stamp: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A record as a search server stores it."""

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
    #: whether its source was deleted: then only queries for that very source find it
    is_hidden: bool


class IndexQuery(NamedTuple):
    """A query for records."""

    wanted: RecordFilter
    #: the ids of the filter's sources; None means all that are not deleted
    source_ids: tuple[int, ...] | None = None


class IndexRefusal(NamedTuple):
    """Why a record was refused."""

    reason: str
    #: whether the record itself is the cause: then sending it again unchanged does not help
    is_final: bool


class IndexSendResult(NamedTuple):
    """The result of a send."""

    #: the ticket to query the result with; None when the result is known already
    ticket: str | None = None
    #: record -> why it was refused; the others were accepted
    refused: Mapping[int, IndexRefusal] = {}


class IndexProgress(StrEnum):
    """How far a search server has processed a ticket."""

    WAITING = "waiting"
    DONE = "done"
    #: the server does not know the ticket, or gave it up; the records are sent again
    LOST = "lost"


#: the result of a ticket
Outcome = IndexProgress | IndexRefusal


class IndexOrder(StrEnum):
    """Work for the index keeper."""

    #: rebuilds the whole index beside the one in use
    REINDEX = "reindex"
    #: compares the index with the records, and corrects it
    RECONCILE = "reconcile"
