"""What changed over all sources: change sets with their records, newest first, as a list, feed or file."""

from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any

from lamplighter.errors import NotFound
from lamplighter.model.notification import NoticeKind
from lamplighter.model.record_search import ChangeFilter, ChangeKind, ChangeSet, Term
from lamplighter.operations.records.record_feeds import MOST_ITEMS, SentFeed, sent, whole_second
from lamplighter.operations.sources.source_changes import STATE
from lamplighter.rules.alerts.record_watch import alternatives
from lamplighter.rules.change import field_shifts
from lamplighter.rules.change.differences import Difference, as_text
from lamplighter.rules.formats.feeds import FeedFormat, FeedHead, FeedItem
from lamplighter.rules.records import search_query
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.records import change_sets
from lamplighter.store.records.change_sets import SetKey

#: the most records of one set that a page of that set shows, or a file has
MOST_OF_A_SET = 500
#: changed fields that are read of one set, for so many records
_LINES_OF_A_RECORD = 12
_AT_ONCE = 100
#: the notices that tell of the same changes, for rules
NOTICES = {
    ChangeKind.NEW: NoticeKind.RECORDS_NEW,
    ChangeKind.CHANGED: NoticeKind.RECORDS_CHANGED,
    ChangeKind.GONE: NoticeKind.RECORDS_GONE,
    ChangeKind.BACK: NoticeKind.RECORDS_BACK,
}
_ORDER = (ChangeKind.CHANGED, ChangeKind.NEW, ChangeKind.BACK, ChangeKind.GONE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedRecord:
    """A record of a change set."""

    id: str
    title: str
    url: str
    #: the kind of the record
    record_kind: str
    kind: ChangeKind
    #: the fields that changed; empty unless it is CHANGED
    fields: tuple[Difference, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownSet:
    """A change set with the first of its records that a view shows."""

    change_set: ChangeSet
    records: tuple[ChangedRecord, ...]
    #: how many more there are; None when words choose among them
    more: int | None


def terms_of(words: str) -> tuple[Term, ...]:
    """The terms of words separated by commas; one of them begins a word of the record, as in a notification rule."""
    parsed = (search_query.parse(f'"{each}"*' if '"' not in each else each) for each in alternatives(words))
    return tuple(term for query in parsed for term in query.wanted)


async def page(
    db: Connection, wanted: ChangeFilter, *, reader: str, before: int | None = None, limit: int, records: int
) -> list[ShownSet]:
    """The newest sets that match, before the set `before`, each with its first `records`."""
    found = await change_sets.page(db, wanted, reader=reader, before=before, limit=limit)
    return await _with_records(db, found, wanted, limit=records)


async def unread(db: Connection, reader: str) -> int:
    """How many sets somebody has not read, up to 100."""
    return await change_sets.unread(db, reader)


async def mark(db: Connection, reader: str, set_id: int, **marks: bool) -> None:
    """Marks a set as read or starred by somebody; NotFound."""
    if not await change_sets.exists(db, set_id):
        raise NotFound(f"there is no change set {set_id}", code="change_set_not_found")
    await change_sets.mark(db, reader, set_id, **marks)


async def read_all(db: Connection, reader: str, *, to: int) -> None:
    """Marks everything up to a set as read by somebody."""
    await change_sets.read_all(db, reader, to=to)


async def _with_records(
    db: Connection, found: Sequence[tuple[SetKey, ChangeSet]], wanted: ChangeFilter, *, limit: int
) -> list[ShownSet]:
    records: dict[int, list[ChangedRecord]] = defaultdict(list)
    chosen = await change_sets.with_words(db, wanted.terms) if wanted.terms else None
    # With words, those that match may come after many that do not.
    most = limit if chosen is None else MOST_OF_A_SET
    if wanted.kind in (None, ChangeKind.NEW):
        keys = [key for key, each in found if each.counts.new]
        for row in await change_sets.new_records(db, keys, limit=most):
            if chosen is None or row.id in chosen:
                records[row.set_id].append(_record(row, ChangeKind.NEW))
    if wanted.kind is not ChangeKind.NEW:
        keys = [key for key, each in found if any(each.counts[1:])]
        lines = await change_sets.changed_lines(db, keys, wanted.kind, limit=most * _LINES_OF_A_RECORD)
        for set_id, of_set in groupby(lines, key=attrgetter("set_id")):
            records[set_id] += _by_record(line for line in of_set if chosen is None or line.id in chosen)
    return [_shown(each, records[key.id], wanted, limit=limit) for key, each in found]


def _shown(each: ChangeSet, records: list[ChangedRecord], wanted: ChangeFilter, *, limit: int) -> ShownSet:
    total = sum(each.counts) if wanted.kind is None else getattr(each.counts, wanted.kind)
    shown = tuple(sorted(records, key=_rank)[:limit])
    return ShownSet(change_set=each, records=shown, more=None if wanted.terms else max(0, total - len(shown)))


def _rank(record: ChangedRecord) -> tuple[bool, int]:
    """Moves of prices and dates first, then by kind; the order of the database otherwise."""
    return not any(field_shifts.shift_of(*each) for each in record.fields), _ORDER.index(record.kind)


def _by_record(lines: Iterable[Any]) -> list[ChangedRecord]:
    by_id: dict[str, list[Any]] = {}
    for line in lines:
        by_id.setdefault(line.public_id, []).append(line)
    return [_changed(each) for each in by_id.values()]


def _changed(lines: Sequence[Any]) -> ChangedRecord:
    fields = tuple(Difference(line.field, line.before, line.after) for line in lines if line.field != STATE)
    states = [line.after for line in lines if line.field == STATE]
    kind = ChangeKind.CHANGED if not states else ChangeKind.GONE if states[-1] == "gone" else ChangeKind.BACK
    return _record(lines[0], kind, fields)


def _record(row: Any, kind: ChangeKind, fields: tuple[Difference, ...] = ()) -> ChangedRecord:
    return ChangedRecord(id=row.public_id, title=row.title, url=row.url, record_kind=row.kind, kind=kind, fields=fields)


# ── feeds and files ──────────────────────────────────────────────────────────────────────────────────────────────────


async def feed(db: Connection, wanted: ChangeFilter, form: FeedFormat, *, own_url: str, home_url: str) -> SentFeed:
    """The newest changes as a feed, one item for each record."""
    items: list[FeedItem] = []
    sets = await page(db, wanted, reader="", limit=MOST_ITEMS, records=MOST_ITEMS)
    for each in sets:
        items += [_item(each.change_set, record) for record in each.records]
    newest = max((each.change_set.at for each in sets), default=None)
    head = FeedHead(
        title="Lamplighter: changes",
        description="What is new, changed, gone or there again.",
        own_url=own_url,
        home_url=home_url,
        newest_at=whole_second(newest),
    )
    return sent(form, head, items[:MOST_ITEMS])


def _item(change_set: ChangeSet, record: ChangedRecord) -> FeedItem:
    return FeedItem(
        id=f"{change_set.id}-{record.id}",
        url=record.url,
        title=f"{record.kind.capitalize()}: {record.title}",
        text="\n".join(map(sentence, record.fields)),
        published_at=change_set.at.replace(microsecond=0),
        author=change_set.source_name,
        tags=(record.kind, record.record_kind),
    )


def sentence(difference: Difference) -> str:
    """A changed field in one line: price: 12.00 → 10.50 (−12.5 %)."""
    field, before, after = difference
    name = field.removeprefix("fields.")
    if (shift := field_shifts.shift_of(field, before, after)) is not None:
        return f"{name}: {field_shifts.shown(field, before)} → {field_shifts.shown(field, after)} ({shift.text})"
    old, new = (" ".join(as_text(value).split()) or "(empty)" for value in (before, after))
    return f"{name}: {old} → {new}"


#: the columns of a file
COLUMNS = (
    "at",
    "source_id",
    "source",
    "run",
    "change",
    "kind",
    "title",
    "url",
    "field",
    "before",
    "after",
    "record_id",
)


async def rows(db: Database, wanted: ChangeFilter) -> AsyncIterator[list[dict[str, Any]]]:
    """All changes that match, newest first, in pieces: a row for each changed field, or for the record."""
    before: int | None = None
    while True:
        async with db.read() as connection:
            sets = await page(connection, wanted, reader="", before=before, limit=_AT_ONCE, records=MOST_OF_A_SET)
        if not sets:
            return
        before = sets[-1].change_set.id
        yield [row for each in sets for record in each.records for row in _file_rows(each.change_set, record)]


def _file_rows(change_set: ChangeSet, record: ChangedRecord) -> list[dict[str, Any]]:
    known: dict[str, Any] = {
        "at": change_set.at.isoformat(),
        "source_id": change_set.source_id,
        "source": change_set.source_name,
        "run": change_set.run_number,
        "change": record.kind,
        "kind": record.record_kind,
        "title": record.title,
        "url": record.url,
        "record_id": record.id,
    }
    nothing = {"field": None, "before": None, "after": None}
    return [known | each._asdict() for each in record.fields] or [known | nothing]
