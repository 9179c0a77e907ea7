"""Does every state of a source have a word, and the reason for it?"""

from datetime import datetime
from typing import Any

import pytest

from lamplighter.model.crawl import CrawlJob, JobState, Outcome, PauseReason
from lamplighter.operations.source_standing import Tone, standing_of
from lamplighter.store.source_lists import LastRun
from lamplighter.store.sources import SourceRow
from tests.moments import NOON
from tests.store.given import HOUR


def source(**values: Any) -> SourceRow:
    blank = dict.fromkeys(SourceRow._fields)
    return SourceRow(**blank | {"enabled": True, "recipe": {}, **values})


def job(**values: Any) -> CrawlJob:
    given = {"id": 1, "public_id": "a", "source_id": 1, "state": JobState.SCHEDULED, "priority": 50, "interval": HOUR}
    return CrawlJob(**given | values)


def run(outcome: Outcome, message: str | None = None) -> LastRun:
    return LastRun(started_at=NOON, finished_at=NOON, outcome=outcome, message=message, records_found=0)


def paused(reason: PauseReason, until: datetime | None = None) -> CrawlJob:
    return job(state=JobState.PAUSED, pause_reason=reason, state_since=NOON, resume_at=until, failure_count=6)


@pytest.mark.parametrize(
    ("its_job", "its_run", "word", "tone", "why"),
    [
        (None, None, "new", Tone.BUSY, "It gets its crawl job within seconds."),
        (job(), None, "waiting", Tone.IDLE, "It has not run yet."),
        (job(), run(Outcome.OK), "healthy", Tone.GOOD, "Its last run went well."),
        (job(), run(Outcome.WARN, "2 refused."), "warning", Tone.FAIR, "Its last run had a complaint: 2 refused."),
        (job(), run(Outcome.FAIL), "failed", Tone.BAD, "Its last run failed."),
        (job(failure_count=1), run(Outcome.FAIL, "gone"), "failing", Tone.BAD, "Its last run failed: gone."),
        (
            job(failure_count=3),
            run(Outcome.FAIL, "gone"),
            "failing",
            Tone.BAD,
            "Its runs failed 3 times in a row: gone.",
        ),
        (
            job(retry_count=1),
            run(Outcome.FAIL),
            "trying again",
            Tone.FAIR,
            "Its last run failed; it is tried again (1 of 3).",
        ),
        (job(state=JobState.RUNNING), None, "running", Tone.BUSY, "A run goes on."),
        (job(state=JobState.COMPLETED), None, "completed", Tone.GOOD, "It was to run once, and did."),
        (job(deleted_at=NOON), None, "without a job", Tone.IDLE, "Somebody deleted its crawl job"),
        (job(state=JobState.CANCELLED), None, "cancelled", Tone.IDLE, "Somebody cancelled its crawl job"),
        (job(state=JobState.FAILED, failure_count=1), None, "failed", Tone.BAD, "It was to run once, and failed once."),
        (paused(PauseReason.USER), None, "paused", Tone.IDLE, "Somebody paused it; nothing runs until it is resumed."),
        (paused(PauseReason.USER, NOON), None, "paused", Tone.IDLE, "Somebody paused it for a while"),
        (paused(PauseReason.BREAKER), None, "paused", Tone.BAD, "It failed 6 times in a row and rests"),
        (paused(PauseReason.ROBOTS), None, "blocked", Tone.FAIR, "Its robots.txt does not allow its URL"),
        (paused(PauseReason.TAKEDOWN), None, "blocked", Tone.IDLE, "Its URL is on the takedown list"),
        (paused(PauseReason.TASKS), None, "on request", Tone.IDLE, "It is only asked for pages that are submitted"),
    ],
)
def test_a_state_has_a_word_and_a_reason(
    its_job: CrawlJob | None, its_run: LastRun | None, word: str, tone: Tone, why: str
) -> None:
    standing = standing_of(source(), its_job, its_run)

    assert (standing.word, standing.tone) == (word, tone)
    assert standing.why.startswith(why)


def test_what_a_person_did_to_the_source_comes_before_what_its_job_says() -> None:
    disabled = source(enabled=False, disabled_by="ada", disabled_reason="moved", disabled_at=NOON)

    standing = standing_of(disabled, job(failure_count=4), None)

    assert (standing.word, standing.why, standing.since) == ("disabled", "It was disabled by ada: moved", NOON)
    assert standing_of(disabled._replace(deleted_at=NOON), None, None).word == "deleted"


def test_a_pause_for_a_while_says_until_when() -> None:
    assert standing_of(source(), paused(PauseReason.USER, NOON + HOUR), None).until == NOON + HOUR
