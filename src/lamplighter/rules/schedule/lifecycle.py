"""The seven states of a crawl job and every transition between them, as one table."""

from collections.abc import Mapping
from enum import StrEnum

from lamplighter.errors import NotPossible
from lamplighter.model.crawl import JobState, PauseReason

PENDING, SCHEDULED, RUNNING = JobState.PENDING, JobState.SCHEDULED, JobState.RUNNING
COMPLETED, FAILED, PAUSED, CANCELLED = JobState.COMPLETED, JobState.FAILED, JobState.PAUSED, JobState.CANCELLED


class JobAction(StrEnum):
    """What an operator may do with a job."""

    #: from running: its run goes on to its end, and the job stays paused
    PAUSE = "pause"
    #: ends the run; the job goes on as planned
    STOP = "stop"
    RESUME = "resume"
    CANCEL = "cancel"
    RETRY = "retry"
    FORCE_RUN = "force-run"


class JobStep(StrEnum):
    """What the scheduler does with a job by itself."""

    START = "start"
    #: a recurring job ended a run, with success or failed for good
    REPEAT = "repeat"
    #: a one-time job succeeded
    COMPLETE = "complete"
    #: a run failed and is retried soon
    TRY_AGAIN = "try again"
    #: a one-time job failed for the last time
    GIVE_UP = "give up"
    #: the service pauses it (source disabled, breaker, robots, takedown), and resumes it
    REST = "rest"
    WAKE = "wake"
    #: its source was enabled or restored, or an operator ordered it again: it begins from the start
    BEGIN_AGAIN = "begin again"


_FROM_WAITING: Mapping[JobAction | JobStep, JobState] = {
    JobStep.START: RUNNING,
    JobStep.REST: PAUSED,
    JobAction.PAUSE: PAUSED,
    JobAction.CANCEL: CANCELLED,
    JobAction.FORCE_RUN: RUNNING,
}
#: a forced run of a paused job leaves it paused: it runs only this once
TRANSITIONS: Mapping[JobState, Mapping[JobAction | JobStep, JobState]] = {
    PENDING: _FROM_WAITING,
    SCHEDULED: _FROM_WAITING,
    RUNNING: {
        JobStep.REPEAT: SCHEDULED,
        JobStep.COMPLETE: COMPLETED,
        JobStep.TRY_AGAIN: PENDING,
        JobStep.GIVE_UP: FAILED,
        JobStep.REST: PAUSED,
        JobAction.PAUSE: PAUSED,
        JobAction.STOP: SCHEDULED,
        JobAction.CANCEL: CANCELLED,
    },
    COMPLETED: {JobStep.BEGIN_AGAIN: PENDING},
    FAILED: {JobStep.BEGIN_AGAIN: PENDING, JobAction.RETRY: PENDING},
    PAUSED: {
        JobStep.REST: PAUSED,
        JobStep.WAKE: SCHEDULED,
        JobStep.BEGIN_AGAIN: PENDING,
        JobStep.COMPLETE: COMPLETED,
        JobAction.RESUME: SCHEDULED,
        JobAction.CANCEL: CANCELLED,
        JobAction.FORCE_RUN: PAUSED,
    },
    CANCELLED: {JobStep.BEGIN_AGAIN: PENDING},
}

#: pauses whose cause is elsewhere, and what to do about the cause
_CAUSE_ELSEWHERE: Mapping[PauseReason, str] = {
    PauseReason.SOURCE_DISABLED: "its source is disabled; enable the source instead",
    PauseReason.TAKEDOWN: "its URL is on the takedown list; remove it from there first",
    PauseReason.TASKS: "its source only fetches submitted pages",
}
#: pauses that end by themselves when their time has passed
ENDING_BY_THEMSELVES = frozenset({PauseReason.BREAKER, PauseReason.ROBOTS})


def after(state: JobState, step: JobAction | JobStep) -> JobState:
    """The state that a step leads to; a step that the table does not have is refused, naming the possible ones."""
    target = TRANSITIONS[state].get(step)
    if target is None:
        message = f"cannot {step} a crawl job that is {state}; {_possible(state)}"
        raise NotPossible(message, possible=actions_from(state))
    return target


def actions_from(state: JobState) -> tuple[JobAction, ...]:
    """What an operator may do with a job in this state."""
    return tuple(action for action in JobAction if action in TRANSITIONS[state])


def actions_of(state: JobState, reason: PauseReason | None, *, failed_runs: int = 0) -> tuple[JobAction, ...]:
    """What an operator may do with a job that was paused for this reason; None when it was not."""
    refused: set[JobAction] = {JobAction.RESUME} if reason in _CAUSE_ELSEWHERE else set()
    if reason is PauseReason.TAKEDOWN:  # a run would fetch nothing
        refused.add(JobAction.FORCE_RUN)
    possible = {*actions_from(state)} - refused
    if keeps_failing(state, reason, failed_runs=failed_runs):
        possible.add(JobAction.RETRY)
    return tuple(action for action in JobAction if action in possible)


def keeps_failing(state: JobState, reason: PauseReason | None, *, failed_runs: int) -> bool:
    """Whether a job waits for its next try after `failed_runs` failures in a row, so that it can be retried now."""
    is_waiting = state in (PENDING, SCHEDULED) or (state is PAUSED and reason is PauseReason.BREAKER)
    return is_waiting and failed_runs > 0


def refuse_resume_of(reason: PauseReason | None) -> None:
    """Refuses to resume a job that would be paused again at once."""
    if reason is not None and reason in _CAUSE_ELSEWHERE:
        raise NotPossible(f"cannot resume this crawl job: {_CAUSE_ELSEWHERE[reason]}")


def _possible(state: JobState) -> str:
    possible = actions_from(state)
    if not possible:
        return f"{state} is final"
    *others, last = possible
    return "from here it can only " + (f"{', '.join(others)} or {last}" if others else last)
