"""What a scheduler knows when a run has ended, of which a test names what matters to it."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from hypothesis import strategies as st

from lamplighter.model.schedule import Learnt, PolicyName, Window, WindowKind
from lamplighter.rules.schedule.backoff import Backoff, after_failure
from lamplighter.rules.schedule.schedule import Observed, Place
from lamplighter.rules.schedule.slots import SLOT_COUNT, LoadMap, place
from tests.moments import NOON
from tests.rules.schedule.policies.policy_inputs import DAY, HOUR, asked, asks, baselines

minutes = st.integers(0, 24 * 60 - 1)
windows = st.builds(
    Window,
    kind=st.sampled_from(WindowKind),
    days=st.frozensets(st.integers(0, 6), min_size=1),
    start=minutes,
    end=minutes,
    zone=st.sampled_from(["UTC", "America/St_Johns", "Asia/Kathmandu"]),
).filter(lambda window: window.start != window.end)
window_lists = st.lists(st.lists(windows, max_size=2), max_size=2)
backoffs = st.builds(
    after_failure, baselines, retry_count=st.integers(0, 3), failure_count=st.sampled_from([0, 1, 3, 4, 5, 60])
)
hints = st.none() | st.timedeltas(min_value=timedelta(0), max_value=60 * DAY)
draws = st.floats(0, 1, exclude_max=True)
#: a day that is unevenly full; bytes are drawn faster than lists of numbers
places = st.binary(min_size=SLOT_COUNT, max_size=SLOT_COUNT).map(
    lambda drawn: placing(LoadMap(now=NOON, starts=tuple(byte % 10 for byte in drawn)))
)


@st.composite
def observations(draw: st.DrawFn) -> Observed:
    """Anything that may come together."""
    policy = draw(st.sampled_from(PolicyName))
    beats = st.none() | st.timedeltas(-400 * DAY, 2 * DAY).map(lambda distance: NOON + distance)
    return Observed(
        policy=policy,
        ask=draw(asks.map(lambda ask: replace(ask, learnt=_possible(ask.learnt)))),
        backoff=draw(st.none() | backoffs),
        fresh_for=draw(hints),
        away_for=draw(hints),
        windows=draw(window_lists),
        rhythm_at=draw(beats) if policy is not PolicyName.LEARNED else None,
    )


def _possible(learnt: Learnt) -> Learnt:
    """Nothing was stale for longer than it was watched."""
    return replace(
        learnt,
        expected_stale_hours=min(learnt.expected_stale_hours, learnt.watched_hours),
        seen_stale_hours=min(learnt.seen_stale_hours, learnt.watched_hours),
    )


def observed(interval: timedelta = 6 * HOUR, **changes: Any) -> Observed:
    """An interval that jitter and load may move, since nothing was unchanged yet, and nothing in its way."""
    asking = {name: changes.pop(name) for name in ("bounds", "learnt", "now") if name in changes}
    usual: dict[str, Any] = {
        "policy": PolicyName.HASH_BACKOFF,
        "ask": asked(baseline=interval, unchanged_count=0, **asking),
    }
    return Observed(**(usual | changes))


def failed(interval: timedelta = 6 * HOUR, *, retries: int = 3, failures: int = 0) -> Backoff:
    """What a failure leads to, after all the quick tries unless fewer are named."""
    return after_failure(interval, retry_count=retries, failure_count=failures)


def placing(load: LoadMap) -> Place:
    """What the scheduler does with the load that it knows of."""
    return lambda at, pace, earliest, latest: place(load, at=at, pace=pace, earliest=earliest, latest=latest)
