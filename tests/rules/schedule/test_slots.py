"""How runs are spread over the day, and what may not be given up for it."""

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lamplighter.errors import BadInput
from lamplighter.rules.schedule import slots
from lamplighter.rules.schedule.slots import (
    HORIZON,
    SLOT,
    SLOT_COUNT,
    LoadMap,
    SlotGroup,
    keep_phase,
    place,
    score,
    tolerance,
)

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
NOW = datetime(2026, 3, 14, 12, 3, 7, 123456, tzinfo=UTC)
#: the start of the slot that holds NOW
EDGE = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
EMPTY = LoadMap.of([], NOW)
bounded = settings(deadline=None, max_examples=150)

paces = st.integers(60, 3 * 24 * 3600).map(lambda seconds: timedelta(seconds=seconds))
moments = st.integers(-3600, 30 * 3600).map(lambda seconds: NOW + timedelta(seconds=seconds))
jobs = st.lists(st.tuples(moments, paces), max_size=20)
#: bytes are drawn faster than lists of numbers
loads = st.binary(min_size=SLOT_COUNT, max_size=SLOT_COUNT).map(
    lambda drawn: LoadMap(now=NOW, starts=tuple(byte % 10 for byte in drawn))
)


@st.composite
def inputs(draw: st.DrawFn) -> dict[str, datetime]:
    """A planned time and its bounds, of which the later one is still to come."""
    latest = draw(moments.filter(lambda moment: moment >= NOW))
    earliest = draw(moments.filter(lambda moment: moment <= latest))
    return {"at": draw(moments), "earliest": earliest, "latest": latest}


def slot(number: int) -> datetime:
    """A moment in a slot, counted from that of now."""
    return EDGE + number * SLOT + 5 * MINUTE


def with_jobs(jobs: list[tuple[datetime, timedelta]]) -> LoadMap:
    load = EMPTY
    for next_run_at, pace in jobs:
        load = load.with_job(next_run_at, pace)
    return load


def daily(*numbers: int) -> LoadMap:
    """One job that runs once a day for each slot named."""
    return with_jobs([(slot(number), DAY) for number in numbers])


def number_of(moment: datetime) -> int:
    return (moment - EDGE) // SLOT


@pytest.mark.parametrize(
    ("first", "pace", "used"),
    [
        pytest.param(0, HOUR, range(0, 96, 4), id="hourly: 24 of the 96 slots"),
        pytest.param(3, HOUR, range(3, 96, 4), id="hourly from the last quarter: the last quarters"),
        pytest.param(0, SLOT, range(96), id="every quarter of an hour: all slots"),
        pytest.param(2, 7 * HOUR, (2, 30, 58, 86), id="every seven hours: four times"),
        pytest.param(20, 7 * HOUR, (20, 48, 76), id="every seven hours, later: three times within the horizon"),
        pytest.param(40, DAY, (40,), id="daily: once"),
        pytest.param(40, 14 * DAY, (40,), id="fortnightly: once"),
        pytest.param(95, DAY, (95,), id="in the last slot of the horizon"),
        pytest.param(96, DAY, (), id="beyond the horizon: not counted"),
        pytest.param(-30, DAY, (0,), id="overdue: it starts now"),
        pytest.param(0, 50 * MINUTE, range(0, 96, 3), id="a pace between slots: to the nearest"),
        pytest.param(0, 22.5 * MINUTE, range(0, 96, 2), id="half a slot counts as one"),
    ],
)
def test_a_job_counts_in_every_slot_that_it_will_use(first: int, pace: timedelta, used: range) -> None:
    load = EMPTY.with_job(slot(first), pace)

    assert [number for number, count in enumerate(load.starts) if count] == list(used)
    assert max(load.starts) <= 1


def test_a_job_faster_than_a_slot_counts_for_each_of_its_starts() -> None:
    assert set(EMPTY.with_job(NOW, 5 * MINUTE).starts) == {3}


def test_slots_are_quarters_of_an_hour_of_the_clock() -> None:
    quarter = datetime(2026, 3, 14, 14, 15, tzinfo=UTC)
    last = quarter + SLOT - timedelta.resolution

    assert EMPTY.with_job(quarter, DAY) == EMPTY.with_job(last, DAY)
    assert EMPTY.with_job(quarter - timedelta.resolution, DAY) != EMPTY.with_job(quarter, DAY)


def test_a_job_beyond_the_horizon_does_not_count() -> None:
    assert EMPTY.with_job(EMPTY.ends_at, DAY).starts == EMPTY.starts


@given(jobs)
@bounded
def test_groups_count_as_their_jobs_do_one_by_one(jobs: list[tuple[datetime, timedelta]]) -> None:
    def grouped(moment: datetime, pace: timedelta) -> tuple[datetime, timedelta]:
        """As a database would do it with whole numbers of seconds."""
        seconds = int(pace.total_seconds())
        whole = pace if seconds < 900 else min(DAY, (seconds + 450) // 900 * SLOT)
        return EDGE + number_of(moment) * SLOT, whole

    counts = Counter(grouped(*job) for job in jobs)
    groups = [SlotGroup(first_slot=first, pace=pace, count=count) for (first, pace), count in counts.items()]

    assert LoadMap.of(groups, NOW) == with_jobs(jobs)


@given(loads, paces, inputs())
@bounded
def test_a_placed_run_lies_within_its_bounds_and_not_in_the_past(
    load: LoadMap, pace: timedelta, submitted: dict[str, datetime]
) -> None:
    assert max(NOW, submitted["earliest"]) <= place(load, pace=pace, **submitted) <= submitted["latest"]


@given(loads, paces, inputs())
@bounded
def test_no_slot_within_the_bounds_would_have_been_emptier(
    load: LoadMap, pace: timedelta, submitted: dict[str, datetime]
) -> None:
    assume(submitted["latest"] < load.ends_at)
    stride = slots.rhythm_of(pace).stride

    def met(number: int) -> int:
        return sum(load.starts[later % SLOT_COUNT] for later in range(number, number + SLOT_COUNT, stride))

    placed = place(load, pace=pace, **submitted)

    within = range(max(0, number_of(submitted["earliest"])), number_of(submitted["latest"]) + 1)
    assert met(number_of(placed)) == min(met(number) for number in within)


@given(loads, paces, inputs())
@bounded
def test_a_run_that_was_placed_stays_where_it_is(
    load: LoadMap, pace: timedelta, submitted: dict[str, datetime]
) -> None:
    placed = place(load, pace=pace, **submitted)

    assert place(load, pace=pace, **(submitted | {"at": placed})) == placed


@given(loads, moments.filter(lambda moment: moment > NOW + HOUR), st.integers(0, 20))
@bounded
def test_a_move_keeps_the_place_within_the_slot(load: LoadMap, at: datetime, room: int) -> None:
    earliest, latest = at - min(room, 4) * SLOT, at + room * SLOT
    assume(latest < load.ends_at)

    placed = place(load, at=at, pace=DAY, earliest=earliest, latest=latest)

    assert (placed - at) % SLOT == timedelta(0)


@pytest.mark.parametrize(
    ("full", "at", "pace", "expected"),
    [
        pytest.param((), 10, DAY, 10, id="all empty: it stays"),
        pytest.param((3, 4), 10, DAY, 10, id="its own slot is empty: it stays"),
        pytest.param((10,), 10, DAY, 11, id="two as empty and as near: the later"),
        pytest.param((10, 11), 10, DAY, 9, id="the nearest of the empty ones"),
        pytest.param((*range(6, 15), 6), 10, DAY, 10, id="all as full: it stays"),
        pytest.param((*range(6, 15), *range(6, 14)), 10, DAY, 14, id="the least full"),
        pytest.param((11, 15 + 96), 10, DAY, 10, id="what starts beyond the horizon does not count"),
        pytest.param((10, 11 + 48), 10, 12 * HOUR, 9, id="half a day later the later one would be full"),
    ],
)
def test_the_emptiest_slot_within_an_hour_is_chosen(
    full: tuple[int, ...], at: int, pace: timedelta, expected: int
) -> None:
    load, submitted = daily(*full), slot(at)

    assert place(load, at=submitted, pace=pace, earliest=submitted - HOUR, latest=submitted + HOUR) == slot(expected)


def test_a_job_near_the_edge_of_its_slot_goes_just_as_far_as_it_may() -> None:
    at = EDGE + HOUR + 13 * MINUTE

    placed = place(daily(4), at=at, pace=HOUR, earliest=at - 6 * MINUTE, latest=at + 6 * MINUTE)

    assert placed == at + 6 * MINUTE


@pytest.mark.parametrize(
    ("at", "earliest", "latest", "expected"),
    [
        pytest.param(-8, -9, -7, NOW, id="all in the past: now"),
        pytest.param(8, 20, 12, slot(20), id="bounds that cross: the lower one"),
        pytest.param(8, 12, 12, slot(12), id="no room: the only moment there is"),
        pytest.param(100, 90, 110, slot(100), id="beyond the horizon: as planned"),
        pytest.param(94, 90, 110, slot(92), id="not over the end of the horizon, where all looks empty"),
    ],
)
def test_where_there_is_nothing_to_choose(at: int, earliest: int, latest: int, expected: datetime) -> None:
    load = daily(90, 91, 93, 94, 95)

    assert place(load, at=slot(at), pace=DAY, earliest=slot(earliest), latest=slot(latest)) == expected


@given(st.integers(1, 120), st.integers(0, 40))
@bounded
def test_jobs_that_want_the_same_moment_share_the_slots_that_they_can_reach(count: int, room: int) -> None:
    load, at = EMPTY, slot(48)

    for _ in range(count):
        placed = place(load, at=at, pace=DAY, earliest=at - room * SLOT, latest=at + room * SLOT)
        load = load.with_job(placed, DAY)

    reached = load.starts[48 - room : 48 + room + 1]
    assert sum(reached) == count
    assert max(reached) - min(reached) <= 1


@pytest.mark.parametrize(
    ("pace", "expected"),
    [
        pytest.param(MINUTE, timedelta(0), id="every minute: not moved"),
        pytest.param(30 * MINUTE - timedelta.resolution, timedelta(0), id="just under half an hour: not moved"),
        pytest.param(30 * MINUTE, 3 * MINUTE, id="half an hour"),
        pytest.param(HOUR, 6 * MINUTE, id="hourly"),
        pytest.param(DAY, 144 * MINUTE, id="daily"),
        pytest.param(2.5 * DAY, 6 * HOUR, id="six hours is the most"),
        pytest.param(90 * DAY, 6 * HOUR, id="quarterly: six hours too"),
    ],
)
def test_how_far_a_run_may_be_moved_for_load(pace: timedelta, expected: timedelta) -> None:
    assert tolerance(pace) == expected


@pytest.mark.parametrize(
    ("passed", "expected"),
    [
        pytest.param(5 * MINUTE, 6 * HOUR, id="a quick run"),
        pytest.param(5 * HOUR, 6 * HOUR, id="a long run does not delay the next"),
        pytest.param(6 * HOUR, 12 * HOUR, id="over at the very moment of the next: the one after"),
        pytest.param(50 * HOUR, 54 * HOUR, id="after downtime: one run, not eight"),
        pytest.param(-1 * HOUR, timedelta(0), id="run by hand an hour before its time: its time stands"),
    ],
)
def test_a_fixed_rhythm_keeps_its_phase(passed: timedelta, expected: timedelta) -> None:
    assert keep_phase(NOW, 6 * HOUR, NOW + passed) == NOW + expected


@given(moments, st.integers(1, 10**13).map(lambda number: timedelta(microseconds=number)), moments)
@bounded
def test_the_next_time_is_in_phase_and_at_most_one_interval_ahead(
    previous: datetime, interval: timedelta, now: datetime
) -> None:
    following = keep_phase(previous, interval, now)

    assert now < following <= now + interval
    assert (following - previous) % interval == timedelta(0)


@pytest.mark.parametrize(
    ("load", "expected"),
    [
        pytest.param(EMPTY, 1.0, id="nothing to do"),
        pytest.param(daily(7), 1.0, id="a single job"),
        pytest.param(daily(*range(0, 70, 10)), 1.0, id="seven jobs in seven slots"),
        pytest.param(daily(*range(7)), 1.0, id="seven jobs in seven slots in a row"),
        pytest.param(daily(*[5] * 7), 0.0, id="seven jobs in one slot"),
        pytest.param(daily(*range(96), *range(50)), 1.0, id="some slots have two because all have one"),
        pytest.param(with_jobs([(slot(number), HOUR) for number in range(7)]), 1.0, id="seven hourly jobs, spread"),
        pytest.param(daily(*[5] * 4, 1, 2, 3), 0.5, id="three of the seven should move, of six at worst"),
        pytest.param(with_jobs([(slot(1), HOUR)] * 24), 0.242, id="24 hourly jobs in the same quarter"),
    ],
)
def test_the_score_of_a_day(load: LoadMap, expected: float) -> None:
    assert score(load) == pytest.approx(expected, abs=0.001)


@given(loads)
@bounded
def test_the_score_lies_between_nought_and_one(load: LoadMap) -> None:
    assert 0 <= score(load) <= 1


@given(st.integers(SLOT_COUNT, 1000))
@bounded
def test_only_an_even_spread_is_perfect(total: int) -> None:
    level, left_over = divmod(total, SLOT_COUNT)
    even = [level + (number < left_over) for number in range(SLOT_COUNT)]
    uneven = [even[0] + 1, *even[1:-1], even[-1] - 1]

    assert score(LoadMap(now=NOW, starts=tuple(even))) == 1
    assert score(LoadMap(now=NOW, starts=tuple(uneven))) < 1


@given(loads, st.integers(0, SLOT_COUNT - 1), st.integers(0, SLOT_COUNT - 1))
@bounded
def test_a_start_moved_from_a_fuller_to_an_emptier_slot_never_lowers_the_score(
    load: LoadMap, one: int, other: int
) -> None:
    fuller, emptier = sorted((one, other), key=lambda number: load.starts[number], reverse=True)
    assume(load.starts[fuller] > load.starts[emptier])
    starts = list(load.starts)

    starts[fuller] -= 1
    starts[emptier] += 1

    assert score(LoadMap(now=NOW, starts=tuple(starts))) >= score(load)


@pytest.mark.parametrize("pace", [timedelta(0), -HOUR], ids=["nothing", "backwards"])
def test_a_pace_that_leads_nowhere_is_refused(pace: timedelta) -> None:
    with pytest.raises(BadInput, match="longer than zero"):
        EMPTY.with_job(NOW, pace)
    with pytest.raises(BadInput, match="longer than zero"):
        keep_phase(NOW, pace, NOW)


def test_the_horizon_is_a_day_of_whole_slots() -> None:
    assert EMPTY.ends_at == EDGE + HORIZON


@pytest.mark.parametrize("pace", [timedelta(hours=4), timedelta(days=1), timedelta(days=7)], ids=str)
def test_jobs_that_were_added_together_are_spread_over_their_interval(pace: timedelta) -> None:
    load = LoadMap.of([], NOW)
    planned = []

    for _ in range(960):
        planned.append(slots.spread(load, at=NOW + pace, pace=pace))
        load = load.with_job(planned[-1], pace)

    room = min(pace, slots.HORIZON) // slots.SLOT
    by_slot = Counter((moment - EDGE) // slots.SLOT for moment in planned)
    assert min(planned) == NOW + pace
    assert max(planned) < NOW + pace + min(pace, slots.HORIZON)
    assert max(by_slot.values()) <= 1.5 * 960 / room


def test_a_job_among_few_stays_where_it_was_planned() -> None:
    load = LoadMap.of([], NOW)
    for _ in range(slots.FEW - 1):
        load = load.with_job(NOW + timedelta(days=1), timedelta(days=1))

    assert slots.spread(load, at=NOW + timedelta(days=1), pace=timedelta(days=1)) == NOW + timedelta(days=1)
