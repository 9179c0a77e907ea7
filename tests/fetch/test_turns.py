"""One worker per host at a time, and never sooner than its delay: over workers, crashes and policy edits."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from lamplighter.adapters.clocks import DatabaseClock
from lamplighter.app import database_time
from lamplighter.errors import LeaseLost, NotPossible, NotYet
from lamplighter.fetch.body_limits import BodyLimits
from lamplighter.fetch.held_host import HeldHost
from lamplighter.fetch.turns import Turns
from lamplighter.model.host import HostPolicy
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.hosts import hosts
from lamplighter.store.schema.tables import hosts as hosts_table
from tests.changing import set_host
from tests.fetch.client_stack import TOLERANCE, a_client, a_request, opened
from tests.origin import Answer, Origin
from tests.origin.wire import Wire

HOST = "example.org"
DELAY = timedelta(seconds=0.1)
LEASE_SECONDS = 60.0


class Ahead(DatabaseClock):
    """A clock that tests set forward: nothing depends on how quick the machine is."""

    seconds = 0.0

    def monotonic(self) -> float:
        return super().monotonic() + self.seconds


async def a_worker(
    db: Database,
    *,
    lease: float = 5,
    delay: timedelta = DELAY,
    concurrency: int = 1,
    slots: int = 8,
    clock: DatabaseClock | None = None,
) -> Turns:
    """A worker of its own, by its own clock unless one is given."""
    return Turns(
        db,
        clock=clock or DatabaseClock(await database_time(db)),
        defaults=HostPolicy(min_delay=delay, max_concurrency=concurrency),
        lease=timedelta(seconds=lease),
        slots=slots,
    )


async def make_due(db: Database, *keys: str) -> None:
    """Hosts that have something to do."""
    now = datetime.fromisoformat("2026-01-01T00:00:00Z")

    async def write(connection: Connection) -> None:
        ids = await hosts.ensure(connection, keys, now=now)
        await hosts.wake(connection, ids.values(), now=now)

    await db.write(write)


async def row_of(db: Database, key: str = HOST) -> sa.Row[tuple[object, ...]]:
    async with db.read() as connection:
        return (await connection.execute(sa.select(hosts_table).where(hosts_table.c.key == key))).one()


async def end_lease(db: Database, key: str = HOST) -> None:
    """As if its holder had given no sign of life for a whole lease."""
    over = datetime.fromisoformat("2026-01-01T00:00:00Z")
    await db.write(
        lambda connection: connection.execute(
            sa.update(hosts_table).where(hosts_table.c.key == key).values(lease_until=over)
        )
    )


async def take_turn(held: HeldHost) -> None:
    async with held.turn():
        pass


# One holder


async def test_h4_two_workers_never_hold_a_host_at_once(db: Database, migrated_url: str) -> None:
    keys = [f"{number}.example.org" for number in range(20)]
    await make_due(db, *keys)

    async with Database(migrated_url) as other_db:
        one, other = await a_worker(db), await a_worker(other_db)
        rounds = await asyncio.gather(*(worker.claim(3) for _ in range(5) for worker in (one, other)))

    claimed = [held.host.key for round_ in rounds for held in round_]
    assert sorted(claimed) == sorted(set(claimed))
    assert not set(one.held) & set(other.held)


async def test_h4_one_host_wanted_by_all_is_held_by_one_after_another(db: Database, migrated_url: str) -> None:
    inside = 0
    most = 0

    async def visit(worker: Turns) -> None:
        nonlocal inside, most
        async with worker.visiting(HOST, patience=60):
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0.02)
            inside -= 1

    async with Database(migrated_url) as other_db:
        workers = [await a_worker(each) for each in (db, other_db, db)]
        await asyncio.gather(*(visit(worker) for worker in workers))

    assert most == 1


async def test_h6_a_clock_that_is_set_forward_takes_no_host_from_the_worker_that_holds_it(db: Database) -> None:
    await make_due(db, HOST)
    clock = DatabaseClock(await database_time(db))
    worker = await a_worker(db, clock=clock)
    (held,) = await worker.claim(1)
    clock.set(clock.now() + timedelta(hours=1))

    assert await worker.claim(1) == []
    await worker.renew()
    await take_turn(held)

    assert worker.held == {held.host.id: held}


@pytest.mark.parametrize("is_restarted", [True, False], ids=["while no worker ran", "while the worker ran"])
async def test_h6_a_clock_that_is_set_forward_shortens_no_delay_of_a_released_host(
    db: Database, is_restarted: bool
) -> None:
    await make_due(db, HOST)
    clock = DatabaseClock(await database_time(db))
    worker = await a_worker(db, clock=clock, delay=timedelta(seconds=30))
    (held,) = await worker.claim(1)
    await take_turn(held)
    await worker.release(held)
    await make_due(db, HOST)

    clock.set(clock.now() + timedelta(hours=1))
    if is_restarted:
        worker = await a_worker(db, clock=clock, delay=timedelta(seconds=30))
    (held,) = await worker.claim(1)

    assert held.wait_seconds > 25


async def test_two_workers_have_two_names(db: Database) -> None:
    assert (await a_worker(db)).owner != (await a_worker(db)).owner


async def test_whoever_waits_too_long_for_a_held_host_is_told(db: Database) -> None:
    holder, waiting = await a_worker(db), await a_worker(db)

    async with holder.visiting(HOST, patience=0):
        with pytest.raises(NotPossible, match=HOST):
            async with waiting.visiting(HOST, patience=0):
                pass


async def test_the_fencing_token_grows_with_every_holder(db: Database) -> None:
    tokens = []

    for worker in (await a_worker(db), await a_worker(db), await a_worker(db)):
        async with worker.visiting(HOST, patience=0) as held:
            tokens.append(held.host.lease_token)

    assert tokens == sorted(set(tokens))


# Giving back


async def test_a_host_is_given_back_to_be_free_after_its_delay(db: Database) -> None:
    clock = DatabaseClock(await database_time(db))
    worker = await a_worker(db, clock=clock)

    async with worker.visiting(HOST, patience=0) as held:
        await take_turn(held)
        ended = clock.now()

    row = await row_of(db)
    assert row.lease_owner is None
    assert row.lease_until is None
    assert row.free_at >= ended + DELAY - timedelta(seconds=0.005)


async def test_p3_the_next_holder_waits_until_the_host_is_free(db: Database) -> None:
    clock = DatabaseClock(await database_time(db))
    one, other = await a_worker(db, clock=clock), await a_worker(db, clock=clock)
    loop = asyncio.get_running_loop()

    async with one.visiting(HOST, patience=0) as held:
        await take_turn(held)
        ended = loop.time()
    async with other.visiting(HOST, patience=0) as held, held.turn():
        began = loop.time()

    assert began - ended >= DELAY.total_seconds() - 0.005


async def test_a_host_given_back_without_a_request_is_free_at_once(db: Database) -> None:
    worker = await a_worker(db)

    async with worker.visiting(HOST, patience=0):
        pass

    async with (await a_worker(db)).visiting(HOST, patience=0) as held:
        assert held.wait_seconds == 0


async def test_a_host_is_not_claimed_before_it_is_free(db: Database) -> None:
    await make_due(db, HOST)
    one, other = await a_worker(db, delay=timedelta(seconds=5)), await a_worker(db)
    async with one.visiting(HOST, patience=0) as held:
        await take_turn(held)
    await make_due(db, HOST)

    assert await other.claim(10) == []


async def test_everything_is_given_back_when_a_worker_stops(db: Database) -> None:
    await make_due(db, "a.example", "b.example")
    stopping = await a_worker(db)
    await stopping.claim(10)

    await stopping.release_all()
    await make_due(db, "a.example", "b.example")

    assert len(await (await a_worker(db)).claim(10)) == 2
    assert stopping.held == {}


# Leases that end


async def test_p5_after_an_abandoned_lease_the_next_holder_waits_its_end_and_a_whole_delay(db: Database) -> None:
    dead, next_one = await a_worker(db, lease=0.2), await a_worker(db, lease=1.5)
    clock = DatabaseClock(await database_time(db))
    await make_due(db, HOST)
    await dead.claim(1)
    lease_end = (await row_of(db)).lease_until

    async with next_one.visiting(HOST, patience=60) as held, held.turn():
        began = clock.now()

    assert began >= lease_end + DELAY - timedelta(seconds=0.005)


async def ask_until_lost(held: HeldHost, taken: list[float]) -> None:
    """Asks as often as the host allows, until the worker notices that it is no longer its own."""
    loop = asyncio.get_running_loop()
    with suppress(LeaseLost):
        while True:
            async with held.turn():
                taken.append(loop.time())


@pytest.mark.parametrize("renews", [True, False], ids=["that renews its lease", "that cannot renew its lease"])
async def test_p3_h6_a_worker_whose_clock_is_ahead_does_not_ask_beside_one(
    db: Database, migrated_url: str, renews: bool
) -> None:
    loop, taken = asyncio.get_running_loop(), list[float]()
    ahead_of_us = DatabaseClock(await database_time(db))
    ahead_of_us.set(ahead_of_us.now() + timedelta(hours=1))
    await make_due(db, HOST)

    async with Database(migrated_url) as other_db, asyncio.TaskGroup() as group:
        slow, ahead = await a_worker(db, lease=3), await a_worker(other_db, lease=3, clock=ahead_of_us)
        (held,) = await slow.claim(1)
        asking = group.create_task(ask_until_lost(held, taken))
        await asyncio.sleep(0.3)
        async with ahead.visiting(HOST, patience=0) as taken_over:
            if renews:
                await asyncio.sleep(1)
                await slow.renew()
            async with taken_over.turn():
                began = loop.time()
        await asking

    assert len(taken) > 1
    assert began - max(taken) >= DELAY.total_seconds() - 0.005


async def test_a_visitor_keeps_the_host_however_long_it_stays(db: Database) -> None:
    async with (await a_worker(db, lease=1.5)).visiting(HOST, patience=0) as held:
        await asyncio.sleep(2)

        await take_turn(held)

        with pytest.raises(NotPossible):
            async with (await a_worker(db)).visiting(HOST, patience=0):
                pass


async def test_h2_a_worker_whose_lease_ran_out_takes_no_more_turns(db: Database) -> None:
    await make_due(db, HOST)
    (held,) = await (await a_worker(db, lease=0.1)).claim(1)
    await asyncio.sleep(0.11)

    with pytest.raises(LeaseLost, match=HOST):
        await take_turn(held)


async def test_h2_a_lease_that_runs_out_while_connecting_sends_nothing(db: Database, origin: Origin) -> None:
    origin.page("/", "<h1>Here</h1>")
    await make_due(db, HOST)
    clock = Ahead(await database_time(db))
    (held,) = await (await a_worker(db, lease=LEASE_SECONDS, clock=clock)).claim(1)

    async with a_client(origin.address) as client, held.turn() as turn:
        clock.seconds += LEASE_SECONDS  # as if the process had been stopped in the middle of it
        with pytest.raises(LeaseLost):
            await client.get(origin.url + "/", wanted=BodyLimits(max_bytes=1000), may_send=turn.check)

    assert origin.log == []


async def test_h2_a_lease_that_runs_out_during_the_wait_is_lost(db: Database) -> None:
    await make_due(db, HOST)
    (held,) = await (await a_worker(db, lease=3, delay=timedelta(seconds=2.5))).claim(1)
    await take_turn(held)

    with pytest.raises(LeaseLost):
        await take_turn(held)


async def test_h2_a_lost_turn_leaves_its_slot_to_others(db: Database) -> None:
    await make_due(db, "a.example")
    worker, rival = await a_worker(db, slots=1), await a_worker(db)
    (lost,) = await worker.claim(1)
    await end_lease(db, "a.example")
    await rival.claim(1)
    await worker.renew()
    with pytest.raises(LeaseLost):
        await take_turn(lost)

    async with asyncio.timeout(60), worker.visiting("b.example", patience=0) as held:
        await take_turn(held)


async def test_h2_a_worker_that_wakes_too_late_takes_nothing_from_the_new_holder(db: Database) -> None:
    await make_due(db, HOST)
    asleep = await a_worker(db, lease=0.05)
    (stale,) = await asleep.claim(1)
    await asyncio.sleep(0.06)

    async with (await a_worker(db)).visiting(HOST, patience=60) as held:
        await asleep.release(stale)
        row = await row_of(db)

    assert row.lease_token == held.host.lease_token
    assert row.lease_until is not None


async def test_h2_renewing_tells_a_worker_which_hosts_it_has_lost(db: Database) -> None:
    await make_due(db, HOST)
    asleep = await a_worker(db, lease=0.05)
    (stale,) = await asleep.claim(1)
    await asyncio.sleep(0.06)

    async with (await a_worker(db)).visiting(HOST, patience=60):
        await asleep.renew()

    assert stale.is_lost
    assert asleep.held == {}
    with pytest.raises(LeaseLost):
        await take_turn(stale)


async def test_a5_a_renewed_lease_goes_on(db: Database) -> None:
    await make_due(db, HOST)
    clock = Ahead(await database_time(db))
    worker = await a_worker(db, lease=LEASE_SECONDS, clock=clock)
    (held,) = await worker.claim(1)
    for _ in range(3):
        clock.seconds += LEASE_SECONDS / 2
        await worker.renew()

    await take_turn(held)

    assert await (await a_worker(db, clock=clock)).claim(1) == []


async def test_p3_a_claim_that_was_slow_to_commit_is_not_believed_longer_than_it_is_written(
    db: Database, migrated_url: str
) -> None:
    """The lease in the database runs from before the write; who believes otherwise asks beside the next holder."""
    await make_due(db, HOST)
    worker = await a_worker(db, lease=0.4)
    clock = DatabaseClock(await database_time(db))

    async with Database(migrated_url) as other_db:
        async with other_db.exclusive() as rival:
            if not db.is_sqlite:
                await rival.execute(sa.text("LOCK TABLE hosts"))
            claiming = asyncio.create_task(worker.claim(1))
            await asyncio.sleep(0.2)
        (held,) = await claiming
    lease_end = (await row_of(db)).lease_until
    await asyncio.sleep((lease_end - clock.now()).total_seconds() + 0.02)

    with pytest.raises(LeaseLost):
        await take_turn(held)


# Policy


async def test_s0_an_edited_policy_takes_effect_at_the_next_renewal(db: Database) -> None:
    await make_due(db, HOST)
    worker = await a_worker(db)
    (held,) = await worker.claim(1)
    now = datetime.fromisoformat("2026-01-01T00:00:00Z")
    await db.write(lambda connection: set_host(connection, HOST, now=now, min_delay_ms=400, max_concurrency=3))

    await worker.renew()
    await take_turn(held)

    assert held.host.policy == HostPolicy(min_delay=timedelta(seconds=0.4), max_concurrency=3)
    assert held.wait_seconds > 0.3


async def test_who_waits_for_a_turn_goes_as_soon_as_the_delay_is_taken_back(db: Database) -> None:
    await make_due(db, HOST)
    worker = await a_worker(db, delay=timedelta(seconds=50))
    (held,) = await worker.claim(1)
    await take_turn(held)
    waiting = asyncio.create_task(take_turn(held))
    now = DatabaseClock(await database_time(db)).now()
    await db.write(lambda connection: set_host(connection, HOST, now=now, min_delay_ms=0))

    await worker.refresh_policies()

    async with asyncio.timeout(60):
        await waiting


async def test_c10_nobody_sits_on_a_host_whose_turn_is_far_off(db: Database) -> None:
    await make_due(db, HOST)
    worker = await a_worker(db, delay=timedelta(hours=1))
    (held,) = await worker.claim(1)
    await take_turn(held)

    for _ in range(2):
        with pytest.raises(NotYet, match="only in 3600 s"):
            await take_turn(held)
    await worker.release(held)

    assert await worker.claim(1) == []


async def test_renewing_forgets_nothing_that_was_learnt(db: Database) -> None:
    await make_due(db, HOST)
    worker = await a_worker(db)
    (held,) = await worker.claim(1)
    held.host = replace(held.host, learnt_delay=timedelta(seconds=3), failure_count=2)

    await worker.renew()

    assert held.host.learnt_delay == timedelta(seconds=3)
    assert held.host.failure_count == 2


# Visitors


async def test_a_visitor_shares_a_host_that_its_own_worker_holds(db: Database) -> None:
    await make_due(db, HOST)
    worker = await a_worker(db)
    (held,) = await worker.claim(1)

    async with worker.visiting(HOST, patience=0) as visited:
        pass

    assert visited is held
    assert worker.held == {held.host.id: held}
    assert (await row_of(db)).lease_owner == worker.owner


async def test_a_host_is_kept_while_a_visitor_is_there(db: Database) -> None:
    await make_due(db, HOST)
    worker = await a_worker(db)
    (held,) = await worker.claim(1)

    async with worker.visiting(HOST, patience=0):
        await worker.release(held)
        during = (await row_of(db)).lease_owner

    assert during == worker.owner
    assert (await row_of(db)).lease_owner is None


async def test_the_last_of_several_visitors_gives_the_host_back(db: Database) -> None:
    worker = await a_worker(db)

    async with worker.visiting(HOST, patience=0):
        async with worker.visiting(HOST, patience=0):
            pass
        between = (await row_of(db)).lease_owner

    assert between == worker.owner
    assert (await row_of(db)).lease_owner is None


async def test_visitors_of_one_worker_that_come_together_share_one_lease(db: Database) -> None:
    worker = await a_worker(db)
    seen: list[HeldHost] = []
    all_there = asyncio.Barrier(3)

    async def visit() -> None:
        async with worker.visiting(HOST, patience=60) as held:
            seen.append(held)
            await all_there.wait()

    async with asyncio.timeout(60):
        await asyncio.gather(*(visit() for _ in range(3)))

    assert len({id(held) for held in seen}) == 1
    assert (await row_of(db)).lease_token == 1


async def test_h2_one_who_still_uses_a_lost_host_does_not_keep_it_when_it_is_held_anew(db: Database) -> None:
    worker, rival = await a_worker(db), await a_worker(db)

    async with worker.visiting(HOST, patience=0) as lost:
        await end_lease(db)
        async with rival.visiting(HOST, patience=0):
            await worker.renew()
        async with worker.visiting(HOST, patience=0) as anew:
            pass
        after_the_second = (await row_of(db)).lease_owner

    assert anew is not lost
    assert after_the_second is None
    assert worker.held == {}
    assert (await row_of(db)).lease_owner is None


async def test_a_visitor_that_fails_gives_the_host_back_all_the_same(db: Database) -> None:
    worker = await a_worker(db)

    with pytest.raises(ValueError, match="oh"):
        async with worker.visiting(HOST, patience=0) as held, held.turn():
            raise ValueError("oh")

    assert (await row_of(db)).lease_owner is None
    assert worker.held == {}


# Turns within one holding


async def test_one_who_gives_up_waiting_does_not_keep_the_turn_from_the_next(db: Database) -> None:
    worker = await a_worker(db)

    async with worker.visiting(HOST, patience=0) as held:
        await take_turn(held)
        impatient = asyncio.create_task(take_turn(held))
        await asyncio.sleep(0.01)
        impatient.cancel()
        with pytest.raises(asyncio.CancelledError):
            await impatient

        async with asyncio.timeout(60):
            await take_turn(held)


async def test_a_slow_host_keeps_no_slot_from_the_others(db: Database) -> None:
    worker = await a_worker(db, slots=1, delay=timedelta(seconds=30), lease=60)

    async with (
        worker.visiting("slow.example", patience=0) as slow,
        worker.visiting("quick.example", patience=0) as quick,
        asyncio.timeout(60),
    ):
        await take_turn(slow)
        waiting = asyncio.create_task(take_turn(slow))
        await asyncio.sleep(0.01)
        await take_turn(quick)
        waiting.cancel()
        await asyncio.wait([waiting])


async def test_requests_over_all_hosts_stay_within_the_slots(db: Database) -> None:
    worker = await a_worker(db, slots=2, delay=timedelta(0))
    in_flight = most = 0
    two_there = asyncio.Event()

    async def ask(key: str) -> None:
        nonlocal in_flight, most
        async with worker.visiting(key, patience=60) as held, held.turn():
            in_flight += 1
            most = max(most, in_flight)
            if most >= 2:
                two_there.set()
            await two_there.wait()
            await asyncio.sleep(0.02)
            in_flight -= 1

    await asyncio.gather(*(ask(f"{number}.example") for number in range(6)))

    assert most == 2


async def _slow_page(wire: Wire) -> None:
    await asyncio.sleep(0.3)
    await wire.send(Answer(headers={"Content-Type": "text/html", "Connection": "close"}).head(length=2) + b"ok")


async def test_p3_with_one_request_at_a_time_the_delay_counts_from_the_end_of_the_answer(
    origin: Origin, tmp_path: Path
) -> None:
    origin.robots("")
    origin.otherwise(Answer(perform=_slow_page))

    async with (
        opened(tmp_path, origin, min_delay_ms=100) as door,
        door.door.turns.visiting(origin.address, patience=60) as held,
    ):
        await asyncio.gather(
            *(door.door.fetcher.fetch(held, a_request(f"{origin.url}/{number}")) for number in range(3))
        )

    pauses = [after.arrived - (before.finished or 0) for before, after in zip(origin.log, origin.log[1:], strict=False)]
    assert len(origin.log) == 4
    assert origin.max_in_flight == 1
    assert min(pauses) >= 0.1 - TOLERANCE


async def test_p3_with_three_requests_at_a_time_the_delay_counts_from_one_start_to_the_next(
    origin: Origin, tmp_path: Path
) -> None:
    origin.robots("")
    origin.otherwise(Answer(perform=_slow_page))

    async with opened(tmp_path, origin) as door:
        await door.set_policy(origin, max_concurrency=3, min_delay_ms=30)
        async with door.door.turns.visiting(origin.address, patience=60) as held:
            await asyncio.gather(
                *(door.door.fetcher.fetch(held, a_request(f"{origin.url}/{number}")) for number in range(9))
            )

    assert len(origin.log) == 10
    assert origin.max_in_flight == 3
    assert min(origin.gaps()) >= 0.03 - TOLERANCE


async def test_p3_two_workers_on_one_database_keep_one_pace(origin: Origin, tmp_path: Path) -> None:
    origin.robots("")
    origin.otherwise(Answer(headers={"Content-Type": "text/html"}, body=b"ok"))

    async with opened(tmp_path, origin, min_delay_ms=100) as one, opened(tmp_path, origin, min_delay_ms=100) as other:
        await asyncio.gather(*(door.ask(f"{origin.url}/{n}") for n, door in enumerate((one, other, one, other))))

    assert len(origin.hits("/robots.txt")) == 1
    assert len(origin.log) == 5
    assert min(origin.gaps()) >= 0.1 - TOLERANCE
