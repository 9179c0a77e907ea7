"""Where the database decides for many rows what a rule decides for one: do both decide the same?"""

from datetime import timedelta
from itertools import product

import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from lamplighter.model.crawl import JobState
from lamplighter.model.host import HostPolicy
from lamplighter.operations.proxies.proxies import ProxyHealth, health_of
from lamplighter.rules.hosts import politeness
from lamplighter.rules.pages import frontier
from lamplighter.rules.schedule.lifecycle import TRANSITIONS, JobStep
from lamplighter.store.backup import restore_reset
from lamplighter.store.engine.database import Database
from lamplighter.store.hosts import hosts
from lamplighter.store.hosts.host_times import HostTimes
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.pages import tasks
from lamplighter.store.proxies import proxy_lists
from lamplighter.store.proxies.proxies import FAILING_AT
from lamplighter.store.schema import tables
from tests.changing import add_proxy, set_job, set_proxy
from tests.moments import NOON
from tests.store.given_rows import HOUR, a_job, a_run, some_pages, the_job, write

MILLISECONDS = st.integers(min_value=0, max_value=86_400_000)


async def _jobs_in_each_state(db: Database, **columns: object) -> dict[JobState, int]:
    jobs = {state: await write(db, a_job, str(state)) for state in JobState}
    for state, job_id in jobs.items():
        await write(db, set_job, job_id, now=NOON, state=state, **columns)
    return jobs


async def test_the_database_starts_the_jobs_that_may_start(db: Database) -> None:
    jobs = await _jobs_in_each_state(db)

    started = await write(db, crawl_jobs.mark_running, list(jobs.values()), now=NOON)

    assert set(started) == {jobs[state] for state in JobState if JobStep.START in TRANSITIONS[state]}
    for state in (state for state in JobState if JobStep.START in TRANSITIONS[state]):
        assert (await the_job(db, jobs[state])).state is TRANSITIONS[state][JobStep.START]


async def test_the_database_wakes_paused_jobs_as_the_rule_does(db: Database) -> None:
    jobs = await _jobs_in_each_state(db, resume_at=NOON)

    woken = await write(db, crawl_jobs.resume_paused, now=NOON)

    now_in = {state: (await the_job(db, job_id)).state for state, job_id in jobs.items()}
    assert woken == 1
    wakes = {JobState.PAUSED: TRANSITIONS[JobState.PAUSED][JobStep.WAKE]}
    assert now_in == {state: wakes.get(state, state) for state in JobState}


async def test_a_restored_database_lets_running_jobs_try_again(db: Database) -> None:
    jobs = await _jobs_in_each_state(db)

    await write(db, restore_reset.let_wait, now=NOON, why="it was brought back")

    now_in = {state: (await the_job(db, job_id)).state for state, job_id in jobs.items()}
    tried_again = {JobState.RUNNING: TRANSITIONS[JobState.RUNNING][JobStep.TRY_AGAIN]}
    assert now_in == {state: tried_again.get(state, state) for state in JobState}


async def test_the_database_reads_the_priority_from_a_rank(db: Database) -> None:
    cases = list(product((0, 1, 50, 99, 100), (0, 1, 998, 999, 5000)))
    source_id, run_id = await write(db, a_run)
    ids = await write(db, some_pages, source_id, run_id, *(f"/{number}" for number in range(len(cases))))
    ranks = [frontier.rank(priority=priority, depth=depth) for priority, depth in cases]
    table = tables.pages
    for page_id, rank in zip(ids, ranks, strict=True):
        await db.write(
            lambda tx, page_id=page_id, rank=rank: tx.execute(  # type: ignore[misc]
                sa.update(table).where(table.c.id == page_id).values(rank=rank)
            )
        )

    await write(db, tasks.renew_many, ids, at=NOON, created_by="test")

    async with db.read() as connection:
        orders = {row.page_id: row.priority for row in await connection.execute(sa.select(tables.page_orders))}
    assert [orders[page_id] for page_id in ids] == [frontier.priority_of(rank) for rank in ranks]
    assert [orders[page_id] for page_id in ids] == [priority for priority, _ in cases]


@given(own=st.none() | MILLISECONDS, default=MILLISECONDS, crawl=st.none() | MILLISECONDS, learnt=MILLISECONDS)
def test_the_delay_by_which_runs_are_planned_is_that_by_which_hosts_are_asked(
    own: int | None, default: int, crawl: int | None, learnt: int
) -> None:
    defaults = HostPolicy(min_delay=timedelta(milliseconds=default))
    stored = dict.fromkeys(tables.hosts.c.keys()) | {
        "id": 1,
        "key": "a.example",
        "min_delay_ms": own,
        "crawl_delay_ms": crawl,
        "learnt_delay_ms": learnt,
        "failure_count": 0,
        "lease_token": 0,
        "enabled": True,
    }
    row = type("Row", (), stored)
    times = HostTimes(**{name: stored[name] for name in HostTimes._fields})  # type: ignore[arg-type]

    assert times.delay(defaults) == politeness.effective_delay(hosts.host_of(row, defaults))


async def test_proxies_are_counted_by_the_health_that_each_has(db: Database) -> None:
    cases = list(product((True, False), (None, NOON - HOUR, NOON + HOUR), (0, 1, FAILING_AT - 1, FAILING_AT)))
    for number, (enabled, until, failures) in enumerate(cases):
        proxy_id = await write(db, add_proxy, now=NOON, protocol="http", address=f"p{number}.example", port=80)
        columns = {"enabled": enabled, "quarantined_until": until, "failure_count": failures}
        await write(db, set_proxy, proxy_id, now=NOON, **columns)

    counts = await write(db, proxy_lists.counts, now=NOON)

    judged = [
        health_of(enabled=on, is_cooling_down=until is not None and until > NOON, failures_in_a_row=failures, used=1)
        for on, until, failures in cases
    ]
    assert counts.known == len(cases)
    assert counts.off == judged.count(ProxyHealth.OFF)
    assert counts.resting == judged.count(ProxyHealth.RESTING)
    assert counts.failing == judged.count(ProxyHealth.FAILING)
    assert counts.working == len(cases) - counts.off - counts.resting
