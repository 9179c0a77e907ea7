"""What holds of events, whoever carries them."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from itertools import permutations
from typing import Any
from unittest.mock import AsyncMock

import pytest

from lamplighter.crawl.events.event_delivery import MOST_TRIES
from lamplighter.errors import NotFound
from lamplighter.model.access import Stamp
from lamplighter.model.event import SourceFact
from lamplighter.operations.events import dead_letters
from lamplighter.store.engine.database import Database
from lamplighter.store.schema import tables
from tests.contracts.event_carriers import Carrier, through_outbox, through_redis

Open = Callable[..., Any]


@pytest.fixture(params=["outbox", "redis"])
async def opening(request: pytest.FixtureRequest, db: Database) -> AsyncIterator[Open]:
    """Opens one more process, on the same carrier."""
    url = request.getfixturevalue("redis_url") if request.param == "redis" else None
    async with AsyncExitStack() as stack:

        async def open_one(instance: str = "1", **more: Any) -> Carrier:
            opened = through_redis(db, url, instance=instance, **more) if url else through_outbox(db, **more)
            return await stack.enter_async_context(opened)

        yield open_one


@pytest.fixture
async def carrier(opening: Open) -> Carrier:
    """One process."""
    one: Carrier = await opening()
    return one


async def test_a_fact_is_settled_once_and_then_comes_no_more(carrier: Carrier) -> None:
    await carrier.add()

    counts = [await carrier.settle() for _ in range(2)]

    (job,) = await carrier.rows(tables.crawl_jobs)
    (event,) = await carrier.rows(tables.events)
    assert counts == [1, 0]
    assert job.state == "pending"
    assert (event.result, event.try_count, event.delivered_at is not None) == ("success", 1, True)


async def test_what_was_received_and_not_acknowledged_comes_again(carrier: Carrier) -> None:
    source = await carrier.add()
    await carrier.pass_on()
    (first,) = await carrier.carrier.receive()

    (second,) = await carrier.come_again()

    assert first.event is not None
    assert (first.event.type, first.event.source) == (SourceFact.CREATED, source)
    assert second.event == first.event


async def test_who_dies_between_the_effect_and_the_acknowledgement_leaves_no_second_effect(
    opening: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    dying, heir = await opening("dying"), await opening("heir")
    await dying.add()
    await dying.pass_on()
    batch = await dying.carrier.receive()
    monkeypatch.setattr(dying.carrier, "acknowledge", AsyncMock(side_effect=asyncio.CancelledError))
    with pytest.raises(asyncio.CancelledError):
        await dying.deliver.settle(batch)
    before = await dying.rows(tables.crawl_jobs)

    await heir.settle_again()

    assert await heir.rows(tables.crawl_jobs) == before
    assert await heir.results() == ["success"]
    assert (await heir.carrier.figures()).pending == 0


async def test_two_processes_share_the_work_and_do_nothing_twice(opening: Open) -> None:
    processes = [await opening(instance) for instance in ("1", "2")]
    for number in range(25):
        await processes[0].add(f"s{number}")
    await asyncio.gather(*(process.pass_on() for process in processes))

    await asyncio.gather(*(process.settle() for process in processes))

    jobs = await processes[0].rows(tables.crawl_jobs)
    assert len({job.source_id for job in jobs}) == len(jobs) == 25
    assert await processes[0].results() == ["success"] * 25


async def test_in_whichever_order_facts_come_the_job_is_what_the_source_is(carrier: Carrier) -> None:
    orders = list(permutations([SourceFact.CREATED, SourceFact.DISABLED, SourceFact.ENABLED, SourceFact.UPDATED]))
    for number, order in enumerate(orders):
        source = await carrier.add(f"s{number}")
        for fact in order:
            await carrier.tell(source, fact)

    await carrier.settle()

    assert [job.state for job in await carrier.rows(tables.crawl_jobs)] == ["pending"] * len(orders)
    assert set(await carrier.results()) == {"success"}


async def test_a_fact_about_a_source_that_is_gone_is_ignored_with_a_reason(carrier: Carrier) -> None:
    source = await carrier.add()
    await carrier.change(tables.sources.delete())

    assert await carrier.settle() == 1

    (event,) = await carrier.rows(tables.events)
    assert (event.result, event.detail) == ("ignored", f"there is no source {source}")
    assert (await carrier.carrier.figures()).dead_letters == 0


async def _broken(carrier: Carrier) -> None:
    """A source of which no job can be made, between two that are well."""
    for name in ("a", "broken", "c"):
        await carrier.add(name)
    await carrier.set_source("broken", url="ht!tp:/")


async def test_what_cannot_be_settled_holds_nobody_up_and_is_put_aside_with_the_reason(carrier: Carrier) -> None:
    await _broken(carrier)

    await carrier.settle()
    others = [job.source_id for job in await carrier.rows(tables.crawl_jobs)]
    once = (await carrier.rows(tables.events))[1]
    await _put_aside(carrier)

    letters, total = await carrier.carrier.dead_letters(limit=10, offset=0)
    assert (others, once.result, once.try_count, once.delivered_at) == ([1, 3], "error", 1, None)
    assert (total, [letter.tries for letter in letters]) == (1, [MOST_TRIES])
    assert "ht!tp:/" in letters[0].reason
    assert await carrier.results() == ["success", "error", "success"]
    assert (await carrier.rows(tables.events))[1].try_count == MOST_TRIES
    assert await carrier.settle() == 0


async def _put_aside(carrier: Carrier) -> None:
    """Tries until something is given up."""
    async with asyncio.timeout(60):
        while not (await carrier.carrier.figures()).dead_letters:
            await carrier.settle_again()


async def test_what_was_put_aside_is_settled_when_a_person_has_it_retried(carrier: Carrier) -> None:
    await _broken(carrier)
    await carrier.settle()
    await _put_aside(carrier)
    await carrier.set_source("broken", url="https://mended.example/")
    ((letter,), _) = await carrier.carrier.dead_letters(limit=10, offset=0)

    await dead_letters.retry(carrier.db, carrier.carrier, letter.id, stamp=Stamp("test", carrier.clock.now()))
    await carrier.settle()

    assert await carrier.carrier.dead_letters(limit=10, offset=0) == ([], 0)
    assert await carrier.results() == ["success"] * 3
    assert len(await carrier.rows(tables.crawl_jobs)) == 3


async def test_what_a_person_discards_is_put_aside_no_more_and_stays_in_the_log(carrier: Carrier) -> None:
    await _broken(carrier)
    await carrier.settle()
    await _put_aside(carrier)
    ((letter,), _) = await carrier.carrier.dead_letters(limit=10, offset=0)

    await dead_letters.discard(carrier.db, carrier.carrier, letter.id, stamp=Stamp("mara", carrier.clock.now()))

    assert await carrier.carrier.dead_letters(limit=10, offset=0) == ([], 0)
    assert sorted(await carrier.results()) == ["ignored", "success", "success"]
    with pytest.raises(NotFound):
        await dead_letters.discard(carrier.db, carrier.carrier, letter.id, stamp=Stamp("mara", carrier.clock.now()))


async def test_a_letter_that_is_not_there_cannot_be_found(carrier: Carrier) -> None:
    await carrier.settle()

    assert [await carrier.carrier.dead_letter(name) for name in ("1-0", "nonsense")] == [None, None]


async def test_figures_tell_what_waits_and_what_is_put_aside(carrier: Carrier) -> None:
    await carrier.settle()
    for name in ("a", "b", "c"):
        await carrier.add(name)
    await carrier.pass_on()

    before = await carrier.carrier.figures()
    await carrier.settle()
    after = await carrier.carrier.figures()

    assert (before.circuit, before.lag, before.dead_letters) == ("closed", 3, 0)
    assert (after.lag, after.pending) == (0, 0)
