"""What workers do with pages now: stored in one statement, and only for pages that are still there for it."""

import pytest
import sqlalchemy as sa

from lamplighter.model.page import Phase
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.pages import pages, pages_in_flight
from lamplighter.store.pages.pages_in_flight import PageStep
from lamplighter.store.schema import tables
from tests.moments import NOON
from tests.store.given_rows import a_run, some_pages, write
from tests.store.query_plans import heard


async def _times(db: Connection, step: PageStep) -> list[object]:
    return list(await db.scalars(sa.select(tables.pages.c[step]).order_by(tables.pages.c.id)))


@pytest.mark.parametrize(("step", "phase"), [(PageStep.REQUEST, Phase.PENDING), (PageStep.PARSE, Phase.DOWNLOADED)])
async def test_many_pages_take_one_statement(db: Database, step: PageStep, phase: Phase) -> None:
    source_id, run_id = await write(db, a_run)
    ids = await write(db, some_pages, source_id, run_id, "/1", "/2", "/3", phase=phase)
    await write(db, pages_in_flight.note, step, begun=dict.fromkeys(ids[:1], NOON), ended=())

    with heard("UPDATE pages") as said:
        await write(db, pages_in_flight.note, step, begun=dict.fromkeys(ids[1:], NOON), ended=ids[:1])

    assert len(said) == 2
    assert await write(db, _times, step) == [None, NOON, NOON]


async def test_a_page_whose_request_has_ended_since_keeps_no_time(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    ids = await write(db, some_pages, source_id, run_id, "/1", phase=Phase.DOWNLOADED)

    await write(db, pages_in_flight.note, PageStep.REQUEST, begun=dict.fromkeys(ids, NOON), ended=())

    assert await write(db, _times, PageStep.REQUEST) == [None]


async def test_a_page_in_a_new_run_forgets_the_request_of_a_worker_that_died(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    (page_id,) = await write(db, some_pages, source_id, run_id, "/1", phase=Phase.PENDING)
    await write(db, pages_in_flight.note, PageStep.REQUEST, begun={page_id: NOON}, ended=())

    again = {"page": page_id, "run": run_id, "new_depth": 0, "new_rank": 1, "new_hops": 0}
    await write(db, pages.readmit, [again])

    assert await write(db, _times, PageStep.REQUEST) == [None]
