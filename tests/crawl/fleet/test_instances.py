"""Processes say that they are there, and know who else is."""

import asyncio
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta

from lamplighter.crawl.fleet.instances import Membership
from lamplighter.model.fleet import Duty, Instance, PastRequest
from lamplighter.store.engine.database import Database
from lamplighter.store.fleet import instances
from tests.clocks import At

MINUTE = timedelta(minutes=1)


def member(
    db: Database, name: str, clock: At, duties: Iterable[Duty] = Duty, requests: Sequence[PastRequest] = ()
) -> Membership:
    return Membership(
        db,
        clock=clock,
        name=name,
        kind="worker",
        duties=list(duties),
        figures=lambda: {"hosts_held": 3},
        requests=lambda _: requests,
    )


async def everyone(db: Database) -> list[Instance]:
    async with db.read() as connection:
        return await instances.everyone(connection)


async def test_a_process_is_known_from_its_first_word_to_its_last(db: Database) -> None:
    clock = At()
    one = member(db, "one", clock, [Duty.FETCH])

    await one.beat()
    clock.at += MINUTE
    await one.beat()
    (seen,) = await everyone(db)
    await one.leave()

    assert (seen.id, seen.duties, seen.pid) == ("one", {Duty.FETCH}, os.getpid())
    assert (seen.heartbeat_at - seen.started_at, seen.figures) == (MINUTE, {"hosts_held": 3})
    assert await everyone(db) == []


async def test_it_knows_how_many_ask_sites_besides_itself(db: Database) -> None:
    clock = At()
    one, two, reader = member(db, "one", clock), member(db, "two", clock), member(db, "three", clock, [Duty.PARSE])

    for each in (two, reader, one):
        await each.beat()
    together = one.fetchers
    await two.say_stopping()
    await one.beat()

    assert (together, one.fetchers) == (2, 1)


async def test_who_was_killed_is_forgotten_after_a_day(db: Database) -> None:
    clock = At()
    await member(db, "killed", clock).beat()

    clock.at += timedelta(hours=23)
    await member(db, "one", clock).beat()
    known = len(await everyone(db))
    clock.at += timedelta(hours=2)
    await member(db, "two", clock).beat()

    assert known == 2
    assert [each.id for each in await everyone(db)] == ["one", "two"]


async def test_on_one_machine_it_is_known_who_is_dead(db: Database) -> None:
    one = member(db, "one", At())
    await one.beat()
    (alive,) = await everyone(db)
    gone = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    await gone.wait()
    dead = replace(alive, pid=gone.pid)

    found = [one.is_dead(each) for each in (alive, dead, replace(dead, machine="elsewhere"))]

    # Processes on PostgreSQL may be on other machines, or in containers with numbers of their own.
    assert found == [False, db.is_sqlite, False]


async def test_the_latest_requests_of_other_processes_are_known_from_their_heartbeats(db: Database) -> None:
    clock = At()
    sent = PastRequest("a.example", clock.at, clock.at + timedelta(milliseconds=40), 2 * MINUTE, True, "fetched")
    await member(db, "one", clock, requests=[sent]).beat()
    await member(db, "two", clock).beat()

    async with db.read() as connection:
        of_others = await instances.requests_of_others(connection, "two", since=clock.at)
        own = await instances.requests_of_others(connection, "one", since=clock.at)
        later = await instances.requests_of_others(connection, "two", since=clock.at + MINUTE)

    assert (of_others, own, later) == ([sent], [], [])
