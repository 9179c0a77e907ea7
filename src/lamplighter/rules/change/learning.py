"""What a visit teaches about how often a source changes, and how well earlier beliefs predicted it."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from lamplighter.errors import BadInput
from lamplighter.model.schedule import Belief, Learnt
from lamplighter.rules.change import recency
from lamplighter.rules.change.belief import (
    capped,
    changed,
    counted,
    sound,
    stale_hours,
    stale_hours_if_changed,
    unchanged,
)
from lamplighter.rules.change.recency import UNKNOWN_AGE

HOUR = timedelta(hours=1)
#: how many times as often, or as rarely, a source must change for its past to be forgotten
SHIFT = 4.0
#: log-likelihood ratio at which the past is forgotten: three changes in a row that were hardly expected suffice
ALARM = 4.0
#: changes worth of evidence that are left then; the next visits outweigh them
LEFT_AFTER_ALARM = 0.5
#: a page that claims to be newer than this was stamped when it was sent, which says nothing about its content
STAMPED_WITHIN = timedelta(minutes=1)
#: no page is older: 1970 and 1980 are what clocks and archives claim that were never set
WEB_BEGAN = datetime(1991, 8, 6, tzinfo=UTC)
#: hours after which the month's figures have decayed to 1/e
MONTH = 30 * 24.0
#: stale hours, expected and seen, by which the correction of one source is pulled towards that of all
OWN_PULL = 24.0
#: by how much the measured staleness may correct the expected one
LEAST_CORRECTION, MOST_CORRECTION = 0.2, 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitEvidence:
    """The result of one visit."""

    at: datetime
    #: changed since the last visit; None: the visit failed and says nothing
    is_changed: bool | None
    #: changes since the last visit, where all are known (dated entries of a feed); None: at least one, or none
    count: int | None = None
    #: when the page itself claims to have changed last
    last_modified: datetime | None = None


class _Span(NamedTuple):
    """The time between two visits, and what is known of it."""

    hours: float
    #: hours from the last change to its beginning; None where hours are not felt
    age: float | None
    #: how many changes; None: at least one
    changes: int | None
    #: hours from the last change to the end; None: unknown
    since: float | None


def plain(start: datetime, end: datetime) -> float:
    """Hours of the wall clock."""
    return (end - start) / HOUR


def learn(
    learnt: Learnt | None,
    seen: VisitEvidence,
    *,
    prior: Belief,
    is_felt: bool = True,
    hours_between: Callable[[datetime, datetime], float] = plain,
    activity: Callable[[datetime, datetime], tuple[float, float]] = lambda start, end: (1.0, 1.0),
    believed: float | None = None,
) -> Learnt:
    """What is known after a visit. The first visit only starts the observation; a failed one teaches nothing.

    Hours count as often as the host was busier than usual (`activity`): then a change says little about the source's
    own rate, and is as old as the host's changes were (see `activity.Busyness`). `is_felt` says how hours are counted
    from the first visit on. `believed` is the staleness that was expected when the visit was planned, which may have
    come sooner or later.
    """
    known = learnt or Learnt(belief=prior)
    if seen.is_changed is None:
        return known
    if known.visited_at is None:
        return replace(_begun(known, seen, prior), is_felt=is_felt)
    changed_at = _dated_change(seen, since=known.visited_at)
    span = _span(seen, since=known.visited_at, age=age(known), changed_at=changed_at, hours_between=hours_between)
    is_changed = span.changes != 0
    last = known.changed_at or _long_before(known.visited_at)
    if is_changed:
        last = changed_at or _undated(seen, since=known.visited_at)
    busy, lag = activity(known.visited_at, seen.at)
    counted_hours = recency.counted(span.age, span.hours) * busy
    belief, rise, fall = _watched_for_shift(known, counted_hours, is_changed)
    watched, expected, stale = _remembered(known, span, lag, believed)
    return replace(
        known,
        watched_hours=watched,
        expected_stale_hours=expected,
        seen_stale_hours=stale,
        belief=capped(_updated(belief, span, counted_hours), shape=(known.prior or prior).a),
        rise=rise,
        fall=fall,
        signal=0.0,
        visit_count=known.visit_count + 1,
        change_count=known.change_count + is_changed,
        evidence_changes=known.evidence_changes + is_changed,
        evidence_hours=known.evidence_hours + counted_hours,
        visited_at=seen.at,
        changed_at=last,
    )


def age(learnt: Learnt) -> float | None:
    """Hours from the last change to the last visit; None where the beliefs are about plain hours."""
    if not learnt.is_felt:
        return None
    if learnt.changed_at is None or learnt.visited_at is None:
        return UNKNOWN_AGE
    return max(0.0, (learnt.visited_at - learnt.changed_at) / HOUR)


def _begun(learnt: Learnt, seen: VisitEvidence, prior: Belief) -> Learnt:
    """What a first visit tells: nothing but, perhaps, when the last change was."""
    dated = seen.last_modified
    is_believable = dated is not None and WEB_BEGAN < dated <= seen.at - STAMPED_WITHIN
    changed_at = dated if is_believable else _long_before(seen.at)
    return replace(
        learnt,
        belief=prior,
        prior=prior,
        signal=0.0,
        visited_at=seen.at,
        changed_at=changed_at,
        visit_count=learnt.visit_count + 1,
    )


def _long_before(visit: datetime) -> datetime:
    """When the last change is assumed to have been if nothing tells."""
    return visit - UNKNOWN_AGE * HOUR


def _undated(seen: VisitEvidence, *, since: datetime) -> datetime:
    """When an undated change is assumed: in the middle, or where the last of several lies on average.

    A clock that was set back leaves no room between two visits.
    """
    count = seen.count or 1
    return since + (seen.at - since) * (count / (count + 1)) if since < seen.at else seen.at


def repaired(learnt: Learnt, *, otherwise: Belief) -> Learnt:
    """The same without invalid numbers, whatever wrote them: one corrupt row must not spoil what follows."""
    sums = (learnt.watched_hours, learnt.expected_stale_hours, learnt.seen_stale_hours)
    has_sums = all(math.isfinite(number) and number >= 0 for number in sums)
    watch = (learnt.rise, learnt.fall)
    has_watch = all(math.isfinite(number) and number >= 0 for number in watch)
    watched, expected, seen = sums if has_sums else (0.0, 0.0, 0.0)
    rise, fall = watch if has_watch else (0.0, 0.0)
    return replace(
        learnt,
        belief=sound(learnt.belief.a, learnt.belief.b, otherwise=otherwise),
        signal=learnt.signal if 0 <= learnt.signal <= 1 else 0.0,
        rise=rise,
        fall=fall,
        watched_hours=watched,
        expected_stale_hours=expected,
        seen_stale_hours=seen,
    )


def announce(learnt: Learnt, probability: float) -> Learnt:
    """The belief after an independent hint that with this probability the page changed since the last visit."""
    if not 0 <= probability <= 1:
        raise BadInput(f"A probability cannot be {probability}; give a number from 0 to 1.")
    return replace(learnt, signal=1 - (1 - learnt.signal) * (1 - probability))


def staleness(learnt: Learnt) -> tuple[float, float] | None:
    """Shares of the last month in which our copy was expected to be stale, and was; None before a visit."""
    if learnt.watched_hours <= 0:
        return None
    expected, seen = (hours / learnt.watched_hours for hours in (learnt.expected_stale_hours, learnt.seen_stale_hours))
    return min(1.0, expected), min(1.0, seen)


def correction(learnt: Learnt, *, pooled: float = 1.0) -> float:
    """The factor that corrects an expected staleness by the last month's measurement.

    It is the `pooled` one of all sources, unless the source itself was stale for long enough: a month in which a source
    changed once, or not at all, says little about it.
    """
    ratio = (learnt.seen_stale_hours + OWN_PULL) / (learnt.expected_stale_hours * pooled + OWN_PULL)
    return float(pooled * min(max(ratio, LEAST_CORRECTION), MOST_CORRECTION))


def _dated_change(seen: VisitEvidence, *, since: datetime) -> datetime | None:
    """When the page says that it last changed, if that is credible."""
    if seen.last_modified is None or not seen.is_changed:
        return None
    return seen.last_modified if since < seen.last_modified <= seen.at - STAMPED_WITHIN else None


def _span(
    seen: VisitEvidence,
    *,
    since: datetime,
    age: float | None,
    changed_at: datetime | None,
    hours_between: Callable[[datetime, datetime], float],
) -> _Span:
    # A clock that was set back shows an end before the start: no time has passed.
    hours = max(0.0, hours_between(since, seen.at))
    changes = seen.count if seen.count is not None or seen.is_changed else 0
    if changed_at is None or changes == 0:
        return _Span(hours, age, changes, None)
    return _Span(hours, age, changes, min(hours, max(0.0, hours_between(changed_at, seen.at))))


def _updated(belief: Belief, span: _Span, hours: float) -> Belief:
    if span.changes == 0:
        return unchanged(belief, hours)
    if span.changes is not None:
        return counted(belief, hours, span.changes)
    if span.since is None:
        return changed(belief, hours)
    # The last change splits the time. Since then there was none; before it there may have been any number, so that
    # those hours say nothing. To count them as "changed at least once" would count the one change that we see as
    # several that we do not, and the rates of busy pages would come out far too low. The hours of one span are taken to
    # be of equal length here too: with those since the change felt afresh, expectations came out a fifth too low.
    return counted(belief, hours * (span.since / span.hours), 1)


def _watched_for_shift(learnt: Learnt, hours: float, is_changed: bool) -> tuple[Belief, float, float]:
    """A CUSUM test in both directions: on its alarm the past is forgotten down to a light belief in the same rate."""
    belief = learnt.belief
    rise = max(0.0, learnt.rise + _leaning(belief, hours, is_changed, SHIFT))
    fall = max(0.0, learnt.fall + _leaning(belief, hours, is_changed, 1 / SHIFT))
    if max(rise, fall) < ALARM:
        return belief, rise, fall
    scale = min(1.0, LEFT_AFTER_ALARM / belief.a)
    return Belief(a=belief.a * scale, b=belief.b * scale), 0.0, 0.0


def _leaning(belief: Belief, hours: float, is_changed: bool, factor: float) -> float:
    """How far a visit is evidence for a rate `factor` times as high: the logarithm of the likelihood ratio.

    A rate that is four times as high shows in one hour what the old one would in four.
    """
    usual, other = math.log1p(hours / belief.b), math.log1p(factor * hours / belief.b)
    if not is_changed:
        return belief.a * (usual - other)
    likely = math.expm1(-belief.a * usual)
    return math.log(math.expm1(-belief.a * other) / likely) if likely else math.log(factor)


def _remembered(learnt: Learnt, span: _Span, lag: float, believed: float | None) -> tuple[float, float, float]:
    """The month's figures after this visit: hours, what the belief before it expected, and what is known now."""
    kept = math.exp(-span.hours / MONTH)
    expected = believed * span.hours if believed is not None else stale_hours(learnt.belief, span.hours, age=span.age)
    return (
        kept * learnt.watched_hours + span.hours,
        kept * learnt.expected_stale_hours + expected,
        kept * learnt.seen_stale_hours + _seen_stale_hours(learnt.belief, span, lag),
    )


def _seen_stale_hours(belief: Belief, span: _Span, lag: float) -> float:
    """Hours from the first change to the visit: exact where known, else estimated."""
    if span.changes == 0 or span.hours <= 0:
        return 0.0
    if span.changes is not None:
        # The others lie anywhere, each as likely as the next, so the first takes its even share.
        latest = span.hours if span.since is None else span.hours - span.since
        parts = span.changes + 1 if span.since is None else span.changes
        return span.hours - latest / parts
    if span.since is not None:  # the last change; there may have been others before it
        return span.since + stale_hours(belief, span.hours - span.since, age=span.age)
    return lag * stale_hours_if_changed(belief, span.hours, age=span.age)
