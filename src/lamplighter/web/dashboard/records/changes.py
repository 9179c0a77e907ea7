"""`/changes`: what changed over all sources, newest first, by run."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import Response
from fastapi.responses import RedirectResponse
from pydantic import ValidationError

from lamplighter.errors import BadInput, LamplighterError
from lamplighter.model.record_search import ChangeKind, ChangeSet
from lamplighter.operations.alerts import notification_rules
from lamplighter.operations.alerts.notification_rules import RuleSettings
from lamplighter.operations.records import change_stream
from lamplighter.operations.records.change_stream import NOTICES, ChangedRecord, ShownSet
from lamplighter.operations.sources import source_list
from lamplighter.rules.change import field_shifts
from lamplighter.rules.change.differences import Difference, as_text
from lamplighter.rules.change.field_shifts import Shift
from lamplighter.rules.formats.plural import counted
from lamplighter.rules.pages import text_diff
from lamplighter.rules.pages.text_diff import DiffPiece
from lamplighter.store.alerts import notification_channels
from lamplighter.store.engine.database import Connection
from lamplighter.store.sources import source_lists, sources
from lamplighter.store.sources import tags as stored_tags
from lamplighter.web.dashboard.forms import SubmittedForm, faults_of
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.records import changes_query
from lamplighter.web.dashboard.records.changes_query import PATH, ChangesQuery
from lamplighter.web.dashboard.records.record_query import fault_in
from lamplighter.web.routes import Pages
from lamplighter.web.values import RowId

ROUTES = Pages()
#: runs on a page, and records shown of each
LIMIT, _RECORDS = 25, 5
#: changed fields shown of a record
_FIELDS = 4
#: the most pairs of words that are compared of one field
_MOST_PAIRS = text_diff.MOST_PAIRS_OF_LINE
#: characters shown around what changed
_AROUND = 60
_PROPOSED_TAGS, _PROPOSED_SOURCES = 100, 200
_LONGEST_SOURCE = 500
_FEEDS = (("feed.rss", "RSS"), ("feed.atom", "Atom"), ("feed.json", "JSON Feed"))
#: how soon a rule sends: minutes, and their label
_WHEN = (("0", "at once, by run"), ("60", "every hour"), ("1440", "once a day"), ("10080", "once a week"))
_MARKS = {
    "read": {"is_read": True},
    "unread": {"is_read": False},
    "star": {"is_starred": True},
    "unstar": {"is_starred": False},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedField:
    """A changed field: its move if it is a number or a date, otherwise its words."""

    name: str
    shift: Shift | None
    before: str
    after: str
    pieces: list[DiffPiece]


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedRecord:
    """A record with its changed fields."""

    record: ChangedRecord
    fields: list[MarkedField]
    #: how many more fields changed
    more: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamEntry:
    """A change set as the page shows it."""

    set: ChangeSet
    records: list[MarkedRecord]
    more: int | None


@ROUTES.get(PATH)
async def changes(request: ThisRequest) -> Response:
    """The whole page, or only its entries for a script."""
    query = ChangesQuery.of(request.http.query_params)
    typed = request.http.query_params.get("source", "").strip()[:_LONGEST_SOURCE]
    if not typed:
        return await _page(request, query)
    try:
        named = await request.read(lambda db: source_list.named(db, typed))
    except LamplighterError as error:
        return await _page(request, query, typed_source=typed, source_fault=str(error))
    path = query.with_("source_id", named.public_id)
    return Response(headers={"HX-Redirect": path}) if request.is_partial else RedirectResponse(path, status_code=303)


@ROUTES.post(f"{PATH}/read", role="viewer")
async def read_all(request: ThisRequest) -> Response:
    """Marks everything up to the newest entry of the page as read."""
    form = await request.form()
    newest = form.whole_number("to")
    if newest is None or newest < 0:
        raise BadInput("the newest entry is missing; load the page again", field="to")
    await request.write(lambda db: change_stream.read_all(db, request.caller.name, to=newest))
    return request.done("All is read.", to=form.text("back") or PATH)


@ROUTES.post(f"{PATH}/alert")
async def save(request: ThisRequest) -> Response:
    """Saves the view as notification rules: one for each kind of change that it shows."""
    form = await request.form()
    query = ChangesQuery.of(dict(form.fields()))

    async def work(db: Connection) -> int:
        wanted = _rules_of(query, form)
        for settings in wanted:
            await notification_rules.add(db, settings, stamp=request.stamp)
        return len(wanted)

    try:
        query.filter_in(request.now, request.caller.name)
        added = await request.write(work)
    except (ValidationError, LamplighterError) as error:
        faults = faults_of(error) if isinstance(error, LamplighterError) else {"": fault_in(error)}
        return await _page(request, query, faults=faults)
    said = f"Saved: {counted(added, 'notification rule')} will tell you."
    return request.done(f"{said} They are under Settings, Notifications.", to=query.path())


@ROUTES.post(f"{PATH}/{{set_id}}/mark", role="viewer")
async def mark(set_id: RowId, request: ThisRequest) -> Response:
    """Marks one entry as read, unread, starred or not."""
    form = await request.form()
    marks = _MARKS.get(form.text("mark"))
    if marks is None:
        raise BadInput(f"an entry is marked as {', '.join(_MARKS)}", field="mark")
    await request.write(lambda db: change_stream.mark(db, request.caller.name, set_id, **marks))
    if not request.is_partial:
        return request.done("The entry was marked.", to=form.text("back") or PATH)
    query = ChangesQuery(set_id=set_id)
    (shown,) = await _sets(request, query, records=_RECORDS)
    return request.part("changes/entry.html", entry=(await asyncio.to_thread(_entries, [shown]))[0], query=query)


async def _page(
    request: PageRequest,
    query: ChangesQuery,
    *,
    faults: Mapping[str, str] | None = None,
    typed_source: str = "",
    source_fault: str = "",
) -> Response:
    sets: list[ShownSet] = []
    fault, status = None, 422 if faults or source_fault else 200
    try:
        sets = await _sets(request, query, records=change_stream.MOST_OF_A_SET if query.set_id else _RECORDS)
    except ValidationError as error:
        fault, status = fault_in(error), 422
    # Comparing long values is slow: a thread keeps the event loop free.
    entries = await asyncio.to_thread(_entries, sets)
    shown: dict[str, Any] = {
        "query": query,
        "entries": entries,
        "fault": fault,
        "faults": faults or {},
        "typed_source": typed_source,
        "source_fault": source_fault,
        "older": query.older(entries[-1].set.id) if len(entries) == LIMIT else None,
        "newest": max((each.set.id for each in entries), default=0),
    }
    if request.target == "stream":
        shown["fault"] = fault or source_fault
        part = request.part("changes/stream.html", status=status, **shown)
        part.headers["HX-Push-Url"] = query.path()
        return part
    async with request.view.db.read() as db:
        shown |= await _around(db, query)
    is_open = request.view.settings.is_dev
    return request.page("changes/page.html", status=status, is_open=is_open, **shown)


async def _sets(request: PageRequest, query: ChangesQuery, *, records: int) -> list[ShownSet]:
    reader = request.caller.name
    wanted = query.filter_in(request.now, reader)
    return await request.read(
        lambda db: change_stream.page(db, wanted, reader=reader, before=query.before, limit=LIMIT, records=records)
    )


async def _around(db: Connection, query: ChangesQuery) -> dict[str, Any]:
    """The parts of the page beside its entries."""
    source_id = query.given.get("source_id")
    source = await sources.by_public_id(db, source_id) if source_id and source_id.isprintable() else None
    channels = await notification_channels.listed(db)
    return {
        "source": source,
        "tags": await stored_tags.names(db, limit=_PROPOSED_TAGS),
        "known_sources": await source_lists.first_by_name(db, limit=_PROPOSED_SOURCES) if source is None else [],
        "channels": [(each.public_id, f"{each.name} ({each.kind})") for each in channels if each.enabled],
        "when": _WHEN,
        "kind_choices": changes_query.KIND_CHOICES,
        "period_choices": changes_query.PERIOD_CHOICES,
        "mark_choices": changes_query.MARK_CHOICES,
        "feeds": [(label, query.api_path(name)) for name, label in _FEEDS],
        "file": query.api_path("export"),
    }


def _rules_of(query: ChangesQuery, form: SubmittedForm) -> list[RuleSettings]:
    kind = query.given.get("change")
    tag, source_id = query.given.get("tag", ""), query.given.get("source_id", "")
    minutes = form.whole_number("digest_minutes")
    return [
        RuleSettings(
            channel=form.text("channel"),
            kind=NOTICES[each],
            source=source_id,
            # A source is narrower than a tag, and a rule has only one of them.
            tag="" if source_id else tag,
            words=query.given.get("words", ""),
            digest_minutes=minutes,
        )
        for each in ([ChangeKind(kind)] if kind else ChangeKind)
    ]


def _entries(sets: Sequence[ShownSet]) -> list[StreamEntry]:
    return [
        StreamEntry(set=each.change_set, records=[_record(record) for record in each.records], more=each.more)
        for each in sets
    ]


def _record(record: ChangedRecord) -> MarkedRecord:
    names = {each.field for each in record.fields}
    # What the page wrote, where the value that was read from it is told.
    told = [each for each in record.fields if each.field.removesuffix("_raw") not in names - {each.field}]
    return MarkedRecord(record=record, fields=[_field(each) for each in told[:_FIELDS]], more=len(told[_FIELDS:]))


def _field(difference: Difference) -> MarkedField:
    field, before, after = difference
    shift = field_shifts.shift_of(field, before, after)
    name = field.removeprefix("fields.").replace("_", " ")
    if shift is not None:
        old, new = field_shifts.shown(field, before), field_shifts.shown(field, after)
        return MarkedField(name=name, shift=shift, before=old, after=new, pieces=[])
    old, new = as_text(before), as_text(after)
    pieces = text_diff.by_words(old, new, most_pairs=_MOST_PAIRS)
    return MarkedField(name=name, shift=None, before=old, after=new, pieces=_cut(pieces))


def _cut(pieces: Sequence[DiffPiece]) -> list[DiffPiece]:
    """The pieces with long unchanged passages cut out."""
    last = len(pieces) - 1
    return [each._replace(text=_ends(each, at == 0, at == last)) for at, each in enumerate(pieces)]


def _ends(piece: DiffPiece, is_first: bool, is_last: bool) -> str:
    text = piece.text
    if piece.mark != "same":
        return text if len(text) <= 4 * _AROUND else f"{text[: 4 * _AROUND]}…"
    head = "" if is_first else text[:_AROUND]
    tail = "" if is_last else text[-_AROUND:]
    return text if len(text) <= len(head) + len(tail) else f"{head}…{tail}"
