"""Leads: one holder at a time, for as long as its lease lasts."""

import asyncio
from datetime import datetime, timedelta

from lamplighter.model.fleet import Lead
from lamplighter.store.engine.database import Database
from lamplighter.store.fleet import leads
from tests.moments import NOON
from tests.store.given_rows import write

LEASE = timedelta(seconds=15)


async def take(db: Database, owner: str, at: datetime = NOON, lead: Lead = Lead.SCHEDULE) -> bool:
    return await write(db, leads.take, lead, owner=owner, now=at, until=at + LEASE)


async def test_who_comes_first_leads_and_goes_on_leading(db: Database) -> None:
    first = await take(db, "one")
    rival = await take(db, "two", NOON + LEASE / 2)
    again = await take(db, "one", NOON + LEASE / 2)
    rival_later = await take(db, "two", NOON + LEASE)

    assert (first, rival, again, rival_later) == (True, False, True, False)


async def test_a_lease_that_ran_out_is_anybodys(db: Database) -> None:
    await take(db, "one")

    taken = await take(db, "two", NOON + LEASE)
    before = await take(db, "one", NOON + LEASE)

    assert (taken, before) == (True, False)


async def test_what_is_given_back_is_free_at_once(db: Database) -> None:
    await take(db, "one")

    await write(db, leads.give_back, [Lead.SCHEDULE], owner="one")

    assert await take(db, "two")


async def test_nobody_gives_back_what_is_anothers(db: Database) -> None:
    await take(db, "one")

    await write(db, leads.give_back, [Lead.SCHEDULE], owner="two")

    assert not await take(db, "two")


async def test_leads_are_held_one_by_one(db: Database) -> None:
    await take(db, "one", lead=Lead.SCHEDULE)
    await take(db, "two", lead=Lead.SWEEP)

    async with db.read() as connection:
        held = await leads.holders(connection, now=NOON)
        later = await leads.holders(connection, now=NOON + LEASE)

    assert held == {Lead.SCHEDULE: "one", Lead.SWEEP: "two"}
    assert later == {}


async def test_of_many_who_come_at_once_one_leads(db: Database) -> None:
    taken = await asyncio.gather(*(take(db, f"worker-{number}") for number in range(8)))

    assert sum(taken) == 1
