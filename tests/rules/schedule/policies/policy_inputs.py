"""Questions to policies, of which a test names what matters to it."""

from datetime import timedelta
from typing import Any

from hypothesis import strategies as st

from lamplighter.model.schedule import Belief, IntervalBounds, Learnt
from lamplighter.rules.schedule.policies import PolicyInput
from tests.moments import NOON

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
#: so wide that only a policy's own limits can be seen
WIDE = IntervalBounds(least=MINUTE, most=366 * DAY)
ONCE_A_DAY = Learnt(belief=Belief(a=4.0, b=96.0))

baselines = st.timedeltas(min_value=MINUTE, max_value=366 * DAY)
bounds = st.tuples(baselines, baselines).map(lambda pair: IntervalBounds(least=min(pair), most=max(pair)))
beliefs = st.builds(Belief, a=st.floats(0.05, 8), b=st.floats(0.01, 1e5))
learnt = st.builds(
    Learnt,
    belief=beliefs,
    signal=st.floats(0, 1),
    visited_at=st.none() | st.just(NOON),
    changed_at=st.none() | st.timedeltas(min_value=-HOUR, max_value=3000 * DAY).map(lambda ago: NOON - ago),
    visit_count=st.integers(0, 10_000),
    change_count=st.integers(0, 10_000),
    watched_hours=st.floats(0, 720),
    expected_stale_hours=st.floats(0, 720),
    seen_stale_hours=st.floats(0, 720),
)
asks = st.builds(
    PolicyInput,
    baseline=baselines,
    priority=st.integers(0, 100),
    unchanged_count=st.integers(0, 5000),
    yielded=st.integers(0, 5000),
    learnt=learnt,
    price=st.none() | st.floats(1e-9, 1e6),
    bounds=bounds,
    now=st.just(NOON),
    rate_limit=st.floats(-1, 100),
    max_depth=st.integers(-1, 50),
)


def asked(**changes: Any) -> PolicyInput:
    """A daily source that found something new, with nothing in the way."""
    usual: dict[str, Any] = {
        "baseline": DAY,
        "priority": 50,
        "unchanged_count": 0,
        "yielded": 1,
        "learnt": ONCE_A_DAY,
        "price": None,
        "bounds": WIDE,
        "now": NOON,
        "rate_limit": 10.0,
        "max_depth": 3,
    }
    return PolicyInput(**(usual | changes))
