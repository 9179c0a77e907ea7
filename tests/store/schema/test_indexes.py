"""Every index that a page or a record costs is used by a statement of the store."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from lamplighter.model.record import RecordKind
from lamplighter.model.record_search import RecordFilter, RecordOrder, SortKey
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.pages import downloads, page_counts, page_lists, pages, waiting_pages
from lamplighter.store.pages.page_lists import PageFilter
from lamplighter.store.records import presence, record_search, records
from lamplighter.store.runs import crawl_runs, run_pages
from lamplighter.store.schema import tables
from tests.crawl.runs.due_jobs import on_sqlite
from tests.moments import NOON
from tests.store.query_plans import heard

Ask = Callable[[Connection], Awaitable[object]]
JOBS = RecordFilter(kind=RecordKind.JOB)


def _pages(**wanted: Any) -> Ask:
    return lambda db: page_lists.listed(db, PageFilter(**wanted), limit=20, offset=0, now=NOON)


def _sorted(by: SortKey) -> Ask:
    return lambda db: record_search.find(db, JOBS, RecordOrder(limit=1, by=by, descending=False))


#: index -> who needs it
NEEDED: dict[str, Ask] = {
    "ix_pages_in_turn": lambda db: pages.due(db, 1, now=NOON, limit=4),
    "ix_pages_downloaded": lambda db: downloads.claim(db, owner="me", now=NOON, until=NOON, limit=4),
    "ix_pages_open": lambda db: crawl_runs.without_open_pages(db, [1]),
    "ix_pages_seeds": lambda db: pages.seed_urls(db, [1]),
    "ix_pages_listings": lambda db: waiting_pages.with_open_lists(db, {1: 1}),
    "ix_pages_failed": lambda db: presence.note_missing(
        db, 1, run_id=1, now=NOON, gone_after=2, by_absence=[RecordKind.JOB]
    ),
    "ix_pages_redirected": lambda db: run_pages.redirects_in_run(db, 1),
    "ix_pages_host": _pages(host_id=1),
    "ix_pages_reason": lambda db: page_counts.failed_for(db, {"not_found"}),
    "ix_pages_run": lambda db: waiting_pages.of_runs(db, [1]),
    "ix_pages_url": lambda db: pages.known(db, ["key"]),
    "ix_pages_found_on": lambda db: waiting_pages.hold_listings(db, [1]),
    "ix_records_source": lambda db: records.publication_dates(db, 1, newest=5),
    "ix_records_page": lambda db: db.execute(tables.pages.delete().where(tables.pages.c.id == 1)),
    "ix_records_published": _sorted(SortKey.PUBLISHED),
    "ix_records_deadline": _sorted(SortKey.DEADLINE),
    "ix_records_price": _sorted(SortKey.PRICE),
    "ix_records_missing": lambda db: presence.note_missing(
        db, 1, run_id=1, now=NOON, gone_after=2, by_absence=[RecordKind.JOB]
    ),
    "ix_records_expiring": lambda db: presence.expire(db, now=NOON),
}


@on_sqlite
@pytest.mark.parametrize("index", NEEDED)
async def test_an_index_is_needed(db: Database, index: str) -> None:
    async def work(connection: Connection) -> list[Any]:
        with heard(("SELECT", "UPDATE", "INSERT", "DELETE")) as sent:
            await NEEDED[index](connection)
        plans = []
        for statement, parameters in sent:
            plans += await connection.run_sync(_explained, statement, parameters)
        return plans

    assert re.search(rf"\b{index}\b", "\n".join(await db.write(work)))


def test_every_index_is_named_here() -> None:
    there = {str(index.name) for table in (tables.pages, tables.records) for index in table.indexes}

    # The last is used where the database knows how many records there are: see the tests of the search.
    assert there == NEEDED.keys() | {"ix_records_present"}


def _explained(connection: Any, statement: str, parameters: Any) -> list[str]:
    return [str(row[-1]) for row in connection.exec_driver_sql("EXPLAIN QUERY PLAN " + statement, parameters)]
