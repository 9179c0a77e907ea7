"""What sources that are alike have in common, gathered once a day."""

from datetime import UTC, datetime, timedelta
from typing import Any

from lamplighter.crawl.planning.cohort_keeper import CohortKeeper
from lamplighter.crawl.planning.pricer import Pricer
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.jobs import cohorts
from lamplighter.store.records import records
from tests.crawl.runs.due_jobs import HOUR, Queues, on_sqlite
from tests.moments import NOON
from tests.store.given_rows import write
from tests.store.records.given_records import found, posting

DAY = timedelta(days=1)
KEY = "any/any/normal"


async def _visited(db: Database, **columns: Any) -> Queues:
    queues = Queues(db)
    known: dict[str, Any] = {"belief_a": 4.0, "belief_b": 40.0, "visit_count": 20, "visited_at": NOON}
    known |= {"evidence_changes": 4.0, "evidence_hours": 40.0}
    await queues.job("a", interval=HOUR, **(known | columns))
    return queues


def _keeper(queues: Queues) -> CohortKeeper:
    pricer = Pricer(
        queues.db, clock=queues.clock, source_defaults=queues.source_defaults, outlooks=queues.planner.outlooks
    )
    return CohortKeeper(queues.db, clock=queues.clock, planner=queues.planner, pricer=pricer)


async def _published(db: Database, moments: list[datetime]) -> None:
    async def work(connection: Connection) -> None:
        finds = [found(1, None, posting(number, published_at=at)) for number, at in enumerate(moments)]
        await records.put(connection, finds, now=NOON)

    await db.write(work)


async def test_cohorts_are_gathered_once_a_day(db: Database) -> None:
    queues = await _visited(db)
    keeper = _keeper(queues)

    gathered = []
    for hours in (0, 1, 22.9, 0.2):
        queues.clock.at += hours * HOUR
        gathered.append(await keeper.gather_if_old())

    assert gathered == [True, False, False, True]
    cohort = (await write(db, cohorts.all_of_them))[KEY]
    assert (cohort.changes, cohort.hours, cohort.has_rhythm) == (4.0, 40.0, False)


@on_sqlite
async def test_a_cohort_that_publishes_in_office_hours_has_a_rhythm(db: Database) -> None:
    queues = await _visited(db)
    monday = datetime(2026, 2, 2, tzinfo=UTC)
    days = [monday + week * 7 * DAY + day * DAY for week in range(6) for day in range(5)]
    await _published(db, [day + (9.25 + hour) * HOUR for day in days for hour in range(8)])

    await _keeper(queues).gather_if_old()

    cohort = (await write(db, cohorts.all_of_them))[KEY]
    assert cohort.has_rhythm
    assert sum(cohort.by_hour[24 * 5 :]) == 0


@on_sqlite
async def test_one_that_publishes_round_the_clock_has_none(db: Database) -> None:
    queues = await _visited(db)
    await _published(db, [NOON - number * 3.7 * HOUR for number in range(250)])

    await _keeper(queues).gather_if_old()

    assert not (await write(db, cohorts.all_of_them))[KEY].has_rhythm


@on_sqlite
async def test_young_sources_are_moved_towards_their_kind_and_old_ones_are_not(db: Database) -> None:
    queues = await _visited(db, belief_a=8.0, belief_b=4000.0)
    for name, visits in (("young", 1), ("old", 30)):
        columns: dict[str, Any] = {"belief_a": 0.6, "belief_b": 6.0, "visit_count": visits, "visited_at": NOON}
        await queues.job(name, interval=HOUR, **columns)

    await _keeper(queues).gather_if_old()

    young, old = await queues.job_of("young"), await queues.job_of("old")
    assert young.belief_a / young.belief_b < 0.1
    assert (old.belief_a, old.belief_b) == (0.6, 6.0)
