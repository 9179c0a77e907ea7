"""Which runs are moved to even out the day, and which are left alone."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.rules.schedule import slots
from lamplighter.rules.schedule.rebalance import MovableJob, Move, RebalancePlan, needs_rebalance, preview
from lamplighter.rules.schedule.slots import SLOT, LoadMap, SlotGroup

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
NOW = datetime(2026, 3, 14, 12, 3, 7, tzinfo=UTC)
bounded = settings(deadline=None, max_examples=100)


def a_job(
    number: int = 1,
    *,
    at: timedelta = 6 * HOUR,
    pace: timedelta = DAY,
    room: timedelta | None = None,
    moved: timedelta | None = None,
) -> MovableJob:
    """A job whose next run is `at` from now, that may move by `room`, and was moved so long ago."""
    around = slots.tolerance(pace) if room is None else room
    return MovableJob(
        job_id=number,
        next_run_at=NOW + at,
        pace=pace,
        moved_at=None if moved is None else NOW - moved,
        earliest=NOW + at - around,
        latest=NOW + at + around,
    )


def load_of(jobs: Sequence[MovableJob]) -> LoadMap:
    return LoadMap.of([SlotGroup(first_slot=job.next_run_at, pace=job.pace, count=1) for job in jobs], NOW)


def plan_for(jobs: Sequence[MovableJob]) -> RebalancePlan:
    return preview(jobs, load_of(jobs), now=NOW)


def applied(jobs: Sequence[MovableJob], moves: Sequence[Move]) -> list[MovableJob]:
    """The jobs after the moves, free to move again."""
    to_at = {move.job_id: move.to_at for move in moves}
    return [replace(job, next_run_at=to_at.get(job.job_id, job.next_run_at)) for job in jobs]


def minutes(least: int, most: int) -> st.SearchStrategy[timedelta]:
    return st.integers(least, most).map(lambda number: number * MINUTE)


#: bunched, as after an import: most of them start in the same two hours
crowds = st.lists(
    st.builds(
        a_job,
        at=minutes(300, 420) | minutes(-60, 30 * 60),
        pace=minutes(5, 3 * 24 * 60) | st.sampled_from([HOUR, 12 * HOUR, DAY]),
        room=st.none() | minutes(0, 360),
        moved=st.none() | minutes(0, 120),
    ),
    max_size=40,
).map(lambda jobs: [replace(job, job_id=number) for number, job in enumerate(jobs)])


def test_jobs_in_one_slot_are_spread_over_all_that_they_can_reach() -> None:
    jobs = [a_job(number) for number in range(10)]

    plan = plan_for(jobs)

    assert (plan.score_before, plan.score_after) == (0, 1)
    assert len(plan.moves) == 9
    assert len({job.next_run_at for job in applied(jobs, plan.moves)}) == 10


def test_a_day_that_is_even_is_left_alone() -> None:
    jobs = [a_job(number, at=HOUR + number * SLOT) for number in range(10)]

    assert plan_for(jobs) == RebalancePlan(moves=(), score_before=1, score_after=1)


def test_nothing_to_move_is_no_plan() -> None:
    assert plan_for([]) == RebalancePlan(moves=(), score_before=1, score_after=1)


@pytest.mark.parametrize(
    ("job", "is_moved"),
    [
        pytest.param(a_job(), True, id="free to move"),
        pytest.param(a_job(at=30 * MINUTE), False, id="in half an hour: too near"),
        pytest.param(a_job(at=31 * MINUTE), True, id="in a minute more"),
        pytest.param(a_job(at=-HOUR), False, id="overdue"),
        pytest.param(a_job(at=30 * HOUR), False, id="beyond the horizon"),
        pytest.param(a_job(moved=59 * MINUTE), False, id="moved within the hour"),
        pytest.param(a_job(moved=HOUR), True, id="moved an hour ago"),
        pytest.param(a_job(pace=20 * MINUTE), False, id="too fast to be moved for load"),
        pytest.param(a_job(room=timedelta(0)), False, id="no room"),
        pytest.param(replace(a_job(), latest=NOW), False, id="its room is over"),
    ],
)
def test_which_jobs_may_be_moved(job: MovableJob, is_moved: bool) -> None:
    load = load_of([job])
    for _ in range(5):  # jobs that cannot move, in the same slot
        load = load.with_job(job.next_run_at, DAY)

    plan = preview([job], load, now=NOW)

    assert bool(plan.moves) == is_moved


def test_the_fullest_slot_is_emptied_first() -> None:
    full, fuller = a_job(1, at=4 * HOUR), a_job(2, at=4 * HOUR + 2 * SLOT)
    empty = full.next_run_at + SLOT
    jobs = [
        replace(full, earliest=full.next_run_at, latest=empty),
        replace(fuller, earliest=empty, latest=fuller.next_run_at),
    ]
    load = load_of(jobs)
    for taken in (full, fuller, fuller):
        load = load.with_job(taken.next_run_at, DAY)

    plan = preview(jobs, load, now=NOW)

    assert plan.moves == (Move(job_id=2, from_at=fuller.next_run_at, to_at=empty),)


def test_no_job_is_moved_into_the_next_half_hour() -> None:
    job = replace(a_job(at=40 * MINUTE), earliest=NOW, latest=NOW + 40 * MINUTE)
    load = load_of([job] * 5)

    assert preview([job], load, now=NOW).moves == ()


def test_a_move_that_does_not_better_the_score_is_not_made() -> None:
    job = replace(a_job(), earliest=NOW + 6 * HOUR, latest=NOW + 6 * HOUR + SLOT)
    load = load_of([job] * 5 + [a_job(at=6 * HOUR + SLOT)] * 3)

    assert preview([job], load, now=NOW).moves == ()


def test_no_job_is_moved_for_what_it_would_meet_beyond_the_horizon() -> None:
    seldom = a_job(1, at=5 * HOUR, pace=7 * HOUR)
    meets_it_tomorrow = a_job(2, at=2 * HOUR, room=timedelta(0))
    pair = [a_job(number, at=10 * HOUR) for number in (3, 4)]

    plan = plan_for([seldom, meets_it_tomorrow, *pair])

    assert [move.job_id for move in plan.moves] == [3]


@given(crowds)
@bounded
def test_a_move_stays_within_its_bounds_and_out_of_the_next_half_hour(jobs: list[MovableJob]) -> None:
    plan = plan_for(jobs)

    by_id = {job.job_id: job for job in jobs}
    for move in plan.moves:
        job = by_id[move.job_id]
        assert move.from_at == job.next_run_at != move.to_at
        assert max(job.earliest, NOW + 30 * MINUTE) <= move.to_at <= job.latest


@given(crowds)
@bounded
def test_jobs_that_are_near_or_were_just_moved_stay(jobs: list[MovableJob]) -> None:
    moved = {move.job_id for move in plan_for(jobs).moves}

    near = {job.job_id for job in jobs if job.next_run_at <= NOW + 30 * MINUTE}
    resting = {job.job_id for job in jobs if job.moved_at is not None and NOW - job.moved_at < HOUR}
    assert not moved & (near | resting)


@given(crowds)
@bounded
def test_a_plan_keeps_its_promise_and_never_makes_the_day_worse(jobs: list[MovableJob]) -> None:
    plan = plan_for(jobs)

    assert plan.score_before == slots.score(load_of(jobs))
    assert plan.score_after == slots.score(load_of(applied(jobs, plan.moves)))
    assert plan.score_after > plan.score_before or not plan.moves


@given(crowds, st.randoms(use_true_random=False))
@bounded
def test_the_order_of_the_candidates_does_not_matter(jobs: list[MovableJob], random: Random) -> None:
    shuffled = list(jobs)
    random.shuffle(shuffled)

    assert plan_for(shuffled) == plan_for(jobs)


@given(crowds)
@bounded
def test_a_second_preview_finds_next_to_nothing(jobs: list[MovableJob]) -> None:
    done = applied(jobs, plan_for(jobs).moves)

    again = plan_for(done)

    assert len(again.moves) <= 0.05 * len(jobs)


def test_ten_thousand_bunched_jobs_are_planned_within_seconds() -> None:
    jobs = [
        a_job(number, at=6 * HOUR + number % 97 * MINUTE, pace=(6 + number % 60) * HOUR) for number in range(10_000)
    ]
    load, began = load_of(jobs), process_time()

    plan = preview(jobs, load, now=NOW)

    assert process_time() - began < 50  # it takes about half a second; the rest is for slow machines
    assert plan.score_after > plan.score_before + 0.1


@pytest.mark.parametrize(
    ("score", "is_needed"),
    [
        pytest.param(0.0, True, id="all in one slot"),
        pytest.param(0.69, True, id="just below"),
        pytest.param(0.7, False, id="good enough"),
        pytest.param(1.0, False, id="even"),
    ],
)
def test_a_bad_score_asks_for_a_rebalance(score: float, is_needed: bool) -> None:
    assert needs_rebalance(score) == is_needed
