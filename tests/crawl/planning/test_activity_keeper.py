"""Visits come forward where the visits to siblings found changes."""

from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.crawl.planning.activity_keeper import ActivityKeeper
from lamplighter.crawl.planning.known_activity import known_activity
from lamplighter.model.crawl import CrawlJob
from lamplighter.model.schedule import PolicyName
from lamplighter.rules.schedule import reasons
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.hosts import host_activity
from lamplighter.store.hosts.host_activity import StoredActivity
from lamplighter.store.jobs import pricing
from lamplighter.store.jobs.job_rows import job_of
from lamplighter.store.schema.tables import crawl_jobs, crawl_runs
from tests.crawl.planning.planners import planner
from tests.crawl.runs.due_jobs import Queues
from tests.moments import NOON
from tests.store.given_rows import write

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
LEARNED = {"steps": [{"step": "policy", "policy": "learned", "seconds": 86400, "price": 1, "weight": 1, "signal": 0}]}
LEARNED |= {"expected": {"visits": 1}}


async def _host(db: Database, *, sources: int, gain: float, **columns: Any) -> Queues:
    """Half of the sources were visited in the last hour, and all of these had changed; the others are due tomorrow."""
    queues = Queues(db)
    for number in range(sources):
        is_new = number % 2 == 0
        known = {"belief_a": 4.0, "belief_b": 1000.0, "is_felt": False, "visit_count": 9, "pace_seconds": 86400}
        await queues.job(
            f"s{number}",
            host="h.example",
            state="scheduled",
            next_run_at=NOON + (24 * HOUR if is_new else 14 * HOUR),
            visited_at=NOON - HOUR / 2 if is_new else NOON - 10 * HOUR,
            changed_at=NOON - 9 * DAY,
            **({"next_run_reason": LEARNED} | known | columns),
        )

    async def work(connection: Connection) -> None:
        jobs = (await connection.execute(sa.select(crawl_jobs).order_by(crawl_jobs.c.id))).all()
        for number, job in enumerate(jobs):
            last = HOUR / 2 if number % 2 == 0 else 10 * HOUR
            for turn, ago in enumerate((last + DAY, last)):
                run = _run(job, turn + 1, ago, number % 2 == 0 and turn)
                await connection.execute(sa.insert(crawl_runs).values(run))
        host = jobs[0].host_id
        levels = [1.0] * 12
        found = StoredActivity(host, NOON - 3 * HOUR, NOON - DAY, 3600.0, levels, gain)
        await host_activity.save(connection, found)
        await pricing.save(connection, price=1.5, owed=0.0, figures={}, solved_at=NOON)

    await db.write(work)
    return queues


def _run(job: Any, number: int, ago: timedelta, has_changed: bool | int) -> dict[str, Any]:
    at = NOON - ago
    return {
        "public_id": f"{job.id}-{number}",
        "job_id": job.id,
        "source_id": job.source_id,
        "number": number,
        "trigger": "schedule",
        "started_at": at,
        "deadline_at": at + HOUR,
        "finished_at": at,
        "outcome": "ok",
        "page_budget": 1,
        "pages_fetched": 1,
        "pages_changed": int(has_changed),
    }


async def _looked(queues: Queues) -> tuple[int, list[CrawlJob]]:
    queues.clock.at = NOON
    keeper = ActivityKeeper(queues.db, clock=queues.clock, planner=planner(queues.clock, policy=PolicyName.LEARNED))
    moved = await keeper.look_if_due()
    return moved, [job for job in await write(queues.db, _all) if job.next_run_at < NOON + 4 * HOUR]


async def _all(db: Connection) -> list[CrawlJob]:
    return [job_of(row) for row in await db.execute(sa.select(crawl_jobs))]


async def test_siblings_bring_a_visit_forward_and_the_explanation_says_so(db: Database) -> None:
    queues = await _host(db, sources=160, gain=5.0)

    moved, sooner = await _looked(queues)

    assert 0 < moved == len(sooner) <= 4 * 160 / 12
    assert "80 of 80 sources of this host that were visited in the last 4 h had changed" in reasons.sentence(
        sooner[0].next_run_reason
    )


async def test_activity_that_predicts_nothing_moves_nothing(db: Database) -> None:
    assert (await _looked(await _host(db, sources=40, gain=-20.0)))[0] == 0


async def test_a_run_that_follows_another_policy_stays_where_it_is(db: Database) -> None:
    fixed = {"steps": [{"step": "policy", "policy": "fixed", "seconds": 86400}], "expected": {"visits": 1}}

    assert (await _looked(await _host(db, sources=40, gain=5.0, next_run_reason=fixed)))[0] == 0


async def test_a_host_is_looked_at_once_in_an_epoch(db: Database) -> None:
    queues = await _host(db, sources=40, gain=5.0)
    await _looked(queues)

    assert (await _looked(queues))[0] == 0


@pytest.mark.parametrize(
    ("said", "earliest"),
    [
        pytest.param({"min_interval": 20 * HOUR}, NOON + 10 * HOUR, id="a least interval"),
        pytest.param({"interval": DAY}, NOON + 14 * HOUR, id="an interval"),
        pytest.param({"policy": PolicyName.FIXED}, NOON + 14 * HOUR, id="a fixed policy"),
        pytest.param({"windows_text": "mon 09:00-17:00"}, NOON + 14 * HOUR, id="a window"),
    ],
)
async def test_what_a_person_set_holds_whatever_the_siblings_tell(
    db: Database, said: dict[str, Any], earliest: datetime
) -> None:
    queues = await _host(db, sources=40, gain=5.0, **said)

    await _looked(queues)

    assert min(job.next_run_at for job in await write(db, _all)) >= earliest


def test_a_host_is_trusted_once_its_activity_is_ahead_by_more_than_two() -> None:
    busy = StoredActivity(1, NOON, NOON - DAY, 3600.0, [4.0] * 24, 2.0)

    assert known_activity(busy).between(NOON - HOUR, NOON) == (1.0, 1.0)
    mean, lag = known_activity(busy._replace(gain=2.01)).between(NOON - HOUR, NOON)
    assert (mean, lag) == pytest.approx((4.0, 1.0))
