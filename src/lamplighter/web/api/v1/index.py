"""The index that records are found in."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel

from lamplighter.model.search_index import IndexOrder
from lamplighter.operations import search_index
from lamplighter.web.api.routes import Routes
from lamplighter.web.view import Asking, View

ROUTES = Routes("/api/v1/index", tag="index")


class ParkedRecord(BaseModel):
    """A record that the search server refused too often."""

    record_id: int
    tries: int
    parked_at: datetime
    reason: str | None


class IndexOut(BaseModel):
    """How the index stands."""

    #: database, meilisearch, elasticsearch or opensearch
    engine: str
    #: why the search server is taken for away; null while it answers, and without one
    trouble: str | None
    #: records that it has not been told of yet, and since when the oldest waits
    pending: int
    oldest_at: datetime | None
    #: records that it refused too often; the first 50 of them
    parked: int
    parked_records: list[ParkedRecord]
    in_database: int
    #: null without a search server, and while it is away
    in_index: int | None
    #: what somebody asked for and nobody has done yet
    ordered: Literal["reindex", "reconcile"] | None
    #: records that a reindex has written so far; null when none is under way
    done: int | None
    #: when it was last compared with the records
    reconciled_at: datetime | None


class OrderedOut(BaseModel):
    """What will be done."""

    ordered: Literal["reindex", "reconcile"]


_EXAMPLE: dict[str, Any] = {
    "engine": "meilisearch",
    "trouble": None,
    "pending": 12,
    "oldest_at": "2026-03-02T11:59:58Z",
    "parked": 0,
    "parked_records": [],
    "in_database": 81_240,
    "in_index": 81_229,
    "ordered": None,
    "done": None,
    "reconciled_at": "2026-03-02T03:00:00Z",
}


@ROUTES.get("", response_model=IndexOut, example=_EXAMPLE)
async def show(view: View) -> Any:
    """What records are found in, and what it has not been told yet."""
    found = await search_index.standing(view.db, view.search_server)
    parked = [
        {"record_id": each.record_id, "tries": each.try_count, "parked_at": each.parked_at, "reason": each.detail}
        for each in found.parked
    ]
    waiting = found.waiting
    return {
        "engine": waiting.engine,
        "trouble": waiting.trouble,
        "pending": waiting.pending,
        "oldest_at": waiting.oldest_at,
        "parked": waiting.parked,
        "parked_records": parked,
        "in_database": found.in_database,
        "in_index": found.in_index,
        "ordered": found.ordered,
        "done": found.done,
        "reconciled_at": found.reconciled_at,
    }


@ROUTES.post("/reindex", status=202, errors=(409,), response_model=OrderedOut, example={"ordered": "reindex"})
async def reindex(view: View, caller: Asking) -> Any:
    """Makes the search server's index anew, beside the one in use."""
    return await _order(view, caller.name, IndexOrder.REINDEX)


@ROUTES.post("/reconcile", status=202, errors=(409,), response_model=OrderedOut, example={"ordered": "reconcile"})
async def reconcile(view: View, caller: Asking) -> Any:
    """Compares the search server's index with the records, corrects it, and tries again what was given up."""
    return await _order(view, caller.name, IndexOrder.RECONCILE)


async def _order(view: View, actor: str, what: IndexOrder) -> dict[str, Any]:
    now = view.clock.now()
    await view.db.write(lambda db: search_index.order(db, view.search_server, what, actor=actor, now=now))
    return {"ordered": what}
