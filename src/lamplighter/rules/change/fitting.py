"""Which prior suits these sources? Some collections differ widely, others hardly: no shape of a prior suits all.

The visits of a cohort are replayed under several shapes, and with felt hours or plain ones (see `recency`); the choice
that predicted best holds. Everything is worked on as arrays, one row per source.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from lamplighter.rules.change import beliefs
from lamplighter.rules.change.activity import Bools, Floats, Ints, log_likelihood, sums
from lamplighter.rules.change.belief import LEAST_HOURS, MOST_HOURS
from lamplighter.rules.change.learning import ALARM, LEFT_AFTER_ALARM, SHIFT
from lamplighter.rules.change.priors import BASELINE_WEIGHT, COHORT_WEIGHT, PRIOR_SHAPE, Fit
from lamplighter.rules.change.recency import UNKNOWN_AGE, felt_since

#: sources whose visits are replayed to choose; more would not change the choice
MOST_SOURCES = 2_500
#: the first is the usual one: it holds where nothing was seen
CHOICES = tuple(Fit(shape, is_felt) for shape, is_felt in product((PRIOR_SHAPE, 0.15, 4.0, 40.0), (True, False)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Visits:
    """Visits to sources, numbered from 0, each source's in order; every array has one row per visit."""

    source: Ints
    #: since the visit before
    hours: Floats
    is_changed: Bools
    #: mean activity of the host in these hours
    activity: Floats

    def only(self, rows: Ints | Bools) -> "Visits":
        """Some of them."""
        return Visits(
            source=self.source[rows],
            hours=self.hours[rows],
            is_changed=self.is_changed[rows],
            activity=self.activity[rows],
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TaughtBeliefs:
    """What visits taught about each source."""

    a: Floats
    b: Floats
    #: evidence that it changes far more often, and far less often, than believed
    rise: Floats
    fall: Floats

    def of(self, who: Ints) -> "TaughtBeliefs":
        """Those of some sources."""
        return TaughtBeliefs(a=self.a[who], b=self.b[who], rise=self.rise[who], fall=self.fall[who])

    def put(self, who: Ints, lessons: "TaughtBeliefs") -> None:
        """Replaces those of some sources."""
        self.a[who], self.b[who], self.rise[who], self.fall[who] = lessons.a, lessons.b, lessons.rise, lessons.fall


def begun(shape: Floats, prior_hours: Floats) -> TaughtBeliefs:
    """Before the second visit."""
    return TaughtBeliefs(a=shape.copy(), b=prior_hours.copy(), rise=np.zeros(len(shape)), fall=np.zeros(len(shape)))


def felt(fit: Fit, age: Floats, hours: Floats) -> Floats:
    """Hours as the beliefs count them."""
    return felt_since(age, hours) if fit.is_felt else hours


def after(known: TaughtBeliefs, *, shape: Floats, hours: Floats, is_changed: Bools) -> TaughtBeliefs:
    """What is known after one visit to each source; hours as the beliefs count them, the shapes are the priors'."""
    a, b, rise, fall = _after_alarm(known, hours, is_changed)
    changed, unchanged = beliefs.changed(a, b, hours), beliefs.unchanged(a, b, hours)
    a, b = (np.where(is_changed, *both) for both in zip(changed, unchanged, strict=True))
    a, b = beliefs.capped(a, b, shape)
    return TaughtBeliefs(a=a, b=b, rise=rise, fall=fall)


def _after_alarm(known: TaughtBeliefs, hours: Floats, is_changed: Bools) -> tuple[Floats, Floats, Floats, Floats]:
    """The beliefs, lightened where a visit completes the evidence that a rate has shifted."""
    a, b = known.a, known.b
    rise = np.maximum(0.0, known.rise + _leaning(a, b, hours, is_changed, SHIFT))
    fall = np.maximum(0.0, known.fall + _leaning(a, b, hours, is_changed, 1 / SHIFT))
    is_alarm = np.maximum(rise, fall) >= ALARM
    scale = np.where(is_alarm, np.minimum(1.0, LEFT_AFTER_ALARM / a), 1.0)
    return a * scale, b * scale, np.where(is_alarm, 0.0, rise), np.where(is_alarm, 0.0, fall)


def _leaning(a: Floats, b: Floats, hours: Floats, is_changed: Bools, factor: float) -> Floats:
    """How far visits are evidence for rates `factor` times as high: logarithms of likelihood ratios."""
    usual, other = np.log1p(hours / b), np.log1p(factor * hours / b)
    likely = -np.expm1(-a * usual)
    ratio = np.divide(-np.expm1(-a * other), likely, out=np.full(len(a), factor), where=likely > 0)
    leaning: Floats = np.where(is_changed, np.log(ratio), a * (usual - other))
    return leaning


def prior_hours(*, fit: Fit, gap: Floats, changes: Floats, hours: Floats, host: Ints) -> Floats:
    """The hours of each source's prior, from what all other sources were seen to do.

    `gap`: hours between two changes, before anything was seen. The other hours are as the beliefs count them.
    """
    baseline_rate = 1 / felt(fit, np.zeros(len(gap)), gap)
    rate = _pulled(changes.sum() - changes, hours.sum() - hours, towards=baseline_rate, weight=BASELINE_WEIGHT)
    host_changes, host_hours = (np.bincount(host, each)[host] for each in (changes, hours))
    rate = _pulled(host_changes - changes, host_hours - hours, towards=rate, weight=COHORT_WEIGHT)
    return np.clip(fit.shape / rate, LEAST_HOURS, MOST_HOURS)


def _pulled(changes: Floats, hours: Floats, *, towards: Floats | float, weight: float) -> Floats:
    known = np.maximum(hours, 0.0)
    # The differences of sums may fall below zero by rounding.
    return np.where(known > 0, np.maximum(changes, 0.0) + weight, weight) / (known + weight / towards)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Replayed:
    """The outcome of a replay under one choice."""

    fit: Fit
    lessons: TaughtBeliefs
    prior_hours: Floats
    #: changes seen of each source, and hours observed as the beliefs count them
    changes: Floats
    watched: Floats
    log_likelihood: float


def replayed(visits: Visits, fits: Sequence[Fit], *, gap: Floats, host: Ints) -> list[Replayed]:
    """What visits would have taught under each choice, and how well it predicted them.

    `gap` (hours between two changes before anything was seen) and `host` have one row per source. All choices are
    replayed at once, as if each had sources of its own.
    """
    count, turns = len(host), _turns(visits.source)
    ages = _ages(visits, turns, count)
    counted = np.stack([felt(fit, ages, visits.hours) * visits.activity for fit in fits])
    changes = sums(visits.source, visits.is_changed, count)
    watched = [sums(visits.source, hours, count) for hours in counted]
    priors = [
        prior_hours(fit=fit, gap=gap, changes=changes, hours=hours, host=host)
        for fit, hours in zip(fits, watched, strict=True)
    ]
    shape = np.repeat([fit.shape for fit in fits], count)
    lessons, likely = begun(shape, np.concatenate(priors)), np.zeros(len(fits))
    first = np.arange(len(fits))[:, None] * count
    for rows in turns:
        who = (first + visits.source[rows]).ravel()
        known, hours, is_changed = (
            lessons.of(who),
            counted[:, rows].ravel(),
            np.tile(visits.is_changed[rows], len(fits)),
        )
        likely += log_likelihood(known.a, known.b, hours, is_changed).reshape(len(fits), -1).sum(axis=1)
        lessons.put(who, after(known, shape=shape[who], hours=hours, is_changed=is_changed))
    return [
        Replayed(
            fit=fit,
            lessons=lessons.of(number * count + np.arange(count)),
            prior_hours=priors[number],
            changes=changes,
            watched=watched[number],
            log_likelihood=float(likely[number]),
        )
        for number, fit in enumerate(fits)
    ]


def _turns(source: Ints) -> list[Ints]:
    """The rows of each source's first visit, then those of each one's second, and so on."""
    if not len(source):
        return []
    order = np.argsort(source, kind="stable")
    counts = np.bincount(source)
    turn = np.arange(len(source)) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.split(order[np.argsort(turn, kind="stable")], np.cumsum(np.bincount(turn))[:-1])


def _ages(visits: Visits, turns: Sequence[Ints], count: int) -> Floats:
    """Hours from the last change to the beginning of each visit's hours."""
    age, found = np.full(count, UNKNOWN_AGE), np.empty(len(visits.source))
    for rows in turns:
        who = visits.source[rows]
        found[rows] = age[who]
        age[who] = np.where(visits.is_changed[rows], visits.hours[rows] / 2, age[who] + visits.hours[rows])
    return found


def fitted(visits: Visits, *, gap: Floats, host: Ints) -> Fit:
    """The choice under which the visits were predicted best."""
    return max(replayed(visits, CHOICES, gap=gap, host=host), key=lambda one: one.log_likelihood).fit
