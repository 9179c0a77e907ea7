"""The learned policy for many sources at once: the service's own rules, on arrays.

Everything that `learned` does differently from the simple rhythms is here: what a visit teaches, what neighbours
teach, what an announcement is worth, and when the next visit is. It sees what a crawler would see, and nothing else.
It is replayed step by step in time, because one price connects all sources.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lamplighter.rules.change import activity, beliefs, fitting, learning, pricing, promises, recency
from lamplighter.rules.change.belief import LEAST_HOURS, MOST_HOURS
from lamplighter.rules.change.fitting import Visits
from lamplighter.rules.change.priors import GAP_IN_INTERVALS, HALF_FOLLOWED, USUAL, Fit
from lamplighter.rules.change.promises import SeenHours
from lamplighter.rules.change.recency import UNKNOWN_AGE
from lamplighter.rules.schedule.reasons import TELLING_VISITS
from lamplighter.rules.schedule.schedule import JITTER
from lamplighter.simulation.promises import Promises
from lamplighter.simulation.replay import ReplayOutcome, ReplayScore
from lamplighter.simulation.siblings import Siblings
from lamplighter.simulation.trace import Floats, Ints, Trace

Bools = NDArray[np.bool_]

#: hours between two visits, the service's defaults
LEAST_WAIT: Final = 1 / 60
MOST_WAIT: Final = 30 * 24.0
#: in mean intervals: the upper bound when the budget is too small to keep the bound above
_MOST_MEANS: Final = 10.0
#: how far an announcement is trusted before any was checked, and how many checks that is worth
_FIRST_PRECISION: Final = 0.8
_FIRST_CHECKS: Final = 5.0
#: sources by which the price is found; more would not change it
_PRICED_BY: Final = 2_500
#: hours between two updates of the priors, and between two prices
_DAY: Final = 24.0
_PRICED_EVERY: Final = 6.0
#: days by which the age of a trace grows from one choice of the prior to the next
_FIT_GROWTH: Final = 1.25


class Learner:
    """What is known of each source, as a crawler learns it; hours count from the start of the trace."""

    def __init__(
        self, *, host: Ints, weight: Floats, mean_hours: float, rng: np.random.Generator, born: Floats | None = None
    ) -> None:
        count = len(host)
        self._host, self._weight, self._rng = host, weight, rng
        self._most_wait = max(MOST_WAIT, _MOST_MEANS * mean_hours)
        self._gap = np.full(count, GAP_IN_INTERVALS * mean_hours)
        self.fit = USUAL
        self._prior_b = self.fit.shape * fitting.felt(self.fit, np.zeros(count), self._gap)
        self._known = fitting.begun(np.full(count, self.fit.shape), self._prior_b)
        #: hours from the last change to the last visit
        self._age = np.full(count, UNKNOWN_AGE)
        self._signal = np.zeros(count)
        self._visited = np.zeros(count) if born is None else born.copy()
        #: felt hours observed
        self._watched = np.zeros(count)
        self._visits, self._found = np.ones(count, dtype=np.int64), np.zeros(count)
        self._checked, self._confirmed = _FIRST_CHECKS, _FIRST_CHECKS * _FIRST_PRECISION
        self._sample = np.sort(rng.permutation(count)[:_PRICED_BY])
        self.siblings = Siblings(host=host, mean_hours=mean_hours)
        #: columns of all visits: source, when the one before was, when, whether it changed
        self._log: list[tuple[Ints, Floats, Floats, Bools]] = []
        #: hosts whose activity the beliefs were learned with
        self._busy_hosts = self.siblings.is_used
        #: of the last month, decaying: hours watched, stale hours expected, stale hours there were
        self._month = np.zeros((3, count))
        #: of all sources: what the month's figures were at the last price, and what was seen in the last days
        self._month_before, self._recent = SeenHours(), SeenHours()
        self._priced_at = 0.0
        #: how much staler all sources were than is believed now
        self._pooled = 1.0
        #: staleness believed when the next visit was planned; not a number before the first promise
        self._believed = np.full(count, np.nan)
        self.price = 0.0

    def visit(self, who: Ints, at: Floats, is_changed: Bools) -> None:
        """Learns from visits, each source's at its own time."""
        start = self._visited[who]
        since = at - start
        known = self._known.of(who)
        busy, lag = self.siblings.between(who, start, at)
        self._remember(who, since, is_changed, lag)
        hours = fitting.felt(self.fit, self._age[who], since)
        self.siblings.judge(who, known.a, known.b, hours, start, at, is_changed)
        shape = np.full(len(who), self.fit.shape)
        self._known.put(who, fitting.after(known, shape=shape, hours=hours * busy, is_changed=is_changed))
        self._age[who] = np.where(is_changed, since / 2, self._age[who] + since)
        self._log.append((who, start, at, is_changed))
        was_announced = self._signal[who] > 0
        self._checked += was_announced.sum()
        self._confirmed += (was_announced & is_changed).sum()
        self._signal[who] = 0.0
        self._visited[who] = at
        self._watched[who] += hours * busy
        self._visits[who] += 1
        self._found[who] += is_changed

    def announce(self, who: Ints) -> None:
        """Raises the signal of sources that were announced to have changed, by how often that was true so far."""
        self._signal[who] = 1 - (1 - self._signal[who]) * (1 - self._confirmed / self._checked)

    def refit(self) -> bool:
        """Chooses the prior that would have predicted best; replays all visits, and is true, if anything is new."""
        if not self._log:
            return False
        who, start, end, is_changed = (np.concatenate(column) for column in zip(*self._log, strict=True))
        busy = self.siblings.throughout(who, start, end, is_changed, self._rate())
        visits = Visits(source=who, hours=end - start, is_changed=is_changed, activity=busy)
        chosen = self._chosen(visits)
        if chosen == self.fit and np.array_equal(self.siblings.is_used, self._busy_hosts):
            return False
        self._busy_hosts = self.siblings.is_used
        again = fitting.replayed(visits, [chosen], gap=self._gap, host=self._host)[0]
        self.fit, self._known, self._prior_b, self._watched = chosen, again.lessons, again.prior_hours, again.watched
        return True

    def _chosen(self, visits: Visits) -> Fit:
        if len(self._host) <= fitting.MOST_SOURCES:
            return fitting.fitted(visits, gap=self._gap, host=self._host)
        few = self._sample[: fitting.MOST_SOURCES]
        place = np.full(len(self._host), -1)
        place[few] = np.arange(len(few))
        some = visits.only(place[visits.source] >= 0)
        return fitting.fitted(replace(some, source=place[some.source]), gap=self._gap[few], host=self._host[few])

    def ask_neighbours(self) -> None:
        """Recomputes the priors from all that was seen, and moves the beliefs that still depend on them."""
        after = fitting.prior_hours(
            fit=self.fit,
            gap=self._gap,
            changes=self._found,
            hours=self._watched,
            host=self._host,
        )
        known = self._known
        b = moved_hours(known.a, known.b, shape=self.fit.shape, before=self._prior_b, after=after, visits=self._visits)
        self._known, self._prior_b = replace(known, b=b), after

    def reprice(self, now: float, *, fetches_per_hour: float) -> None:
        """Finds the price at which all sources together would take so many fetches."""
        rows = self._sample
        ones = np.ones(len(rows))
        demand = pricing.VisitDemand(
            a=self._known.a[rows],
            b=self._known.b[rows],
            weight=self._weight[rows],
            signal=np.zeros(len(rows)),
            age=self._ages(rows),
            cost=ones,
            least=ones * LEAST_WAIT,
            most=ones * self._most_wait,
            host=np.zeros(len(rows), dtype=np.int64),
        )
        priced = pricing.solve(demand, budget_per_hour=fetches_per_hour * len(rows) / len(self._host))
        self.price = priced.price
        self._compare(now, believed=priced.staleness, rows=rows)

    def _compare(self, now: float, *, believed: Floats, rows: Ints) -> None:
        """Compares what was seen of all sources with what is believed of some of them."""
        watched, _, stale = self._month
        month = SeenHours(float(watched.sum()), float(stale.sum()))
        hours = now - self._priced_at
        self._recent = promises.recent(self._recent, month_before=self._month_before, month=month, hours=hours)
        self._month_before, self._priced_at = month, now
        self._pooled = promises.correction(
            self._recent, believed=promises.mean_share(believed, watched[rows]), watched_each=float(watched.mean())
        )

    def is_worth_a_visit(self, who: Ints, at: float, signal: Floats) -> Bools:
        """Whether the stale time expected by then meets the price."""
        a, b, hours = self._known.a[who], self._known.b[who], at - self._visited[who]
        stale = beliefs.stale_hours(a, b, hours, signal=signal, age=self._ages(who))
        return self._weight[who] * stale >= self.price

    def next_visit(self, who: Ints, *, part: Floats | float = 1.0) -> Floats:
        """When the next visit of each source is due, or such a part of the wait for it is over."""
        return self._visited[who] + part * beliefs.wait_hours(
            self._known.a[who],
            self._known.b[who],
            price=self.price,
            weight=self._weight[who],
            signal=self._signal[who],
            age=self._ages(who),
            least=LEAST_WAIT,
            most=self._most_wait,
        )

    def jitter(self, count: int) -> Floats:
        """Parts of a wait, a little above or below 1, so that sources do not fall into step."""
        return 1 + JITTER * self._rng.uniform(-1.0, 1.0, count)

    def look_around(self, now: float) -> Floats:
        """The probability that each source has changed because its host was busy since its last visit."""
        everyone = np.arange(len(self._host))
        self.siblings.look(now, self._rate())
        hours = fitting.felt(self.fit, self._age, np.maximum(now - self._visited, 0.0))
        mean = self.siblings.between(everyone, self._visited, np.maximum(now, self._visited)).mean
        return activity.signal(self._known.a, self._known.b, felt=hours, mean=mean)

    def promise(self, who: Ints, due: Floats) -> Floats:
        """The share of the time until then that copies are expected to be stale; not a number while little is known."""
        hours = due - self._visited[who]
        stale = beliefs.stale_hours(self._known.a[who], self._known.b[who], hours, age=self._ages(who))
        share = np.divide(stale, hours, out=np.zeros(len(hours)), where=hours > 0)
        self._believed[who] = share
        _, expected, seen = self._month[:, who]
        share = np.minimum(1.0, share * beliefs.corrections(expected, seen, pooled=self._pooled))
        return np.where(self._visits[who] > TELLING_VISITS, share, np.nan)

    def _remember(self, who: Ints, hours: Floats, is_changed: Bools, lag: Floats) -> None:
        """The month's figures with these visits added: what the beliefs expected, and what is known now."""
        a, b, age = self._known.a[who], self._known.b[who], self._ages(who)
        believed = self._believed[who]
        expected = np.where(np.isnan(believed), beliefs.stale_hours(a, b, hours, age=age), believed * hours)
        seen = np.where(is_changed, lag * beliefs.stale_hours_if_changed(a, b, hours, age=age), 0.0)
        self._month[:, who] = np.exp(-hours / learning.MONTH) * self._month[:, who] + (hours, expected, seen)

    def _rate(self) -> Floats:
        """Changes per hour, as believed of each source."""
        pace = recency.pace(self._age) if self.fit.is_felt else 1.0
        rate: Floats = self._known.a / self._known.b * pace
        return rate

    def _ages(self, who: Ints) -> Floats:
        """Not a number where hours are not felt."""
        return self._age[who] if self.fit.is_felt else np.full(len(who), np.nan)


def moved_hours(a: Floats, b: Floats, *, shape: float, before: Floats, after: Floats, visits: Ints) -> Floats:
    """The hours of beliefs after the hours of their priors have changed."""
    fading = 1 / (1 + np.maximum(0, visits - 1) / HALF_FOLLOWED)
    share = np.minimum(1.0, before / b) * np.minimum(1.0, shape / a) * fading
    return np.clip(b * (1 - share + share * after / before), LEAST_HOURS, MOST_HOURS)


def replay_learned(
    trace: Trace, *, fetches: float, phase: Floats, rng: np.random.Generator, on_progress: Callable[[float], None]
) -> ReplayOutcome:
    """Spends so many fetches on the trace; `on_progress` is called with the share of it that has passed."""
    mean_hours = 24 * trace.source_days / fetches
    learner = Learner(host=trace.host, weight=trace.weight, mean_hours=mean_hours, rng=rng, born=trace.born)
    sources = np.bincount(trace.host).astype(np.float64)
    rounds = _Rounds(trace, learner, usual=(learner.siblings.epoch / mean_hours) * sources)
    # The first copies are no part of any interval.
    first_copies = rounds.book.spent
    per_source = (fetches - first_copies) / (24 * trace.source_days)
    now = asked_at = priced_at = 0.0
    fitted_at, is_new = _DAY, False
    while now < trace.hours:
        if now >= fitted_at:
            is_new = learner.refit()
            fitted_at = max(now + _DAY, now * _FIT_GROWTH)
        if now >= asked_at:
            learner.ask_neighbours()
            asked_at = now + _DAY
        if now >= priced_at:
            lived = float((np.clip(now, trace.born, trace.died) - trace.born).sum())
            owed = per_source * lived - (rounds.book.spent - first_copies)
            within = min(trace.hours - now, pricing.made_up_within(mean_hours))
            learner.reprice(now, fetches_per_hour=pricing.paced(per_source * len(trace), owed=owed, within=within))
            priced_at = now + _PRICED_EVERY
        if is_new:
            rounds.plan_again(now)
            is_new = False
        if now == 0:
            rounds.plan_all(phase)
        until = min(now + learner.siblings.epoch, trace.hours)
        rounds.bring_forward(now, until)
        now = until
        rounds.make(until=now)
        on_progress(now / trace.hours)
    return rounds.closed()


class _Rounds:
    """The planned visits of all sources, and their execution."""

    def __init__(self, trace: Trace, learner: Learner, *, usual: Floats) -> None:
        self.book = ReplayScore(trace)
        self._learner = learner
        #: mean fetches of each host in an epoch
        self._usual = usual
        self._host = trace.host
        self._promises = Promises(len(trace))
        self._due = np.zeros(len(trace))
        #: of its wait after which each is visited
        self._part = np.ones(len(trace))
        self._born, self._died = trace.born, trace.died
        self._told_at = np.append(trace.announcements.at, np.inf)
        self._told_end = trace.announcements.first[1:]
        self._told = trace.announcements.first[:-1].copy()

    def plan_all(self, phase: Floats) -> None:
        """Plans the first visits, spread out."""
        self._part = phase.copy()
        self._plan(np.arange(len(self._due)))

    def plan_again(self, now: float) -> None:
        """Plans visits anew that were planned by beliefs which have since been replaced, but not into the past."""
        coming = np.flatnonzero(np.isfinite(self._due))
        self._plan(coming, earliest=now)
        self._promises.settle(coming, np.full(len(coming), now), self.book.change_after(coming))
        self._promise(coming, np.full(len(coming), now))

    def _plan(self, who: Ints, *, earliest: float = 0.0) -> None:
        """Plans the next visits; each keeps its part of the wait, which is above 1 or below it by jitter."""
        self._due[who] = np.maximum(self._learner.next_visit(who, part=self._part[who]), earliest)
        self._bury(who)

    def bring_forward(self, now: float, until: float) -> None:
        """Visits sources whose siblings changed sooner than planned, the likeliest first, in a burst at most."""
        signal = self._learner.look_around(now)
        can = np.flatnonzero((signal > 0) & (self._due > until) & np.isfinite(self._due) & (self._born < now))
        if not len(can):
            return
        is_worth = self._learner.is_worth_a_visit(can, until, signal[can])
        planned = activity.sums(self._host, self._due <= until, len(self._usual))
        room, ones = activity.room(usual=self._usual, planned=planned), np.ones(len(can))
        chosen = can[activity.brought_forward(signal[can], is_worth, ones, host=self._host[can], room=room)]
        self._due[chosen] = now + (until - now) * (np.arange(len(chosen)) + 0.5) / max(len(chosen), 1)

    def make(self, *, until: float) -> None:
        """Executes everything that happens until then, source by source in order; all sources advance together."""
        who = np.flatnonzero(np.minimum(self._due, self._announced(np.arange(len(self._due)))) <= until)
        while len(who):
            told_at = self._announced(who)
            is_told = told_at < self._due[who]
            self._hear(who[is_told], told_at[is_told])
            self._visit(who[~is_told])
            who = who[np.minimum(self._due[who], self._announced(who)) <= until]

    def closed(self) -> ReplayOutcome:
        """The outcome at the end of the trace."""
        everyone = np.arange(len(self._due))
        self._promises.settle(everyone, self._died, self.book.change_after(everyone))
        return replace(self.book.closed(), promised=self._promises.promised, measured=self._promises.measured)

    def _announced(self, who: Ints) -> Floats:
        """When the next announcement comes; infinity when none does."""
        following = self._told[who]
        return np.where(following < self._told_end[who], self._told_at[following], np.inf)

    def _hear(self, who: Ints, at: Floats) -> None:
        """Moves a visit forward after an announcement, but not into the past."""
        self._told[who] += 1
        self._learner.announce(who)
        self._due[who] = np.minimum(self._due[who], np.maximum(self._learner.next_visit(who), at))

    def _visit(self, who: Ints) -> None:
        at = self._due[who]
        self.book.fetch(who, np.ones(len(who), dtype=np.int64))
        self._promises.settle(who, at, self.book.change_after(who))
        self._learner.visit(who, at, self.book.see(who, at) > 0)
        self._part[who] = self._learner.jitter(len(who))
        self._plan(who)
        self._promise(who, at)

    def _promise(self, who: Ints, at: Floats) -> None:
        self._promises.make(who, at, self._learner.promise(who, np.minimum(self._due[who], self._died[who])))

    def _bury(self, who: Ints) -> None:
        """Whoever is gone by then is not visited any more."""
        self._due[who] = np.where(self._due[who] <= self._died[who], self._due[who], np.inf)
