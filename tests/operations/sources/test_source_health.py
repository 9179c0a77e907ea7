"""Does every state of a source have a word, and the reason for it?"""

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from lamplighter.model.crawl import CrawlJob, JobState, PauseReason, RunOutcome
from lamplighter.model.source import Source
from lamplighter.operations.sources.source_health import HealthTone, health_of
from lamplighter.store.sources.source_lists import LastRun
from tests.moments import NOON
from tests.store.given_rows import HOUR


def source(**values: Any) -> Source:
    given = {"id": 1, "public_id": "a", "url": "https://a.example/", "created_at": NOON, "updated_at": NOON}
    return Source(**given | values)


def job(**values: Any) -> CrawlJob:
    given = {"id": 1, "public_id": "a", "source_id": 1, "state": JobState.SCHEDULED, "priority": 50, "interval": HOUR}
    return CrawlJob(**given | values)


def run(outcome: RunOutcome, message: str | None = None) -> LastRun:
    return LastRun(started_at=NOON, finished_at=NOON, outcome=outcome, message=message, records_found=0)


def paused(reason: PauseReason, until: datetime | None = None) -> CrawlJob:
    return job(state=JobState.PAUSED, pause_reason=reason, state_since=NOON, resume_at=until, failure_count=6)


@pytest.mark.parametrize(
    ("its_job", "its_run", "word", "tone", "why"),
    [
        (None, None, "never run", HealthTone.IDLE, "It gets its crawl job within seconds."),
        (job(), None, "never run", HealthTone.IDLE, "It has not run yet."),
        (
            job(held_since=NOON, next_run_reason={"why": "its host is backing off"}),
            None,
            "waiting",
            HealthTone.FAIR,
            "It is due, but waits: ",
        ),
        (job(last_outcome=RunOutcome.OK), run(RunOutcome.OK), "healthy", HealthTone.GOOD, "Its last run succeeded."),
        (
            job(last_outcome=RunOutcome.WARN),
            run(RunOutcome.WARN, "2 refused."),
            "warning",
            HealthTone.FAIR,
            "Its last run ended with a warning: 2 refused.",
        ),
        (job(last_outcome=RunOutcome.FAIL), run(RunOutcome.FAIL), "failing", HealthTone.BAD, "Its last run failed."),
        (job(failure_count=1), run(RunOutcome.FAIL, "gone"), "failing", HealthTone.BAD, "Its last run failed: gone."),
        (
            job(failure_count=3),
            run(RunOutcome.FAIL, "gone"),
            "failing",
            HealthTone.BAD,
            "Its runs failed 3 times in a row: gone.",
        ),
        (
            job(retry_count=1),
            run(RunOutcome.FAIL),
            "failing",
            HealthTone.BAD,
            "Its last run failed; retry 1 of 3 follows.",
        ),
        (job(state=JobState.RUNNING), None, "running", HealthTone.BUSY, "A run is active."),
        (
            job(state=JobState.COMPLETED, last_outcome=RunOutcome.OK),
            run(RunOutcome.OK),
            "healthy",
            HealthTone.GOOD,
            "It ran once, as scheduled.",
        ),
        (job(deleted_at=NOON), None, "disabled", HealthTone.IDLE, "An operator deleted its crawl job"),
        (job(state=JobState.CANCELLED), None, "paused", HealthTone.IDLE, "An operator cancelled its crawl job"),
        (
            job(state=JobState.FAILED, failure_count=1),
            None,
            "failing",
            HealthTone.BAD,
            "It runs only once, and failed once.",
        ),
        (
            paused(PauseReason.USER),
            None,
            "paused",
            HealthTone.IDLE,
            "An operator paused it; it does not run until it is resumed.",
        ),
        (paused(PauseReason.USER, NOON), None, "paused", HealthTone.IDLE, "An operator paused it for a while"),
        (paused(PauseReason.BREAKER), None, "failing", HealthTone.BAD, "It failed 6 times in a row and is paused"),
        (paused(PauseReason.ROBOTS), None, "blocked", HealthTone.FAIR, "robots.txt disallows its URL"),
        (paused(PauseReason.TAKEDOWN), None, "blocked", HealthTone.FAIR, "Its URL is on the takedown list"),
        (paused(PauseReason.TASKS), None, "paused", HealthTone.IDLE, "It only has pages that were submitted"),
    ],
)
def test_a_state_has_a_word_and_a_reason(
    its_job: CrawlJob | None, its_run: LastRun | None, word: str, tone: HealthTone, why: str
) -> None:
    standing = health_of(source(), its_job, its_run)

    assert (standing.word, standing.tone) == (word, tone)
    assert standing.why.startswith(why)


def test_what_a_person_did_to_the_source_comes_before_what_its_job_says() -> None:
    disabled = source(enabled=False, disabled_by="ada", disabled_reason="moved", disabled_at=NOON)

    standing = health_of(disabled, job(failure_count=4), None)

    assert (standing.word, standing.why, standing.since) == ("disabled", "It was disabled by ada: moved", NOON)
    assert health_of(replace(disabled, deleted_at=NOON), None, None).word == "deleted"


def test_a_pause_for_a_while_says_until_when() -> None:
    assert health_of(source(), paused(PauseReason.USER, NOON + HOUR), None).until == NOON + HOUR
