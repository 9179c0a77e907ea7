"""When is a host busy? One edit of a site changes many of its pages within minutes, and the visits to some tell of all.

The activity of a host is a factor on the change rates of its sources, by time: 1 is usual. It is found from visits
that say no more than "changed since the visit before" or "not changed": by expectation maximisation, from 1 everywhere.
All times are hours since any moment. Hosts are numbered from 0; all are worked on at once.
"""

from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

#: steps of the expectation maximisation; more hardly move anything
STEPS = 6
#: changes, and expected changes, by which every bin is pulled towards 1
PULL = 0.1
#: an epoch is this part of the mean interval between two visits of a source, within these hours
EPOCHS_PER_INTERVAL = 12.0
LEAST_EPOCH, MOST_EPOCH = 1.0, 6.0
BINS_PER_EPOCH = 2
#: mean intervals back to which activity is known
LOOK_BACK = 3.0
#: log-likelihood by which predictions with the activity must beat those without, before it is used
LEAST_GAIN = 2.0
#: no more of it is remembered, for or against: a host that behaves differently is noticed
MOST_GAIN = 20.0
#: times a host's mean fetches per epoch that it gets at most while it is busy
BURST = 4.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HostVisits:
    """Visits of sources of some hosts; every array has one row per visit."""

    host: Ints
    #: the visit before, and this one
    start: Floats
    end: Floats
    is_changed: Bools
    #: expected changes per hour, as believed of the source
    rate: Floats

    def only(self, rows: Bools) -> "HostVisits":
        """Some of them."""
        return HostVisits(**{part.name: getattr(self, part.name)[rows] for part in fields(self)})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Activity:
    """The activity of hosts in bins of equal length; 1 before and after them."""

    began: float
    bin_hours: float
    #: one row per host, one column per bin
    level: Floats

    def between(self, host: Ints, start: Floats, end: Floats) -> "Busyness":
        """What is known of the time between two moments."""
        until = _integral(self.level, self.bin_hours)
        places = [_Place.of(moment - self.began, self) for moment in (start, end)]
        first, last = (place.integral(until, self.level, host) for place in places)
        hours = end - start
        # The integral of the integral: hours from each moment to the end, times the activity then.
        twice = _integral(until + self.level * (self.bin_hours / 2), self.bin_hours)
        early, late = (place.twice(twice, until, self.level, host) for place in places)
        passed = last - first
        mean = np.divide(passed, hours, out=np.ones(len(hours)), where=hours > 0)
        weighed = 2 * (late - early - first * hours)
        return Busyness(mean, np.divide(weighed, passed * hours, out=np.ones(len(hours)), where=passed * hours > 0))


class Busyness(NamedTuple):
    """How busy hosts were between two moments each."""

    #: mean activity; 1 where no time passes
    mean: Floats
    #: hours from a change to the end, over those of a host that is always equally busy: below 1 after a late edit
    lag: Floats


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """Moments as bins, and hours into them; and hours before the first and after the last bin."""

    bin: Ints
    into: Floats
    beyond: Floats

    @classmethod
    def of(cls, hours: Floats, activity: Activity) -> "_Place":
        bins = activity.level.shape[1]
        inside = np.clip(hours, 0.0, bins * activity.bin_hours)
        number = np.minimum((inside / activity.bin_hours).astype(np.int64), bins - 1)
        return cls(number, inside - number * activity.bin_hours, hours - inside)

    def integral(self, until: Floats, level: Floats, host: Ints) -> Floats:
        """The activity from the first bin to here; below zero before it."""
        return until[host, self.bin] + self.into * level[host, self.bin] + self.beyond

    def twice(self, twice: Floats, until: Floats, level: Floats, host: Ints) -> Floats:
        """The integral of that integral."""
        at_edge = until[host, self.bin] + self.into * level[host, self.bin]
        inside = twice[host, self.bin] + self.into * (until[host, self.bin] + self.into * level[host, self.bin] / 2)
        return inside + self.beyond * (at_edge + self.beyond / 2)


def epoch_hours(mean_hours: float) -> float:
    """How often the activity is looked at, for sources that are visited about every so many hours."""
    return min(max(mean_hours / EPOCHS_PER_INTERVAL, LEAST_EPOCH), MOST_EPOCH)


def activity(visits: HostVisits, *, hosts: int, began: float, until: float, bin_hours: float) -> Activity:
    """The activity of hosts from one moment to another."""
    bins = max(1, int(np.ceil((until - began) / bin_hours)))
    found = Activity(began=began, bin_hours=bin_hours, level=np.ones((hosts, bins)))
    first, last = (_Place.of(moment - began, found) for moment in (visits.start, visits.end))
    is_changed, host = visits.is_changed, visits.host

    def spread(weight: Floats) -> Floats:
        """Weights times hours in each bin, summed over visits."""
        return _from(first, weight, host, found) - _from(last, weight, host, found)

    expected = spread(visits.rate) + PULL
    level = found.level
    for _ in range(STEPS):
        until_bin = _integral(level, bin_hours)
        passed = last.integral(until_bin, level, host) - first.integral(until_bin, level, host)
        likely = -np.expm1(-visits.rate * passed)
        share = np.divide(visits.rate, likely, out=np.zeros(len(likely)), where=is_changed & (likely > 0))
        level = np.maximum((level * spread(share) + PULL) / expected, 0.0).astype(np.float64)
    return Activity(began=began, bin_hours=bin_hours, level=level)


def _from(place: _Place, weight: Floats, host: Ints, shape: Activity) -> Floats:
    """Weights times hours in each bin, from a moment to the end."""
    hosts, bins = shape.level.shape
    at = host * bins + place.bin
    size = hosts * bins
    whole = sums(at, weight, size).reshape(hosts, bins)
    part = sums(at, weight * place.into, size).reshape(hosts, bins)
    return np.cumsum(whole, axis=1) * shape.bin_hours - part


def _integral(level: Floats, bin_hours: float) -> Floats:
    """The activity from the first bin to the start of each."""
    summed: Floats = (np.cumsum(level, axis=1) - level) * bin_hours
    return summed


def signal(a: Floats, b: Floats, *, felt: Floats, mean: Floats) -> Floats:
    """The probability that a source has changed since its last visit because its host was busier than usual."""
    return -np.expm1(-a * np.log1p(felt * np.maximum(mean - 1.0, 0.0) / b))


def room(*, usual: Floats, planned: Floats, polite: Floats | float = np.inf) -> Floats:
    """Fetches that may come forward on each host in an epoch, beside those that are planned in it.

    `usual` are a host's mean fetches in an epoch, `polite` as many as it can serve politely.
    """
    return np.minimum(BURST * usual, polite) - planned


def brought_forward(signal: Floats, is_worth: Bools, cost: Floats, *, host: Ints, room: Floats) -> Ints:
    """The sources whose visits come forward: those worth it, the strongest first, within each host's fetches."""
    wanted = np.flatnonzero(is_worth)
    by_host = wanted[np.lexsort((-signal[wanted], host[wanted]))]
    spent, place = np.cumsum(cost[by_host]), host[by_host]
    is_first = np.diff(place, prepend=-1) != 0
    before = np.maximum.accumulate(np.where(is_first, spent - cost[by_host], 0.0))
    chosen = by_host[spent - before <= room[place]]
    return chosen[np.argsort(-signal[chosen], kind="stable")]


def sums(place: Ints, values: Floats | Bools, count: int) -> Floats:
    """The sums of values by their place."""
    return np.bincount(place, values, count).astype(np.float64)


def gained(before: Floats, more: Floats) -> Floats:
    """The log-likelihood by which predictions with the activity are ahead, after more visits."""
    return np.clip(before + more, -MOST_GAIN, MOST_GAIN)


def log_likelihood(a: Floats, b: Floats, hours: Floats, is_changed: Bools) -> Floats:
    """How well beliefs predicted what visits found."""
    expected = -a * np.log1p(hours / b)
    with np.errstate(divide="ignore"):
        return np.where(is_changed, np.log(np.maximum(-np.expm1(expected), 1e-12)), expected)
