"""How long pages rest, in the database: what is stored, and what else has a say."""

from datetime import date, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.model.page import Phase, RevisitState
from lamplighter.model.record import Record
from lamplighter.model.schedule import Belief
from lamplighter.rules.urls import urls
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.pages import page_revisits, pages
from lamplighter.store.pages.page_revisits import PageCircumstances
from lamplighter.store.records import sightings
from lamplighter.store.schema.tables import crawl_jobs, records
from tests.moments import NOON
from tests.store.given_rows import a_run, some_pages, write
from tests.store.query_plans import plan_of
from tests.store.records.given_records import found, posting, stored

TODAY = date(2026, 3, 14)
YESTERDAY = TODAY - timedelta(days=1)
PAST, OPEN = {"deadline": YESTERDAY}, {"deadline": TODAY}


@pytest.mark.parametrize(
    "rest",
    [
        pytest.param(RevisitState(), id="nothing is known"),
        pytest.param(RevisitState(belief=Belief(a=0.6, b=43.2), until=NOON), id="learnt"),
        pytest.param(RevisitState(until=NOON, missing_count=2), id="gone"),
    ],
)
async def test_a_page_keeps_its_rest(db: Database, rest: RevisitState) -> None:
    source_id, run_id = await write(db, a_run)
    (page_id,) = await write(db, some_pages, source_id, run_id, "/1", fetched_at=NOON)

    await write(db, pages.save, [{"page": page_id} | page_revisits.values(rest)])

    key = urls.url_key("https://a.example/1")
    async with db.read() as connection:
        known = (await pages.known(connection, [key]))[key][source_id]
    waiting = await write(db, pages.still_in, [page_id], Phase.PENDING)
    assert (known.revisit, known.fetched_at) == (rest, NOON)
    assert waiting == {page_id: pages.PageBeforeVisit(content_hash=None, fetched_at=NOON, revisit=rest, run_id=run_id)}


async def _page_with(db: Connection, shown: list[Record], *, is_own: bool, is_gone: bool = False) -> int:
    source_id, run_id = await a_run(db)
    (page_id,) = await some_pages(db, source_id, run_id, "/1")
    ids = [await stored(db, found(source_id, page_id, record)) for record in shown]
    await sightings.become(db, {page_id: dict.fromkeys(ids, is_own)}, now=NOON)
    if is_gone:
        await db.execute(sa.update(records).values(gone_at=NOON))
    return page_id


async def _circumstances(db: Database, page_id: int) -> PageCircumstances:
    async with db.read() as connection:
        return (await page_revisits.circumstances(connection, [page_id], closed_before=TODAY))[page_id]


@pytest.mark.parametrize(
    ("shown", "more", "is_closed"),
    [
        pytest.param([], {}, False, id="it shows nothing"),
        pytest.param([posting(1)], {}, False, id="a posting without a deadline"),
        pytest.param([posting(1, **OPEN)], {}, False, id="the deadline is today"),
        pytest.param([posting(1, **PAST)], {}, True, id="the deadline is past"),
        pytest.param([posting(1)], {"is_gone": True}, True, id="the posting is gone"),
        pytest.param([posting(1, **PAST), posting(2, **OPEN)], {}, False, id="one of two is open"),
        pytest.param([posting(1, **PAST), posting(2, **PAST)], {}, True, id="both are closed"),
        pytest.param([posting(1, **PAST)], {"is_own": False}, False, id="it only mentions closed postings"),
    ],
)
async def test_a_page_is_closed_when_all_that_it_is_about_is_over(
    db: Database, shown: list[Record], more: dict[str, Any], is_closed: bool
) -> None:
    page_id = await write(db, _page_with, shown, **({"is_own": True} | more))

    assert (await _circumstances(db, page_id)).is_closed is is_closed


async def test_a_page_knows_what_its_siblings_did(db: Database) -> None:
    page_id = await write(db, _page_with, [], is_own=True)
    watched = sa.update(crawl_jobs).values(page_changes=7.0, page_hours=350.5)
    await db.write(lambda connection: connection.execute(watched))

    assert await _circumstances(db, page_id) == PageCircumstances(7.0, 350.5, is_closed=False)


async def test_circumstances_are_found_by_indexes(db: Database) -> None:
    plan = await plan_of(db, lambda connection: page_revisits.circumstances(connection, [1, 2, 3], closed_before=TODAY))

    assert "SCAN" not in plan
    assert "Seq Scan" not in plan
