"""When do jobs run that fell due while nobody looked: the machine slept, was off, or an old backup was restored?

Each once, however often it was missed, and not all at the same moment: they come at the rate at which they would come
anyhow, those first whose waiting costs most.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from lamplighter.rules import reasons, urgency

#: without a look for longer than this, nobody was there; a restart or an upgrade takes less
PATIENCE = timedelta(minutes=40)
#: so many at once are no storm
FEW = 10
#: nobody waits longer than this, nor longer than all of them need at the least rate
LONGEST = timedelta(hours=6)
LEAST_RATE = 1 / timedelta(seconds=30).total_seconds()


class Overdue(NamedTuple):
    """A job that fell due meanwhile."""

    id: int
    next_run_at: datetime
    #: between its runs
    pace: timedelta
    urgency: int


class Turn(NamedTuple):
    """When an overdue job runs."""

    job: Overdue
    at: datetime


def spread(overdue: Iterable[Overdue], *, now: datetime) -> list[Turn]:
    """A time for each, the earliest for those whose waiting has cost most."""
    jobs = sorted(overdue, key=lambda job: (-_lost(job, now), job.id))
    rate = max(LEAST_RATE, sum(1 / min(job.pace, LONGEST).total_seconds() for job in jobs))
    return [Turn(job, now + timedelta(seconds=max(0, place - FEW + 1) / rate)) for place, job in enumerate(jobs)]


def explained(reason: Mapping[str, Any] | None, *, away: timedelta, waits: timedelta) -> dict[str, Any]:
    """Why a job that was due runs later, over and above why it was due."""
    step = {"step": "catch_up", "away_seconds": away.total_seconds(), "waits_seconds": waits.total_seconds()}
    if not reason or "steps" not in reason:
        return {"why": reasons.caught_up(step)}
    # Only the last of them is kept, for nobody may look twice in a row.
    return {**reason, "steps": [*(kept for kept in reason["steps"] if kept["step"] != step["step"]), step]}


def _lost(job: Overdue, now: datetime) -> float:
    return urgency.value_lost(job.urgency, due_at=job.next_run_at, now=now)
