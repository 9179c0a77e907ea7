"""The page of one record: looked at, removed for good, and let back in."""

import asyncio
from typing import Annotated, Any

from fastapi import Path, Response
from pydantic import ValidationError

from lamplighter.model.record_search import Order, Presence, RecordFilter, SortKey
from lamplighter.operations import record_search, records
from lamplighter.rules import search_query
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.v1.shapes_records import RemovalIn
from lamplighter.web.dashboard.record_detail import detail
from lamplighter.web.dashboard.visit import Visit, Visiting

ROUTES = Routes("", tag="dashboard")
_MOST_ALIKE = 5
_UNSAID = "Say why: the reason stands in the audit log and on the record's tombstone."
#: a public id or a canonical hash
RecordId = Annotated[str, Path(pattern="^[0-9a-f-]{1,64}$")]


@ROUTES.get("/records/{record_id}", include_in_schema=False)
async def show(record_id: RecordId, visit: Visiting) -> Response:
    """A record by its id or its canonical hash; or why there is none any more."""
    async with visit.view.db.read() as db:
        stone = await records.removed(db, record_id)
    if stone is not None:
        return visit.page("records/removed.html", stone=stone)
    return await _page(visit, record_id)


@ROUTES.post("/records/{record_id}/remove", include_in_schema=False)
async def remove(record_id: RecordId, visit: Visiting) -> Response:
    """Forgets a record with its history, and never stores it again."""
    form = await visit.form()
    async with visit.view.db.read() as db:
        record = await records.show(db, record_id)
    reason = form.text("reason")
    try:
        RemovalIn.model_validate({"reason": reason})
    except ValidationError as error:
        why = _UNSAID if not reason else error.errors()[0]["msg"].removeprefix("Value error, ")
        return await _page(visit, record["id"], status=422, faults={"reason": why}, reason=reason)
    question = f"Forget “{record['title'][:200]}” with its history, and never store it again?"
    asked = visit.confirm(form, question, label="Remove", back=f"/records/{record['id']}")
    if asked is not None:
        return asked
    await visit.view.db.write(
        lambda db: records.remove(db, record["id"], reason=reason, actor=visit.caller.name, now=visit.now)
    )
    return visit.done("The record was removed.", to=f"/records/{record['canonical_hash']}")


@ROUTES.post("/records/{canonical_hash}/restore", include_in_schema=False)
async def restore(canonical_hash: RecordId, visit: Visiting) -> Response:
    """Lets a removed record be stored again when it is next found."""
    await visit.view.db.write(lambda db: records.restore(db, canonical_hash, actor=visit.caller.name, now=visit.now))
    return visit.done("The record will be stored again when its page is next read.", to="/records")


async def _page(visit: Visit, record_id: str, *, status: int = 200, **more: Any) -> Response:
    async with visit.view.db.read() as db:
        record = await records.show(db, record_id)
    shown = {
        "record": record,
        # Long values take a moment to compare: others are answered meanwhile.
        "detail": await asyncio.to_thread(detail, record),
        "alike": await _alike(visit, record),
        "faults": {},
        "reason": "",
    }
    return visit.page("records/show.html", status=status, **shown | more)


async def _alike(visit: Visit, record: dict[str, Any]) -> list[dict[str, Any]]:
    """Other records that say the very words of its title."""
    words = search_query.parse('"' + record["title"].replace('"', " ") + '"')
    if not words.wanted:
        return []
    wanted = RecordFilter(text=words, presence=Presence.ALL)
    order = Order(by=SortKey.FIRST_SEEN, limit=_MOST_ALIKE + 1)
    found, _, _ = await record_search.search_with(visit.view.db, visit.view.finder, wanted, order)
    return [each for each in found if each["id"] != record["id"]][:_MOST_ALIKE]
