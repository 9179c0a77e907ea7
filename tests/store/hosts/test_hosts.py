"""Hosts in the database: leases, fencing, what was learnt."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from lamplighter.model.host import HostPolicy
from lamplighter.model.page import Phase
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.hosts import hosts
from lamplighter.store.hosts.hosts import Lease
from lamplighter.store.pages import pages
from lamplighter.store.schema import tables
from tests.changing import set_host
from tests.moments import NOON
from tests.store.given_rows import a_run, some_pages, write
from tests.store.query_plans import plan_of

SECOND = timedelta(seconds=1)
LEASE = 30 * SECOND
POLICY = HostPolicy()


async def _due(db: Connection, *keys: str) -> dict[str, int]:
    ids = await hosts.ensure(db, keys, now=NOON)
    await hosts.wake(db, ids.values(), now=NOON)
    return ids


async def _claim(db: Database, owner: str = "one", *, at: Any = NOON, limit: int = 10) -> list[Lease]:
    return await write(db, hosts.claim_due, owner=owner, now=at, until=at + LEASE, limit=limit, defaults=POLICY)


async def _row(db: Database, host_id: int) -> Any:
    async with db.read() as connection:
        return (await connection.execute(sa.select(tables.hosts).where(tables.hosts.c.id == host_id))).one()


async def test_a_host_is_held_by_one_worker_at_a_time(db: Database) -> None:
    await write(db, _due, "a.example")

    first, second = await _claim(db, "one"), await _claim(db, "two")

    assert [lease.host.key for lease in first] == ["a.example"]
    assert second == []


async def test_a_host_that_is_switched_off_is_not_leased(db: Database) -> None:
    await write(db, _due, "a.example", "b.example")
    await write(db, set_host, "a.example", now=NOON, enabled=False)

    leases = await _claim(db)

    assert [lease.host.key for lease in leases] == ["b.example"]


async def test_a_host_is_never_leased_twice_however_many_ask_at_once(db: Database) -> None:
    await write(db, _due, *(f"h{number}.example" for number in range(30)))

    batches = await asyncio.gather(*(_claim(db, f"worker-{number}", limit=7) for number in range(10)))

    leased = [lease.host.key for batch in batches for lease in batch]
    assert sorted(leased) == sorted(set(leased))


async def test_h2_a_lease_that_ran_out_goes_to_another_with_a_higher_token(db: Database) -> None:
    await write(db, _due, "a.example")
    (first,) = await _claim(db, "one")

    (second,) = await _claim(db, "two", at=NOON + LEASE)

    assert second.host.lease_token == first.host.lease_token + 1
    assert second.abandoned_until == NOON + LEASE


async def test_h2_whoever_lost_a_host_is_told_so_and_cannot_give_it_back(db: Database) -> None:
    await write(db, _due, "a.example")
    (first,) = await _claim(db, "one")
    (second,) = await _claim(db, "two", at=NOON + LEASE)
    host_id = first.host.id

    tokens = await write(db, hosts.lease_tokens, [host_id])
    renewed = await write(db, hosts.renew, {host_id: first.host.lease_token}, until=NOON + 9 * LEASE, defaults=POLICY)
    await write(db, hosts.release, first.host, free_at=NOON, now=NOON)

    row = await _row(db, host_id)
    assert tokens == {host_id: second.host.lease_token}
    assert second.host.lease_token > first.host.lease_token
    assert renewed == {}
    assert (row.lease_owner, row.lease_token, row.lease_until) == ("two", second.host.lease_token, NOON + 2 * LEASE)


async def test_a_renewal_that_comes_after_the_host_was_given_back_keeps_it_from_nobody(db: Database) -> None:
    await write(db, _due, "a.example")
    (lease,) = await _claim(db)
    await write(db, hosts.release, lease.host, free_at=NOON, now=NOON)

    mine = {lease.host.id: lease.host.lease_token}
    await write(db, hosts.renew, mine, until=NOON + 2 * LEASE, defaults=POLICY)

    row = await _row(db, lease.host.id)
    assert (row.lease_owner, row.lease_until) == (None, None)


async def test_a_host_given_back_is_due_when_it_is_free_and_has_a_page(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    await write(db, some_pages, source_id, run_id, "/1")
    await write(db, _due, "a.example")
    (lease,) = await _claim(db)

    await write(db, hosts.release, lease.host, free_at=NOON + 3 * SECOND, now=NOON)

    row = await _row(db, lease.host.id)
    assert (row.lease_owner, row.lease_until) == (None, None)
    assert row.free_at == row.due_at == NOON + 3 * SECOND
    assert await _claim(db, at=NOON + 2 * SECOND) == []
    assert len(await _claim(db, at=NOON + 3 * SECOND)) == 1


async def test_a_host_without_pages_is_not_due(db: Database) -> None:
    await write(db, _due, "a.example")
    (lease,) = await _claim(db)

    await write(db, hosts.release, lease.host, free_at=NOON, now=NOON)

    assert (await _row(db, lease.host.id)).due_at is None


async def test_a_host_whose_pages_wait_is_due_with_the_first_of_them(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    await write(db, some_pages, source_id, run_id, "/1", "/2", due_at=NOON + 60 * SECOND)
    await write(db, _due, "a.example")
    (lease,) = await _claim(db)

    await write(db, hosts.release, lease.host, free_at=NOON, now=NOON)

    assert (await _row(db, lease.host.id)).due_at == NOON + 60 * SECOND


async def test_a_blocked_host_is_not_claimed_before_its_block_ends(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    await write(db, some_pages, source_id, run_id, "/1")
    await write(db, _due, "a.example")
    (lease,) = await _claim(db)
    blocked = replace(lease.host, blocked_until=NOON + 60 * SECOND, block_reason="busy")

    await write(db, hosts.release, blocked, free_at=NOON, now=NOON)
    await write(db, hosts.wake, [lease.host.id], now=NOON)

    assert await _claim(db, at=NOON + 59 * SECOND) == []
    assert len(await _claim(db, at=NOON + 60 * SECOND)) == 1


async def test_a_delay_is_never_shortened_by_storing_it(db: Database) -> None:
    assert hosts.milliseconds(timedelta(microseconds=1)) == 1
    assert hosts.milliseconds(timedelta(milliseconds=1, microseconds=1)) == 2
    assert hosts.milliseconds(timedelta(0)) == 0


async def test_renewing_brings_the_policy_of_today(db: Database) -> None:
    await write(db, _due, "a.example")
    (lease,) = await _claim(db)
    await write(db, set_host, "a.example", now=NOON, min_delay_ms=9000, max_concurrency=4)

    ours = await write(
        db, hosts.renew, {lease.host.id: lease.host.lease_token}, until=NOON + 2 * LEASE, defaults=POLICY
    )

    policy = ours[lease.host.id].policy
    assert (policy.min_delay, policy.max_concurrency, policy.max_pages) == (9 * SECOND, 4, POLICY.max_pages)


async def test_waking_never_puts_off_a_host_that_is_due_already(db: Database) -> None:
    ids = await write(db, _due, "a.example")

    await write(db, hosts.wake, ids.values(), now=NOON + 60 * SECOND)

    assert (await _row(db, ids["a.example"])).due_at == NOON


async def test_a_page_added_while_its_host_is_given_back_is_not_forgotten(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    (page_id,) = await write(db, some_pages, source_id, run_id, "/1")
    await write(db, pages.save, [{"page": page_id, "phase": Phase.COMPLETED}])
    await write(db, _due, "a.example")
    (lease,) = await _claim(db)

    async def add(connection: Connection) -> None:
        await some_pages(connection, source_id, run_id, "/2")
        await hosts.wake(connection, [lease.host.id], now=NOON)

    await asyncio.gather(db.write(add), write(db, hosts.release, lease.host, free_at=NOON, now=NOON))

    assert (await _row(db, lease.host.id)).due_at is not None


async def test_a_host_given_back_while_a_known_page_of_it_becomes_due_again_is_not_forgotten(db: Database) -> None:
    """A page that is known is not added, so no key of the database's stands between the two."""
    source_id, run_id = await write(db, a_run)
    page_id, *_ = await write(db, some_pages, source_id, run_id, "/p", phase=Phase.COMPLETED)
    ids = await write(db, _due, "a.example")
    (lease,) = await _claim(db)
    released: asyncio.Task[None] | None = None

    async def ask_again(connection: Connection) -> None:
        nonlocal released
        row = {"page": page_id, "run": run_id, "new_depth": 1, "new_rank": 50_001, "new_hops": 0}
        await pages.readmit(connection, [row])
        await hosts.wake(connection, ids.values(), now=NOON)
        if not db.is_sqlite:  # which lets nobody write meanwhile
            released = asyncio.create_task(write(db, hosts.release, lease.host, free_at=NOON, now=NOON))
            await asyncio.sleep(0.3)

    await db.write(ask_again)
    await (released or write(db, hosts.release, lease.host, free_at=NOON, now=NOON))

    assert (await _row(db, ids["a.example"])).due_at == NOON


async def test_due_hosts_are_found_by_their_index(db: Database) -> None:
    plan = await plan_of(
        db,
        lambda connection: hosts.claim_due(
            connection, owner="one", now=NOON, until=NOON + LEASE, limit=10, defaults=POLICY
        ),
    )

    assert "ix_hosts_due" in plan
    assert "TEMP B-TREE" not in plan
