"""How long a linked page is left alone: what each visit to it says."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.model.page import RevisitState
from lamplighter.model.schedule import Belief
from lamplighter.rules.change import revisit_delay
from lamplighter.rules.change.priors import GroupEvidence
from lamplighter.rules.change.revisit_delay import HOUR, MOST, MOST_FADED, USUAL, Revisit
from tests.moments import NOON

DAY = timedelta(days=1)
NO_SIBLINGS = GroupEvidence(changes=0, hours=0)
#: what a page believes that is like its siblings
USUAL_BELIEF = revisit_delay.prior(NO_SIBLINGS)

spans = st.floats(0.02, 5000).map(lambda hours: hours * HOUR)
evidence = st.builds(GroupEvidence, changes=st.floats(0, 1e5), hours=st.floats(0, 1e7))
beliefs = st.builds(Belief, a=st.floats(0.05, 8), b=st.floats(0.1, 1e6))
rests = st.builds(RevisitState, belief=st.none() | beliefs, until=st.just(NOON), missing_count=st.integers(0, 5))


def visited(
    revisit: RevisitState,
    *,
    gap: timedelta,
    is_changed: bool,
    siblings: GroupEvidence = NO_SIBLINGS,
    is_closed: bool = False,
) -> RevisitState:
    visit = Revisit(at=NOON, since=NOON - gap, is_changed=is_changed)
    return revisit_delay.after_lesson(revisit, visit, siblings=siblings, is_closed=is_closed)


def length(revisit: RevisitState, at: datetime = NOON) -> timedelta:
    assert revisit.until is not None
    return revisit.until - at


@pytest.mark.parametrize(
    ("revisit", "fetched_at", "ends"),
    [
        pytest.param(RevisitState(), None, None, id="never asked for: at once"),
        pytest.param(RevisitState(until=NOON), None, NOON, id="never had, because it is not for us"),
        pytest.param(RevisitState(until=NOON, missing_count=1), None, None, id="missed once: at once"),
        pytest.param(RevisitState(until=NOON, missing_count=2), None, NOON, id="missed twice"),
        pytest.param(RevisitState(), NOON, NOON + USUAL, id="had"),
        pytest.param(RevisitState(until=NOON + HOUR), NOON, NOON + HOUR, id="had, and known"),
    ],
)
def test_a_rest_ends(revisit: RevisitState, fetched_at: datetime | None, ends: datetime | None) -> None:
    assert revisit_delay.ends_at(revisit, fetched_at=fetched_at) == ends


# Learning


def test_a_page_that_is_like_its_siblings_rests_for_a_day() -> None:
    revisit = visited(RevisitState(belief=USUAL_BELIEF), gap=timedelta(minutes=1), is_changed=False)

    assert length(revisit) / USUAL == pytest.approx(1, abs=0.001)


def test_a_page_that_changes_each_day_is_soon_asked_for_more_often_than_one_that_never_does() -> None:
    lively = quiet = RevisitState()
    for _ in range(6):
        lively = visited(lively, gap=DAY, is_changed=True)
        quiet = visited(quiet, gap=DAY, is_changed=False)

    assert length(lively) < 16 * HOUR
    assert length(quiet) > 40 * HOUR


def test_a_page_that_never_changes_is_asked_for_ever_less_often() -> None:
    revisit, lengths = RevisitState(), [USUAL]
    for _ in range(200):
        revisit = visited(revisit, gap=lengths[-1], is_changed=False)
        lengths.append(length(revisit))

    assert lengths == sorted(lengths)
    assert lengths[-1] == MOST


def test_the_second_visit_borrows_from_the_source_s_other_pages() -> None:
    busy, still = GroupEvidence(changes=500, hours=1000), GroupEvidence(changes=0, hours=50_000)

    assert revisit_delay.prior(busy).rate == pytest.approx(0.44, abs=0.01)
    assert revisit_delay.prior(still).rate < 1 / 10_000
    assert 1 / revisit_delay.prior(NO_SIBLINGS).rate == pytest.approx(72)


def test_a_change_says_more_where_pages_hardly_ever_change() -> None:
    still = visited(RevisitState(), gap=DAY, is_changed=True, siblings=GroupEvidence(changes=2, hours=50_000))
    busy = visited(RevisitState(), gap=DAY, is_changed=True, siblings=GroupEvidence(changes=500, hours=1000))

    assert length(still) < length(busy)


@given(rests, spans, evidence)
@settings(deadline=None, max_examples=300)
def test_a_change_never_lengthens_the_rest(revisit: RevisitState, gap: timedelta, siblings: GroupEvidence) -> None:
    changed = visited(revisit, gap=gap, is_changed=True, siblings=siblings)
    unchanged = visited(revisit, gap=gap, is_changed=False, siblings=siblings)

    assert length(changed) <= length(unchanged)


@given(rests, spans, evidence, st.booleans())
@settings(deadline=None, max_examples=300)
def test_the_rest_stays_within_its_bounds(
    revisit: RevisitState, gap: timedelta, siblings: GroupEvidence, is_changed: bool
) -> None:
    after = visited(revisit, gap=gap, is_changed=is_changed, siblings=siblings)

    assert revisit_delay.LEAST <= length(after) <= MOST
    assert after.missing_count == 0


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 0.0, -1.0])
def test_a_broken_belief_is_replaced_by_the_prior(number: float) -> None:
    broken = visited(RevisitState(belief=Belief(a=number, b=number)), gap=DAY, is_changed=False)

    assert broken == visited(RevisitState(), gap=DAY, is_changed=False)


def test_what_cannot_be_compared_teaches_nothing_and_rests_for_a_day() -> None:
    revisit = revisit_delay.after_first_look(RevisitState(belief=USUAL_BELIEF, missing_count=1), at=NOON)

    assert revisit == RevisitState(belief=USUAL_BELIEF, until=NOON + USUAL)


@pytest.mark.parametrize(
    ("gap", "is_a_lesson"),
    [
        pytest.param(timedelta(seconds=10), False, id="asked twice in one run"),
        pytest.param(timedelta(hours=-1), False, id="the clock went backwards"),
        pytest.param(timedelta(minutes=5), True, id="a little later"),
    ],
)
def test_two_visits_at_once_are_one_look(gap: timedelta, is_a_lesson: bool) -> None:
    assert Revisit(at=NOON, since=NOON - gap, is_changed=True).is_a_lesson is is_a_lesson


# Closed postings


def test_a_closed_posting_fades() -> None:
    revisit, lengths = RevisitState(), [USUAL]
    for _ in range(8):
        revisit = visited(revisit, gap=lengths[-1], is_changed=False, is_closed=True)
        lengths.append(length(revisit))

    assert [span / DAY for span in lengths] == [1, 2, 4, 8, 16, 32, 64, 90, 90]


def test_noise_on_a_closed_posting_does_not_keep_it_from_fading() -> None:
    revisit = visited(RevisitState(), gap=10 * DAY, is_changed=True, is_closed=True)

    assert length(revisit) == 20 * DAY


@given(rests, spans, evidence, st.booleans())
@settings(deadline=None, max_examples=200)
def test_a_closed_posting_rests_no_shorter_than_an_open_one(
    revisit: RevisitState, gap: timedelta, siblings: GroupEvidence, is_changed: bool
) -> None:
    opened = visited(revisit, gap=gap, is_changed=is_changed, siblings=siblings)
    closed = visited(revisit, gap=gap, is_changed=is_changed, siblings=siblings, is_closed=True)

    assert length(opened) <= length(closed) <= MOST_FADED


@pytest.mark.parametrize(
    ("now", "day"),
    [
        pytest.param(datetime(2026, 3, 15, 11, 59, tzinfo=UTC), date(2026, 3, 14), id="still the 14th somewhere"),
        pytest.param(datetime(2026, 3, 15, 12, 0, tzinfo=UTC), date(2026, 3, 15), id="the 14th is over everywhere"),
    ],
)
def test_a_deadline_is_past_when_its_day_is_over_everywhere(now: datetime, day: date) -> None:
    assert revisit_delay.closed_before(now) == day


# Pages that are not there


def missed(revisit: RevisitState, *, after: timedelta) -> RevisitState:
    return revisit_delay.after_missing(revisit, at=NOON + after)


def test_a_page_that_was_missed_once_does_not_rest() -> None:
    revisit = missed(RevisitState(belief=USUAL_BELIEF, until=NOON - HOUR), after=0 * HOUR)

    assert revisit == RevisitState(belief=USUAL_BELIEF, until=NOON, missing_count=1)
    assert not revisit_delay.is_gone(revisit)


@pytest.mark.parametrize(
    ("after", "is_gone"),
    [
        pytest.param(timedelta(minutes=59), False, id="within the hour: the same trouble, perhaps"),
        pytest.param(timedelta(minutes=60), True, id="an hour later"),
    ],
)
def test_a_page_is_gone_when_a_later_visit_confirms_it(after: timedelta, is_gone: bool) -> None:
    once = missed(RevisitState(), after=0 * HOUR)

    assert revisit_delay.is_gone(missed(once, after=after)) is is_gone


def test_a_page_that_is_gone_rests_for_a_month_then_two_then_three() -> None:
    revisit = missed(RevisitState(), after=0 * HOUR)
    lengths = []
    for days in (1, 40, 120, 300, 600):
        revisit = missed(revisit, after=days * DAY)
        lengths.append(length(revisit, NOON + days * DAY) / DAY)

    assert lengths == [30, 60, 90, 90, 90]
    assert revisit_delay.began_at(revisit, fetched_at=None) == NOON + 600 * DAY


def test_a_page_that_comes_back_is_missed_no_more() -> None:
    gone = missed(missed(RevisitState(), after=0 * HOUR), after=2 * HOUR)

    assert revisit_delay.after_first_look(gone, at=NOON).missing_count == 0


def test_a_wall_says_nothing_about_the_page_behind_it() -> None:
    before = RevisitState(belief=USUAL_BELIEF, until=NOON - HOUR, missing_count=1)

    after = revisit_delay.after_nothing_said(before, at=NOON)

    assert after == RevisitState(belief=USUAL_BELIEF, until=NOON + USUAL, missing_count=1)


@pytest.mark.parametrize(
    ("due_in", "expected"),
    [
        pytest.param(None, 24, id="all that it leads to is new: after their first rest"),
        pytest.param(7, 7, id="when the first is due"),
        pytest.param(-3, 1, id="no sooner than the shortest rest"),
        pytest.param(24 * 30, 24, id="within a day, for what is not known"),
    ],
)
def test_when_an_unchanged_page_is_read_again_for_the_sake_of_its_links(due_in: float | None, expected: float) -> None:
    due_at = NOON + due_in * HOUR if due_in is not None else None

    assert revisit_delay.lead_again_at(due_at, now=NOON) == NOON + expected * HOUR
