"""Cohorts in the database: what is known of sources that are alike, and when in the week they publish."""

from datetime import UTC, datetime, timedelta
from typing import Any

from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.jobs import cohorts
from lamplighter.store.jobs.cohorts import HOURS, Cohort
from tests.changing import set_job
from tests.moments import NOON
from tests.store.given_rows import HOUR, a_job, the_job, write
from tests.store.records.given_records import found, posting, stored

MONDAY = datetime(2026, 3, 9, tzinfo=UTC)
DAY = timedelta(days=1)


async def _visited(db: Database, name: str, **columns: Any) -> int:
    job_id = await write(db, a_job, name)
    evidence = {"evidence_changes": 2.0, "evidence_hours": 40.0}
    values = {"belief_a": 2.6, "belief_b": 50.0, "visit_count": 5} | evidence | columns
    await write(db, set_job, job_id, now=NOON, **values)
    return job_id


async def test_cohorts_are_read_as_they_were_written_and_replaced_whole(db: Database) -> None:
    old = Cohort("old", 1.0, 2.0, [0.0] * HOURS, False)
    new = Cohort("job/un/high", 3.5, 70.25, [float(hour) for hour in range(HOURS)], True)

    for found_then, now in (([old], NOON), ([new], NOON + DAY)):
        await write(db, cohorts.replace_all, found_then, now=now)

    assert await write(db, cohorts.all_of_them) == {"job/un/high": new}
    assert await write(db, cohorts.gathered_at) == NOON + DAY


async def test_before_the_first_gathering_there_is_no_time_of_it(db: Database) -> None:
    assert await write(db, cohorts.gathered_at) is None


async def test_members_are_summed_up_by_what_makes_them_alike(db: Database) -> None:
    for name in ("a", "b"):
        await _visited(db, name)
    await _visited(db, "important", priority=90)
    await _visited(db, "new", visit_count=1)

    members = await write(db, cohorts.members)

    assert sorted((member.priority, member.changes, member.hours) for member in members) == [
        (50, 4.0, 80.0),
        (90, 2.0, 40.0),
    ]


async def test_a_belief_that_is_no_number_does_not_spoil_those_of_others(db: Database) -> None:
    await _visited(db, "good", host_id=1)
    for number, a in enumerate((float("nan"), float("inf"), -1.0)):
        await _visited(db, f"bad{number}", belief_a=a, host_id=1)

    (member,) = await write(db, cohorts.members)

    assert (member.changes, member.hours) == (2.0, 40.0)
    assert await write(db, cohorts.of_host, 1, except_job=99, is_felt=True) == (2.0, 40.0)
    assert [job.belief_a for job in await write(db, cohorts.young, visits=12)] == [2.6]


async def test_the_evidence_of_a_host_leaves_out_the_one_who_asks(db: Database) -> None:
    mine, other = await _visited(db, "mine", host_id=1), await _visited(db, "other", host_id=1)
    await _visited(db, "elsewhere", host_id=2)

    assert await write(db, cohorts.of_host, 1, except_job=mine, is_felt=True) == (2.0, 40.0)
    assert await write(db, cohorts.of_host, 1, except_job=mine, is_felt=False) is None
    await write(db, set_job, other, now=NOON, visit_count=1)
    assert await write(db, cohorts.of_host, 1, except_job=mine, is_felt=True) is None


async def test_the_young_are_those_visited_a_few_times(db: Database) -> None:
    jobs = {visits: await _visited(db, f"v{visits}", visit_count=visits) for visits in (0, 1, 12, 13)}

    young = [job.id for job in await write(db, cohorts.young, visits=12)]
    await write(db, cohorts.save_beliefs, {jobs[1]: (0.5, 9.0, 8.0)})

    assert sorted(young) == [jobs[1], jobs[12]]
    learnt = (await the_job(db, jobs[1])).learnt
    assert learnt is not None
    assert (learnt.belief.a, learnt.belief.b) == (0.5, 9.0)


async def test_publications_are_counted_by_the_hour_of_the_week(db: Database) -> None:
    await write(db, a_job)
    published = [MONDAY + HOUR / 2, MONDAY + HOUR, MONDAY + 1.999 * HOUR, MONDAY + 6 * DAY + 23.5 * HOUR]
    midnight = MONDAY + 3 * DAY
    too_old, too_new = MONDAY - 0.5 * HOUR, MONDAY + 7 * DAY + HOUR

    async def publish(connection: Connection) -> None:
        for number, moment in enumerate((*published, midnight, too_old, too_new)):
            await stored(connection, found(1, None, posting(number, published_at=moment)))

    await db.write(publish)
    counted = await write(db, cohorts.publications, since=MONDAY, until=MONDAY + 7 * DAY)

    assert counted == {(None, None, 50): {0: 1, 1: 2, HOURS - 1: 1}}
