"""Asking for many pages again at once."""

from typing import Any

import pytest

from lamplighter.model.access import Stamp
from lamplighter.model.page import IGNORED, Phase
from lamplighter.operations.pages import frontier, page_bulk
from lamplighter.operations.pages.frontier import FrontierFilter, FrontierStatus, PageKind
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.pages import page_lists
from lamplighter.store.schema import tables
from tests.crawl.runs.due_jobs import Queues
from tests.moments import NOON
from tests.store.given_rows import a_run, some_pages, write

FAILED: dict[str, Any] = {"phase": Phase.FAILED, "reason": "timeout", "detail": "no answer", "retry_count": 3}


async def _pages(db: Database, *paths: str, **columns: Any) -> list[int]:
    source_id, run_id = await write(db, a_run)
    return await write(db, some_pages, source_id, run_id, *paths, **columns)


async def test_those_that_ended_wait_again_with_all_their_tries(db: Database) -> None:
    await _pages(db, "/1", "/2", "/3", rank=20_001, **FAILED)

    done = await page_bulk.restart(db, FrontierFilter(status=FrontierStatus.FAILED), stamp=Stamp("test", NOON))

    rows = await Queues(db).rows(tables.pages)
    orders = await Queues(db).rows(tables.page_orders)
    assert done == 3
    assert {(row.phase, row.reason, row.retry_count) for row in rows} == {(Phase.WAITING, None, 0)}
    assert {(order.priority, order.next_at, order.created_by) for order in orders} == {(80, NOON, "test")}


async def test_an_order_that_was_there_keeps_its_priority_and_how_often(db: Database) -> None:
    url = "https://shop.example/lamp"
    page_id = await write(db, frontier.submit, url, source_id=None, priority=70, stamp=Stamp("shop", NOON))
    await db.write(lambda c: c.execute(tables.pages.update().values(FAILED)))

    await page_bulk.restart(db, FrontierFilter(kind=PageKind.SUBMITTED), stamp=Stamp("test", NOON))

    (order,) = await Queues(db).rows(tables.page_orders)
    assert (order.page_id, order.priority, order.created_by, order.next_at) == (page_id, 70, "shop", NOON)


async def test_what_is_under_way_stays_as_it_is(db: Database) -> None:
    await _pages(db, "/1")

    assert await write(db, page_bulk.count_restartable, FrontierFilter(), now=NOON) == 0
    assert await page_bulk.restart(db, FrontierFilter(), stamp=Stamp("test", NOON)) == 0


@pytest.mark.parametrize(
    "which", [FrontierFilter(), FrontierFilter(status=FrontierStatus.PAUSED), FrontierFilter(reason=IGNORED)]
)
async def test_links_that_somebody_ignored_stay_ignored(db: Database, which: FrontierFilter) -> None:
    await _pages(db, "/1", phase=Phase.PAUSED, reason=IGNORED)

    counted = await write(db, page_bulk.count_restartable, which, now=NOON)
    done = await page_bulk.restart(db, which, stamp=Stamp("test", NOON))

    (page,) = await Queues(db).rows(tables.pages)
    assert (counted, done, page.phase, page.reason) == (0, 0, Phase.PAUSED, IGNORED)


async def test_of_those_that_failed_the_dead_are_left_out_as_before(db: Database) -> None:
    await _pages(db, "/1", phase=Phase.FAILED, reason="gone")

    assert await page_bulk.restart(db, FrontierFilter(status=FrontierStatus.FAILED), stamp=Stamp("test", NOON)) == 0


async def test_a_page_that_ends_again_meanwhile_is_not_taken_twice(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await _pages(db, "/1", "/2", "/3", **FAILED)
    monkeypatch.setattr(page_bulk, "CHUNK", 1)
    monkeypatch.setattr(page_bulk, "MOST_AT_ONCE", 10)
    hold_many = page_lists.hold_many

    async def and_the_others_fail(connection: Connection, wanted: Any, ids: list[int], **more: Any) -> list[int]:
        await connection.execute(tables.pages.update().values(FAILED))
        return await hold_many(connection, wanted, ids, **more)

    monkeypatch.setattr(page_lists, "hold_many", and_the_others_fail)

    assert await page_bulk.restart(db, FrontierFilter(), stamp=Stamp("test", NOON)) == 3


async def test_a_page_that_was_taken_on_since_it_was_found_is_left_alone(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await _pages(db, "/1", **FAILED)
    find = page_lists.ids

    async def and_it_is_taken_on(*given: Any, **more: Any) -> list[int]:
        found = await find(*given, **more)
        await db.write(lambda c: c.execute(tables.pages.update().values(phase=Phase.PENDING)))
        return found

    monkeypatch.setattr(page_lists, "ids", and_it_is_taken_on)

    assert await page_bulk.restart(db, FrontierFilter(), stamp=Stamp("test", NOON)) == 0


async def test_no_more_are_taken_than_one_order_may(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    await _pages(db, "/1", "/2", "/3", **FAILED)
    monkeypatch.setattr(page_bulk, "MOST_AT_ONCE", 2)

    assert await page_bulk.restart(db, FrontierFilter(), stamp=Stamp("test", NOON)) == 2


@pytest.mark.parametrize(
    ("which", "count"),
    [
        (FrontierFilter(), 2),
        (FrontierFilter(status=FrontierStatus.DEAD), 0),
        (FrontierFilter(status=FrontierStatus.PENDING), 0),
        (FrontierFilter(reason="timeout"), 2),
        (FrontierFilter(host="nobody.example"), 0),
        (FrontierFilter(search="/2"), 1),
        (FrontierFilter(kind=PageKind.START), 0),
    ],
)
async def test_only_what_matches_is_counted(db: Database, which: FrontierFilter, count: int) -> None:
    await _pages(db, "/1", "/2", **FAILED)

    assert await write(db, page_bulk.count_restartable, which, now=NOON) == count
