"""How busy a host is, and which of its sources are worth a visit now: the arithmetic over siblings, as arrays."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

import numpy as np

from lamplighter.crawl.planning.known_activity import HOUR, known_activity
from lamplighter.model.crawl import JobState
from lamplighter.rules.change import activity, beliefs, recency
from lamplighter.rules.change.activity import Bools, Floats, HostVisits, Ints
from lamplighter.rules.schedule import schedule
from lamplighter.rules.schedule.policies.learned import weight
from lamplighter.store.hosts.host_activity import CrowdedHost, Sibling, SiblingVisit, StoredActivity

#: epochs of which the explanation tells
TOLD_EPOCHS = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Moment:
    """A host at one look; hours count back from `now`."""

    host: CrowdedHost
    now: datetime
    #: hours between two visits of a source, and between two looks
    mean_hours: float
    epoch: float
    siblings: Sequence[Sibling]
    #: of the last mean intervals
    visits: Sequence[SiblingVisit]
    before: StoredActivity | None

    def hours(self, moment: datetime) -> float:
        """Hours from `now` to a moment; below zero before it."""
        return (moment - self.now) / HOUR

    def told(self) -> dict[str, float]:
        """What the explanation says about the siblings."""
        seconds = 3600 * TOLD_EPOCHS * self.epoch
        late = [visit for visit in self.visits if visit.at > self.now.timestamp() - seconds]
        visited = {visit.source_id for visit in late}
        changed = {visit.source_id for visit in late if visit.has_changed}
        return {"changed": len(changed), "visited": len(visited), "within_seconds": seconds}


class _Beliefs(NamedTuple):
    """What is known of each sibling; one row for each."""

    a: Floats
    b: Floats
    #: hours from the last change to the last visit, and from there to now
    age: Floats
    since: Floats


def looked(
    moment: Moment, *, price: float | None, polite_per_hour: float
) -> tuple[StoredActivity, list[tuple[Sibling, float]]]:
    """The host's activity, and the siblings whose visits come forward, with the probability that they have changed."""
    known = _beliefs(moment)
    found = _found(moment, known)
    return found, _chosen(moment, known, found, price=price, polite_per_hour=polite_per_hour)


def _found(moment: Moment, known: _Beliefs) -> StoredActivity:
    """The host's activity in the last mean intervals, and how well the one known before predicted."""
    visits, at = _visits(moment, known)
    look_back = activity.LOOK_BACK * moment.mean_hours
    bin_hours = moment.epoch / activity.BINS_PER_EPOCH
    curve = activity.activity(visits, hosts=1, began=-look_back, until=0.0, bin_hours=bin_hours)
    return StoredActivity(
        host_id=moment.host.id,
        looked_at=moment.now,
        began_at=moment.now - timedelta(hours=look_back),
        bin_seconds=3600 * bin_hours,
        levels=[round(level, 4) for level in curve.level[0].tolist()],
        gain=_gain(moment, visits, known.a[at]),
    )


def _gain(moment: Moment, visits: HostVisits, a: Floats) -> float:
    """By how much the activity is ahead, after the visits since the last look; with their sources' shapes."""
    if moment.before is None:
        return 0.0
    known = known_activity(moment.before)
    is_new = visits.end > moment.hours(moment.before.looked_at)
    shift = moment.hours(known.began_at)
    start, end, is_changed = visits.start[is_new], visits.end[is_new], visits.is_changed[is_new]
    hours = a[is_new] / np.maximum(visits.rate[is_new], 1e-12)  # such that the rate is that of plain hours
    with_it = activity.log_likelihood(
        a[is_new], hours, (end - start) * known.means(start - shift, end - shift), is_changed
    )
    without = activity.log_likelihood(a[is_new], hours, end - start, is_changed)
    return float(activity.gained(np.array([moment.before.gain]), np.array([(with_it - without).sum()]))[0])


def _visits(moment: Moment, known: _Beliefs) -> tuple[HostVisits, Ints]:
    """The visits of siblings with the visit before each, and the siblings' rows."""
    rows = {sibling.source_id: row for row, sibling in enumerate(moment.siblings)}
    ours = [(rows[visit.source_id], *visit[1:]) for visit in moment.visits if visit.source_id in rows]
    row, before, end, is_changed = np.array(ours, dtype=np.float64).reshape(-1, 4).T
    at, now = row.astype(np.int64), moment.now.timestamp()
    visits = HostVisits(
        host=np.zeros(len(at), dtype=np.int64),
        start=(before - now) / 3600,
        end=(end - now) / 3600,
        is_changed=is_changed > 0,
        rate=_rates(known)[at],
    )
    return visits, at


def _rates(known: _Beliefs) -> Floats:
    """Changes per hour, as believed of each sibling."""
    pace = np.where(np.isnan(known.age), 1.0, recency.pace(known.age))
    rate: Floats = known.a / known.b * pace
    return rate


def _beliefs(moment: Moment) -> _Beliefs:
    since = (-moment.hours(one.visited_at) if one.visited_at else 0.0 for one in moment.siblings)
    rows = [(one.belief_a, one.belief_b, _age(one), hours) for one, hours in zip(moment.siblings, since, strict=True)]
    a, b, age, since_visit = np.array(rows, dtype=np.float64).reshape(-1, 4).T
    return _Beliefs(a, b, age, np.maximum(since_visit, 0.0))


def _age(one: Sibling) -> float:
    """Not a number where hours are not felt."""
    if not one.is_felt:
        return float("nan")
    if one.visited_at is None or one.changed_at is None:
        return recency.UNKNOWN_AGE
    return max(0.0, (one.visited_at - one.changed_at) / HOUR)


def _chosen(
    moment: Moment, known: _Beliefs, found: StoredActivity, *, price: float | None, polite_per_hour: float
) -> list[tuple[Sibling, float]]:
    """The siblings whose visits come forward into this epoch, with the probability that they have changed."""
    busy = known_activity(found)
    if not busy.is_used or price is None or not moment.siblings:
        return []
    a, b, age, since = known
    felt = np.where(np.isnan(age), since, recency.felt_since(np.nan_to_num(age), since))
    now = moment.hours(moment.now) - moment.hours(busy.began_at)
    signal = activity.signal(a, b, felt=felt, mean=busy.means(now - since, np.full(len(since), now)))
    importance = np.array([weight(one.priority) for one in moment.siblings])
    stale = beliefs.stale_hours(a, b, since + moment.epoch, signal=signal, age=age)
    cost = np.array([max(1.0, one.cost) for one in moment.siblings])
    until = moment.now + timedelta(hours=moment.epoch)
    is_due = np.array([one.next_run_at is not None and one.next_run_at <= until for one in moment.siblings])
    room = activity.room(
        usual=np.array([3600 * moment.host.pace * cost.mean() * moment.epoch]),
        planned=np.array([cost[is_due].sum()]),
        polite=polite_per_hour * moment.epoch,
    )
    is_worth = (importance * stale >= price) & (signal > 0) & ~is_due & _can_move(moment)
    rows = activity.brought_forward(signal, is_worth, cost, host=np.zeros(len(cost), dtype=np.int64), room=room)
    return [(moment.siblings[row], float(signal[row])) for row in rows]


def _can_move(moment: Moment) -> Bools:
    """Which runs follow what is learnt: not those of other policies, nor those that wait for a server or a failure."""
    return np.array([_follows(one) for one in moment.siblings])


def _follows(one: Sibling) -> bool:
    is_free = one.state == JobState.SCHEDULED and not one.failure_count and not one.signal
    return is_free and schedule.follows_belief(one.next_run_reason)
