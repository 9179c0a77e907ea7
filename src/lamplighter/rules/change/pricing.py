"""The price of a run, in stale hours, at which all sources together spend the fetch budget.

Every source is visited when its expected stale time reaches the price, so a higher price means fewer fetches. A host
that would be fetched more than is polite gets a higher price of its own, and what it cannot use goes to the others.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from math import exp, inf, isfinite, log

import numpy as np
from numpy.typing import NDArray

from lamplighter.rules.change import belief
from lamplighter.rules.change.beliefs import Floats, stale_hours, wait_hours
from lamplighter.rules.change.crossing import TOLERANCE, SearchEnd, crossing
from lamplighter.rules.change.priors import baseline_prior
from lamplighter.rules.change.recency import UNKNOWN_AGE

Integers = NDArray[np.int64]

#: the belief of a row whose own belief is invalid
NEUTRAL = baseline_prior(timedelta(days=1))
#: hours: bounds of a row whose own are invalid
LEAST, MOST = 1 / 60, 366 * 24.0
#: any other number outside this range is corrupt
SOUND = (1e-9, 1e9)
#: no price is lower
TINY = 1e-300
#: hours, or mean intervals where they are longer: so long it takes to make up for what was saved, or made in advance
MADE_UP_WITHIN = 7 * 24.0
MADE_UP_WITHIN_INTERVALS = 7.0
#: by which factor that may speed up or slow down the others
MOST_HASTE = 1.5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VisitDemand:
    """The sources to be priced; every array has one row per source."""

    #: beliefs about changes per felt hour
    a: Floats
    b: Floats
    weight: Floats
    signal: Floats
    #: hours from the last change to the last visit; not a number where the belief is about plain hours
    age: Floats
    #: fetches per run, at least 1
    cost: Floats
    #: hours between two runs
    least: Floats
    most: Floats
    #: numbers that rows of one host share
    host: Integers


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Priced:
    """A price, and its consequences."""

    #: stale hours that a run is worth
    price: float
    #: host -> its own price, where it is fetched at its capacity
    host_prices: dict[int, float]
    #: hours between two runs of each source
    intervals: Floats
    #: fetches
    demand_per_hour: float
    #: share of the time that the copy of each source is expected to be stale, and of all, weighted
    staleness: Floats
    expected_staleness: float
    #: whether even the longest intervals cost more than the budget
    is_budget_too_small: bool
    #: what the longest intervals cost
    least_budget_per_hour: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetOutlook:
    """The expected staleness with another budget."""

    with_more: float
    with_less: float


def solve(demand: VisitDemand, *, budget_per_hour: float, host_capacity: Mapping[int, float] | None = None) -> Priced:
    """The price at which all runs together cost exactly the budget.

    Capacity is in fetches per hour; a host without one has no limit. The bounds of a source come before the budget, and
    before the capacity of its host.
    """
    demand = _repaired(demand)
    if demand.a.size == 0:
        return _without_sources()
    market = _market(demand, host_capacity or {})
    common = _common_price(market, budget_per_hour)
    own = _own_prices(market, common)
    intervals = market.intervals(own)
    staleness = _staleness(demand, intervals)
    least_budget = float(market.fewest.sum())
    return Priced(
        price=exp(common),
        host_prices={int(market.hosts[place]): exp(own[place]) for place in np.flatnonzero(own > common)},
        intervals=intervals,
        demand_per_hour=float((demand.cost / intervals).sum()),
        staleness=staleness,
        expected_staleness=float(np.average(staleness, weights=demand.weight)),
        is_budget_too_small=not budget_per_hour >= least_budget * (1 - TOLERANCE),
        least_budget_per_hour=least_budget,
    )


def more(
    demand: VisitDemand,
    *,
    budget_per_hour: float,
    host_capacity: Mapping[int, float] | None = None,
    factor: float = 1.2,
) -> BudgetOutlook:
    """What a budget larger by a factor, and one smaller by the same factor, would do to staleness."""
    with_more, with_less = (
        solve(demand, budget_per_hour=budget_per_hour * share, host_capacity=host_capacity).expected_staleness
        for share in (factor, 2 - factor)
    )
    return BudgetOutlook(with_more=with_more, with_less=with_less)


def baseline_budget(baseline_seconds: Floats, cost: Floats) -> float:
    """Fetches per hour if every source were visited at its baseline: the default budget."""
    is_sound = np.isfinite(baseline_seconds) & (baseline_seconds > 0)
    return float((_least_one(cost)[is_sound] * 3600 / baseline_seconds[is_sound]).sum())


def mean_interval(cost: Floats, budget: float) -> float:
    """Hours between two runs of a source on average, if this many fetches per hour are shared; infinite without any."""
    return float(_least_one(cost).sum()) / budget if budget > 0 else inf


def made_up_within(mean_hours: float) -> float:
    """Hours within which what is owed is made up for, where sources are visited about every so many hours.

    Where they are visited once a month, a burst in one week must not slow all of them down in the next.
    """
    return max(MADE_UP_WITHIN, MADE_UP_WITHIN_INTERVALS * mean_hours) if isfinite(mean_hours) else MADE_UP_WITHIN


def owed(before: float, *, used: float, budget: float, hours: float, within: float = MADE_UP_WITHIN) -> float:
    """Fetches that the budget paid for and that were not made, after more hours; below zero: made in advance.

    Runs fail, wait for windows, turn out larger than expected, or come forward in a burst. What cannot be made up for
    within these hours is forgotten.
    """
    most = (1 - 1 / MOST_HASTE) * budget * within
    left = before + budget * hours - used
    return min(max(left, -most), most) if isfinite(left) and isfinite(most) else 0.0


def paced(budget: float, *, owed: float, within: float = MADE_UP_WITHIN) -> float:
    """Fetches per hour to plan for, so that what is owed is made up for within so many hours."""
    wanted = budget + owed / within if isfinite(owed) else budget
    return min(max(wanted, budget / MOST_HASTE), budget * MOST_HASTE)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Market:
    """A demand grouped by host. Prices are logarithms from here on, one per host."""

    demand: VisitDemand
    #: of each row, the index of its host in the arrays below
    place: Integers
    hosts: Integers
    #: fetches per hour: the host's capacity, the cost of the longest intervals, the cost of the shortest
    capacity: Floats
    fewest: Floats
    most: Floats
    #: below the first, all sources have their shortest intervals; above the second, their longest
    cheapest: float
    dearest: float

    def intervals(self, prices: Floats) -> Floats:
        """Hours between two runs of each source."""
        return wait_hours(
            self.demand.a,
            self.demand.b,
            price=np.exp(prices)[self.place],
            weight=self.demand.weight,
            signal=self.demand.signal,
            age=self.demand.age,
            least=self.demand.least,
            most=self.demand.most,
        )

    def spending(self, prices: Floats) -> Floats:
        """Fetches per hour of each host."""
        return _sums(self.place, self.demand.cost / self.intervals(prices))


def _market(demand: VisitDemand, host_capacity: Mapping[int, float]) -> _Market:
    # Without any limit there is no need to separate hosts.
    hosts, place = np.unique(demand.host if host_capacity else np.zeros_like(demand.host), return_inverse=True)
    fewest, most = (_sums(place, demand.cost / hours) for hours in (demand.most, demand.least))
    limits = np.array([host_capacity.get(int(host), inf) for host in hosts])
    cheap, dear = (
        demand.weight * stale_hours(demand.a, demand.b, hours, signal=demand.signal, age=demand.age)
        for hours in (demand.least, demand.most)
    )
    return _Market(
        demand=demand,
        place=place,
        hosts=hosts,
        capacity=np.maximum(fewest, np.where(np.isnan(limits), inf, limits)),
        fewest=fewest,
        most=most,
        cheapest=log(max(float(cheap.min()), TINY)),
        dearest=log(max(float(dear.max()), TINY)),
    )


def _sums(place: Integers, fetches: Floats) -> Floats:
    """Fetches of each host."""
    return np.bincount(place, fetches).astype(np.float64)


def _common_price(market: _Market, budget: float) -> float:
    """The common price, where full hosts spend their capacity and the others what is left of the budget."""

    def spending(price: Floats) -> Floats:
        demand = market.spending(np.repeat(price, len(market.hosts)))
        return np.array([np.minimum(demand, market.capacity).sum()])

    cheap = SearchEnd(np.array([market.cheapest]), np.minimum(market.most, market.capacity).sum(keepdims=True))
    dear = SearchEnd(np.array([market.dearest]), market.fewest.sum(keepdims=True))
    target = np.clip(np.nan_to_num([budget]), dear.height, cheap.height)
    return float(crossing(spending, target, left=cheap, right=dear)[0])


def _own_prices(market: _Market, common: float) -> Floats:
    """The price of each host: its own where the common price would exceed its capacity."""
    prices = np.full(len(market.hosts), common)
    if np.isinf(market.capacity).all():
        return prices
    demand = market.spending(prices)
    is_full = demand > market.capacity * (1 + TOLERANCE)
    if not is_full.any():
        return prices
    crowd = _part(market, is_full)
    prices[is_full] = crossing(
        crowd.spending,
        crowd.capacity,
        left=SearchEnd(prices[is_full], demand[is_full]),
        right=SearchEnd(np.full(len(crowd.hosts), crowd.dearest), crowd.fewest),
    )
    return prices


def _part(market: _Market, is_in: NDArray[np.bool_]) -> _Market:
    """The market of some of the hosts."""
    rows = is_in[market.place]
    return replace(
        market,
        demand=VisitDemand(
            **{column.name: getattr(market.demand, column.name)[rows] for column in fields(VisitDemand)}
        ),
        place=(np.cumsum(is_in) - 1)[market.place[rows]],
        hosts=market.hosts[is_in],
        capacity=market.capacity[is_in],
        fewest=market.fewest[is_in],
        most=market.most[is_in],
    )


def _staleness(demand: VisitDemand, intervals: Floats) -> Floats:
    """Shares of stale time; announcements are left out, as they tell of this moment only."""
    share: Floats = stale_hours(demand.a, demand.b, intervals, age=demand.age) / intervals
    return share


def _repaired(demand: VisitDemand) -> VisitDemand:
    """The demand with a neutral value for every invalid number: one corrupt row must not stop the pricing of all."""
    is_sound = _is_within(demand.a, belief.LEAST_SHAPE, belief.MOST_SHAPE)
    is_sound &= _is_within(demand.b, belief.LEAST_HOURS, belief.MOST_HOURS)
    least = np.where(_is_within(demand.least, *SOUND), demand.least, LEAST)
    return VisitDemand(
        a=np.where(is_sound, demand.a, NEUTRAL.a),
        b=np.where(is_sound, demand.b, NEUTRAL.b),
        weight=np.where(_is_within(demand.weight, *SOUND), demand.weight, 1.0),
        signal=np.where(_is_within(demand.signal, 0.0, 1.0), demand.signal, 0.0),
        age=np.where(np.isnan(demand.age) | _is_within(demand.age, 0.0, SOUND[1]), demand.age, UNKNOWN_AGE),
        cost=_least_one(demand.cost),
        least=least,
        most=np.maximum(least, np.where(_is_within(demand.most, *SOUND), demand.most, MOST)),
        host=demand.host,
    )


def _least_one(cost: Floats) -> Floats:
    return np.where(_is_within(cost, 1.0, SOUND[1]), cost, 1.0)


def _is_within(values: Floats, low: float, high: float) -> NDArray[np.bool_]:
    """Which values are numbers within this range; NaN never is."""
    return (values >= low) & (values <= high)


def _without_sources() -> Priced:
    """The price without sources: any will do; at this one an unknown source would run once a day."""
    return Priced(
        price=belief.stale_hours(NEUTRAL, 24.0, age=UNKNOWN_AGE),
        host_prices={},
        intervals=np.empty(0),
        demand_per_hour=0.0,
        staleness=np.empty(0),
        expected_staleness=0.0,
        is_budget_too_small=False,
        least_budget_per_hour=0.0,
    )
