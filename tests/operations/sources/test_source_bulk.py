"""Many sources at once: by filter as many as there are, and no chunk stops another."""

import time
from datetime import timedelta

import sqlalchemy as sa

from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.model.access import Stamp
from lamplighter.operations.jobs import jobs
from lamplighter.operations.sources import source_bulk, source_states
from lamplighter.operations.sources.source_bulk import BulkAction, BulkOrder
from lamplighter.operations.sources.source_edits import SourceChangeContext
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.schema import tables
from lamplighter.store.sources import sources
from lamplighter.store.sources.source_lists import SourceFilter
from tests.clocks import At
from tests.contracts.event_carriers import through_outbox
from tests.moments import NOON
from tests.store.given_rows import a_job, a_run, a_source, some_pages, the_job, write

TOGGLE = SourceChangeContext(stamp=Stamp("test", NOON), source_defaults=SourceDefaults(), reason="spring cleaning")
MANY = 2_000


async def test_thousands_are_changed_by_filter_with_an_event_and_an_audit_line_each(db: Database) -> None:
    await db.write(_many)
    order = BulkOrder(action=BulkAction.DISABLE, which=SourceFilter(search=".example"))
    began = time.process_time()

    report = await source_bulk.bulk(db, order, TOGGLE)

    assert (report.matched, report.changed, report.refused) == (MANY, MANY, 0)
    async with db.read() as connection:
        for table in (tables.events, tables.audit_log):
            assert await connection.scalar(sa.select(sa.func.count()).select_from(table)) == MANY
    assert time.process_time() - began < 100


async def test_enabling_asks_for_the_job_of_an_enabled_source_that_has_none(db: Database) -> None:
    await write(db, a_source, "never-had")
    await write(db, a_job, "going")
    deleted = await the_job(db, await write(db, a_job, "deleted"))
    await db.write(lambda connection: jobs.delete(connection, deleted, stamp=Stamp("test", NOON)))
    order = BulkOrder(action=BulkAction.ENABLE, which=SourceFilter(search=".example"))

    report = await source_bulk.bulk(db, order, TOGGLE)

    assert (report.matched, report.changed, report.unchanged) == (3, 2, 1)
    async with through_outbox(db, clock=At(), source_defaults=SourceDefaults(auto_manage=False)) as carrier:
        await carrier.settle()
        found = await carrier.rows(tables.crawl_jobs)
    assert [(job.state, job.deleted_at) for job in found] == [("pending", None)] * 3


async def test_what_hangs_on_a_source_is_counted_when_it_is_deleted_and_goes_when_it_is_purged(db: Database) -> None:
    source_id, run_id = await write(db, a_run, "a")
    await write(db, some_pages, source_id, run_id, "/1", "/2")
    await write(db, a_job, "b")
    source = await write(db, sources.get, source_id)
    assert source is not None

    impact = await write(db, source_states.delete, source, TOGGLE)
    job = await write(db, crawl_jobs.of_source, source_id)
    purged = await source_states.purge(db, source, stamp=Stamp("test", NOON + timedelta(hours=1)))

    assert impact == purged == (2, 0, 1)
    assert job is not None
    assert job.state == "cancelled"
    async with db.read() as connection:
        left = [
            await connection.scalar(sa.select(sa.func.count()).select_from(table))
            for table in (tables.sources, tables.crawl_jobs, tables.crawl_runs, tables.pages)
        ]
    assert left == [1, 1, 0, 0]


async def _many(db: Connection) -> None:
    row = {"recipe": {}, "max_depth": 3, "priority": 50, "enabled": True, "created_at": NOON, "updated_at": NOON}
    rows = [
        row | {"public_id": f"id-{number}", "name": f"s{number}", "url": f"https://s{number}.example/"}
        for number in range(MANY)
    ]
    await db.execute(sa.insert(tables.sources), rows)
