"""The gauges say what the database says."""

from datetime import timedelta

import sqlalchemy as sa

from lamplighter.adapters.messaging.outbox_events import OutboxEvents
from lamplighter.crawl.fleet.database_gauges import DatabaseGauges
from lamplighter.model.crawl import JobState, SourceState
from lamplighter.model.fleet import Instance
from lamplighter.model.page import Phase
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.fleet import instances, samples
from lamplighter.store.jobs import pricing
from lamplighter.store.schema import tables
from tests.counting import shown
from tests.crawl.runs.due_jobs import HOUR, Queues
from tests.moments import NOON

MINUTE = timedelta(minutes=1)


def _meter(queues: Queues) -> DatabaseGauges:
    return DatabaseGauges(queues.db, clock=queues.clock, events=OutboxEvents(queues.db))


async def _execute(db: Database, statement: sa.Executable) -> None:
    async def work(connection: Connection) -> None:
        await connection.execute(statement)

    await db.write(work)


async def test_jobs_are_counted_by_state_by_priority_and_while_they_back_off(db: Database) -> None:
    queues = Queues(db)
    for name, priority in (("good", 100), ("bad", 80), ("waiting", 50), ("paused", 10)):
        await queues.job(name, interval=HOUR, priority=priority)
    await queues.set_job("paused", state=JobState.PAUSED)
    await queues.poll()
    await queues.end("good")
    await queues.end("bad", failed="timeout")

    await _meter(queues).read()

    states = {state: shown("crawler_jobs_by_status", status=state) for state in JobState}
    levels = [shown("crawler_jobs_by_priority", priority=word) for word in ("critical", "high", "normal", "low")]
    assert states == dict.fromkeys(JobState, 0) | {"scheduled": 1, "failed": 1, "running": 1, "paused": 1}
    assert {state: number for state in SourceState if (number := shown("crawler_sources", state=state))} == {
        "healthy": 1,
        "failing": 1,
        "running": 1,
        "paused": 1,
    }
    assert levels == [1, 1, 1, 1]
    assert shown("crawler_jobs_in_backoff") == 1
    assert shown("crawler_jobs_due") == 0


async def test_a_run_whose_host_is_blocked_is_a_waiting_source(db: Database) -> None:
    queues = Queues(db)
    await queues.job("a")
    await queues.poll()
    await _execute(db, sa.update(tables.hosts).values(blocked_until=NOON + HOUR))

    await _meter(queues).read()

    assert (shown("crawler_sources", state="waiting"), shown("crawler_sources", state="running")) == (1, 0)


async def test_what_waits_is_counted_and_how_long_it_does(db: Database) -> None:
    queues = Queues(db)
    await queues.job("a")  # its event waits in the outbox, as nobody settles it
    await queues.job("b")
    await queues.poll()
    await _execute(
        db, sa.update(tables.pages).where(tables.pages.c.url.like("%b.example%")).values(phase=Phase.DOWNLOADED)
    )
    queues.clock.at += 2 * MINUTE

    await _meter(queues).read()

    assert [shown("crawler_pages_waiting", phase=phase) for phase in ("fetch", "parse")] == [1, 1]
    assert shown("crawler_consumer_lag_messages") == 2
    ages = [shown("crawler_outbox_age_seconds", outbox=name) for name in ("events", "index", "notifications")]
    assert ages == [120, 0, 0]


async def test_freshness_is_weighed_by_how_long_each_source_was_watched(db: Database) -> None:
    queues = Queues(db)
    await queues.job("long", watched_hours=90.0, expected_stale_hours=18.0, seen_stale_hours=9.0)
    await queues.job("short", watched_hours=10.0, expected_stale_hours=2.0, seen_stale_hours=6.0)

    await _meter(queues).read()

    assert shown("crawler_freshness_expected_ratio") == 0.8
    assert shown("crawler_freshness_measured_ratio") == 0.85


async def test_proxies_and_processes_are_counted_by_how_they_are(db: Database) -> None:
    queues = Queues(db)
    proxy = {"protocol": "http", "port": 8080, "enabled": True, "created_at": NOON, "updated_at": NOON}
    resting = {"quarantined_until": NOON + HOUR}
    rows = [{**proxy, "address": "a"}, {**proxy, "address": "b"} | resting, {**proxy, "address": "c", "enabled": False}]
    for row in rows:
        await _execute(db, sa.insert(tables.proxies).values(row))
    for name, heard in (("there", NOON), ("gone", NOON - HOUR)):
        process = Instance(
            id=name,
            kind="worker",
            machine="m",
            pid=1,
            duties=frozenset(),
            version="1",
            started_at=NOON - HOUR,
            heartbeat_at=heard,
            figures={},
            is_stopping=False,
        )
        await db.write(lambda connection, process=process: instances.beat(connection, process))  # type: ignore[misc]

    await _meter(queues).read()

    assert [shown("crawler_proxies", state=state) for state in ("working", "resting", "off")] == [1, 1, 1]
    assert [shown("crawler_instances", kind="worker", state=state) for state in ("alive", "lost")] == [1, 1]
    assert shown("crawler_instances", kind="serve", state="alive") == 0


async def test_what_waits_and_the_budget_are_kept_once_in_five_minutes(db: Database) -> None:
    queues = Queues(db, budget_per_hour=30.0)
    await queues.job("a")
    figures = {"whole_budget_per_hour": 30.0}
    await db.write(lambda connection: pricing.save(connection, price=None, owed=0.0, figures=figures, solved_at=NOON))
    meter = _meter(queues)

    for _ in range(3):
        await meter.read()
        queues.clock.at += 4 * MINUTE

    async with db.read() as connection:
        kept = list((await samples.by_span(connection, since=NOON, span=samples.STEP)).values())
    assert [(each.due, each.to_fetch, each.budget_per_hour) for each in kept] == [(1, 0, 30.0)] * 2
