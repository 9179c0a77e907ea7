"""What would happen to a page, and why: the part about its rest."""

from datetime import date, timedelta
from typing import Any

import pytest

from lamplighter.model.host import HostPolicy
from lamplighter.model.page import Phase, RevisitState
from lamplighter.model.reading import PageRole
from lamplighter.model.schedule import Belief
from lamplighter.operations.explain.explain import explain
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.pages import page_revisits
from lamplighter.store.records import sightings
from tests.moments import NOON
from tests.store.given_rows import a_run, some_pages, write
from tests.store.records.given_records import found, posting, stored

LATER = NOON + timedelta(days=2)
LEARNT = RevisitState(belief=Belief(a=2, b=18), until=LATER)


async def _page(db: Connection, rest: RevisitState, *, is_closed: bool = False, **columns: Any) -> None:
    source_id, run_id = await a_run(db)
    had = {"phase": Phase.COMPLETED, "fetched_at": NOON} | page_revisits.values(rest) | columns
    (page_id,) = await some_pages(db, source_id, run_id, "/1", **had)
    if is_closed:
        record_id = await stored(db, found(source_id, page_id, posting(1, deadline=date(2026, 3, 1))))
        await sightings.become(db, {page_id: {record_id: True}}, now=NOON)


async def _explained(db: Database) -> dict[str, Any]:
    told = await explain(db, "https://a.example/1", token="lamplighter", defaults=HostPolicy(), now=NOON)
    assert told.page is not None
    rest: dict[str, Any] = told.page["rest"]
    return rest


@pytest.mark.parametrize(
    ("rest", "more", "why"),
    [
        pytest.param(RevisitState(until=LATER), {}, "usual", id="visited once"),
        pytest.param(LEARNT, {}, "learnt", id="visited more often"),
        pytest.param(LEARNT, {"is_closed": True}, "closed", id="its posting is past its deadline"),
        pytest.param(
            RevisitState(until=NOON, missing_count=1), {"phase": Phase.FAILED}, "missing", id="not there once"
        ),
        pytest.param(RevisitState(until=LATER, missing_count=2), {"phase": Phase.FAILED}, "gone", id="not there twice"),
        pytest.param(LEARNT, {"phase": Phase.PENDING}, "under_way", id="about to be asked for"),
        pytest.param(RevisitState(), {"role": PageRole.LISTING}, "asked_in_every_run", id="a listing"),
    ],
)
async def test_it_is_told_why_a_page_rests(db: Database, rest: RevisitState, more: dict[str, Any], why: str) -> None:
    await write(db, _page, rest, **more)

    assert (await _explained(db))["why"] == why


async def test_it_is_told_until_when_a_page_rests_and_how_often_it_changes(db: Database) -> None:
    await write(db, _page, LEARNT)

    told = await _explained(db)

    assert told["until"] == LATER.isoformat()
    assert told["changes_every_seconds"] == pytest.approx(9 * 3600)


async def test_what_is_under_way_or_a_listing_has_no_time_to_tell(db: Database) -> None:
    await write(db, _page, LEARNT, phase=Phase.DOWNLOADED)

    assert (await _explained(db))["until"] is None
