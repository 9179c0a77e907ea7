"""The page of one record: fields with their evidence, history, remove for good, and allow again."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Annotated, Any, NamedTuple

from fastapi import Path, Query, Response
from pydantic import ValidationError

from lamplighter.model.record import Method
from lamplighter.model.record_search import Presence, RecordFilter, RecordOrder, SortKey
from lamplighter.operations.records import record_search, records
from lamplighter.rules.pages.text_diff import MOST_PAIRS_OF_LINE, DiffPiece, by_words
from lamplighter.rules.records import search_query
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.records.record_lines import moment_of
from lamplighter.web.dashboard.records.record_times import over_time
from lamplighter.web.record_filter import RemovalIn
from lamplighter.web.routes import Pages

ROUTES = Pages()
_MOST_ALIKE = 5
_UNSAID = "Enter a reason; it is written to the audit log and to the record's tombstone."
#: a public id or a canonical hash
RecordId = Annotated[str, Path(pattern="^[0-9a-f-]{1,64}$")]
VersionNumber = Annotated[str, Query(max_length=10)]
Record = Mapping[str, Any]
#: extraction method -> its label
_METHODS: Mapping[str, str] = {
    Method.RECIPE: "the source's recipe",
    Method.JSONLD: "JSON-LD in the page",
    Method.MICRODATA: "microdata in the page",
    Method.RDFA: "RDFa in the page",
    Method.FEED: "the feed",
    Method.META: "the page's head",
    Method.STATE: "data in the page's scripts",
    Method.API: "the API response",
    Method.LISTING: "the list on the page",
    Method.LABELS: "labels on the page",
    Method.ARTICLE: "the body text",
    Method.HTML: "the page itself",
    Method.SOURCE: "the source's name",
}
_PLAIN = (
    "title url organisation location_raw country_iso deadline published_at updated_at expires_at language tags"
).split()
_TIMES = ("published_at", "updated_at", "expires_at")
_NAMES = {"country_iso": "country", "location_raw": "place", "level_norm": "level", "url": "address"}
#: field -> the field with the site's original text for it
_RAW_OF = {"country_iso": "location_raw", "city": "location_raw", "level_norm": "level"}
#: shown below the others, in full
_LONG = ("description", "text")
_LONGEST_IN_A_LINE = 300
#: the most changed fields that a page shows, the newest first
MOST_CHANGES = 50


class FieldLine(NamedTuple):
    """A short field of a record with its evidence."""

    name: str
    value: str
    #: its target; None when the value is not a URL
    link: str | None
    #: None when the value is not a time
    moment: datetime | None
    #: the site's original text; None where it equals the value or was not stored
    raw: str | None
    #: how it was extracted; None when unknown
    method: str | None
    confidence: float | None


class LongText(NamedTuple):
    """A long text field of a record."""

    name: str
    text: str
    method: str | None
    confidence: float | None


class ChangedField(NamedTuple):
    """A changed field with its changed words."""

    field: str
    pieces: list[DiffPiece]


class ChangeMoment(NamedTuple):
    """All changes at one time."""

    at: datetime
    changes: list[ChangedField]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordDetail:
    """A record as its page shows it."""

    fields: list[FieldLine]
    texts: list[LongText]
    history: list[ChangeMoment]
    #: the number of older changed fields that are not shown
    earlier_changes: int
    first_seen_at: datetime
    last_seen_at: datetime
    gone_at: datetime | None
    expires_at: datetime | None
    #: URL, whether it is the record's own page, and since when it shows the record
    shown_on: list[tuple[str, bool, datetime]]


def detail(record: Record) -> RecordDetail:
    """Builds the view model of a record."""
    said = {name: record[name] for name in _PLAIN} | dict(record["fields"])
    return RecordDetail(
        fields=[_line(record, said, name) for name, value in said.items() if _is_shown(name, value, said)],
        texts=[
            LongText(name, text, *_evidence(record, name))
            for name in _LONG
            if (text := record["description"] if name == "description" else record["fields"].get(name))
        ],
        history=[
            ChangeMoment(datetime.fromisoformat(at), [_change(line) for line in group])
            for at, group in groupby(record["history"][:MOST_CHANGES], key=lambda line: line["at"])
        ],
        earlier_changes=max(0, len(record["history"]) - MOST_CHANGES),
        first_seen_at=datetime.fromisoformat(record["first_seen_at"]),
        last_seen_at=datetime.fromisoformat(record["last_seen_at"]),
        gone_at=moment_of(record["gone_at"]),
        expires_at=moment_of(record["expires_at"]),
        shown_on=[(page["url"], page["is_own"], datetime.fromisoformat(page["since"])) for page in record["shown_on"]],
    )


def plain(value: Any) -> str:
    """A field value of any type as text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {plain(each)}" for name, each in value.items() if each is not None)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(plain(each) for each in value)
    return str(value)


def _is_shown(name: str, value: Any, said: Mapping[str, Any]) -> bool:
    is_empty = value is None or value in ("", [], {})
    return not is_empty and name not in _LONG and not _is_beside(name, said)


def _is_beside(name: str, said: Mapping[str, Any]) -> bool:
    """Whether the field is the original text of another field."""
    tells = [value for value, raw in _RAW_OF.items() if raw == name] + [name.removesuffix("_raw")]
    return any(value != name and said.get(value) is not None for value in tells)


def _line(record: Record, said: Mapping[str, Any], name: str) -> FieldLine:
    value, raw = said[name], said.get(_RAW_OF.get(name, f"{name}_raw"))
    text = plain(value)[:_LONGEST_IN_A_LINE]
    link = value if isinstance(value, str) and value.startswith(("http://", "https://")) else None
    moment = moment_of(value) if name in _TIMES else None
    said_by_site = plain(raw) if raw is not None else None
    return FieldLine(_NAMES.get(name, name), text, link, moment, said_by_site, *_evidence(record, name))


def _evidence(record: Record, name: str) -> tuple[str | None, float | None]:
    found = record["provenance"].get(name)
    return (_METHODS.get(found["method"], found["method"]), found["confidence"]) if found else (None, None)


def _change(line: Mapping[str, Any]) -> ChangedField:
    before, after = (plain(value) if value is not None else "" for value in (line["before"], line["after"]))
    return ChangedField(line["field"].removeprefix("fields."), by_words(before, after, most_pairs=MOST_PAIRS_OF_LINE))


@ROUTES.get("/records/{record_id}")
async def show(
    record_id: RecordId, request: ThisRequest, version: Annotated[str, Query(max_length=10)] = ""
) -> Response:
    """Shows a record by id or canonical hash, at one of its versions, or its tombstone."""
    if request.target == "over-time":
        record = await request.read(lambda db: records.show(db, record_id))
        shown = await asyncio.to_thread(over_time, record, version=version, now=request.now)
        return request.part("records/over_time.html", over_time=shown)
    stone = await request.read(lambda db: records.removed(db, record_id))
    if stone is not None:
        return request.page("records/removed.html", stone=stone)
    return await _page(request, record_id, version=version)


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
        return await _page(request, record["id"], faults={"reason": why}, reason=reason)
    question = f"Remove “{record['title'][:200]}” with its history, and never store it again?"
    request.confirm(form, question, label="Remove", back=f"/records/{record['id']}")
    await request.write(lambda db: records.remove(db, record["id"], reason=reason, stamp=request.stamp))
    return request.done("The record was removed.", to=f"/records/{record['canonical_hash']}")


@ROUTES.post("/records/{canonical_hash}/restore")
async def restore(canonical_hash: RecordId, request: ThisRequest) -> Response:
    """Allows a removed record to be stored again."""
    await request.write(lambda db: records.restore(db, canonical_hash, stamp=request.stamp))
    return request.done("The record will be stored again when its page is next parsed.", to="/records")


async def _page(request: PageRequest, record_id: str, *, version: str = "", **more: Any) -> Response:
    record = await request.read(lambda db: records.show(db, record_id))
    shown: dict[str, Any] = {
        "record": record,
        # Comparing long values is slow: a thread keeps the event loop free.
        "detail": await asyncio.to_thread(detail, record),
        "over_time": await asyncio.to_thread(over_time, record, version=version, now=request.now),
        "alike": await _alike(request, record),
        "reason": "",
    }
    return request.page("records/show.html", **shown | more)


async def _alike(request: PageRequest, record: dict[str, Any]) -> list[dict[str, Any]]:
    """Other records that contain the phrase of its title."""
    words = search_query.parse('"' + record["title"].replace('"', " ") + '"')
    if not words.wanted:
        return []
    wanted = RecordFilter(text=words, presence=Presence.ALL)
    order = RecordOrder(by=SortKey.FIRST_SEEN, limit=_MOST_ALIKE + 1)
    found, _, _ = await record_search.search_with(request.view.db, request.view.search.finder, wanted, order)
    return [each for each in found if each["id"] != record["id"]][:_MOST_ALIKE]
