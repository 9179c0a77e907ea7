"""Which state of a source follows from the facts of its job, and which sources a state counts."""

import pytest

from lamplighter.model.crawl import JobFacts, JobState, PauseReason, RunOutcome, SourceState
from lamplighter.rules.sources import source_state

NEW = JobFacts(
    state=JobState.SCHEDULED,
    pause_reason="",
    is_shown=True,
    is_deleted=False,
    has_failed=False,
    is_retrying=False,
    is_held=False,
    last_outcome="",
)
GOOD = NEW._replace(last_outcome=RunOutcome.OK)


@pytest.mark.parametrize(
    ("job", "state"),
    [
        pytest.param(None, SourceState.NEVER_RUN, id="no job yet"),
        pytest.param(NEW, SourceState.NEVER_RUN, id="no run yet"),
        pytest.param(GOOD, SourceState.HEALTHY, id="its last run succeeded"),
        pytest.param(NEW._replace(last_outcome=RunOutcome.WARN), SourceState.WARNING, id="a warning"),
        pytest.param(NEW._replace(last_outcome=RunOutcome.FAIL), SourceState.FAILING, id="a failure"),
        pytest.param(GOOD._replace(is_retrying=True), SourceState.FAILING, id="its run is retried"),
        pytest.param(GOOD._replace(has_failed=True), SourceState.FAILING, id="its retries failed too"),
        pytest.param(GOOD._replace(is_held=True), SourceState.WAITING, id="due, but its host is blocked"),
        pytest.param(NEW._replace(is_held=True), SourceState.WAITING, id="the same before its first run"),
        pytest.param(GOOD._replace(state=JobState.RUNNING), SourceState.RUNNING, id="running"),
        pytest.param(GOOD._replace(state=JobState.CANCELLED), SourceState.PAUSED, id="cancelled"),
        pytest.param(GOOD._replace(is_deleted=True), SourceState.DISABLED, id="its job was deleted"),
        *(
            pytest.param(GOOD._replace(state=JobState.PAUSED, pause_reason=reason), state, id=f"paused: {reason}")
            for reason, state in {
                "": SourceState.PAUSED,
                PauseReason.USER: SourceState.PAUSED,
                PauseReason.BREAKER: SourceState.FAILING,
                PauseReason.ROBOTS: SourceState.BLOCKED,
                PauseReason.TAKEDOWN: SourceState.BLOCKED,
                PauseReason.SOURCE_DISABLED: SourceState.DISABLED,
            }.items()
        ),
    ],
)
def test_the_state_follows_from_the_job(job: JobFacts | None, state: SourceState) -> None:
    assert source_state.state_of(job) is state


def test_states_add_up_to_the_number_of_sources() -> None:
    jobs = {GOOD: 3, NEW: 2, GOOD._replace(is_shown=False): 7, GOOD._replace(is_deleted=True): 1}

    states = source_state.by_state(jobs, sources=10)

    assert {state: number for state, number in states.items() if number} == {
        SourceState.HEALTHY: 3,
        SourceState.NEVER_RUN: 6,
        SourceState.DISABLED: 1,
    }


def test_a_job_whose_runs_fail_is_shown_as_failed_whatever_its_state() -> None:
    jobs = {GOOD: 1, GOOD._replace(has_failed=True): 2, GOOD._replace(state=JobState.PAUSED): 4}

    statuses = source_state.by_status(jobs)

    assert {status: number for status, number in statuses.items() if number} == {
        JobState.SCHEDULED: 1,
        JobState.FAILED: 2,
        JobState.PAUSED: 4,
    }
