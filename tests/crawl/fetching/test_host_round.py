"""How many pages of a host are looked up at once: what is not asked for in time is looked up again."""

import asyncio
from datetime import timedelta

import pytest

from lamplighter.crawl.fetching.due_pages import DuePages
from lamplighter.crawl.fetching.host_round import HostRound
from lamplighter.fetch.turns import Turns
from lamplighter.model.host import HostPolicy
from lamplighter.model.page import Page
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.hosts import hosts
from lamplighter.store.pages import pages
from tests.clocks import At
from tests.moments import NOON
from tests.store.given_rows import a_run, some_pages, write


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many pages were looked up each time."""
    lengths: list[int] = []
    due = pages.due

    async def counted(db: Connection, host_id: int, **how: object) -> list[Page]:
        found = await due(db, host_id, **how)  # type: ignore[arg-type]
        lengths.append(len(found))
        return found

    monkeypatch.setattr(pages, "due", counted)
    return lengths


async def _round(db: Database, clock: At) -> HostRound:
    source_id, run_id = await write(db, a_run)
    await write(db, some_pages, source_id, run_id, *(f"/{number}" for number in range(150)))
    turns = Turns(db, clock=clock, defaults=HostPolicy(), lease=timedelta(seconds=60), slots=8)
    async with turns.visiting("a.example", patience=0) as held:
        due = DuePages(db, clock=clock)
        return HostRound(held, db=db, due=due, clock=clock, stopping=asyncio.Event(), hears_of_pages=True)


async def test_of_a_host_with_a_long_delay_a_few_pages_are_looked_up_at_a_time(db: Database, looks: list[int]) -> None:
    clock = At()
    going = await _round(db, clock)

    for _ in range(3):
        page = await going.next_page()
        assert page is not None
        going.settled(page, None)
        clock.move(seconds=3)

    assert looks == [4, 4, 4]


async def test_of_a_host_that_is_asked_quickly_ever_more_pages_are_looked_up_and_each_is_handed_out_once(
    db: Database, looks: list[int]
) -> None:
    going = await _round(db, At())

    handed_out = [await going.next_page() for _ in range(150)]

    assert len({page.id for page in handed_out if page is not None}) == 150
    # Those that are not answered yet are looked up along with the new ones.
    assert looks == [4, 4 + 8, 12 + 16, 28 + 32, 60 + 64, 124 + 26]


async def test_hosts_that_need_pages_at_the_same_time_each_get_their_own(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    ids = await write(db, hosts.ensure, [f"{name}.example" for name in "abc"], now=NOON)
    for name, host_id in ids.items():
        await write(db, some_pages, source_id, run_id, f"/{name}", host_id=host_id)
    due = DuePages(db, clock=At())

    found = await asyncio.gather(*(due.of(host_id, limit=4) for host_id in ids.values()))

    assert [[page.host_id for page in of_host] for of_host in found] == [[host_id] for host_id in ids.values()]
