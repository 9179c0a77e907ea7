"""What holds for every policy, and whose policy holds."""

import json
from dataclasses import replace
from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.model.schedule import Belief, IntervalBounds, PolicyName
from lamplighter.rules.change.belief import capped, changed
from lamplighter.rules.schedule.policies import POLICIES, PolicyInput, advise
from tests.rules.schedule.policies.policy_inputs import DAY, HOUR, asked, asks

names = st.sampled_from(PolicyName)
#: what a solved equation may be off
SLACK = timedelta(milliseconds=1)


def test_every_name_has_its_policy() -> None:
    assert set(POLICIES) == set(PolicyName)


@given(name=names, ask=asks)
@settings(deadline=None, max_examples=150)
def test_every_interval_is_inside_the_bounds(name: PolicyName, ask: PolicyInput) -> None:
    assert ask.bounds.least <= advise(name, ask).interval <= ask.bounds.most


@given(name=names, ask=asks)
@settings(deadline=None, max_examples=100)
def test_every_explanation_can_be_stored_as_json(name: PolicyName, ask: PolicyInput) -> None:
    inputs = advise(name, ask).inputs

    assert json.loads(json.dumps(inputs, allow_nan=False)) == inputs


@given(name=names, ask=asks, fewer=st.integers(0, 50))
@settings(deadline=None, max_examples=100)
def test_fewer_unchanged_runs_never_lengthen_the_interval(name: PolicyName, ask: PolicyInput, fewer: int) -> None:
    livelier = replace(ask, unchanged_count=max(0, ask.unchanged_count - fewer))

    assert advise(name, livelier).interval <= advise(name, ask).interval


@given(name=names, ask=asks, further=st.integers(0, 50))
@settings(deadline=None, max_examples=100)
def test_a_richer_yield_never_lengthens_the_interval(name: PolicyName, ask: PolicyInput, further: int) -> None:
    richer = replace(ask, yielded=ask.yielded + further)

    assert advise(name, richer).interval <= advise(name, ask).interval


@given(name=names, ask=asks, times=st.floats(1, 20))
@settings(deadline=None, max_examples=100)
def test_a_higher_rate_of_change_never_lengthens_the_interval(name: PolicyName, ask: PolicyInput, times: float) -> None:
    known = ask.learnt.belief
    fast = replace(ask, learnt=replace(ask.learnt, belief=Belief(a=known.a, b=known.b / times)))

    assert advise(name, fast).interval <= advise(name, ask).interval + SLACK


@given(name=names, ask=asks, hours=st.floats(0.01, 2000))
@settings(deadline=None, max_examples=100)
def test_another_observed_change_never_lengthens_the_interval_announced_or_not(
    name: PolicyName, ask: PolicyInput, hours: float
) -> None:
    after = replace(ask, learnt=replace(ask.learnt, belief=capped(changed(ask.learnt.belief, hours))))

    assert advise(name, after).interval <= advise(name, ask).interval + SLACK


@given(name=names, ask=asks, days=st.floats(0, 1000), further=st.floats(0, 1000))
@settings(deadline=None, max_examples=100)
def test_an_older_last_change_never_shortens_the_interval(
    name: PolicyName, ask: PolicyInput, days: float, further: float
) -> None:
    lately, long_ago = (
        replace(ask, learnt=replace(ask.learnt, visited_at=ask.now, changed_at=ask.now - ago * DAY))
        for ago in (days, days + further)
    )

    assert advise(name, long_ago).interval >= advise(name, lately).interval - SLACK


@given(name=names, ask=asks, price=st.floats(1e-6, 1e5), times=st.floats(1, 20))
@settings(deadline=None, max_examples=100)
def test_a_higher_price_never_shortens_the_interval(
    name: PolicyName, ask: PolicyInput, price: float, times: float
) -> None:
    cheap, dear = replace(ask, price=price), replace(ask, price=price * times)

    assert advise(name, dear).interval >= advise(name, cheap).interval - SLACK


def test_a_policy_that_was_cut_tells_what_it_wanted() -> None:
    ask = asked(baseline=9 * HOUR, bounds=IntervalBounds(least=DAY, most=2 * DAY))

    advice = advise(PolicyName.FIXED, ask)

    assert advice.interval == DAY
    assert advice.inputs == {"baseline_seconds": 32400.0, "before_bounds_seconds": 32400.0}
