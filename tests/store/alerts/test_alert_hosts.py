"""Which hosts are left alone, without a robots.txt, or short of proxies; and what was given up."""

from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.model.alert_figures import DEFAULT_POOL, BrokenHost, ProxyTotals
from lamplighter.model.crawl import JobState, PauseReason
from lamplighter.model.host import RobotsFile, RobotsState
from lamplighter.store.alerts import alert_counts, alert_hosts
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.events import events
from lamplighter.store.hosts import hosts, robots_files
from lamplighter.store.proxies import proxies
from lamplighter.store.schema import tables
from tests.changing import add_proxy, set_host, set_job, set_pair, set_proxy
from tests.crawl.runs.due_jobs import on_sqlite
from tests.moments import NOON
from tests.store.given_rows import a_job
from tests.store.query_plans import plan_of

HOUR = timedelta(hours=1)
PUT_ASIDE = {"state": JobState.PAUSED, "pause_reason": PauseReason.USER}


async def a_host(db: Connection, name: str, *, job: dict[str, Any] | None = None, **columns: Any) -> int:
    """A host on which a source starts, whose job has these columns; without a source when they are None."""
    key = f"{name}.example"
    await set_host(db, key, now=NOON, **columns)
    host_id = (await hosts.ensure(db, [key], now=NOON))[key]
    if job is not None:
        job_id = await a_job(db, name)
        await set_job(db, job_id, now=NOON, host_id=host_id, **job)
    return host_id


async def test_a_host_that_is_left_alone_is_found_while_sources_start_there(db: Database) -> None:
    bad: dict[str, Any] = {"blocked_until": NOON - HOUR, "block_reason": "no answer", "failure_count": 6}

    async def work(c: Connection) -> None:
        await a_host(c, "broken", job={}, **bad)
        await a_host(c, "busy", job={}, **(bad | {"failure_count": 4}))
        await a_host(c, "off", job={}, enabled=False, **bad)
        await a_host(c, "aside", job=PUT_ASIDE, **bad)
        await a_host(c, "linked", **bad)

    await db.write(work)

    (found,) = await db.look(lambda c: alert_hosts.broken(c, breaker_at=5, limit=9))
    assert found == BrokenHost("broken.example", 6, "no answer", 1)


async def a_robots_txt(db: Connection, origin: str, state: RobotsState) -> None:
    """What is known of it for an hour."""
    file = RobotsFile(
        origin=origin,
        state=state,
        body=b"",
        status=503,
        detail="HTTP 503",
        failure_count=1,
        fetched_at=NOON,
        expires_at=NOON + HOUR,
    )
    await robots_files.save(db, file)


async def test_the_robots_txt_of_an_origin_that_no_run_asks_for_any_more_is_none_that_cannot_be_had(
    db: Database,
) -> None:
    async def work(c: Connection) -> None:
        await a_host(c, "quay", job={"last_run_at": NOON})
        await a_robots_txt(c, "http://quay.example", RobotsState.UNREACHABLE)

    await db.write(work)
    assert len(await db.look(lambda c: alert_hosts.lost_robots(c, limit=9))) == 1

    async def run_again(c: Connection) -> None:
        await c.execute(sa.update(tables.crawl_jobs).values(last_run_at=NOON + 2 * HOUR))

    await db.write(run_again)

    assert await db.look(lambda c: alert_hosts.lost_robots(c, limit=9)) == []


async def test_a_robots_txt_that_cannot_be_had_is_found_while_sources_start_there(db: Database) -> None:
    async def work(c: Connection) -> None:
        for name, job, state in (
            ("aside", PUT_ASIDE, RobotsState.UNREACHABLE),
            ("had", {}, RobotsState.RULES),
            ("lost", {}, RobotsState.UNREACHABLE),
            ("moved", {"last_run_at": NOON + 2 * HOUR}, RobotsState.UNREACHABLE),
        ):
            await a_host(c, name, job=job)
            await a_robots_txt(c, f"https://{name}.example", state)
        await a_robots_txt(c, "https://linked.example", RobotsState.UNREACHABLE)

    await db.write(work)

    # The bound is for those that count: the others must not push them out.
    (lost,) = await db.look(lambda c: alert_hosts.lost_robots(c, limit=1))
    assert await db.look(lambda c: alert_hosts.lost_robots(c, limit=9)) == [lost]
    assert (lost.origin, lost.host, lost.detail, lost.sources) == (
        "https://lost.example",
        "lost.example",
        "HTTP 503",
        1,
    )


class Exits:
    """Proxies and the hosts that may be asked through them."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def proxy(self, **columns: Any) -> int:
        port = 1 + int(await self.db.look(lambda c: _count(c, tables.proxies)))

        async def work(c: Connection) -> int:
            proxy_id = await add_proxy(c, now=NOON, protocol="http", address="127.0.0.1", port=port)
            if columns:
                await set_proxy(c, proxy_id, now=NOON, **columns)
            return proxy_id

        return await self.db.write(work)

    async def host(self, name: str, *proxy_ids: int, **columns: Any) -> int:
        async def work(c: Connection) -> int:
            host_id = await a_host(c, name, **columns)
            await proxies.assign(c, host_id, proxy_ids, priority=50)
            return host_id

        return await self.db.write(work)

    async def standing(self, host_id: int, proxy_id: int, **columns: Any) -> None:
        await self.db.write(lambda c: set_pair(c, host_id, proxy_id, **columns))

    async def short(self) -> dict[str, tuple[int, int]]:
        found = await self.db.look(lambda c: alert_hosts.short_of_proxies(c, fewer_than=3, limit=99))
        return {each.host: (each.working, each.known) for each in found}


async def _count(db: Connection, table: sa.Table) -> int:
    return int(await db.scalar(sa.select(sa.func.count()).select_from(table)))


async def test_a_host_is_short_of_proxies_when_fewer_than_three_work(db: Database) -> None:
    exits = Exits(db)
    good = [await exits.proxy() for _ in range(3)]
    off, resting = await exits.proxy(enabled=False), await exits.proxy(quarantined_until=NOON + HOUR)
    untried = await exits.proxy(quarantined_until=NOON - HOUR)
    await exits.host("enough", *good)
    await exits.host("none", off, resting)
    await exits.host("two", *good[:2], untried)
    mapped = await exits.host("mapped", *good)
    await exits.standing(mapped, good[0], enabled=False)
    left = await exits.host("left", *good)
    await exits.standing(left, good[0], quarantined_until=NOON + HOUR)
    await exits.host("never", *good[:1], proxy_mode="never")
    await exits.host("nobodys")

    assert await exits.short() == {
        "none.example": (0, 2),
        "two.example": (2, 3),
        "mapped.example": (2, 3),
        "left.example": (2, 3),
    }


async def test_a_host_of_the_pool_for_all_is_short_when_that_is(db: Database) -> None:
    exits = Exits(db)
    for country in ("DE", "DE", "DE", "FR"):
        await exits.proxy(in_default_pool=True, country_code=country)
    await exits.proxy(in_default_pool=True, enabled=False, country_code="FR")
    await exits.host("any", proxy_mode="only")
    await exits.host("french", proxy_mode="prefer", proxy_country="FR")
    await exits.host("direct")

    assert await exits.short() == {"french.example": (1, 2)}
    (bounded,) = await db.look(lambda c: alert_hosts.short_of_proxies(c, fewer_than=3, limit=1))
    assert bounded.host == "french.example"


@pytest.mark.parametrize(
    ("working", "dead", "short"),
    [
        pytest.param(0, 0, {}, id="no pool"),
        pytest.param(1, 0, {}, id="one, which works"),
        pytest.param(1, 1, {DEFAULT_POOL: (1, 2)}, id="one of two"),
        pytest.param(0, 4, {DEFAULT_POOL: (0, 4)}, id="none of four"),
        pytest.param(3, 2, {}, id="three of five"),
    ],
)
async def test_the_pool_for_all_is_short_when_fewer_of_it_work_than_three_or_than_there_are(
    db: Database, working: int, dead: int, short: dict[str, tuple[int, int]]
) -> None:
    exits = Exits(db)
    for number in range(working + dead):
        until = NOON + HOUR if number >= working else None
        await exits.proxy(in_default_pool=True, quarantined_until=until)
    await exits.host("through-the-pool")

    assert await exits.short() == short


async def test_requests_through_the_pool_for_all_are_added_up(db: Database) -> None:
    exits = Exits(db)
    for failed in (1, 2):
        await exits.proxy(in_default_pool=True, success_total=8, failure_total=failed, last_used_at=NOON)
    await exits.proxy(success_total=5, last_used_at=NOON)

    assert await db.look(alert_hosts.proxy_totals) == [ProxyTotals(DEFAULT_POOL, 16, 3)]


async def test_requests_through_proxies_are_added_up_by_host(db: Database) -> None:
    exits = Exits(db)
    first, second = await exits.proxy(), await exits.proxy()
    host_id = await exits.host("a", first, second)
    await exits.host("unused", first)
    for proxy_id in (first, second):
        await exits.standing(host_id, proxy_id, success_total=8, failure_total=1, last_used_at=NOON)

    assert await db.look(alert_hosts.proxy_totals) == [ProxyTotals("a.example", 16, 2)]


async def an_event(
    db: Connection, *, delivered_at: datetime | None, result: str | None, created_at: datetime = NOON
) -> None:
    event_id = await events.publish(db, "SOURCE_UPDATED", source_id=None, payload={}, now=created_at)
    mine = sa.update(tables.events).where(tables.events.c.event_id == event_id)
    await db.execute(mine.values(delivered_at=delivered_at, result=result))


async def test_events_that_could_not_be_settled_are_counted(db: Database) -> None:
    async def work(c: Connection) -> None:
        await an_event(c, delivered_at=NOON - HOUR, result="error")
        await an_event(c, delivered_at=NOON, result="error")
        await an_event(c, delivered_at=None, result="error")
        await an_event(c, delivered_at=None, result="error", created_at=NOON - HOUR)
        await an_event(c, delivered_at=NOON, result="success")

    await db.write(work)

    assert await db.look(lambda c: alert_counts.event_errors(c, since=NOON)) == 2
    assert await db.look(alert_counts.dead_events) == 2


@on_sqlite
async def test_parked_records_and_dead_notifications_are_counted(db: Database) -> None:
    async def work(c: Connection) -> None:
        await c.execute(sa.insert(tables.index_outbox), {"record_id": 1, "entered_at": NOON, "parked_at": NOON})
        channel = {"public_id": "c", "name": "c", "kind": "ntfy", "encrypted_target": b"", "target_hint": ""}
        await c.execute(sa.insert(tables.notification_channels), channel | {"created_at": NOON, "updated_at": NOON})
        row = {"channel_id": 1, "kind": "test", "payload": {}, "created_at": NOON, "due_at": NOON}
        rows = [row | {"public_id": state, "state": state} for state in ("dead", "sent", "pending")]
        await c.execute(sa.insert(tables.notifications), rows)

    await db.write(work)

    assert await db.look(alert_counts.parked_records) == 1
    assert await db.look(alert_counts.dead_notifications) == 1


@pytest.mark.parametrize(
    ("ask", "index"),
    [
        (lambda c: alert_hosts.broken(c, breaker_at=5, limit=9), "ix_hosts_blocked"),
        (lambda c: alert_hosts.lost_robots(c, limit=9), "ix_robots_files_unreachable"),
        (lambda c: alert_hosts.short_of_proxies(c, fewer_than=3, limit=9), "ix_hosts_exits"),
        (lambda c: alert_counts.event_errors(c, since=NOON), "ix_events_in_vain"),
        (alert_counts.dead_events, "ix_events_in_vain"),
        (alert_counts.parked_records, "ix_index_outbox_parked"),
        (alert_counts.dead_notifications, "ix_notifications_state"),
    ],
    ids=["broken", "robots", "pool", "event errors", "dead events", "parked", "notifications"],
)
async def test_the_few_are_found_by_an_index(db: Database, ask: Any, index: str) -> None:
    # `exits` sends three statements; the index is for the one about hosts that use the pool.
    of_pool = ("SELECT hosts.key, (SELECT", 'SELECT hosts."key", (SELECT')

    assert index in await plan_of(db, ask, start=of_pool if "exits" in index else "SELECT")
