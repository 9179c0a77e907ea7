"""Waits for a proxy that an operator ends between the decision and its transaction, on both databases."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.crawl.fetching import proxy_waits
from lamplighter.crawl.fetching.page_visits import PageVisit
from lamplighter.model.access import Stamp
from lamplighter.model.host import HostPolicy
from lamplighter.model.visit import Failed, Fault, Refusal, Refused
from lamplighter.operations.hosts import hosts as host_operations
from lamplighter.operations.proxies import domain_proxies
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.hosts import hosts
from lamplighter.store.pages import page_waits, pages
from lamplighter.store.proxies import proxies
from lamplighter.store.schema import tables
from tests.changing import add_proxy, set_host, set_proxy
from tests.moments import NOON
from tests.service.waiting import until
from tests.store.given_rows import a_run, rows_of, some_pages, write

KEY = "a.example"
STAMP = Stamp("test", NOON)
MINUTE = timedelta(minutes=1)
POLICY = HostPolicy()


class Refusing:
    """A host with mode "only" that is leased, and has two pages and a proxy that is not assigned."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def begin(self) -> "Refusing":
        source_id, run_id = await write(self.db, a_run)
        await write(self.db, some_pages, source_id, run_id, "/1", "/2")
        await write(self.db, set_host, KEY, now=NOON, proxy_mode="only", due_at=NOON)
        lease = {"owner": "me", "now": NOON, "until": NOON + MINUTE, "limit": 1, "defaults": POLICY}
        (self.lease,) = await write(self.db, hosts.claim_due, **lease)
        self.proxy_id = await write(self.db, _a_proxy, "one.example")
        return self

    async def refused(self, *, by: int | None = None) -> PageVisit:
        """The visit of the first page: no proxy could be used, or this one failed."""
        (page,) = await self.db.look(lambda db: pages.due(db, self.lease.host.id, now=NOON, limit=1))
        visit: Refused | Failed = Refused(url=page.url, reason=Refusal.NO_PROXY, detail="none")
        if by is not None:
            visit = Failed(url=page.url, fault=Fault.PROXY, detail="failed", at=NOON, took=timedelta(0))
        waits = proxy_waits.of(visit, now=NOON)
        assert waits is not None
        return PageVisit(page, waits, self.lease.host, None, proxy_id=by)

    async def store(self, visited: PageVisit) -> None:
        """Stores the wait as the page sink does, the host locked first."""

        async def work(db: Connection) -> None:
            await hosts.lease_tokens(db, [visited.host.id])
            await proxy_waits.wait(db, [visited], served=[], now=NOON)

        await self.db.write(work)

    async def assign(self) -> None:
        await write(self.db, domain_proxies.assign, self.lease.host.id, [self.proxy_id], priority=50, stamp=STAMP)

    async def due(self) -> tuple[Any, Any, Any]:
        """When that page is due, until when the host waits, and when it is due once it was given back."""
        await write(self.db, hosts.release, self.lease.host, free_at=NOON, now=NOON)
        (page, _), (host,) = await rows_of(self.db, tables.pages), await rows_of(self.db, tables.hosts)
        return page.due_at, host.proxy_wait_until, host.due_at


async def _a_proxy(db: Connection, name: str) -> int:
    return await add_proxy(db, now=NOON, protocol="http", address=name, port=80)


async def _assigned(case: Refusing) -> None:
    await case.assign()


async def _never(case: Refusing) -> None:
    await write(case.db, host_operations.set_proxies, KEY, mode="never", country=None, stamp=STAMP)


async def _default(case: Refusing) -> None:
    await write(case.db, host_operations.set_proxies, KEY, mode=None, country=None, stamp=STAMP)


@pytest.mark.parametrize("change", [_assigned, _never, _default])
async def test_a_refusal_that_is_stored_after_an_operator_ended_its_reason_makes_nothing_wait(
    db: Database, change: Callable[[Refusing], Awaitable[None]]
) -> None:
    case = await Refusing(db).begin()
    refused = await case.refused()

    await change(case)
    await case.store(refused)

    assert await case.due() == (None, None, NOON)


async def test_a_host_whose_wait_ends_while_it_is_leased_is_due_when_it_is_given_back(db: Database) -> None:
    case = await Refusing(db).begin()

    await case.store(await case.refused())
    await case.assign()

    assert await case.due() == (None, None, NOON)


async def test_a_host_whose_proxies_all_rest_waits_and_so_does_its_page(db: Database) -> None:
    case = await Refusing(db).begin()
    refused = await case.refused()

    await case.assign()
    await write(db, set_proxy, case.proxy_id, now=NOON, quarantined_until=NOON + 9 * MINUTE)
    await case.store(refused)

    assert await case.due() == (NOON + 5 * MINUTE,) * 3


@pytest.mark.parametrize(("is_another_given", "waits"), [(False, NOON + MINUTE), (True, None)])
async def test_after_a_proxy_failed_only_one_that_was_never_used_ends_the_wait(
    db: Database, is_another_given: bool, waits: Any
) -> None:
    case = await Refusing(db).begin()
    await case.assign()
    await write(db, _used, case.proxy_id)
    failed = await case.refused(by=case.proxy_id)

    if is_another_given:
        case.proxy_id = await write(db, _a_proxy, "two.example")
        await case.assign()
    await case.store(failed)

    assert await case.due() == (waits, waits, waits or NOON)


async def _used(db: Connection, proxy_id: int) -> None:
    pair = tables.proxy_standings
    await db.execute(sa.update(pair).where(pair.c.proxy_id == proxy_id).values(last_used_at=NOON))


@pytest.fixture
async def postgres(migrated_postgres_db: str) -> AsyncIterator[Database]:
    async with Database(migrated_postgres_db) as opened:
        yield opened


@pytest.mark.parametrize("is_change_first", [True, False])
@pytest.mark.parametrize("is_of_all", [True, False])
async def test_of_a_change_and_a_refusal_at_the_same_moment_each_waits_for_the_other(
    postgres: Database, is_change_first: bool, is_of_all: bool
) -> None:
    # SQLite lets one write at a time.
    case = await Refusing(postgres).begin()
    refused, host_id = await case.refused(), case.lease.host.id
    is_held, may_end = asyncio.Event(), asyncio.Event()

    async def held(is_first: bool) -> None:
        if is_first:
            is_held.set()
            await may_end.wait()

    async def change(db: Connection) -> None:
        await proxies.assign(db, host_id, [case.proxy_id], priority=50)
        await page_waits.end_proxy_waits(db, None if is_of_all else [host_id])
        await held(is_change_first)

    async def store(db: Connection) -> None:
        await hosts.lease_tokens(db, [host_id])
        await proxy_waits.wait(db, [refused], served=[], now=NOON)
        await held(not is_change_first)

    first, second = (change, store) if is_change_first else (store, change)
    async with asyncio.TaskGroup() as both:
        both.create_task(postgres.write(first))
        await is_held.wait()
        both.create_task(postgres.write(second))
        await until(lambda: _one_waits(postgres))
        may_end.set()

    assert await case.due() == (None, None, NOON)


async def _one_waits(db: Database) -> bool:
    query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    async with db.read() as connection:
        return bool(await connection.scalar(sa.text(query)))
