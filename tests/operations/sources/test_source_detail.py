"""What does one page tell of a source, and who is named as having said what holds?"""

from datetime import timedelta
from typing import Any

import pytest

from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.errors import BadInput
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import CrawlJob, JobState, OverrideChange, RunOutcome
from lamplighter.model.host import HostChange, HostPolicy
from lamplighter.model.schedule import Belief, Learnt, PolicyName
from lamplighter.model.source import InheritedOptions
from lamplighter.operations.hosts import hosts
from lamplighter.operations.jobs import job_overrides, jobs
from lamplighter.operations.jobs.job_overrides import JobOverride
from lamplighter.operations.runs import runs
from lamplighter.operations.sources import source_detail, sources
from lamplighter.operations.sources.source_detail import SourceDetail
from lamplighter.operations.sources.sources import NewSource
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.jobs import crawl_jobs, job_rows
from lamplighter.store.runs import crawl_runs
from lamplighter.store.sources import sources as stored_sources
from lamplighter.store.sources import tags
from tests.changing import set_job
from tests.crawl.runs.due_jobs import on_sqlite
from tests.moments import NOON
from tests.store.given_rows import HOUR, the_job, write

SOURCE_DEFAULTS = SourceDefaults(host=HostPolicy(min_delay=timedelta(seconds=3), max_pages=10))
MINUTE = timedelta(minutes=1)


async def watched(db: Database, **said: Any) -> int:
    """A source with its job; returns its id."""
    new = NewSource(**{"url": "https://a.example/", **said})
    return await write(db, sources.create, new, source_defaults=SOURCE_DEFAULTS, stamp=Stamp("test", NOON))


async def job_of(db: Database, source_id: int) -> CrawlJob:
    async with db.read() as connection:
        found = await crawl_jobs.of_source(connection, source_id)
    assert found is not None
    return found


async def look(db: Database, source_id: int) -> SourceDetail:
    async with db.read() as connection:
        source = await stored_sources.get(connection, source_id)
        assert source is not None
        return await source_detail.detail(connection, source, source_defaults=SOURCE_DEFAULTS, now=NOON)


async def ran(db: Database, source_id: int, outcome: RunOutcome) -> None:
    async def step(connection: Connection) -> None:
        run = await runs.run_now(connection, source_id, now=NOON, deadline=HOUR, source_defaults=SOURCE_DEFAULTS)
        await crawl_runs.close(connection, run, now=NOON + MINUTE, outcome=outcome, message="so", records_shown=0)
        job = await crawl_jobs.of_source(connection, source_id)
        assert job is not None
        await set_job(connection, job.id, now=NOON, state=JobState.SCHEDULED)

    await db.write(step)


async def test_its_runs_are_told_with_the_latest_first_and_complaints_apart(db: Database) -> None:
    source_id = await watched(db)
    for outcome in (RunOutcome.OK, RunOutcome.FAIL, RunOutcome.CANCELLED, RunOutcome.WARN):
        await ran(db, source_id, outcome)
    await write(db, runs.run_now, source_id, now=NOON, deadline=HOUR, source_defaults=SOURCE_DEFAULTS)

    detail = await look(db, source_id)

    assert [run.outcome for run in detail.runs] == [None, "warn", "cancelled", "fail", "ok"]
    assert [run.outcome for run in detail.failures] == ["warn", "fail"]
    assert detail.progress is not None
    assert (detail.progress.run.number, detail.progress.pages_known) == (5, 1)
    assert (detail.last_day.runs, detail.last_day.average_seconds) == (5, 60.0)
    assert detail.next_run_at is None
    assert detail.next_run_why.startswith("a run is active")


@on_sqlite
async def test_what_nobody_said_is_the_installations(db: Database) -> None:
    settings = (await look(db, await watched(db))).settings

    assert settings.policy == (PolicyName.LEARNED, "the installation's default")
    assert settings.interval.by == "its priority, rate and depth"
    assert settings.windows == (None, "default")
    assert settings.delay == (timedelta(seconds=3), "the installation's default")
    assert (settings.depth, settings.pages) == ((3, "default"), (10, "the installation's default"))


@on_sqlite
async def test_what_the_source_says_is_its_own(db: Database) -> None:
    source_id = await watched(
        db,
        interval=5 * HOUR,
        windows_text="22:00-05:00",
        min_delay=10 * MINUTE,
        max_depth=1,
        max_pages=7,
        policy="fixed",
    )

    settings = (await look(db, source_id)).settings

    assert settings.interval == (5 * HOUR, "this source")
    assert settings.windows == ("allow 22:00-05:00 UTC", "this source")
    assert settings.delay == (10 * MINUTE, "this source")
    assert (settings.depth, settings.pages) == ((1, "this source"), (7, "this source"))
    assert settings.policy == (PolicyName.FIXED, "this source")


@on_sqlite
async def test_what_a_tag_says_comes_with_its_name(db: Database) -> None:
    source_id = await watched(db, tags=("night",))
    await write(db, tags.put, "night", InheritedOptions(interval=2 * HOUR, max_pages=4), now=NOON)

    settings = (await look(db, source_id)).settings

    assert settings.interval == (2 * HOUR, "tag night")
    assert settings.pages == (4, "tag night")


@on_sqlite
async def test_what_a_person_set_for_the_job_is_named_as_set_by_hand(db: Database) -> None:
    source_id = await watched(db, interval=5 * HOUR)
    job = await job_of(db, source_id)
    submitted = JobOverride(schedule=OverrideChange(interval=HOUR, adaptive=False))
    await write(db, job_overrides.change, job, submitted, stamp=Stamp("test", NOON), source_defaults=SOURCE_DEFAULTS)

    settings = (await look(db, source_id)).settings

    assert settings.interval == (HOUR, "set by hand")
    assert settings.policy == (PolicyName.FIXED, "set by hand")


@on_sqlite
async def test_what_the_operator_set_for_the_host_is_named_as_its_policy(db: Database) -> None:
    source_id = await watched(db)
    await write(
        db, hosts.set_policy, "a.example", HostChange(min_delay_ms=9000, max_pages=3), stamp=Stamp("test", NOON)
    )
    await write(
        db,
        hosts.set_times,
        "a.example",
        stamp=Stamp("test", NOON),
        source_defaults=SOURCE_DEFAULTS,
        windows="deny sat,sun",
    )

    settings = (await look(db, source_id)).settings

    assert settings.delay == (timedelta(seconds=9), "the policy of a.example")
    assert settings.pages == (3, "the policy of a.example")
    assert settings.host_windows == "deny sat,sun UTC"


@on_sqlite
async def test_the_belief_is_one_sentence_once_something_was_observed(db: Database) -> None:
    source_id = await watched(db)
    job = await job_of(db, source_id)
    learnt = Learnt(belief=Belief(a=4, b=8), visit_count=12, change_count=5, visited_at=NOON, changed_at=NOON)
    values = job_rows.learnt_values(learnt)
    await write(db, set_job, job.id, now=NOON, next_run_at=NOON + HOUR, **values)

    belief = (await look(db, source_id)).belief

    assert belief.startswith("It changed on 5 of 12 visits and is estimated to change about every ")
    assert "our copy is expected to be stale" in belief


@on_sqlite
async def test_an_interval_set_by_hand_is_told_before_a_run_was_planned_by_it(db: Database) -> None:
    source_id = await watched(db)
    job = await job_of(db, source_id)
    learnt = Learnt(belief=Belief(a=4, b=8), visit_count=12, change_count=5, visited_at=NOON, changed_at=NOON)
    planned = {"next_run_at": NOON + HOUR, "pace_seconds": 3600, **job_rows.learnt_values(learnt)}
    await write(db, set_job, job.id, now=NOON, **planned)
    submitted = JobOverride(schedule=OverrideChange(interval=9 * HOUR, adaptive=False))
    await write(db, job_overrides.change, job, submitted, stamp=Stamp("test", NOON), source_defaults=SOURCE_DEFAULTS)

    belief = (await look(db, source_id)).belief

    assert "it is visited at a fixed interval, now every 9 h" in belief


async def test_a_pause_for_a_while_ends_by_itself(db: Database) -> None:
    source_id = await watched(db)
    job = await job_of(db, source_id)
    await write(db, jobs.pause, job, stamp=Stamp("test", NOON), until=NOON + HOUR)
    early = await write(db, crawl_jobs.resume_paused, now=NOON + HOUR / 2)
    paused = await look(db, source_id)

    in_time = await write(db, crawl_jobs.resume_paused, now=NOON + HOUR)

    resumed = await the_job(db, job.id)
    assert (early, in_time) == (0, 1)
    assert paused.next_run_why == "as soon as its pause ends"
    assert (resumed.state, resumed.resume_at, resumed.next_run_at) == (JobState.SCHEDULED, None, NOON + HOUR)
    assert resumed.next_run_reason == {"why": "its pause is over"}


@on_sqlite
@pytest.mark.parametrize("until", [NOON, NOON - HOUR, NOON + timedelta(days=367)])
async def test_a_pause_until_a_time_of_nonsense_is_refused(db: Database, until: Any) -> None:
    job = await job_of(db, await watched(db))

    with pytest.raises(BadInput, match="use up to a year"):
        await write(db, jobs.pause, job, stamp=Stamp("test", NOON), until=until)
