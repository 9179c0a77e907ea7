"""How busy a host is, and which of its sources are worth a visit now: the arithmetic over siblings, as arrays."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

import numpy as np

from lamplighter.crawl.planning.known_activity import HOUR, known_activity
from lamplighter.model.crawl import JobState
from lamplighter.rules.change import activity, beliefs, recency
from lamplighter.rules.change.activity import Bools, Floats, HostVisits, Ints
from lamplighter.rules.schedule import schedule
from lamplighter.rules.schedule.policies.learned import weight
from lamplighter.store.hosts.host_activity import CrowdedHost, Sibling, SourceVisit, StoredActivity


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Moment:
    """A host at one look; hours count back from `now`."""

    host: CrowdedHost
    now: datetime
    #: hours between two visits of a source, and between two looks
    mean_hours: float
    epoch: float
    siblings: Sequence[Sibling]
    visits: Sequence[SourceVisit]
    before: StoredActivity | None

    def hours(self, moment: datetime) -> float:
        """Hours from `now` to a moment; below zero before it."""
        return (moment - self.now) / HOUR


def found_at(moment: Moment) -> StoredActivity:
    """The host's activity in the last mean intervals, and how well the one known before predicted."""
    visits, at = _visits(moment)
    look_back = activity.LOOK_BACK * moment.mean_hours
    bin_hours = moment.epoch / activity.BINS_PER_EPOCH
    recent = visits.only(visits.end > -look_back)
    curve = activity.activity(recent, hosts=1, began=-look_back, until=0.0, bin_hours=bin_hours)
    return StoredActivity(
        host_id=moment.host.id,
        looked_at=moment.now,
        began_at=moment.now - timedelta(hours=look_back),
        bin_seconds=3600 * bin_hours,
        levels=[round(float(level), 4) for level in curve.level[0]],
        gain=_gain(moment, visits, at),
    )


def _gain(moment: Moment, visits: HostVisits, at: Ints) -> float:
    """By how much the activity is ahead, after the visits since the last look."""
    if moment.before is None:
        return 0.0
    known = known_activity(moment.before)
    is_new = visits.end > moment.hours(moment.before.looked_at)
    shift = moment.hours(known.began_at)
    start, end, is_changed = visits.start[is_new], visits.end[is_new], visits.is_changed[is_new]
    a = np.array([moment.siblings[row].belief_a for row in at[is_new]])
    hours = a / np.maximum(visits.rate[is_new], 1e-12)  # such that the rate is that of plain hours
    with_it = activity.log_likelihood(a, hours, (end - start) * known.means(start - shift, end - shift), is_changed)
    without = activity.log_likelihood(a, hours, end - start, is_changed)
    return float(activity.gained(np.array([moment.before.gain]), np.array([(with_it - without).sum()]))[0])


def _visits(moment: Moment) -> tuple[HostVisits, Ints]:
    """The visits of siblings with the visit before each, and the siblings' rows."""
    rows = {sibling.source_id: row for row, sibling in enumerate(moment.siblings)}
    pairs = [
        (rows[after.source_id], moment.hours(before.at), moment.hours(after.at), after.has_changed)
        for before, after in pairwise(moment.visits)
        if before.source_id == after.source_id and after.source_id in rows
    ]
    at = np.array([pair[0] for pair in pairs], dtype=np.int64)
    visits = HostVisits(
        host=np.zeros(len(pairs), dtype=np.int64),
        start=np.array([pair[1] for pair in pairs], dtype=np.float64),
        end=np.array([pair[2] for pair in pairs], dtype=np.float64),
        is_changed=np.array([pair[3] for pair in pairs], dtype=bool),
        rate=_rates(moment)[at],
    )
    return visits, at


def _rates(moment: Moment) -> Floats:
    """Changes per hour, as believed of each sibling."""
    a, b, age, _ = _beliefs(moment)
    pace = np.where(np.isnan(age), 1.0, recency.pace(age))
    rate: Floats = a / b * pace
    return rate


def _beliefs(moment: Moment) -> tuple[Floats, Floats, Floats, Floats]:
    """Of each sibling: the belief, hours from the last change to the last visit, and from there to now."""
    a, b = (
        np.array([getattr(one, name) for one in moment.siblings], dtype=np.float64) for name in ("belief_a", "belief_b")
    )
    age = np.array([_age(one) for one in moment.siblings], dtype=np.float64)
    since = np.array(
        [-moment.hours(one.visited_at) if one.visited_at else 0.0 for one in moment.siblings], dtype=np.float64
    )
    return a, b, age, np.maximum(since, 0.0)


def _age(one: Sibling) -> float:
    """Not a number where hours are not felt."""
    if not one.is_felt:
        return float("nan")
    if one.visited_at is None or one.changed_at is None:
        return recency.UNKNOWN_AGE
    return max(0.0, (one.visited_at - one.changed_at) / HOUR)


def chosen(
    moment: Moment, found: StoredActivity, *, price: float | None, polite_per_hour: float
) -> list[tuple[Sibling, float]]:
    """The siblings whose visits come forward into this epoch, with the probability that they have changed."""
    known = known_activity(found)
    if not known.is_used or price is None or not moment.siblings:
        return []
    a, b, age, since = _beliefs(moment)
    felt = np.where(np.isnan(age), since, recency.felt_since(np.nan_to_num(age), since))
    now = moment.hours(moment.now) - moment.hours(known.began_at)
    signal = activity.signal(a, b, felt=felt, mean=known.means(now - since, np.full(len(since), now)))
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
