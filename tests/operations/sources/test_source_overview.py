"""How all sources are doing: health as each job's is judged, curves, and what needs a person."""

from collections import Counter
from itertools import product
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.model.crawl import JobFacts, JobState, PauseReason, RunOutcome, SourceState
from lamplighter.model.plot import Period
from lamplighter.operations.alerts import problems
from lamplighter.operations.sources import source_overview, source_summaries
from lamplighter.operations.sources.source_summaries import SourceOrder
from lamplighter.rules.sources import source_state
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.hosts import hosts
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.schema import tables
from lamplighter.store.sources import source_lists
from lamplighter.store.sources.source_lists import SourceFilter
from tests.changing import set_job, set_source
from tests.moments import NOON
from tests.store.given_rows import HOUR, a_job, a_run, write
from tests.store.query_plans import plan_of

_FAILING: dict[str, Any] = {"failure_count": 3, "last_outcome": RunOutcome.FAIL}
_BREAKER: dict[str, Any] = _FAILING | {"state": JobState.PAUSED, "pause_reason": PauseReason.BREAKER}
_BLOCKED: dict[str, Any] = {
    "state": JobState.PAUSED,
    "pause_reason": PauseReason.ROBOTS,
    "last_outcome": RunOutcome.FAIL,
}
_DRIFTING: dict[str, Any] = {"last_outcome": RunOutcome.WARN, "last_drifted": True}
_RETRYING: dict[str, Any] = {"retry_count": 1, "last_outcome": RunOutcome.FAIL}


async def _source(db: Database, name: str, **job: Any) -> int:
    job_id = await write(db, a_job, name)
    if job:
        await write(db, set_job, job_id, now=NOON, **job)
    found = await write(db, crawl_jobs.lock, job_id)
    assert found is not None
    return found.source_id


async def test_every_source_is_found_and_counted_by_its_state(db: Database) -> None:
    cases = list(product(JobState, (None, *PauseReason), (0, 2), (0, 1), (None, NOON), (None, *RunOutcome)))
    judged = dict.fromkeys(SourceState, 0)

    async def add(connection: Connection) -> None:
        rows: list[dict[str, Any]] = []
        for number, case in enumerate(cases):
            rows.append({"job": await a_job(connection, f"s{number}"), **dict(zip(names, case, strict=True))})
        update = sa.update(tables.crawl_jobs).where(tables.crawl_jobs.c.id == sa.bindparam("job"))
        values = {column: sa.bindparam(name) for column, name in zip(columns, names, strict=True)}
        await connection.execute(update.values(values), rows)

    # Those of sources that hold only submitted pages are in no list, and a cancelled run is not the latest outcome.
    cases = [case for case in cases if case[1] is not PauseReason.TASKS and case[5] is not RunOutcome.CANCELLED]
    columns = ("state", "pause_reason", "failure_count", "retry_count", "held_since", "last_outcome")
    names = [f"new_{column}" for column in columns]
    for state, reason, failures, retries, held, last in cases:
        facts = JobFacts(
            state=state,
            pause_reason=reason or "",
            is_shown=True,
            is_deleted=False,
            has_failed=failures > 0,
            is_retrying=retries > 0,
            is_held=held is not None,
            last_outcome=last or "",
        )
        judged[source_state.state_of(facts)] += 1
    await db.write(add)

    overview = await write(db, source_overview.overview, Period.DAY, now=NOON)
    found = {state: await write(db, source_lists.count, SourceFilter(state=state, at=NOON)) for state in SourceState}

    assert overview.states == judged
    assert found == judged
    assert overview.total == len(cases) == sum(judged.values())


_LATER = NOON + HOUR


@pytest.mark.parametrize(
    "shut",
    [
        pytest.param({"enabled": False}, id="disabled"),
        pytest.param({"blocked_until": _LATER}, id="blocked"),
        pytest.param({"proxy_wait_until": _LATER}, id="without a proxy"),
        pytest.param({}, id="open"),
    ],
)
async def test_who_should_run_on_a_host_that_gets_no_requests_waits_in_counts_filter_and_row(
    db: Database, shut: dict[str, Any]
) -> None:
    jobs: dict[str, dict[str, Any]] = {
        "running": {"state": JobState.RUNNING, "last_outcome": RunOutcome.OK},
        "due": {"state": JobState.SCHEDULED, "next_run_at": NOON, "last_outcome": RunOutcome.WARN},
        "new-and-due": {"state": JobState.PENDING, "next_run_at": NOON},
        "failing-and-due": {"state": JobState.SCHEDULED, "next_run_at": NOON, "failure_count": 1},
        "not-due": {"state": JobState.SCHEDULED, "next_run_at": _LATER, "last_outcome": RunOutcome.OK},
    }
    host_id = (await write(db, hosts.ensure, ["host.example"], now=NOON))["host.example"]
    for number, (name, columns) in enumerate(jobs.items(), 1):
        await write(db, a_job, name)
        await write(db, set_job, number, now=NOON, **columns, host_id=host_id)
    if shut:
        await db.write(lambda connection: connection.execute(sa.update(tables.hosts).values(shut)))

    overview = await write(db, source_overview.overview, Period.DAY, now=NOON)
    found = {state: await write(db, source_lists.count, SourceFilter(state=state, at=NOON)) for state in SourceState}
    rows = await write(db, source_summaries.of, range(1, len(jobs) + 1), now=NOON)

    words = Counter(row.health.word.replace(" ", "_") for row in rows)
    assert overview.states == found == dict.fromkeys(SourceState, 0) | words
    assert found[SourceState.WAITING] == (3 if shut else 0)
    assert found[SourceState.FAILING] == found[SourceState.HEALTHY] == 1


async def test_sources_without_a_job_have_never_run_and_those_whose_job_was_deleted_are_disabled(db: Database) -> None:
    for name in ("new", "deleted"):
        await write(db, a_job, name)
    await write(db, set_job, 2, now=NOON, deleted_at=NOON, state=JobState.CANCELLED)
    await db.write(
        lambda connection: connection.execute(sa.delete(tables.crawl_jobs).where(tables.crawl_jobs.c.id == 1))
    )

    overview = await write(db, source_overview.overview, Period.DAY, now=NOON)

    await write(db, set_source, 1, now=NOON, enabled=False)
    disabled = await write(db, source_overview.overview, Period.DAY, now=NOON)
    found = await write(db, source_lists.count, SourceFilter(state=SourceState.DISABLED, at=NOON))
    assert (disabled.states[SourceState.DISABLED], disabled.states[SourceState.NEVER_RUN], found) == (2, 0, 2)
    await write(db, set_source, 1, now=NOON, enabled=True)
    for state in (SourceState.NEVER_RUN, SourceState.DISABLED):
        assert overview.states[state] == await write(db, source_lists.count, SourceFilter(state=state, at=NOON)) == 1


async def test_what_is_worst_comes_first_and_what_a_person_put_aside_not_at_all(db: Database) -> None:
    given = {
        "well": {},
        "retrying": _RETRYING,
        "blocked": _BLOCKED,
        "drifting": _DRIFTING,
        "warned": {"last_outcome": RunOutcome.WARN},
        "aside": _FAILING | {"state": JobState.PAUSED, "pause_reason": PauseReason.USER},
        "failing": _FAILING,
        "breaker": _BREAKER | {"failure_count": 9},
    }
    ids = {await _source(db, name, **job): name for name, job in given.items()}

    attention = await write(db, problems.attention, limit=9, now=NOON)
    first = await write(db, problems.attention, limit=2, now=NOON)

    named = [ids[each.source.id] for each in attention.rows]
    assert named == ["breaker", "failing", "drifting", "blocked", "retrying"]
    assert (attention.groups, attention.more) == ([], 0)
    assert (len(first.rows), first.more) == (2, 3)
    assert all(each.health.why for each in attention.rows)


async def test_drifting_sources_are_found_by_themselves(db: Database) -> None:
    await _source(db, "warned", last_outcome=RunOutcome.WARN)
    drifting = await _source(db, "drifting", **_DRIFTING)

    assert await write(db, source_lists.ids_after, SourceFilter(is_drifting=True), 0, limit=9) == [drifting]


async def test_those_that_need_attention_are_found_by_their_indexes(db: Database) -> None:
    for number in range(30):
        await _source(db, f"s{number}")
    async with db.exclusive() as connection:
        await connection.execute(sa.text("ANALYZE"))

    plan = await plan_of(db, lambda c: source_lists.count(c, SourceFilter(needs_attention=True)))

    assert "ix_crawl_jobs_unwell" in plan
    assert "ix_crawl_jobs_complained" in plan


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
async def test_those_that_need_a_person_are_found_without_reading_a_job(db: Database) -> None:
    async with db.exclusive() as connection:
        job_ids = [await a_job(connection, f"s{number}") for number in range(200)]
        await set_job(connection, job_ids[0], now=NOON, **_FAILING)
        await set_job(connection, job_ids[1], now=NOON, **_DRIFTING)
        await connection.execute(sa.text("ANALYZE"))

    plan = await plan_of(db, lambda c: source_lists.most_pressing(c, limit=8))

    assert "USING COVERING INDEX ix_crawl_jobs_unwell" in plan


async def test_a_curve_has_a_step_for_every_part_of_its_span_and_the_sum_of_all(db: Database) -> None:
    _, run_id = await write(db, a_run)
    async with db.exclusive() as connection:
        mine = sa.update(tables.crawl_runs).where(tables.crawl_runs.c.id == run_id)
        await connection.execute(mine.values(outcome="ok", finished_at=NOON, records_inserted=7, pages_fetched=3))

    found = {span: await write(db, source_overview.overview, span, now=NOON + 0.5 * HOUR) for span in Period}

    assert [len(each.curve) for each in found.values()] == [12, 24, 42, 60]
    assert {(each.came.runs, each.came.records, each.came.pages) for each in found.values()} == {(1, 7, 3)}
    assert all(each.curve[-1][0] <= NOON + 0.5 * HOUR < each.curve[-1][0] + each.span.step for each in found.values())
    assert found[Period.HOUR].came.success_rate == 1.0


async def test_a_glance_tells_when_the_next_run_is_and_only_if_it_will_be(db: Database) -> None:
    planned = await _source(db, "planned")
    paused = await _source(db, "paused", state=JobState.PAUSED, pause_reason=PauseReason.USER)

    glances = await write(db, source_summaries.of, [planned, paused], now=NOON)

    assert [(each.next_run_at, bool(each.next_run_why)) for each in glances] == [(NOON, True), (None, False)]


async def test_a_list_is_sorted_by_the_records_of_a_day_and_by_how_often_sources_change(db: Database) -> None:
    quiet, busy = await _source(db, "quiet"), (await write(db, a_run, "busy"))[0]
    never = await _source(db, "never")
    async with db.exclusive() as connection:
        await connection.execute(sa.update(tables.crawl_runs).values(records_inserted=4, records_updated=1))
        jobs = tables.crawl_jobs
        for source_id, shape in ((quiet, 1.0), (busy, 9.0)):
            mine = sa.update(jobs).where(jobs.c.source_id == source_id)
            await connection.execute(mine.values(belief_a=shape, belief_b=10.0, visit_count=9))

    how: dict[str, Any] = {"descending": True, "limit": 9, "offset": 0, "now": NOON}
    by_records = await write(db, source_summaries.page, SourceFilter(), order=SourceOrder.RECORDS, **how)
    by_change = await write(db, source_summaries.page, SourceFilter(), order=SourceOrder.CHANGE_RATE, **how)

    assert [each.records_lately for each in by_records.rows] == [5, 0, 0]
    assert [each.source.id for each in by_change.rows] == [busy, quiet, never]
    assert by_change.rows[0].changes_every is not None
    assert by_change.rows[1].changes_every is not None
    assert by_change.rows[0].changes_every < by_change.rows[1].changes_every
    assert by_change.rows[2].changes_every is None
