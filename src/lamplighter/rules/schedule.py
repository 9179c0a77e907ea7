"""When does a crawl job run next, and why? Policy, failure backoff, server's hint, bounds, jitter, in this order."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from lamplighter.rules.politeness import doubled

LEAST = timedelta(minutes=1)
DAY = timedelta(days=1)
JITTER = 0.15
#: unchanged runs stretch the interval up to this, but never below the interval asked for
STRETCH_CAP = DAY
#: failures in a row that pause the job
BREAKER_AT = 5
#: a paused job is probed once a day, from the second probe on once a week
FIRST_PROBE = DAY
LATER_PROBE = timedelta(days=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """What the scheduler knows when a run has ended."""

    interval: timedelta
    #: runs in a row, this one included, that found nothing new
    unchanged_count: int
    #: runs in a row, this one included, that failed
    failure_count: int
    #: the server's own lower bound (Cache-Control and its like)
    fresh_for: timedelta | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NextRun:
    """A time, and the steps that led to it."""

    at: datetime
    reason: dict[str, Any]


def next_run(observed: Observed, *, now: datetime, draw: float) -> NextRun:
    """The next run after one that ended now; `draw` is uniform in [0, 1)."""
    steps: dict[str, Any] = {"interval_seconds": observed.interval.total_seconds()}
    wait = hash_backoff(observed.interval, observed.unchanged_count)
    if observed.unchanged_count:
        steps["unchanged_runs"] = observed.unchanged_count
        steps["stretched_to_seconds"] = wait.total_seconds()
    if observed.failure_count:
        wait = max(wait, failure_backoff(observed.interval, observed.failure_count))
        steps["failures"] = observed.failure_count
        steps["backoff_seconds"] = wait.total_seconds()
    if observed.fresh_for is not None and observed.fresh_for > wait:
        wait = observed.fresh_for
        steps["server_says_fresh_for_seconds"] = wait.total_seconds()
    # Under a lower bound, set by failure or by the site, jitter may only lengthen.
    is_bound = observed.failure_count or "server_says_fresh_for_seconds" in steps
    swing = JITTER * (draw if is_bound else 2 * draw - 1)
    wait = max(LEAST, observed.fresh_for or LEAST, wait * (1 + swing))
    steps["jitter"] = round(swing, 4)
    return NextRun(at=now + wait, reason=steps)


def hash_backoff(interval: timedelta, unchanged_count: int) -> timedelta:
    """The interval, doubled for every unchanged run, up to a day (or the interval itself when that is longer)."""
    return doubled(interval, unchanged_count, cap=max(STRETCH_CAP, interval))


def failure_backoff(interval: timedelta, failure_count: int) -> timedelta:
    """6 h · 2^n up to a week for sources on a daily rhythm or slower; interval · 2^n up to a day for faster ones."""
    if interval >= DAY:
        return doubled(timedelta(hours=6), failure_count, cap=timedelta(days=7))
    return doubled(interval, failure_count, cap=DAY)


def probe_after(failure_count: int) -> timedelta:
    """How long a job paused by its breaker rests before it is tried again."""
    return FIRST_PROBE if failure_count <= BREAKER_AT else LATER_PROBE


def sentence(reason: dict[str, Any] | None) -> str:
    """The explanation of a next run, for people."""
    if not reason:
        return "as soon as possible: it has not run yet"
    if "why" in reason:
        return str(reason["why"])
    parts = [f"every {span(reason['interval_seconds'])}"]
    if "stretched_to_seconds" in reason:
        count = reason["unchanged_runs"]
        parts.append(
            f"stretched to {span(reason['stretched_to_seconds'])} after {count} unchanged run{'s' * (count != 1)}"
        )
    if "backoff_seconds" in reason:
        count = reason["failures"]
        parts.append(f"backing off {span(reason['backoff_seconds'])} after {count} failure{'s' * (count != 1)}")
    if "server_says_fresh_for_seconds" in reason:
        parts.append(f"the server calls its answer fresh for {span(reason['server_says_fresh_for_seconds'])}")
    parts.append(f"{reason['jitter']:+.1%} jitter")
    return " · ".join(parts)


def span(seconds: float) -> str:
    """A duration for people: 90 s, 15 min, 6 h, 3 d."""
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size or (seconds >= size and seconds % size == 0):
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"
