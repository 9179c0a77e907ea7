"""Gathers what a run found, changed or lost, for the rules that watch it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from lamplighter.model.notification import NoticeKind
from lamplighter.rules.alerts.record_watch import RecordFieldChange, WatchedItem
from lamplighter.store.alerts import watched_items
from lamplighter.store.alerts.watched_items import WatchedSources
from lamplighter.store.engine.database import Connection

#: records, or changed fields, that are looked at for one notice
MOST = 1000


class WatchedRun(NamedTuple):
    """The run that a notice is about; without an id, what happened lately."""

    run_id: int | None = None
    since: datetime | None = None
    until: datetime | None = None


LATELY = WatchedRun()


async def load(
    db: Connection, kind: NoticeKind, of: WatchedSources, run: WatchedRun = LATELY, *, limit: int = MOST
) -> list[WatchedItem]:
    """What a run has for a kind of notice."""
    match kind:
        case NoticeKind.RECORDS_NEW:
            rows = await watched_items.new_records(db, of, since=run.since, until=run.until, limit=limit)
            return _by_record(rows)
        case NoticeKind.RECORDS_CHANGED | NoticeKind.PRICE_FELL:
            return _with_changes(await watched_items.changed_records(db, of, run_id=run.run_id, limit=limit))
        case NoticeKind.RECORDS_GONE:
            return _by_record(await watched_items.turned_records(db, of, "gone", run_id=run.run_id, limit=limit))
        case NoticeKind.RECORDS_BACK:
            return _by_record(await watched_items.turned_records(db, of, "present", run_id=run.run_id, limit=limit))
        case NoticeKind.PAGES_CHANGED:
            rows = await watched_items.changed_pages(db, of, run_id=run.run_id, since=run.since, limit=limit)
            return [WatchedItem(source_id=row.source_id, title=f"version {row.number}", url=row.url) for row in rows]
    return []


def _by_record(rows: Sequence[Any]) -> list[WatchedItem]:
    alone = {row.record_id: row for row in rows}
    return [_item(row) for row in alone.values()]


def _with_changes(rows: Sequence[Any]) -> list[WatchedItem]:
    changes: dict[int, list[RecordFieldChange]] = {}
    for row in rows:
        changes.setdefault(row.record_id, []).append(RecordFieldChange(row.field, row.before, row.after))
    first = {row.record_id: row for row in reversed(rows)}
    return [_item(first[record_id], tuple(reversed(each))) for record_id, each in changes.items()]


def _item(row: Any, changes: tuple[RecordFieldChange, ...] = ()) -> WatchedItem:
    return WatchedItem(
        source_id=row.source_id, title=row.title, url=row.url, text=row.description or "", changes=changes
    )
