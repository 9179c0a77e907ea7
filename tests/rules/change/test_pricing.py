"""One price at which all sources together spend the budget."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.model.schedule import Belief, IntervalBounds, Learnt
from lamplighter.rules.change import belief, pricing
from lamplighter.rules.change.pricing import Priced, VisitDemand, solve
from lamplighter.rules.schedule.policies import PolicyInput, learned
from tests.moments import NOON

BROKEN = [float("nan"), float("inf"), float("-inf"), -1.0, 0.0]
NUMBERS = ["a", "b", "weight", "signal", "age", "cost", "least", "most"]


def demanded(count: int, seed: int = 1, *, hosts: int = 10) -> VisitDemand:
    """Sources from the liveliest to the dead, some announced, some large, some important."""
    draw = np.random.default_rng(seed)
    a = draw.uniform(0.3, 8, count)
    return VisitDemand(
        a=a,
        b=a * draw.lognormal(3, 2, count),
        weight=2.0 ** draw.uniform(-2, 2, count),
        signal=np.where(draw.uniform(size=count) < 0.1, 0.8, 0.0),
        age=draw.lognormal(4, 2, count),
        cost=np.floor(draw.lognormal(0.5, 1, count)) + 1,
        least=np.full(count, 0.25),
        most=np.full(count, 24.0 * 30),
        host=draw.integers(100, 100 + hosts, count),
    )


def alike(count: int, *, cost: float = 1.0, host: int = 7) -> VisitDemand:
    """Sources that differ in nothing."""
    return VisitDemand(
        a=np.full(count, 2.0),
        b=np.full(count, 48.0),
        weight=np.ones(count),
        signal=np.zeros(count),
        age=np.full(count, 240.0),
        cost=np.full(count, cost),
        least=np.full(count, 0.25),
        most=np.full(count, 24.0 * 30),
        host=np.full(count, host),
    )


def spent_by_host(demand: VisitDemand, priced: Priced) -> dict[int, float]:
    spent = demand.cost / priced.intervals
    return {int(host): float(spent[demand.host == host].sum()) for host in np.unique(demand.host)}


def range_of(demand: VisitDemand) -> tuple[float, float]:
    """The least and the most that can be spent."""
    return float((demand.cost / demand.most).sum()), float((demand.cost / demand.least).sum())


seeds = st.integers(0, 10_000)
counts = st.integers(1, 60)
shares = st.floats(0.001, 0.999)


# The budget


@given(seed=seeds, count=counts, share=shares)
@settings(deadline=None, max_examples=80)
def test_what_is_spent_is_the_budget(seed: int, count: int, share: float) -> None:
    demand = demanded(count, seed)
    least, most = range_of(demand)
    budget = least + share * (most - least)

    priced = solve(demand, budget_per_hour=budget)

    assert priced.demand_per_hour == pytest.approx(budget, rel=1e-3)
    assert not priced.is_budget_too_small


def test_sources_that_are_alike_share_the_budget_evenly() -> None:
    priced = solve(alike(50, cost=3.0), budget_per_hour=10.0)

    assert priced.intervals == pytest.approx(np.full(50, 50 * 3 / 10), rel=1e-3)


def test_every_source_inside_its_bounds_is_visited_when_its_stale_time_meets_the_price() -> None:
    demand = demanded(200)

    priced = solve(demand, budget_per_hour=40.0)

    for index in np.flatnonzero((priced.intervals > demand.least * 1.01) & (priced.intervals < demand.most * 0.99)):
        known = Belief(a=demand.a[index], b=demand.b[index])
        signal, age = demand.signal[index], demand.age[index]
        gathered = belief.stale_hours(known, priced.intervals[index], signal=signal, age=age)
        assert demand.weight[index] * gathered == pytest.approx(priced.price, rel=1e-6)


def test_the_policy_waits_as_long_as_the_solve_supposed() -> None:
    demand = replace(demanded(40), weight=np.ones(40))
    priced = solve(demand, budget_per_hour=10.0)

    for index in range(40):
        ask = PolicyInput(
            baseline=timedelta(days=1),
            priority=50,
            unchanged_count=0,
            yielded=0,
            learnt=Learnt(
                belief=Belief(a=demand.a[index], b=demand.b[index]),
                signal=demand.signal[index],
                visited_at=NOON,
                changed_at=NOON - demand.age[index] * timedelta(hours=1),
            ),
            price=priced.price,
            bounds=IntervalBounds(least=timedelta(hours=0.25), most=timedelta(days=30)),
            now=NOON,
            rate_limit=10.0,
            max_depth=3,
        )
        assert learned.advice(ask).interval / timedelta(hours=1) == pytest.approx(priced.intervals[index], rel=1e-6)


@given(seed=seeds, count=counts, share=shares, times=st.floats(1.001, 10))
@settings(deadline=None, max_examples=60)
def test_a_larger_budget_never_raises_the_price_nor_staleness(
    seed: int, count: int, share: float, times: float
) -> None:
    demand = demanded(count, seed)
    budget = share * range_of(demand)[1]

    little, much = (
        solve(demand, budget_per_hour=budget * factor, host_capacity={100: 1.0, 101: 5.0}) for factor in (1, times)
    )

    assert much.price <= little.price * (1 + 1e-5)
    assert much.expected_staleness <= little.expected_staleness * (1 + 1e-5)


@pytest.mark.parametrize("budget", [0.0, -5.0, float("nan"), 0.001], ids=str)
def test_a_budget_that_the_longest_intervals_exceed_is_told_with_what_would_do(budget: float) -> None:
    demand = demanded(100)

    priced = solve(demand, budget_per_hour=budget)

    assert priced.is_budget_too_small
    assert priced.least_budget_per_hour == pytest.approx(range_of(demand)[0])
    assert priced.intervals == pytest.approx(demand.most)
    assert not solve(demand, budget_per_hour=priced.least_budget_per_hour).is_budget_too_small


@pytest.mark.parametrize("budget", [1e9, float("inf")], ids=str)
def test_a_budget_that_nobody_can_use_up_gives_the_shortest_intervals(budget: float) -> None:
    demand = demanded(100)

    priced = solve(demand, budget_per_hour=budget)

    assert priced.intervals == pytest.approx(demand.least)
    assert not priced.is_budget_too_small


def test_bounds_that_leave_no_choice_are_kept() -> None:
    demand = replace(alike(5), least=np.full(5, 12.0), most=np.full(5, 12.0))

    assert solve(demand, budget_per_hour=1.0).intervals == pytest.approx(np.full(5, 12.0))


def test_nobody_to_visit_costs_nothing() -> None:
    priced = solve(alike(0), budget_per_hour=10.0)

    assert priced.demand_per_hour == priced.expected_staleness == 0
    assert priced.price > 0


# Hosts


def test_a_host_at_its_capacity_gets_its_own_price_and_meets_it() -> None:
    demand = demanded(300)

    priced = solve(demand, budget_per_hour=60.0, host_capacity={100: 2.0, 101: 1e6})

    assert list(priced.host_prices) == [100]
    assert priced.host_prices[100] > priced.price
    assert spent_by_host(demand, priced)[100] == pytest.approx(2.0, rel=1e-3)


@given(seed=seeds, capacities=st.dictionaries(st.integers(100, 110), st.floats(0.05, 50)), budget=st.floats(5, 60))
@settings(deadline=None, max_examples=60)
def test_no_host_is_asked_for_more_than_is_polite_or_its_bounds_demand(
    seed: int, capacities: dict[int, float], budget: float
) -> None:
    demand = demanded(100, seed)

    priced = solve(demand, budget_per_hour=budget, host_capacity=capacities)

    for host, spent in spent_by_host(demand, priced).items():
        bounds_demand = (demand.cost / demand.most)[demand.host == host].sum()
        assert spent <= max(capacities.get(host, np.inf), bounds_demand) * (1 + 1e-3)


def test_what_a_full_host_cannot_use_goes_to_the_others() -> None:
    demand = demanded(300)
    free = solve(demand, budget_per_hour=60.0)

    limited = solve(demand, budget_per_hour=60.0, host_capacity={100: 2.0})

    assert limited.demand_per_hour == pytest.approx(60.0, rel=1e-3)
    assert limited.price < free.price
    assert (limited.intervals[demand.host != 100] <= free.intervals[demand.host != 100]).all()


def test_hosts_that_are_all_full_leave_budget_over() -> None:
    demand = demanded(300, hosts=3)

    priced = solve(demand, budget_per_hour=60.0, host_capacity=dict.fromkeys((100, 101, 102), 5.0))

    assert priced.demand_per_hour == pytest.approx(15.0, rel=1e-3)


@pytest.mark.parametrize("capacity", [0.0, -1.0], ids=str)
def test_a_host_without_any_capacity_is_visited_as_seldom_as_its_bounds_allow(capacity: float) -> None:
    demand = demanded(100)

    priced = solve(demand, budget_per_hour=30.0, host_capacity={100: capacity})

    assert priced.intervals[demand.host == 100] == pytest.approx(demand.most[demand.host == 100])


def test_a_capacity_that_is_not_a_number_is_no_limit() -> None:
    demand = demanded(100)

    priced = solve(demand, budget_per_hour=30.0, host_capacity={100: float("nan")})

    assert priced.price == pytest.approx(solve(demand, budget_per_hour=30.0).price, rel=1e-4)


# Broken rows


@pytest.mark.parametrize("value", BROKEN, ids=str)
@pytest.mark.parametrize("column", NUMBERS)
def test_a_broken_row_is_replaced_and_does_not_spread(column: str, value: float) -> None:
    demand = demanded(200)
    budget = solve(demand, budget_per_hour=40.0).demand_per_hour
    getattr(demand, column)[17] = value

    priced = solve(demand, budget_per_hour=budget)

    assert np.isfinite(priced.intervals).all()
    assert priced.demand_per_hour == pytest.approx(budget, rel=1e-3)
    assert 0 <= priced.expected_staleness <= 1


def test_rows_without_one_sound_number_are_visited_alike() -> None:
    demand = alike(4)
    for column in NUMBERS:
        getattr(demand, column)[:] = float("nan")

    assert solve(demand, budget_per_hour=1.0).intervals == pytest.approx(np.full(4, 4.0), rel=1e-3)


# Around the solve


def test_more_and_less_budget_are_weighed() -> None:
    demand = demanded(300)
    now = solve(demand, budget_per_hour=40.0).expected_staleness

    outlook = pricing.more(demand, budget_per_hour=40.0)

    assert outlook.with_more < now < outlook.with_less
    assert outlook.with_more == solve(demand, budget_per_hour=48.0).expected_staleness
    assert outlook.with_less == solve(demand, budget_per_hour=32.0).expected_staleness


def test_the_baselines_would_spend_the_sum_of_their_runs() -> None:
    budget = pricing.baseline_budget(np.array([3600.0, 1800.0, 86400.0]), np.array([1.0, 5.0, 24.0]))

    assert budget == pytest.approx(1 + 10 + 1)


@pytest.mark.parametrize("value", BROKEN, ids=str)
def test_a_broken_baseline_or_cost_spoils_no_budget(value: float) -> None:
    assert pricing.baseline_budget(np.array([3600.0, value]), np.array([2.0, 1.0])) == pytest.approx(2.0)
    assert pricing.baseline_budget(np.array([3600.0]), np.array([value])) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("used", "owed"),
    [
        pytest.param(240.0, 0.0, id="just the budget"),
        pytest.param(340.0, -100.0, id="in advance"),
        pytest.param(100.0, 140.0, id="saved"),
        pytest.param(10_000.0, -560.0, id="far too many: a third of a week is remembered, not more"),
        pytest.param(float("nan"), 0.0, id="not known"),
    ],
)
def test_fetches_that_were_not_made_are_owed(used: float, owed: float) -> None:
    assert pricing.owed(0.0, used=used, budget=10.0, hours=24.0) == pytest.approx(owed)


@pytest.mark.parametrize(
    ("owed", "per_hour"),
    [
        pytest.param(0.0, 10.0, id="nothing: the budget"),
        pytest.param(168.0, 11.0, id="made up for within a week"),
        pytest.param(-168.0, 9.0, id="or saved again"),
        pytest.param(1e9, 15.0, id="half as fast again at most"),
        pytest.param(-1e9, 10 / 1.5, id="and no slower than that"),
        pytest.param(float("nan"), 10.0, id="not known: the budget"),
    ],
)
def test_what_is_owed_is_made_up_for_within_a_week(owed: float, per_hour: float) -> None:
    assert pricing.paced(10.0, owed=owed) == pytest.approx(per_hour)


@pytest.mark.parametrize(
    ("mean_hours", "days"),
    [
        pytest.param(24.0, 7, id="visited daily: a week"),
        pytest.param(1.0, 7, id="often: no less than that"),
        pytest.param(96.0, 28, id="every four days: seven of these intervals"),
        pytest.param(float("inf"), 7, id="without a budget"),
        pytest.param(float("nan"), 7, id="not known"),
    ],
)
def test_rare_visits_are_made_up_for_more_slowly(mean_hours: float, days: float) -> None:
    assert pricing.made_up_within(mean_hours) == 24 * days


def test_more_is_remembered_where_it_is_made_up_for_more_slowly() -> None:
    assert pricing.owed(0.0, used=1e4, budget=10.0, hours=24.0, within=4 * 168.0) == pytest.approx(-4 * 560.0)


def test_a_mean_interval_is_what_the_budget_leaves_to_each_fetch() -> None:
    cost = np.array([2.0, 4.0, float("nan")])

    assert pricing.mean_interval(cost, 0.5) == 14
    assert pricing.mean_interval(cost, 0.0) == float("inf")
