"""When do jobs run that fell due while no scheduler was running: machine asleep, service off, old backup restored?

Each runs once, however often it was missed, and not all at the same moment: they run at the rate at which they would
run anyhow, those first whose waiting costs most.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from lamplighter.rules.schedule import reasons, urgency

#: if no scheduler looked for longer than this, jobs were missed; a restart or an upgrade takes less
PATIENCE = timedelta(minutes=40)
#: so few at once need not be spread
FEW = 10
#: no job waits longer than this, nor longer than all of them need at the lowest rate
LONGEST = timedelta(hours=6)
LEAST_RATE = 1 / timedelta(seconds=30).total_seconds()


class Overdue(NamedTuple):
    """A job that fell due while no scheduler was running."""

    id: int
    next_run_at: datetime
    #: time between its runs
    pace: timedelta
    urgency: int


class CatchUpTime(NamedTuple):
    """When an overdue job runs."""

    job: Overdue
    at: datetime


def spread(overdue: Iterable[Overdue], *, now: datetime) -> list[CatchUpTime]:
    """A time for each job, the earliest for those whose waiting has cost most."""
    jobs = sorted(overdue, key=lambda job: (-urgency.value_lost(job.urgency, due_at=job.next_run_at, now=now), job.id))
    rate = max(LEAST_RATE, sum(1 / min(job.pace, LONGEST).total_seconds() for job in jobs))
    return [CatchUpTime(job, now + timedelta(seconds=max(0, place - FEW + 1) / rate)) for place, job in enumerate(jobs)]


def explained(reason: Mapping[str, Any] | None, *, away: timedelta, waits: timedelta) -> dict[str, Any]:
    """The reason of an overdue job, extended by why it runs later."""
    step = {"step": "catch_up", "away_seconds": away.total_seconds(), "waits_seconds": waits.total_seconds()}
    if not reason or "steps" not in reason:
        return {"why": reasons.caught_up(step)}
    # Only the last such step is kept: the scheduler may be away again before the job runs.
    return {**reason, "steps": [*(kept for kept in reason["steps"] if kept["step"] != step["step"]), step]}
