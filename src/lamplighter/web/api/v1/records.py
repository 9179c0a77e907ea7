"""Records: what was found. Nothing here ever asks a site for anything."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import Path, Query

from lamplighter.operations import record_search, records
from lamplighter.web.api.paging import listed
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.v1 import record_files
from lamplighter.web.api.v1.examples_records import DETAIL, HISTORY, LIST, TOMBSTONE
from lamplighter.web.api.v1.shapes_records import (
    HistoryOut,
    RecordDetailOut,
    RecordListIn,
    RecordListOut,
    RemovalIn,
    TombstoneOut,
)
from lamplighter.web.view import Asking, View

ROUTES = Routes("/api/v1/records", tag="records")
Hash = Annotated[str, Path(pattern="^[0-9a-f]{64}$")]


@ROUTES.get("", response_model=RecordListOut, example=LIST)
async def list_records(view: View, asked: Annotated[RecordListIn, Query()]) -> Any:
    """Records, searched, filtered, sorted and counted."""
    wanted = asked.wanted()
    facets = await record_search.facets(view.db, view.finder, wanted, asked.counted_by())
    found, total, engine = await record_search.search_with(view.db, view.finder, wanted, asked.sorting())
    if asked.highlight:
        found = record_search.highlighted(found, wanted.text)
    page = listed("records", found, total=total, limit=asked.limit, offset=asked.offset)
    return page | {"facets": facets, "engine": engine}


# Before the routes with an id, which would take "export" for one.
record_files.declare(ROUTES)


@ROUTES.get("/{record_id}", response_model=RecordDetailOut, example=DETAIL)
async def show(record_id: UUID, view: View) -> Any:
    """A record with its pages and its history."""
    async with view.db.read() as db:
        return await records.show(db, str(record_id))


@ROUTES.get("/{record_id}/history", response_model=HistoryOut, example=HISTORY)
async def history(record_id: UUID, view: View) -> Any:
    """How a record changed."""
    async with view.db.read() as db:
        return {"history": await records.history(db, str(record_id))}


@ROUTES.delete("/{record_id}", response_model=TombstoneOut, example=TOMBSTONE)
async def remove(record_id: UUID, view: View, caller: Asking, body: RemovalIn) -> Any:
    """Forgets a record with its history, and never stores it again."""
    now = view.clock.now()
    return await view.db.write(
        lambda db: records.remove(db, str(record_id), reason=body.reason, actor=caller.name, now=now)
    )


@ROUTES.post("/{canonical_hash}/restore", response_model=TombstoneOut, example=TOMBSTONE)
async def restore(canonical_hash: Hash, view: View, caller: Asking) -> Any:
    """Lets a removed record be stored again when it is next found."""
    now = view.clock.now()
    return await view.db.write(lambda db: records.restore(db, canonical_hash, actor=caller.name, now=now))
