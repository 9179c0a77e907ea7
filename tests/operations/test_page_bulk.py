"""Asking for many pages again at once."""

from typing import Any

import pytest

from lamplighter.model.page import Phase
from lamplighter.operations import frontier, page_bulk
from lamplighter.operations.frontier import PageKind, Status, Which
from lamplighter.store import tables
from lamplighter.store.database import Database
from tests.crawl.queueing import Queues
from tests.moments import NOON
from tests.store.given import a_run, some_pages, write

FAILED: dict[str, Any] = {"phase": Phase.FAILED, "reason": "timeout", "detail": "no answer", "retry_count": 3}


async def _pages(db: Database, *paths: str, **columns: Any) -> list[int]:
    source_id, run_id = await write(db, a_run)
    return await write(db, some_pages, source_id, run_id, *paths, **columns)


async def test_those_that_ended_wait_again_with_all_their_tries(db: Database) -> None:
    await _pages(db, "/1", "/2", "/3", rank=20_001, **FAILED)

    done = await page_bulk.restart(db, Which(status=Status.FAILED), actor="test", now=NOON)

    rows = await Queues(db).rows(tables.pages)
    orders = await Queues(db).rows(tables.page_orders)
    assert done == 3
    assert {(row.phase, row.reason, row.retry_count) for row in rows} == {(Phase.WAITING, None, 0)}
    assert {(order.priority, order.next_at, order.created_by) for order in orders} == {(80, NOON, "test")}


async def test_an_order_that_was_there_keeps_its_priority_and_how_often(db: Database) -> None:
    url = "https://shop.example/lamp"
    page_id = await write(db, frontier.submit, url, source_id=None, priority=70, actor="shop", now=NOON)
    await db.write(lambda c: c.execute(tables.pages.update().values(FAILED)))

    await page_bulk.restart(db, Which(kind=PageKind.SUBMITTED), actor="test", now=NOON)

    (order,) = await Queues(db).rows(tables.page_orders)
    assert (order.page_id, order.priority, order.created_by, order.next_at) == (page_id, 70, "shop", NOON)


async def test_what_is_under_way_stays_as_it_is(db: Database) -> None:
    await _pages(db, "/1")

    assert await write(db, page_bulk.count_restartable, Which(), now=NOON) == 0
    assert await page_bulk.restart(db, Which(), actor="test", now=NOON) == 0


@pytest.mark.parametrize(
    ("which", "count"),
    [
        (Which(), 2),
        (Which(status=Status.DEAD), 0),
        (Which(status=Status.PENDING), 0),
        (Which(reason="timeout"), 2),
        (Which(host="nobody.example"), 0),
        (Which(search="/2"), 1),
        (Which(kind=PageKind.START), 0),
    ],
)
async def test_only_what_matches_is_counted(db: Database, which: Which, count: int) -> None:
    await _pages(db, "/1", "/2", **FAILED)

    assert await write(db, page_bulk.count_restartable, which, now=NOON) == count
