"""When does a crawl job run next, and why?

Always in this order: policy, failure back-off and breaker, the server's own hints, bounds, jitter, crawl window, load
slot. Every step that had an effect is recorded as data.

A job keeps its rhythm: jitter and load choose the time of its second run, and those after it lie whole intervals from
there. Only the learned policy chooses another interval, and another time, after every run.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from lamplighter.model.schedule import IntervalBounds, PolicyName, Window
from lamplighter.rules.change.expectation import expectation
from lamplighter.rules.schedule import policies, slots, window
from lamplighter.rules.schedule.backoff import Backoff
from lamplighter.rules.schedule.policies import Advice, PolicyInput

JITTER = 0.15
#: of its interval after which a run is at most, where it is spread because many were added together
_MOST_PART = 2.0
#: (planned, pace, earliest, latest) -> the moment in the least loaded slot between the last two
Place = Callable[[datetime, timedelta, datetime, datetime], datetime]
#: (planned, pace) -> the same, or later within one interval if many runs are planned for then
Spread = Callable[[datetime, timedelta], datetime]
#: the steps that led to a time, in order; each has its kind as "step"
Steps = list[dict[str, Any]]
NOTHING = timedelta(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """What the scheduler knows when a run has ended."""

    policy: PolicyName
    ask: PolicyInput
    #: the back-off of a failed run; None when it did not fail
    backoff: Backoff | None = None
    #: the server calls its response fresh for so long (Cache-Control, Expires, a feed's TTL)
    fresh_for: timedelta | None = None
    #: the host must not be fetched for so long (Retry-After, its breaker, its budget)
    away_for: timedelta | None = None
    #: of the source and of the host; a run begins only while all of them are open
    windows: Sequence[Sequence[Window]] = ()
    #: the beat of its rhythm for which the run was planned; None for the learned policy and for a first run
    rhythm_at: datetime | None = None
    #: the interval that a person set; None leaves it open
    set_to: timedelta | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NextRun:
    """A time, and the steps that led to it."""

    at: datetime
    #: the interval that the policy chose, within the bounds
    pace: timedelta
    #: ready for JSON
    reason: dict[str, Any]


def next_run(
    observed: Observed, *, now: datetime, draw: float, place: Place | None = None, spread: Spread | None = None
) -> NextRun:
    """The next run after one that ended now; `draw` is uniform in [0, 1)."""
    advice = policies.advise(observed.policy, observed.ask)
    if observed.backoff is not None and not observed.backoff.is_final:
        return _retry(observed, observed.backoff, advice, now=now)
    pace, beat = advice.interval, _beat(observed, advice.interval, now=now)
    limits = _limits(
        observed.ask.bounds,
        set_to=min(pace, observed.set_to) if observed.set_to and beat is None else NOTHING,
        backoff=observed.backoff.wait if observed.backoff is not None else None,
        away_for=observed.away_for,
        fresh_for=observed.fresh_for,
    )
    steps: Steps = [{"step": "policy", "policy": observed.policy, **_seconds(pace), **advice.inputs}]
    if observed.set_to is not None:
        steps[0]["set_seconds"] = observed.set_to.total_seconds()
    wait = _wait(observed, pace, beat, limits, steps, now=now)
    is_free = beat is None and observed.policy is not PolicyName.FIXED
    swung = now + (_jittered(wait, limits, steps, draw=draw) if is_free or observed.backoff is not None else wait)
    opened = at = _opened(observed.windows, swung, steps)
    if place is not None and beat is None and observed.backoff is None:
        room = slots.tolerance(pace) if is_free else NOTHING
        at = _placed(observed.windows, at, limits, steps, now=now, pace=pace, room=room, place=place)
    if spread is not None and beat is None and observed.backoff is None and observed.ask.learnt.visit_count <= 1:
        at = _spread(observed.windows, at, steps, pace=pace, spread=spread)
    reason: dict[str, Any] = {"steps": steps, "expected": _expected(observed.ask, at, now)}
    if observed.policy is not PolicyName.LEARNED and (beat is not None or observed.backoff is None):
        reason["rhythm_at"] = (beat if beat is not None else swung + (at - opened)).isoformat()
    return NextRun(at=at, pace=pace, reason=reason)


def _retry(observed: Observed, backoff: Backoff, advice: Advice, *, now: datetime) -> NextRun:
    """The next run after one that is retried soon: exactly when the back-off says, unless the host or a window is shut.

    Bounds and jitter are for intervals. What the server called fresh was an earlier response.
    """
    steps: Steps = [
        {"step": "policy", "policy": observed.policy, **_seconds(advice.interval), **advice.inputs},
        {"step": "backoff", **_seconds(backoff.wait), **_counts(backoff)},
    ]
    wait = backoff.wait
    if observed.away_for is not None and observed.away_for > wait:
        wait = observed.away_for
        steps.append({"step": "hint", "by": "away", **_seconds(wait)})
    at = _opened(observed.windows, now + wait, steps)
    reason: dict[str, Any] = {"steps": steps, "expected": _expected(observed.ask, at, now)}
    if observed.policy is not PolicyName.LEARNED and observed.rhythm_at is not None:
        reason["rhythm_at"] = observed.rhythm_at.isoformat()
    return NextRun(at=at, pace=advice.interval, reason=reason)


def sooner(
    ask: PolicyInput,
    windows: Sequence[Sequence[Window]],
    *,
    planned_at: datetime,
    reason: Mapping[str, Any] | None,
    now: datetime,
    siblings: Mapping[str, Any] | None = None,
) -> NextRun | None:
    """An earlier run than planned, since a change was announced after the last visit (`ask.now`); None: as planned.

    `siblings` are the figures of other sources on its host, where these told of the change.
    """
    advice = policies.advise(PolicyName.LEARNED, ask)
    steps: Steps = [{"step": "policy", "policy": PolicyName.LEARNED, **_seconds(advice.interval), **advice.inputs}]
    at = _opened(windows, max(now, ask.now + advice.interval), steps)
    if at >= planned_at:
        return None
    if siblings is not None:
        steps[0]["signal"] = 0.0
        steps.append({"step": "siblings", "moved_seconds": (planned_at - at).total_seconds(), **siblings})
    expected, before = _expected(ask, at, now), (reason or {}).get("expected") or {}
    if "believed_staleness" in before:  # what comes is compared with what was believed without the announcement
        expected["believed_staleness"] = before["believed_staleness"]
    return NextRun(at=at, pace=advice.interval, reason={**(reason or {}), "steps": steps, "expected": expected})


def anew(
    ask: PolicyInput,
    windows: Sequence[Sequence[Window]],
    *,
    planned_at: datetime,
    pace: timedelta,
    set_to: timedelta | None,
    reason: Mapping[str, Any],
    now: datetime,
) -> NextRun:
    """A planned run, had it been planned with today's belief and price after the last visit (`ask.now`).

    It keeps the part of its wait (`pace`) by which jitter and load had moved it.
    """
    advice = policies.advise(PolicyName.LEARNED, ask)
    steps: Steps = [{"step": "policy", "policy": PolicyName.LEARNED, **_seconds(advice.interval), **advice.inputs}]
    part = min(max((planned_at - ask.now) / pace, 1 - JITTER), _MOST_PART)
    limits = _limits(ask.bounds, set_to=min(advice.interval, set_to or NOTHING))
    wait = _clipped(advice.interval * part, limits)
    if wait != advice.interval:
        steps.append({"step": "jitter", "share": round(wait / advice.interval - 1, 4)})
    at = _opened(windows, max(now, ask.now + wait), steps)
    return NextRun(at=at, pace=advice.interval, reason={**reason, "steps": steps, "expected": _expected(ask, at, now)})


def follows_belief(reason: Mapping[str, Any] | None) -> bool:
    """Whether a run was planned by what is learnt, and by no failure or hint of the server after it."""
    steps = (reason or {}).get("steps") or [{}]
    waits = ("backoff", "hint", "catch_up")
    return steps[0].get("policy") == PolicyName.LEARNED and all(step["step"] not in waits for step in steps)


def _expected(ask: PolicyInput, at: datetime, now: datetime) -> dict[str, Any]:
    return expectation(ask.learnt, wait=at - now, now=now, pooled=ask.pooled)


def moved_for_load(reason: Mapping[str, Any] | None, *, by: timedelta) -> dict[str, Any]:
    """The explanation of a planned run that was moved to an emptier slot; its rhythm moves with it."""
    step = {"step": "slot", "moved_seconds": by.total_seconds()}
    moved = postponed(reason, step) if reason and "steps" in reason else {"why": "moved for an even load"}
    if reason and "rhythm_at" in reason:
        moved["rhythm_at"] = (datetime.fromisoformat(reason["rhythm_at"]) + by).isoformat()
    return moved


def opening_step(opening: datetime, *, planned_at: datetime) -> dict[str, Any]:
    """The step of a run that waits for a window to open."""
    return {"step": "window", "at": opening.isoformat(), "waited_seconds": (opening - planned_at).total_seconds()}


def postponed(reason: Mapping[str, Any] | None, step: Mapping[str, Any]) -> dict[str, Any]:
    """The explanation of a planned run that then had to wait."""
    if not reason or "steps" not in reason:
        word = "its window opens" if step["step"] == "window" else "its host may be fetched again"
        return {"why": f"due, and waits until {word}"}
    # Only the last such step is kept: a host may stay busy for long.
    return {**reason, "steps": [*(kept for kept in reason["steps"] if kept["step"] != step["step"]), dict(step)]}


def _limits(
    bounds: IntervalBounds,
    *,
    set_to: timedelta,
    backoff: timedelta | None = None,
    away_for: timedelta | None = None,
    fresh_for: timedelta | None = None,
) -> IntervalBounds:
    """The limits for jitter and load: the operator's bounds, and what failures and the server require.

    The operator's maximum cuts what a server calls fresh, but neither a back-off nor a block of the host. The
    operator's minimum is between runs, not before a retry. Neither jitter nor load undercut an interval that is set.
    """
    owed = max(backoff or NOTHING, away_for or NOTHING)
    most = max(bounds.most, owed)
    asked = NOTHING if backoff is not None else max(bounds.least, set_to)
    return IntervalBounds(least=max(asked, owed, min(fresh_for or NOTHING, most)), most=most)


def _beat(observed: Observed, pace: timedelta, *, now: datetime) -> datetime | None:
    """The next beat of a rhythm; neither the length of runs, nor downtime, nor failures, nor forced runs shift it."""
    if observed.policy is PolicyName.LEARNED or observed.rhythm_at is None:
        return None
    beat = observed.rhythm_at
    if observed.backoff is not None:  # its visit is still to be retried
        return beat
    # Hash back-off leaves beats out: its pace is the baseline, doubled.
    step = min(pace, observed.ask.baseline) if observed.policy is PolicyName.HASH_BACKOFF else pace
    # A run that began before its beat may be one of it that was moved, or a forced one: the nearest beat counts as run.
    return slots.keep_phase(beat, step, now + (pace - step) + (step / 2 if now < beat else NOTHING))


def _wait(
    observed: Observed, pace: timedelta, beat: datetime | None, limits: IntervalBounds, steps: Steps, *, now: datetime
) -> timedelta:
    """What is left of the planned wait after back-off, hints and bounds."""
    wait = beat - now if beat is not None else pace
    if observed.backoff is not None:
        # The visit is still to be retried: the wait depends on the failures alone.
        wait = observed.backoff.wait
        steps.append({"step": "backoff", **_seconds(wait), **_counts(observed.backoff)})
    elif wait != pace:
        steps.append({"step": "rhythm", **_seconds(wait)})
    for by, hint in (("fresh", observed.fresh_for), ("away", observed.away_for)):
        if hint is not None and hint > wait:
            wait = hint
            steps.append({"step": "hint", "by": by, **_seconds(hint)})
    bounded = _clipped(wait, limits)
    if bounded != wait:
        steps.append({"step": "bounds", **_seconds(bounded)})
    return bounded


def _jittered(wait: timedelta, limits: IntervalBounds, steps: Steps, *, draw: float) -> timedelta:
    """A little sooner or later, so that jobs that started together drift apart; at a lower bound only later."""
    swing = JITTER * (draw if wait <= limits.least else 2 * draw - 1)
    moved = _clipped(wait * (1 + swing), limits)
    if moved != wait:
        steps.append({"step": "jitter", "share": round(moved / wait - 1, 4)})
    return moved


def _opened(windows: Sequence[Sequence[Window]], at: datetime, steps: Steps) -> datetime:
    """The first moment from `at` on at which all windows are open; windows that never open are ignored."""
    opening = window.next_opening_of(windows, at)
    if opening == at:
        return at
    if opening is None:
        steps.append({"step": "window", "at": None})
        return at
    steps.append(opening_step(opening, planned_at=at))
    return opening


def _placed(
    windows: Sequence[Sequence[Window]],
    at: datetime,
    limits: IntervalBounds,
    steps: Steps,
    *,
    now: datetime,
    pace: timedelta,
    room: timedelta,
    place: Place,
) -> datetime:
    """A less crowded moment nearby, if there is one that is allowed."""
    earliest = max(now + limits.least, at - room)
    latest = min(at + room, now + limits.most, *_last_open(windows, at))
    if latest < at:  # it is beyond its bounds because of a window, or its windows never open
        return at
    moment = place(at, pace, earliest, latest)
    if not window.all_open(windows, moment):
        # Otherwise all jobs that waited for an opening would start together there.
        moment = place(at, pace, at, latest)
    if moment != at:
        steps.append({"step": "slot", "moved_seconds": (moment - at).total_seconds()})
    return moment


def _spread(
    windows: Sequence[Sequence[Window]], at: datetime, steps: Steps, *, pace: timedelta, spread: Spread
) -> datetime:
    """Another time for the second run of a source that was added together with many others."""
    moment = spread(at, pace)
    if moment == at or not window.all_open(windows, moment):
        return at
    steps.append({"step": "spread", "moved_seconds": (moment - at).total_seconds()})
    return moment


def _last_open(windows: Sequence[Sequence[Window]], at: datetime) -> Iterator[datetime]:
    """The last moment before each list of windows closes."""
    for listed in windows:
        closing = window.closes_at(listed, at)
        if closing is not None:
            yield closing - timedelta.resolution


def _clipped(wait: timedelta, limits: IntervalBounds) -> timedelta:
    return min(max(wait, limits.least), limits.most)


def _seconds(wait: timedelta) -> dict[str, float]:
    return {"seconds": wait.total_seconds()}


def _counts(backoff: Backoff) -> dict[str, Any]:
    return {
        "tries": backoff.retry_count,
        "failures": backoff.failure_count,
        "is_final": backoff.is_final,
        "opens_breaker": backoff.opens_breaker,
    }
