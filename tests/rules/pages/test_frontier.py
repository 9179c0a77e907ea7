"""In which order pages come, and when a known page is read again."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.model.page import RevisitState
from lamplighter.model.reading import PageRole
from lamplighter.rules.pages.frontier import is_due_again, lateness, rank
from tests.moments import NOON

# Order


@given(st.integers(0, 100), st.integers(0, 100), st.integers(0, 10_000), st.integers(0, 10_000))
@settings(deadline=None, max_examples=200)
def test_higher_priority_comes_first_at_any_depth(one: int, other: int, depth: int, other_depth: int) -> None:
    higher, lower = max(one, other), min(one, other)

    if higher == lower:
        assert (rank(priority=one, depth=depth) <= rank(priority=other, depth=other_depth)) == (
            min(depth, 999) <= min(other_depth, 999)
        )
    else:
        assert rank(priority=higher, depth=depth) < rank(priority=lower, depth=other_depth)


# Known pages

HOUR = timedelta(hours=1)
RESTING, RESTED = RevisitState(until=NOON + HOUR), RevisitState(until=NOON)
GONE = RevisitState(until=NOON + 29 * 24 * HOUR, missing_count=2)


@pytest.mark.parametrize(
    ("role", "fetched_at", "revisit", "due"),
    [
        pytest.param(PageRole.LINK, None, RevisitState(), True, id="never had"),
        pytest.param(PageRole.LINK, NOON - HOUR, RESTING, False, id="it rests"),
        pytest.param(PageRole.LINK, NOON - HOUR, RESTED, True, id="its rest is over"),
        pytest.param(
            PageRole.LINK, NOON - HOUR, RevisitState(), False, id="no rest was written: a day, and an hour has passed"
        ),
        pytest.param(
            PageRole.LINK, NOON - 24 * HOUR, RevisitState(), True, id="no rest was written, and a day has passed"
        ),
        pytest.param(PageRole.LINK, None, RevisitState(until=NOON, missing_count=1), True, id="missed once"),
        pytest.param(PageRole.LINK, None, GONE, False, id="gone, though it was never had"),
        pytest.param(PageRole.LISTING, NOON - HOUR, RESTING, True, id="listings are always read again"),
        pytest.param(PageRole.SEED, NOON - HOUR, RESTING, True, id="and so is the start page"),
    ],
)
def test_a_linked_page_is_asked_for_again_when_its_rest_is_over(
    role: PageRole, fetched_at: datetime | None, revisit: RevisitState, due: bool
) -> None:
    assert is_due_again(role=role, fetched_at=fetched_at, revisit=revisit, changed_at=None, now=NOON) is due


@pytest.mark.parametrize(
    ("changed_at", "due"),
    [
        pytest.param(NOON - timedelta(minutes=30), True, id="since it was fetched"),
        pytest.param(NOON - timedelta(hours=2), False, id="before it was fetched"),
        pytest.param(NOON + timedelta(days=1), False, id="tomorrow, says a liar"),
    ],
)
def test_a_page_that_is_said_to_have_changed_is_asked_for_again(changed_at: datetime, due: bool) -> None:
    fetched_at = NOON - timedelta(hours=1)

    assert (
        is_due_again(role=PageRole.LINK, fetched_at=fetched_at, revisit=RESTING, changed_at=changed_at, now=NOON) is due
    )


@pytest.mark.parametrize(
    ("changed_at", "due"),
    [
        pytest.param(NOON - 2 * HOUR, True, id="since we found it gone"),
        pytest.param(NOON - 100 * HOUR, False, id="since we had it, but before we found it gone"),
    ],
)
def test_a_page_that_is_gone_is_asked_for_only_if_it_is_said_to_have_changed_since(
    changed_at: datetime, due: bool
) -> None:
    had = NOON - 200 * HOUR

    assert is_due_again(role=PageRole.LINK, fetched_at=had, revisit=GONE, changed_at=changed_at, now=NOON) is due


def late(fetched_at: datetime | None, revisit: RevisitState, changed_at: datetime | None = None) -> float:
    return lateness(fetched_at=fetched_at, revisit=revisit, changed_at=changed_at, now=NOON)


def test_lateness_counts_in_rests_of_the_page_itself() -> None:
    hourly = late(NOON - 3 * HOUR, RevisitState(until=NOON - 2 * HOUR))
    daily = late(NOON - 36 * HOUR, RevisitState(until=NOON - 12 * HOUR))

    assert (hourly, daily) == (3.0, 1.5)


@pytest.mark.parametrize(
    ("fetched_at", "revisit", "changed_at"),
    [
        pytest.param(None, RevisitState(), None, id="never had"),
        pytest.param(NOON - HOUR, RESTING, NOON - HOUR / 2, id="said to have changed"),
        pytest.param(NOON - 9 * HOUR, RevisitState(until=NOON - HOUR, missing_count=1), None, id="missed once"),
        pytest.param(NOON - HOUR, RevisitState(until=NOON - HOUR), None, id="no rest at all"),
    ],
)
def test_some_pages_come_before_any_that_merely_wait(
    fetched_at: datetime | None, revisit: RevisitState, changed_at: datetime | None
) -> None:
    assert late(fetched_at, revisit, changed_at) > late(NOON - 10_000 * HOUR, RevisitState(until=NOON - 9_999 * HOUR))


@given(st.integers(1, 2000), st.integers(1, 2000))
@settings(deadline=None, max_examples=100)
def test_a_page_is_late_exactly_when_its_rest_is_over(waited: int, rests: int) -> None:
    had = NOON - waited * HOUR
    revisit = RevisitState(until=had + rests * HOUR)

    is_due = is_due_again(role=PageRole.LINK, fetched_at=had, revisit=revisit, changed_at=None, now=NOON)

    assert is_due == (late(had, revisit) >= 1)
