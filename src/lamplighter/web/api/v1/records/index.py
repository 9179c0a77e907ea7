"""The index of records."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel

from lamplighter.model.search_index import IndexOrder
from lamplighter.operations.records import search_index
from lamplighter.web.api.envelope import taken_from
from lamplighter.web.routes import Routes
from lamplighter.web.view import Asking, View

ROUTES = Routes("/api/v1/index", tag="index")


class ParkedRecord(BaseModel):
    """A record that the search server refused too often."""

    record_id: int
    tries: int = taken_from("try_count")
    parked_at: datetime
    reason: str | None = taken_from("detail")


class IndexOut(BaseModel):
    """Index status."""

    #: database, meilisearch, elasticsearch or opensearch
    engine: str = taken_from("waiting", "engine")
    #: why the search server counts as unreachable; null while it responds, and without one
    trouble: str | None = taken_from("waiting", "trouble")
    #: records still to be sent to it, and since when the oldest waits
    pending: int = taken_from("waiting", "pending")
    oldest_at: datetime | None = taken_from("waiting", "oldest_at")
    #: records that it refused too often, and the first 50 of them
    parked: int = taken_from("waiting", "parked")
    parked_records: list[ParkedRecord] = taken_from("parked")
    in_database: int
    #: null without a search server, and while it is unreachable
    in_index: int | None
    #: an order that is not carried out yet
    ordered: Literal["reindex", "reconcile"] | None
    #: records that a reindex has written so far; null when none is running
    done: int | None
    #: when it was last compared with the records
    reconciled_at: datetime | None


class OrderedOut(BaseModel):
    """The order taken."""

    ordered: Literal["reindex", "reconcile"]


@ROUTES.get("", response_model=IndexOut)
async def show(view: View) -> Any:
    """The index status, and records still to be sent to it."""
    return await search_index.status(view.db, view.search.server)


@ROUTES.post("/reindex", status=202, errors=(409,), response_model=OrderedOut)
async def reindex(view: View, caller: Asking) -> Any:
    """Rebuilds the search server's index beside the one in use."""
    return await _order(view, caller, IndexOrder.REINDEX)


@ROUTES.post("/reconcile", status=202, errors=(409,), response_model=OrderedOut)
async def reconcile(view: View, caller: Asking) -> Any:
    """Compares the search server's index with the records, corrects it, and retries parked records."""
    return await _order(view, caller, IndexOrder.RECONCILE)


async def _order(view: View, caller: Asking, what: IndexOrder) -> dict[str, Any]:
    await view.db.write(lambda db: search_index.order(db, view.search.server, what, stamp=view.stamp(caller)))
    return {"ordered": what}
