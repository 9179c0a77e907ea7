"""Where can a crawl job go from here? The seven states and every step between them, as one table."""

from collections.abc import Mapping
from enum import StrEnum

from lamplighter.errors import NotPossible
from lamplighter.model.crawl import JobState, PauseReason

PENDING, SCHEDULED, RUNNING = JobState.PENDING, JobState.SCHEDULED, JobState.RUNNING
COMPLETED, FAILED, PAUSED, CANCELLED = JobState.COMPLETED, JobState.FAILED, JobState.PAUSED, JobState.CANCELLED


class Action(StrEnum):
    """What an operator may ask for."""

    PAUSE = "pause"
    RESUME = "resume"
    CANCEL = "cancel"
    RETRY = "retry"
    FORCE_RUN = "force-run"


class Step(StrEnum):
    """What the rounds do by themselves."""

    START = "start"
    #: a recurring job ended a run, well or finally badly
    REPEAT = "repeat"
    #: a one-time job ended well
    COMPLETE = "complete"
    #: a run failed, and is to be tried again soon
    TRY_AGAIN = "try again"
    #: a one-time job failed for the last time
    GIVE_UP = "give up"
    #: automation pauses it (source disabled, breaker, robots, takedown), and lets it go on
    REST = "rest"
    WAKE = "wake"
    #: its source was enabled or restored, or somebody ordered it anew: it begins from the start
    BEGIN_AGAIN = "begin again"


#: a forced run of a paused job leaves it paused: it runs this once
TRANSITIONS: Mapping[JobState, Mapping[Action | Step, JobState]] = {
    PENDING: {
        Step.START: RUNNING,
        Step.REST: PAUSED,
        Action.PAUSE: PAUSED,
        Action.CANCEL: CANCELLED,
        Action.FORCE_RUN: RUNNING,
    },
    SCHEDULED: {
        Step.START: RUNNING,
        Step.REST: PAUSED,
        Action.PAUSE: PAUSED,
        Action.CANCEL: CANCELLED,
        Action.FORCE_RUN: RUNNING,
    },
    RUNNING: {
        Step.REPEAT: SCHEDULED,
        Step.COMPLETE: COMPLETED,
        Step.TRY_AGAIN: PENDING,
        Step.GIVE_UP: FAILED,
        Step.REST: PAUSED,
        Action.CANCEL: CANCELLED,
    },
    COMPLETED: {Step.BEGIN_AGAIN: PENDING},
    FAILED: {Step.BEGIN_AGAIN: PENDING, Action.RETRY: PENDING},
    PAUSED: {
        Step.REST: PAUSED,
        Step.WAKE: SCHEDULED,
        Step.BEGIN_AGAIN: PENDING,
        Step.COMPLETE: COMPLETED,
        Action.RESUME: SCHEDULED,
        Action.CANCEL: CANCELLED,
        Action.FORCE_RUN: PAUSED,
    },
    CANCELLED: {Step.BEGIN_AGAIN: PENDING},
}

#: pauses whose cause is somewhere else, and what to do about it there
_CAUSE_ELSEWHERE: Mapping[PauseReason, str] = {
    PauseReason.SOURCE_DISABLED: "its source is disabled; enable the source instead",
    PauseReason.TAKEDOWN: "its URL is on the takedown list; remove it from there first",
    PauseReason.TASKS: "its source is only asked for submitted pages",
}
#: pauses that end by themselves when their time is over
ENDING_BY_THEMSELVES = frozenset({PauseReason.BREAKER, PauseReason.ROBOTS})


def after(state: JobState, step: Action | Step) -> JobState:
    """The state that a step leads to; a step that the table does not have is refused, with what is possible."""
    target = TRANSITIONS[state].get(step)
    if target is None:
        message = f"cannot {step} a crawl job that is {state}; {_possible(state)}"
        raise NotPossible(message, possible=actions_from(state))
    return target


def actions_from(state: JobState) -> tuple[Action, ...]:
    """What an operator may do with a job in this state."""
    return tuple(action for action in Action if action in TRANSITIONS[state])


def actions_of(state: JobState, reason: PauseReason | None) -> tuple[Action, ...]:
    """What an operator may do with a job that was paused for this reason; None when it was not."""
    refused: set[Action] = {Action.RESUME} if reason in _CAUSE_ELSEWHERE else set()
    if reason is PauseReason.TAKEDOWN:  # a run would ask for nothing
        refused.add(Action.FORCE_RUN)
    return tuple(action for action in actions_from(state) if action not in refused)


def refuse_resume_of(reason: PauseReason | None) -> None:
    """Refuses to resume what would be paused again at once."""
    if reason is not None and reason in _CAUSE_ELSEWHERE:
        raise NotPossible(f"cannot resume this crawl job: {_CAUSE_ELSEWHERE[reason]}")


def _possible(state: JobState) -> str:
    possible = actions_from(state)
    if not possible:
        return f"{state} is final"
    *others, last = possible
    return "from here it can only " + (f"{', '.join(others)} or {last}" if others else last)
