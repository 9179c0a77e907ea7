"""What visits teach, how a change of habit is noticed, and whether expectations come true."""

import math
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.errors import BadInput
from lamplighter.model.schedule import Belief, Learnt
from lamplighter.rules.change import belief as rules
from lamplighter.rules.change import learning
from lamplighter.rules.change.learning import (
    WEB_BEGAN,
    VisitEvidence,
    age,
    announce,
    correction,
    learn,
    repaired,
    staleness,
)
from lamplighter.rules.change.recency import UNKNOWN_AGE, felt, felt_since, unfelt
from tests.moments import NOON

PRIOR = Belief(a=0.6, b=43.2)
HOUR = timedelta(hours=1)
TEN = NOON + 10 * HOUR
#: a source that was first visited at noon
WATCHED = Learnt(belief=PRIOR, prior=PRIOR, visited_at=NOON, visit_count=1, changed_at=NOON - 10 * 24 * HOUR)
#: what the ten hours after noon feel like then
FELT = felt_since(UNKNOWN_AGE, 10.0)

bounded = settings(deadline=None, max_examples=60)

beliefs = st.builds(Belief, a=st.floats(0.05, 8), b=st.floats(0.01, 10_000))
learnts = st.builds(
    Learnt,
    belief=beliefs,
    signal=st.floats(0, 1),
    rise=st.floats(0, 4),
    fall=st.floats(0, 4),
    visited_at=st.just(NOON),
    changed_at=st.none() | st.floats(0, 5000).map(lambda hours: NOON - hours * HOUR),
    visit_count=st.integers(1, 100),
)
spans = st.floats(0, 2000).map(lambda hours: hours * HOUR)


def visit(
    learnt: Learnt | None = WATCHED,
    *,
    at: datetime = TEN,
    is_changed: bool | None = True,
    count: int | None = None,
    last_modified: datetime | None = None,
    **known: Any,
) -> Learnt:
    seen = VisitEvidence(at=at, is_changed=is_changed, count=count, last_modified=last_modified)
    return learn(learnt, seen, prior=PRIOR, **known)


# The first visit


def test_the_first_visit_starts_the_watch_with_the_prior_and_a_change_ten_days_ago() -> None:
    assert visit(None, at=NOON) == WATCHED
    assert age(WATCHED) == UNKNOWN_AGE == 240


def test_on_a_first_visit_last_modified_tells_when_the_last_change_was() -> None:
    learnt = visit(None, at=NOON, last_modified=NOON - 3 * HOUR)

    assert learnt == replace(WATCHED, changed_at=NOON - 3 * HOUR)
    assert age(learnt) == 3


@pytest.mark.parametrize(
    "last_modified",
    [
        pytest.param(NOON + HOUR, id="in the future"),
        pytest.param(NOON - timedelta(seconds=59), id="stamped while it was sent"),
        pytest.param(datetime(1970, 1, 1, tzinfo=UTC), id="by a clock that was never set"),
        pytest.param(datetime(1980, 1, 1, tzinfo=UTC), id="from an archive without dates"),
        pytest.param(WEB_BEGAN, id="as old as the web"),
    ],
)
def test_on_a_first_visit_a_last_modified_that_cannot_be_believed_is_ignored(last_modified: datetime) -> None:
    assert visit(None, at=NOON, last_modified=last_modified) == WATCHED


def test_a_failed_first_visit_does_not_start_the_watch() -> None:
    assert visit(None, is_changed=None) == Learnt(belief=PRIOR)


def test_an_announcement_before_the_first_visit_ends_with_it() -> None:
    announced = announce(Learnt(belief=PRIOR), 0.5)

    assert visit(announced, at=NOON) == WATCHED


# What a visit teaches


def test_no_change_adds_the_hours_that_were_felt() -> None:
    assert visit(is_changed=False).belief == rules.unchanged(PRIOR, FELT)


def test_a_change_is_known_to_be_at_least_one() -> None:
    assert visit(is_changed=True).belief == rules.changed(PRIOR, FELT)


def test_dated_changes_are_counted() -> None:
    assert visit(count=3).belief == rules.counted(PRIOR, FELT, 3)


def test_hours_feel_longer_the_shorter_the_last_change_is_ago() -> None:
    lately = replace(WATCHED, changed_at=NOON - 2 * HOUR)

    learnt = visit(lately, is_changed=False)

    assert learnt.belief == rules.unchanged(PRIOR, felt_since(2.0, 10.0))
    assert learnt.belief.rate < visit(is_changed=False).belief.rate


def test_a_count_of_none_is_no_change_whatever_the_bytes_say() -> None:
    learnt = visit(is_changed=True, count=0)

    assert learnt.belief == rules.unchanged(PRIOR, FELT)
    assert (learnt.change_count, learnt.changed_at) == (0, WATCHED.changed_at)


def test_last_modified_splits_the_time_at_the_last_change() -> None:
    learnt = visit(last_modified=NOON + 7 * HOUR)

    assert learnt.belief.a == pytest.approx(1.6)
    assert learnt.belief.b == pytest.approx(43.2 + 0.3 * FELT)
    assert learnt.changed_at == NOON + 7 * HOUR
    assert age(learnt) == 3


@pytest.mark.parametrize(
    ("count", "changed_at"),
    [
        pytest.param(None, NOON + 5 * HOUR, id="at least one: in the middle"),
        pytest.param(1, NOON + 5 * HOUR, id="just one: in the middle"),
        pytest.param(4, NOON + 8 * HOUR, id="four: the last a fifth before the end"),
    ],
)
def test_a_change_without_a_date_lies_between_the_visits(count: int | None, changed_at: datetime) -> None:
    assert visit(count=count).changed_at == changed_at


def test_a_visit_without_a_change_leaves_the_last_one_where_it_was() -> None:
    learnt = visit(is_changed=False)

    assert learnt.changed_at == WATCHED.changed_at
    assert age(learnt) == UNKNOWN_AGE + 10


def test_a_row_from_before_changes_were_dated_has_an_age_that_grows_too() -> None:
    undated = replace(WATCHED, changed_at=None)

    assert age(undated) == UNKNOWN_AGE
    assert visit(undated, is_changed=False) == visit(WATCHED, is_changed=False)


@pytest.mark.parametrize(
    "last_modified",
    [
        pytest.param(NOON - HOUR, id="before the last visit"),
        pytest.param(NOON, id="at the last visit"),
        pytest.param(TEN + HOUR, id="in the future"),
        pytest.param(TEN, id="stamped while it was sent"),
        pytest.param(TEN - timedelta(seconds=59), id="stamped by a clock that is a little slow"),
    ],
)
def test_a_last_modified_that_cannot_be_believed_is_ignored(last_modified: datetime) -> None:
    assert visit(last_modified=last_modified) == visit()


def test_a_new_date_on_the_same_content_is_no_change() -> None:
    assert visit(is_changed=False, last_modified=NOON + HOUR) == visit(is_changed=False)


def test_visits_and_changes_are_counted() -> None:
    learnt = visit(visit(is_changed=True), at=TEN + HOUR, is_changed=False)

    assert (learnt.visit_count, learnt.change_count) == (3, 1)
    assert (learnt.visited_at, learnt.changed_at) == (TEN + HOUR, NOON + 5 * HOUR)


def test_a_visit_answers_the_signal() -> None:
    assert visit(announce(WATCHED, 0.8), is_changed=False).signal == 0


def test_hours_may_be_measured_by_another_clock() -> None:
    seen = VisitEvidence(at=TEN, is_changed=False)

    learnt = learn(WATCHED, seen, prior=PRIOR, hours_between=lambda start, end: 2 * learning.plain(start, end))

    assert learnt.belief == rules.unchanged(PRIOR, felt_since(UNKNOWN_AGE, 20.0))


@bounded
@given(learnts, spans)
def test_a_failed_visit_changes_nothing_at_all(learnt: Learnt, span: timedelta) -> None:
    assert visit(learnt, at=NOON + span, is_changed=None) is learnt


@bounded
@given(learnts, st.booleans())
def test_a_clock_that_was_set_back_counts_as_no_time(learnt: Learnt, is_changed: bool) -> None:
    back = visit(learnt, at=NOON - 5 * HOUR, is_changed=is_changed)

    still = visit(learnt, at=NOON, is_changed=is_changed)
    assert (back.belief, back.rise, back.fall) == (still.belief, still.rise, still.fall)
    assert back.watched_hours == learnt.watched_hours
    assert age(back) >= 0


def test_a_change_seen_by_a_clock_that_was_set_back_has_just_happened() -> None:
    assert visit(at=NOON - 5 * HOUR).changed_at == NOON - 5 * HOUR


def test_time_runs_on_from_a_clock_that_was_set_back() -> None:
    back = visit(at=NOON - 5 * HOUR, is_changed=False)

    learnt = visit(back, at=NOON, is_changed=False)

    assert learnt.belief == rules.unchanged(PRIOR, felt_since(UNKNOWN_AGE - 5, 5.0))


@bounded
@given(learnts, spans)
def test_a_change_never_leaves_a_lower_rate_than_no_change(learnt: Learnt, span: timedelta) -> None:
    changed = visit(learnt, at=NOON + span, is_changed=True)
    unchanged = visit(learnt, at=NOON + span, is_changed=False)

    assert changed.belief.rate >= unchanged.belief.rate * (1 - 1e-9)


def waits_after(learnt: Learnt, span: timedelta, price: float) -> tuple[float, float]:
    """Hours to the next visit after one that found a change, and after one that found none."""
    changed, unchanged = (visit(learnt, at=NOON + span, is_changed=is_changed) for is_changed in (True, False))
    return (
        rules.wait_hours(changed.belief, price=price, age=age(changed), least=0.0, most=1e15),
        rules.wait_hours(unchanged.belief, price=price, age=age(unchanged), least=0.0, most=1e15),
    )


@bounded
@given(learnts, spans, st.floats(0.001, 1000))
def test_a_change_never_leads_to_a_longer_wait_than_no_change(learnt: Learnt, span: timedelta, price: float) -> None:
    changed, unchanged = waits_after(replace(learnt, rise=0.0), span, price)

    assert changed <= unchanged * (1 + 1e-9)


@bounded
@given(learnts, spans, st.floats(0.001, 1000))
def test_the_doubt_after_an_alarm_hardly_lengthens_a_wait(learnt: Learnt, span: timedelta, price: float) -> None:
    """Where a visit is worth dozens of changes, a light belief waits a little longer than a firm one."""
    changed, unchanged = waits_after(replace(learnt, rise=3.99), span, price)

    assert changed <= unchanged * 1.05


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_belief_stays_sound_over_ten_thousand_visits(seed: int) -> None:
    chance = random.Random(seed)
    learnt = WATCHED

    for _ in range(10_000):
        hours = chance.choice([0.0, 10 ** chance.uniform(-9, 5)])
        at = (learnt.visited_at or NOON) + hours * HOUR
        if at.year > 5000:
            at = NOON
        learnt = visit(learnt, at=at, is_changed=chance.random() < 0.5, count=chance.choice([None, None, 0, 10**6]))

    belief = learnt.belief
    assert rules.sound(belief.a, belief.b, otherwise=PRIOR) == belief
    assert all(map(math.isfinite, (learnt.rise, learnt.fall, learnt.watched_hours, learnt.seen_stale_hours)))


# A change of habit


def visits_until(learnt: Learnt, *, gap: float, hours: float, is_changed: bool) -> int:
    """Visits of one kind until the believed gap between changes has come within a factor of two of another."""
    for count in range(1, 1000):
        learnt = visit(learnt, at=(learnt.visited_at or NOON) + hours * HOUR, is_changed=is_changed)
        if gap / 2 < unfelt(1 / learnt.belief.rate) < gap * 2:
            return count
    raise AssertionError("never")


#: sources well known to change every two months, the last time as long ago, and every 2 h, the last time just now
QUIET = replace(WATCHED, belief=Belief(a=8.0, b=8.0 * felt(1500.0)), changed_at=NOON - 1500 * HOUR)
BUSY = replace(WATCHED, belief=Belief(a=8.0, b=8.0 * felt(2.0)), changed_at=NOON)


def test_a_source_that_wakes_up_is_noticed_within_a_few_visits() -> None:
    assert visits_until(QUIET, gap=30.0, hours=24, is_changed=True) <= 8


def test_a_source_that_falls_asleep_is_noticed_within_a_few_visits() -> None:
    assert visits_until(BUSY, gap=50.0, hours=2, is_changed=False) <= 20


def test_without_the_alarm_both_would_take_much_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "ALARM", math.inf)

    assert visits_until(QUIET, gap=30.0, hours=24, is_changed=True) > 16
    assert visits_until(BUSY, gap=50.0, hours=2, is_changed=False) > 60


def test_an_alarm_starts_the_watch_for_the_next_one_afresh() -> None:
    tense = replace(WATCHED, rise=3.9)

    learnt = visit(tense, at=NOON + HOUR, is_changed=True)

    assert (learnt.rise, learnt.fall) == (0, 0)


def test_what_is_expected_raises_no_alarm() -> None:
    steady = replace(WATCHED, belief=Belief(a=8.0, b=8.0 * felt(10.0)), changed_at=NOON)

    learnt = visit(steady, at=NOON + 10 * HOUR, is_changed=True)

    assert learnt.rise < 1
    assert learnt.fall == 0


# Announcements


def test_announcements_add_up() -> None:
    assert announce(announce(WATCHED, 0.5), 0.5).signal == 0.75


@bounded
@given(learnts, st.floats(0, 1))
def test_an_announcement_never_lowers_the_signal(learnt: Learnt, probability: float) -> None:
    assert learnt.signal - 1e-15 <= announce(learnt, probability).signal <= 1


@pytest.mark.parametrize("probability", [-0.1, 1.1, math.nan])
def test_a_probability_that_is_none_is_refused(probability: float) -> None:
    with pytest.raises(BadInput, match="from 0 to 1"):
        announce(WATCHED, probability)


# How well expectations fare


def test_before_the_second_visit_nothing_is_known_of_staleness() -> None:
    assert staleness(WATCHED) is None
    assert correction(WATCHED) == 1


def test_no_change_means_that_our_copy_was_good() -> None:
    expected, measured = staleness(visit(is_changed=False)) or (math.nan, math.nan)

    assert expected == pytest.approx(rules.stale_hours(PRIOR, 10, age=UNKNOWN_AGE) / 10)
    assert measured == 0


@pytest.mark.parametrize(
    ("count", "last_modified", "stale"),
    [
        pytest.param(1, NOON + 7 * HOUR, 3.0, id="one change, dated: since then"),
        pytest.param(1, None, 5.0, id="one change: half of the time"),
        pytest.param(4, None, 8.0, id="four: the first a fifth into the time"),
        pytest.param(2, NOON + 8 * HOUR, 6.0, id="two, the last dated: the first halfway to it"),
        pytest.param(
            None,
            NOON + 7 * HOUR,
            3.0 + rules.stale_hours(PRIOR, 7, age=UNKNOWN_AGE),
            id="the last dated: since then, and what others before it may have cost",
        ),
        pytest.param(
            None,
            None,
            rules.stale_hours_if_changed(PRIOR, 10, age=UNKNOWN_AGE),
            id="at least one: as is then expected",
        ),
    ],
)
def test_stale_hours_are_measured_from_the_first_change(
    count: int | None, last_modified: datetime | None, stale: float
) -> None:
    learnt = visit(count=count, last_modified=last_modified)

    assert learnt.seen_stale_hours == pytest.approx(stale)


def test_what_was_measured_fades_within_a_month() -> None:
    before = visit(is_changed=True)

    after = visit(before, at=TEN + 30 * 24 * HOUR, is_changed=False)

    assert after.seen_stale_hours == pytest.approx(before.seen_stale_hours / math.e)
    assert after.watched_hours == pytest.approx(10 / math.e + 30 * 24)


@pytest.mark.parametrize(
    ("expected", "seen", "low", "high"),
    [
        pytest.param(72.0, 72.0, 1.0, 1.0, id="as expected"),
        pytest.param(72.0, 144.0, 1.7, 2.0, id="twice as stale"),
        pytest.param(72.0, 700.0, 5.0, 5.0, id="far staler: bounded"),
        pytest.param(720.0, 0.0, 0.2, 0.2, id="never stale: bounded"),
        pytest.param(0.2, 0.0, 0.95, 1.0, id="hardly stale: that it was not says little"),
        pytest.param(0.2, 1.5, 1.0, 1.3, id="hardly stale: nor does one change"),
    ],
)
def test_a_correction_follows_what_was_measured(expected: float, seen: float, low: float, high: float) -> None:
    learnt = replace(WATCHED, watched_hours=720.0, expected_stale_hours=expected, seen_stale_hours=seen)

    assert low <= correction(learnt) <= high


def test_a_correction_is_that_of_all_sources_while_little_was_seen() -> None:
    assert correction(WATCHED, pooled=1.4) == pytest.approx(1.4)


def test_what_comes_is_compared_with_what_was_believed_when_the_visit_was_planned() -> None:
    assert visit(is_changed=False, believed=0.3).expected_stale_hours == pytest.approx(3.0)


def test_a_change_that_came_late_was_not_stale_for_long() -> None:
    usual = visit(is_changed=True)
    late = visit(is_changed=True, activity=lambda start, end: (1.0, 0.2))

    assert late.seen_stale_hours == pytest.approx(0.2 * usual.seen_stale_hours)


# Rows that somebody spoilt


@pytest.mark.parametrize(
    ("field", "value", "reset"),
    [
        pytest.param("signal", math.nan, {"signal": 0.0}, id="a signal that is no number"),
        pytest.param("signal", 1.5, {"signal": 0.0}, id="more than certain"),
        pytest.param("signal", -0.1, {"signal": 0.0}, id="less than impossible"),
        pytest.param("rise", math.nan, {"rise": 0.0, "fall": 0.0}, id="a rise that is no number"),
        pytest.param("fall", math.inf, {"rise": 0.0, "fall": 0.0}, id="an infinite fall"),
        pytest.param("rise", -1.0, {"rise": 0.0, "fall": 0.0}, id="a rise below nothing"),
        *(
            pytest.param(
                field,
                value,
                {"watched_hours": 0.0, "expected_stale_hours": 0.0, "seen_stale_hours": 0.0},
                id=f"{field} of {value}",
            )
            for field in ("watched_hours", "expected_stale_hours", "seen_stale_hours")
            for value in (math.nan, math.inf, -1.0)
        ),
    ],
)
def test_a_number_that_cannot_be_is_reset_with_those_that_make_sense_only_together(
    field: str, value: float, reset: dict[str, Any]
) -> None:
    whole = replace(
        WATCHED, signal=0.5, rise=1.0, fall=2.0, watched_hours=9.0, expected_stale_hours=1.0, seen_stale_hours=2.0
    )

    spoilt: dict[str, Any] = {field: value}

    assert repaired(replace(whole, **spoilt), otherwise=BUSY.belief) == replace(whole, **reset)


@pytest.mark.parametrize(
    "broken",
    [Belief(a=math.nan, b=1.0), Belief(a=1.0, b=0.0), Belief(a=math.inf, b=math.inf), Belief(a=-1.0, b=-1.0)],
    ids=str,
)
def test_a_belief_that_cannot_be_is_replaced(broken: Belief) -> None:
    spoilt = replace(WATCHED, belief=broken)

    assert repaired(spoilt, otherwise=BUSY.belief) == replace(WATCHED, belief=BUSY.belief)


@bounded
@given(learnts)
def test_what_is_whole_is_left_as_it_is(learnt: Learnt) -> None:
    assert repaired(learnt, otherwise=BUSY.belief) == learnt


numbers = st.floats(allow_nan=True, allow_infinity=True)


@bounded
@given(
    st.builds(
        Learnt,
        belief=st.builds(Belief, a=numbers, b=numbers),
        signal=numbers,
        rise=numbers,
        fall=numbers,
        visited_at=st.just(NOON),
        changed_at=st.none() | st.just(NOON + HOUR),
        watched_hours=numbers,
        expected_stale_hours=numbers,
        seen_stale_hours=numbers,
    ),
    spans,
    st.booleans(),
)
def test_from_any_row_one_can_go_on_learning(spoilt: Learnt, span: timedelta, is_changed: bool) -> None:
    learnt = visit(repaired(spoilt, otherwise=PRIOR), at=NOON + span, is_changed=is_changed)

    assert repaired(learnt, otherwise=BUSY.belief) == learnt
    assert 0 <= rules.wait_hours(learnt.belief, price=1.0, age=age(learnt), least=0.0, most=720.0) <= 720


# Whether expectations come true


def gap_until_next(kind: str, mean: float, chance: random.Random) -> float:
    """Hours to the next change: of a source without memory, or of one whose changes come in bursts."""
    if kind == "poisson":
        return chance.expovariate(1 / mean)
    shape = 1 / 1.5**2  # the deviation of such gaps is one and a half times their mean
    return chance.gammavariate(shape, mean / shape)


def calibration(kind: str, *, gap: float, price: float, tells: str, seed: int) -> tuple[float, float]:
    """Expected and measured stale hours over true ones, of a source that is visited as its belief asks."""
    chance = random.Random(seed)
    upcoming, now, learnt = gap_until_next(kind, gap, chance), 0.0, visit(None, at=NOON)
    true = expected = measured = 0.0
    for number in range(900):
        until = now + rules.wait_hours(learnt.belief, price=price, age=age(learnt), least=0.1, most=2000.0)
        found = []
        while upcoming < until:
            found.append(upcoming)
            upcoming += gap_until_next(kind, gap, chance)
        before, learnt = (
            learnt,
            visit(
                learnt,
                at=NOON + until * HOUR,
                is_changed=bool(found),
                count=len(found) if tells == "how many" else None,
                last_modified=NOON + found[-1] * HOUR if found and tells == "when last" else None,
            ),
        )
        if number >= 100:  # until then it is still learning
            kept = math.exp((now - until) / learning.MONTH)
            true += until - found[0] if found else 0.0
            expected += learnt.expected_stale_hours - kept * before.expected_stale_hours
            measured += learnt.seen_stale_hours - kept * before.seen_stale_hours
        now = until
    return expected / true, measured / true


#: hours between changes, and what a visit is worth in such gaps: visited far more often than it changes, and far less
SOURCES = [(2.0, 0.1), (20.0, 0.05), (20.0, 0.5), (20.0, 2.0), (200.0, 0.02), (200.0, 0.1), (200.0, 1.0)]


@pytest.mark.parametrize("tells", ["whether", "how many", "when last"])
@pytest.mark.parametrize(("kind", "within"), [("poisson", 0.1), ("bursty", 0.25)])
def test_expected_and_measured_staleness_agree_with_the_truth(kind: str, within: float, tells: str) -> None:
    runs = [
        calibration(kind, gap=gap, price=share * gap, tells=tells, seed=seed)
        for seed, (gap, share) in enumerate(SOURCES)
    ]

    # Expectations come out nearly a tenth low: the hours of a span are taken for equal, and the first feel longest.
    expected, measured = (sum(column) / len(runs) for column in zip(*runs, strict=True))
    assert expected == pytest.approx(1, abs=within)
    assert measured == pytest.approx(1, abs=within)
