"""What an operator can do with a crawl job, and what is refused in which words."""

from typing import Any

import pytest

from lamplighter.errors import NotFound, NotPossible
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import JobState, PauseReason
from lamplighter.operations.jobs import jobs
from lamplighter.store.engine.database import Database
from lamplighter.store.schema import tables
from tests.crawl.runs.due_jobs import HOUR, Queues, on_sqlite
from tests.moments import NOON
from tests.store.given_rows import a_source, write

URL = "https://a.example/a"


async def _do(queues: Queues, action: str) -> Any:
    """Does it as the command line would; returns the job."""
    job = await write(queues.db, jobs.find, URL)
    await write(queues.db, getattr(jobs, action), job, stamp=Stamp("test", queues.clock.at))
    return await queues.job_of("a")


@on_sqlite
async def test_a_paused_job_is_left_alone_until_it_is_resumed(db: Database) -> None:
    queues = Queues(db)
    await queues.job("a")

    paused = await _do(queues, "pause")
    meanwhile = await queues.poll(HOUR)
    resumed = await _do(queues, "resume")

    assert (paused.state, paused.pause_reason, meanwhile) == ("paused", "user", [])
    assert (resumed.state, resumed.pause_reason, resumed.next_run_reason) == (
        "scheduled",
        None,
        {"why": "it was resumed"},
    )
    assert queues.clock.at <= resumed.next_run_at <= queues.clock.at + HOUR


@on_sqlite
async def test_resuming_forgets_failures_and_does_not_bring_forward_what_is_still_to_come(db: Database) -> None:
    queues = Queues(db)
    later = NOON + 5 * HOUR
    await queues.job("a", state=JobState.PAUSED, pause_reason=PauseReason.USER, next_run_at=later, retry_count=2)

    job = await _do(queues, "resume")

    assert (job.next_run_at, job.retry_count) == (later, 0)


@on_sqlite
async def test_resuming_what_the_breaker_paused_tries_it_soon(db: Database) -> None:
    queues = Queues(db)
    rest: dict[str, Any] = {
        "pause_reason": PauseReason.BREAKER,
        "resume_at": NOON + 24 * HOUR,
        "next_run_at": NOON + 24 * HOUR,
    }
    await queues.job("a", state=JobState.PAUSED, failure_count=5, **rest)

    job = await _do(queues, "resume")

    assert (job.state, job.failure_count, job.resume_at) == ("scheduled", 0, None)
    assert job.next_run_at <= NOON + HOUR


async def test_cancelling_ends_the_job_and_its_run(db: Database) -> None:
    queues = Queues(db)
    await queues.job("a")
    await queues.poll()

    job = await _do(queues, "cancel")

    (run,) = await queues.rows(tables.crawl_runs)
    (page,) = await queues.rows(tables.pages)
    assert (job.state, job.next_run_at) == ("cancelled", None)
    assert (run.outcome, run.message, page.phase) == ("cancelled", "cancelled by test", "cancelled")


@on_sqlite
async def test_a_failed_job_gets_all_its_tries_anew(db: Database) -> None:
    queues = Queues(db)
    await queues.job("a", state=JobState.FAILED, failure_count=1, next_run_at=None, recurring=False)

    job = await _do(queues, "retry")

    assert (job.state, job.retry_count, job.failure_count, job.next_run_at) == ("pending", 0, 0, NOON)
    assert await queues.poll() == ["a"]


@pytest.mark.parametrize(("state", "reason"), [("pending", None), ("scheduled", None), ("paused", PauseReason.BREAKER)])
@on_sqlite
async def test_a_job_that_keeps_failing_is_retried_at_once(
    db: Database, state: str, reason: PauseReason | None
) -> None:
    queues = Queues(db)
    later = {"next_run_at": NOON + HOUR, "failure_count": 3, "failed_runs": 3}
    await queues.job("a", state=state, pause_reason=reason, **later)

    job = await _do(queues, "retry")

    assert (job.state, job.pause_reason, job.failure_count, job.next_run_at) == ("pending", None, 0, NOON)
    assert await queues.poll() == ["a"]


@pytest.mark.parametrize(
    ("state", "reason", "action", "words"),
    [
        ("running", None, "resume", "cannot resume a crawl job that is running; from here it can only pause, stop or"),
        ("scheduled", None, "stop", "has no active run, so there is nothing to stop; it is scheduled"),
        (
            "scheduled",
            None,
            "resume",
            "cannot resume a crawl job that is scheduled; from here it can only pause, cancel or",
        ),
        ("scheduled", None, "retry", "cannot retry a crawl job that is scheduled"),
        ("cancelled", None, "cancel", "cannot cancel a crawl job that is cancelled; cancelled is final"),
        ("completed", None, "retry", "cannot retry a crawl job that is completed; completed is final"),
        ("failed", None, "resume", "cannot resume a crawl job that is failed; from here it can only retry"),
        ("paused", "source_disabled", "resume", "its source is disabled; enable the source instead"),
        ("paused", "takedown", "resume", "its URL is on the takedown list; remove it from there first"),
    ],
)
@on_sqlite
async def test_what_is_not_possible_is_refused_with_what_is(
    db: Database, state: str, reason: str | None, action: str, words: str
) -> None:
    queues = Queues(db)
    await queues.job("a", state=state, pause_reason=reason)
    before = await queues.job_of("a")

    with pytest.raises(NotPossible, match=words):
        await _do(queues, action)

    assert await queues.job_of("a") == before
    assert [line.action for line in await queues.rows(tables.audit_log)] == ["source.add"]


@on_sqlite
async def test_every_change_is_in_the_audit_log(db: Database) -> None:
    queues = Queues(db)
    await queues.job("a")

    for action in ("pause", "resume", "cancel"):
        await _do(queues, action)

    lines = [(line.actor, line.action, line.subject) for line in await queues.rows(tables.audit_log)]
    assert lines[1:] == [("test", f"job.{action}", URL) for action in ("pause", "resume", "cancel")]


@on_sqlite
async def test_what_is_not_there_is_not_found_in_words_that_help(db: Database) -> None:
    await write(db, a_source)

    with pytest.raises(NotFound, match=r"no source watches https://b\.example/; `lamplighter sources list`"):
        await write(db, jobs.find, "https://b.example/")
    with pytest.raises(NotFound, match="has no crawl job yet; a running service makes one"):
        await write(db, jobs.find, "https://a.example/")
