"""The page of one record: show, remove for good, and allow again."""

import asyncio
from typing import Annotated, Any

from fastapi import Path, Response
from pydantic import ValidationError

from lamplighter.model.record_search import Presence, RecordFilter, RecordOrder, SortKey
from lamplighter.operations.records import record_search, records
from lamplighter.rules.records import search_query
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.records.record_detail import detail
from lamplighter.web.record_filter import RemovalIn
from lamplighter.web.routes import Pages

ROUTES = Pages()
_MOST_ALIKE = 5
_UNSAID = "Enter a reason; it is written to the audit log and to the record's tombstone."
#: a public id or a canonical hash
RecordId = Annotated[str, Path(pattern="^[0-9a-f-]{1,64}$")]


@ROUTES.get("/records/{record_id}")
async def show(record_id: RecordId, request: ThisRequest) -> Response:
    """Shows a record by id or canonical hash, or its tombstone."""
    stone = await request.read(lambda db: records.removed(db, record_id))
    if stone is not None:
        return request.page("records/removed.html", stone=stone)
    return await _page(request, record_id)


@ROUTES.post("/records/{record_id}/remove")
async def remove(record_id: RecordId, request: ThisRequest) -> Response:
    """Removes a record with its history, and blocks storing it again."""
    form = await request.form()
    record = await request.read(lambda db: records.show(db, record_id))
    reason = form.text("reason")
    try:
        RemovalIn.model_validate({"reason": reason})
    except ValidationError as error:
        why = _UNSAID if not reason else error.errors()[0]["msg"].removeprefix("Value error, ")
        return await _page(request, record["id"], status=422, faults={"reason": why}, reason=reason)
    question = f"Remove “{record['title'][:200]}” with its history, and never store it again?"
    request.confirm(form, question, label="Remove", back=f"/records/{record['id']}")
    await request.write(lambda db: records.remove(db, record["id"], reason=reason, stamp=request.stamp))
    return request.done("The record was removed.", to=f"/records/{record['canonical_hash']}")


@ROUTES.post("/records/{canonical_hash}/restore")
async def restore(canonical_hash: RecordId, request: ThisRequest) -> Response:
    """Allows a removed record to be stored again."""
    await request.write(lambda db: records.restore(db, canonical_hash, stamp=request.stamp))
    return request.done("The record will be stored again when its page is next parsed.", to="/records")


async def _page(request: PageRequest, record_id: str, *, status: int = 200, **more: Any) -> Response:
    record = await request.read(lambda db: records.show(db, record_id))
    shown = {
        "record": record,
        # Comparing long values is slow: a thread keeps the event loop free.
        "detail": await asyncio.to_thread(detail, record),
        "alike": await _alike(request, record),
        "faults": {},
        "reason": "",
    }
    return request.page("records/show.html", status=status, **shown | more)


async def _alike(request: PageRequest, record: dict[str, Any]) -> list[dict[str, Any]]:
    """Other records that contain the phrase of its title."""
    words = search_query.parse('"' + record["title"].replace('"', " ") + '"')
    if not words.wanted:
        return []
    wanted = RecordFilter(text=words, presence=Presence.ALL)
    order = RecordOrder(by=SortKey.FIRST_SEEN, limit=_MOST_ALIKE + 1)
    found, _, _ = await record_search.search_with(request.view.db, request.view.search.finder, wanted, order)
    return [each for each in found if each["id"] != record["id"]][:_MOST_ALIKE]
