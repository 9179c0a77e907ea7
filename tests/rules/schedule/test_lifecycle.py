"""Where a crawl job can go from each of its states, and how it is told that it cannot."""

from itertools import product

import pytest

from lamplighter.errors import NotPossible
from lamplighter.model.crawl import JobState, PauseReason
from lamplighter.rules.schedule.lifecycle import (
    ENDING_BY_THEMSELVES,
    TRANSITIONS,
    JobAction,
    JobStep,
    actions_from,
    after,
    refuse_resume_of,
)

PENDING, SCHEDULED, RUNNING = JobState.PENDING, JobState.SCHEDULED, JobState.RUNNING
COMPLETED, FAILED, PAUSED, CANCELLED = JobState.COMPLETED, JobState.FAILED, JobState.PAUSED, JobState.CANCELLED

#: S1's words, and what its conflicts with the other seeds were settled to: from where, to where
BY_ACTION: dict[JobAction, dict[JobState, JobState]] = {
    JobAction.PAUSE: {SCHEDULED: PAUSED, PENDING: PAUSED, RUNNING: PAUSED},
    JobAction.STOP: {RUNNING: SCHEDULED},
    JobAction.RESUME: {PAUSED: SCHEDULED},
    JobAction.CANCEL: {SCHEDULED: CANCELLED, RUNNING: CANCELLED, PAUSED: CANCELLED, PENDING: CANCELLED},
    JobAction.RETRY: {FAILED: PENDING},
    JobAction.FORCE_RUN: {PENDING: RUNNING, SCHEDULED: RUNNING, PAUSED: PAUSED},
}
BY_STEP: dict[JobStep, dict[JobState, JobState]] = {
    JobStep.START: {PENDING: RUNNING, SCHEDULED: RUNNING},
    JobStep.REPEAT: {RUNNING: SCHEDULED},
    JobStep.COMPLETE: {RUNNING: COMPLETED, PAUSED: COMPLETED},
    JobStep.TRY_AGAIN: {RUNNING: PENDING},
    JobStep.GIVE_UP: {RUNNING: FAILED},
    JobStep.REST: {PENDING: PAUSED, SCHEDULED: PAUSED, RUNNING: PAUSED, PAUSED: PAUSED},
    JobStep.WAKE: {PAUSED: SCHEDULED},
    JobStep.BEGIN_AGAIN: {PAUSED: PENDING, COMPLETED: PENDING, FAILED: PENDING, CANCELLED: PENDING},
}
WAYS = [(state, step, target) for step, targets in (BY_ACTION | BY_STEP).items() for state, target in targets.items()]
NO_WAYS = sorted(set(product(JobState, [*JobAction, *JobStep])) - {(state, step) for state, step, _ in WAYS})
#: what a person is told to be possible
POSSIBLE = {
    PENDING: "from here it can only pause, cancel or force-run",
    SCHEDULED: "from here it can only pause, cancel or force-run",
    RUNNING: "from here it can only pause, stop or cancel",
    COMPLETED: "completed is final",
    FAILED: "from here it can only retry",
    PAUSED: "from here it can only resume, cancel or force-run",
    CANCELLED: "cancelled is final",
}


def test_every_state_has_its_row() -> None:
    assert set(TRANSITIONS) == set(JobState)


@pytest.mark.parametrize(("state", "step", "target"), WAYS)
def test_what_is_possible_leads_where_it_should(state: JobState, step: JobAction | JobStep, target: JobState) -> None:
    assert after(state, step) is target


@pytest.mark.parametrize(("state", "step"), NO_WAYS)
def test_what_is_not_possible_is_refused_with_what_is(state: JobState, step: JobAction | JobStep) -> None:
    with pytest.raises(NotPossible) as refusal:
        after(state, step)

    assert str(refusal.value) == f"cannot {step} a crawl job that is {state}; {POSSIBLE[state]}"


@pytest.mark.parametrize("state", JobState)
def test_an_operator_is_offered_what_would_not_be_refused(state: JobState) -> None:
    assert set(actions_from(state)) == {action for action, targets in BY_ACTION.items() if state in targets}


@pytest.mark.parametrize("state", [COMPLETED, FAILED, CANCELLED])
def test_only_a_new_beginning_brings_back_a_job_that_has_ended(state: JobState) -> None:
    assert [step for step in JobStep if step in TRANSITIONS[state]] == [JobStep.BEGIN_AGAIN]


@pytest.mark.parametrize("state", [COMPLETED, CANCELLED])
def test_nobody_can_bring_back_a_job_that_completed_or_was_cancelled(state: JobState) -> None:
    assert actions_from(state) == ()


def test_every_state_can_be_reached() -> None:
    reached, found = set[JobState](), {PENDING}

    while found:
        reached |= found
        found = {target for state in found for target in TRANSITIONS[state].values()} - reached

    assert reached == set(JobState)


@pytest.mark.parametrize(
    ("reason", "remedy"),
    [
        pytest.param(PauseReason.SOURCE_DISABLED, "enable the source instead", id="its source is disabled"),
        pytest.param(PauseReason.TAKEDOWN, "remove it from there first", id="its URL was taken down"),
        pytest.param(PauseReason.TASKS, "its source only fetches submitted pages", id="it has no rounds"),
    ],
)
def test_a_pause_whose_cause_is_elsewhere_is_ended_there(reason: PauseReason, remedy: str) -> None:
    with pytest.raises(NotPossible, match=f"cannot resume this crawl job: .*{remedy}"):
        refuse_resume_of(reason)


@pytest.mark.parametrize("reason", [None, PauseReason.USER, PauseReason.BREAKER, PauseReason.ROBOTS])
def test_every_other_pause_may_be_ended_by_a_person(reason: PauseReason | None) -> None:
    refuse_resume_of(reason)


def test_only_automation_ends_its_own_pauses() -> None:
    assert PauseReason.USER not in ENDING_BY_THEMSELVES


@pytest.mark.parametrize("reason", sorted(ENDING_BY_THEMSELVES))
def test_a_pause_that_ends_by_itself_may_be_ended_sooner(reason: PauseReason) -> None:
    refuse_resume_of(reason)
