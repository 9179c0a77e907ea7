"""Records that were found. Nothing here sends requests to a site."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import Path, Query

from lamplighter.operations.records import record_search, records
from lamplighter.web.api.envelope import listed
from lamplighter.web.api.v1.records import record_files
from lamplighter.web.api.v1.records import shapes_records as shapes
from lamplighter.web.record_filter import RemovalIn
from lamplighter.web.routes import Routes
from lamplighter.web.view import Asking, View

ROUTES = Routes("/api/v1/records", tag="records")
Hash = Annotated[str, Path(pattern="^[0-9a-f]{64}$")]


@ROUTES.get("", response_model=shapes.RecordListOut)
async def list_records(view: View, asked: Annotated[shapes.RecordListIn, Query()]) -> Any:
    """Records, searched, filtered, sorted and counted."""
    wanted = asked.wanted()
    facets = await record_search.facets(view.db, view.search.finder, wanted, asked.counted_by())
    found, total, engine = await record_search.search_with(view.db, view.search.finder, wanted, asked.sorting())
    if asked.highlight:
        found = record_search.highlighted(found, wanted.text)
    page = listed("records", found, total=total, limit=asked.limit, offset=asked.offset)
    return page | {"facets": facets, "engine": engine}


# Before the routes with an id, which would match "export".
record_files.declare(ROUTES)


@ROUTES.get("/{record_id}", response_model=shapes.RecordDetailOut)
async def show(record_id: UUID, view: View) -> Any:
    """A record with its pages and its history."""
    return await view.read(lambda db: records.show(db, str(record_id)))


@ROUTES.get("/{record_id}/history", response_model=shapes.HistoryOut)
async def history(record_id: UUID, view: View) -> Any:
    """A record's changes."""
    async with view.db.read() as db:
        return {"history": await records.history(db, str(record_id))}


@ROUTES.delete("/{record_id}", response_model=shapes.TombstoneOut)
async def remove(record_id: UUID, view: View, caller: Asking, body: RemovalIn) -> Any:
    """Removes a record and its history, and never stores it again."""
    stamp = view.stamp(caller)
    return await view.db.write(lambda db: records.remove(db, str(record_id), reason=body.reason, stamp=stamp))


@ROUTES.post("/{canonical_hash}/restore", response_model=shapes.TombstoneOut)
async def restore(canonical_hash: Hash, view: View, caller: Asking) -> Any:
    """Allows a removed record to be stored again when next found."""
    return await view.db.write(lambda db: records.restore(db, canonical_hash, stamp=view.stamp(caller)))
