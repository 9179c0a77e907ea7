"""The visits to sources of a host, with the visit before each."""

from datetime import timedelta

from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.hosts import host_activity, hosts
from lamplighter.store.hosts.host_activity import SiblingVisit
from lamplighter.store.schema import tables
from tests.changing import set_job
from tests.moments import NOON
from tests.operations.jobs.visited import visited
from tests.store.given_rows import HOUR, rows_of, write


async def _visits(db: Connection, host_id: int, since: float, earliest: float) -> list[SiblingVisit]:
    return await host_activity.visits(db, host_id, since=NOON + since * HOUR, earliest=NOON + timedelta(hours=earliest))


async def test_each_visit_knows_the_one_before_it_also_where_that_is_long_ago(db: Database) -> None:
    for name, visits in {
        "a": [(0, False), (50, True), (52.5, False)],
        "rare": [(-90, False), (60, True)],
        "new": [(61, False)],
        "elsewhere": [(50, False), (55, True)],
    }.items():
        await write(db, visited, name, *visits)
    jobs = await rows_of(db, tables.crawl_jobs)
    host_id = (await write(db, hosts.ensure, ["a.example"], now=NOON))["a.example"]
    for job in jobs[:3]:
        await write(db, set_job, job.id, now=NOON, host_id=host_id)

    found = await write(db, _visits, host_id, 48, -24)

    start = NOON.timestamp()
    assert found == [
        SiblingVisit(jobs[0].source_id, start, start + 50 * 3600, True),
        SiblingVisit(jobs[0].source_id, start + 50 * 3600, start + 52.5 * 3600, False),
    ]
    assert [visit.source_id for visit in await write(db, _visits, host_id, 48, -100)] == [
        *(jobs[0].source_id, jobs[0].source_id, jobs[1].source_id)
    ]
