"""Orders in the database: which are due, what a run leaves of them, and by which way they are found."""

from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from lamplighter.model.page import PageStage, Phase
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.pages import page_lists, tasks
from lamplighter.store.pages.page_lists import PageFilter
from lamplighter.store.schema import tables
from tests.moments import NOON
from tests.store.given_rows import a_run, some_pages, write
from tests.store.query_plans import plan_of

HOUR = timedelta(hours=1)


async def _orders(db: Connection, *rows: dict[str, Any]) -> list[int]:
    """Pages of one source with these orders, in a run; returns the run's id and the pages'."""
    source_id, run_id = await a_run(db)
    ids = await some_pages(db, source_id, run_id, *(f"/{number}" for number in range(len(rows))), phase=Phase.WAITING)
    usual: dict[str, Any] = {
        "priority": 50,
        "scheduled_at": NOON,
        "next_at": NOON,
        "created_by": "test",
        "frequency_seconds": 3600,
        "is_recurring": False,
    }
    orders = [tasks.NewOrder(page_id=page_id, **usual | row) for page_id, row in zip(ids, rows, strict=True)]
    await tasks.add(db, orders)
    return [run_id, *ids]


async def _set(db: Connection, table: sa.Table, which: Any, **values: Any) -> None:
    await db.execute(sa.update(table).where(which).values(**values))


async def _order(db: Connection, page_id: int) -> Any:
    return (await db.execute(sa.select(tables.page_orders).where(tables.page_orders.c.page_id == page_id))).one()


async def test_due_orders_come_by_importance_then_by_how_long_they_have_been_due(db: Database) -> None:
    _, low, early, late, _future = await write(
        db,
        _orders,
        {"priority": 10},
        {"priority": 90, "next_at": NOON - HOUR},
        {"priority": 90},
        {"next_at": NOON + HOUR},
    )

    due = await write(db, tasks.due, now=NOON, limit=10)

    assert [order.page_id for order in due] == [early, late, low]


async def test_orders_of_what_is_disabled_or_deleted_are_not_due(db: Database) -> None:
    await write(db, _orders, {})
    cases: list[tuple[sa.Table, dict[str, Any], dict[str, Any]]] = [
        (tables.hosts, {"enabled": False}, {"enabled": True}),
        (tables.sources, {"enabled": False}, {"enabled": True}),
        (tables.sources, {"deleted_at": NOON}, {"deleted_at": None}),
        (tables.crawl_jobs, {"state": "cancelled"}, {"state": "paused"}),
        (tables.crawl_jobs, {"deleted_at": NOON}, {"deleted_at": None}),
    ]

    for table, shut, opened in cases:
        await write(db, _set, table, sa.true(), **shut)
        assert await write(db, tasks.due, now=NOON, limit=10) == [], shut
        await write(db, _set, table, sa.true(), **opened)
    assert len(await write(db, tasks.due, now=NOON, limit=10)) == 1


async def test_a_run_that_ends_plans_the_next_visit_of_what_it_had_and_of_nothing_else(db: Database) -> None:
    run_id, again, once, failed, read = await write(
        db, _orders, *({"next_at": None, "is_recurring": recurs} for recurs in (True, False, True, True))
    )
    for page_id, phase, fetched_at in (
        (again, Phase.COMPLETED, NOON + HOUR),
        (once, Phase.COMPLETED, NOON + HOUR),
        (failed, Phase.FAILED, None),
        (read, Phase.COMPLETED, NOON - HOUR),
    ):
        await write(db, _set, tables.pages, tables.pages.c.id == page_id, phase=phase, fetched_at=fetched_at)

    await write(db, tasks.settle, run_id, since=NOON)

    orders = [await write(db, _order, page_id) for page_id in (again, once, failed, read)]
    assert [order.next_at for order in orders] == [NOON + 2 * HOUR, None, None, NOON]
    assert [order.visit_count for order in orders] == [1, 1, 0, 0]


async def test_what_is_put_back_waits_and_does_not_pass_for_read(db: Database) -> None:
    run_id, pending, downloaded, done = await write(db, _orders, *({"next_at": None},) * 3)
    for page_id, phase in ((pending, Phase.PENDING), (downloaded, Phase.DOWNLOADED), (done, Phase.COMPLETED)):
        await write(db, _set, tables.pages, tables.pages.c.id == page_id, phase=phase, content_hash="1" * 64)

    count = await write(db, tasks.put_back, run_id, now=NOON)

    rows = [await write(db, page_lists.one, page_id, now=NOON) for page_id in (pending, downloaded, done)]
    assert count == 2
    assert [row.phase for row in rows] == [Phase.WAITING, Phase.WAITING, Phase.COMPLETED]
    assert [row.next_at for row in rows] == [NOON, NOON, None]
    assert [row.content_hash is None for row in rows] == [False, True, False]


async def test_due_orders_and_lists_are_found_by_an_index(db: Database) -> None:
    await write(db, _orders, {}, {"next_at": None})

    due = await plan_of(db, lambda connection: tasks.due(connection, now=NOON, limit=100))
    newest = await plan_of(
        db, lambda connection: page_lists.listed(connection, PageFilter(), limit=20, offset=0, now=NOON)
    )
    failed = await plan_of(
        db, lambda connection: page_lists.count(connection, PageFilter(stages=[PageStage.FAILED]), now=NOON)
    )

    assert not db.is_sqlite or "ix_page_orders_due" in due  # PostgreSQL does so only when there are many
    assert "TEMP B-TREE" not in newest if db.is_sqlite else "pk_pages" in newest
    assert "ix_pages_failed" in failed
