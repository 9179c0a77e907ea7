"""Which planned runs should be moved so that the next 24 hours are evenly loaded?

A preview changes nothing: it lists the moves, and the score they would give.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from lamplighter.rules.schedule import slots
from lamplighter.rules.schedule.slots import LoadMap, SlotRhythm

#: below this score a preview is worthwhile
SHOULD_REBALANCE_BELOW = 0.7
#: a run that starts this soon stays where it is, and none is moved to start this soon
IMMINENT = timedelta(minutes=30)
#: after a move a job is not moved again for this long
REST = timedelta(hours=1)
#: passes over all candidates; later ones only refine what earlier moves made possible
MOST_ROUNDS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class MovableJob:
    """A job that may be moved, and its bounds."""

    job_id: int
    next_run_at: datetime
    #: time between two runs
    pace: timedelta
    #: None: it was never moved
    moved_at: datetime | None
    #: bounds of its next run, inclusive
    earliest: datetime
    latest: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A next run moved to another time; the job's pace stays as it is."""

    job_id: int
    from_at: datetime
    to_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RebalancePlan:
    """Moves that belong together: the score holds for all of them."""

    #: in the order of job ids
    moves: tuple[Move, ...]
    score_before: float
    score_after: float


#: from this score on the load is even
EVEN_FROM = 0.9


def in_words(score: float, *, total: int) -> str:
    """What a score means, in the same words wherever it is shown."""
    if score >= EVEN_FROM:
        return "evenly spread; nothing to do"
    few = f"{round((1 - score) * total):,}"
    moved = f"about {few} of {total:,} {'run' if total == 1 else 'runs'} would have to move for an even load"
    return f"uneven: {moved}" if needs_rebalance(score) else f"spread well enough; {moved}"


def needs_rebalance(score: float) -> bool:
    """Whether a preview is worthwhile; where jobs have no room, it may still find nothing to move."""
    return score < SHOULD_REBALANCE_BELOW


def preview(candidates: Iterable[MovableJob], load: LoadMap, *, now: datetime) -> RebalancePlan:
    """The moves from full slots to emptier ones; `load` counts the candidates too.

    The plan does not depend on the order of the candidates. Passes that gain nothing are dropped, so a second preview
    of the result finds nothing more, unless the first had to stop before it was done.
    """
    movable = sorted((job for job in candidates if _is_movable(job, load, now=now)), key=lambda job: job.job_id)
    seats = [_seat(job, load, now=now) for job in movable]
    planned, spread = [seat.origin for seat in seats], load
    for _ in range(MOST_ROUNDS):
        tried, starts = _round(seats, planned, spread.starts)
        tried_spread = replace(load, starts=tuple(starts))
        if slots.score(tried_spread) <= slots.score(spread):
            break
        planned, spread = tried, tried_spread
    moves = tuple(seat.move_to(index) for seat, index in zip(seats, planned, strict=True) if index != seat.origin)
    return RebalancePlan(moves=moves, score_before=slots.score(load), score_after=slots.score(spread))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seat:
    """A candidate in terms of slots, which are counted from the current one."""

    job: MovableJob
    rhythm: SlotRhythm
    earliest: datetime
    latest: datetime
    #: the slots of those two bounds
    first: int
    last: int
    #: the slot in which the job was planned
    origin: int

    def move_to(self, index: int) -> Move:
        to_at = self.job.next_run_at + (index - self.origin) * slots.SLOT
        return Move(
            job_id=self.job.job_id, from_at=self.job.next_run_at, to_at=max(self.earliest, min(to_at, self.latest))
        )


def _is_movable(job: MovableJob, load: LoadMap, *, now: datetime) -> bool:
    if job.moved_at is not None and now - job.moved_at < REST:
        return False
    if not now + IMMINENT < job.next_run_at < load.ends_at:
        return False
    earliest, latest = _bounds(job, load, now=now)
    return earliest <= latest


def _bounds(job: MovableJob, load: LoadMap, *, now: datetime) -> tuple[datetime, datetime]:
    """The job's own bounds, narrowed by the next half hour and by the end of the horizon."""
    return max(job.earliest, now + IMMINENT), min(job.latest, load.ends_at - timedelta.resolution)


def _seat(job: MovableJob, load: LoadMap, *, now: datetime) -> _Seat:
    earliest, latest = _bounds(job, load, now=now)
    return _Seat(
        job=job,
        rhythm=slots.rhythm_of(job.pace),
        earliest=earliest,
        latest=latest,
        first=load.index_of(earliest),
        last=load.index_of(latest),
        origin=load.index_of(job.next_run_at),
    )


def _round(seats: Sequence[_Seat], planned: Sequence[int], starts: Sequence[int]) -> tuple[list[int], list[int]]:
    """One pass over every job, those of the fullest slots first: the slot of each job afterwards, and the starts."""
    settled, counts = list(planned), list(starts)
    by_slot: dict[int, list[int]] = {}
    for number, index in enumerate(planned):
        by_slot.setdefault(index, []).append(number)
    while by_slot:
        fullest = max(by_slot, key=lambda index: (counts[index], -index))
        for number in by_slot.pop(fullest):
            settled[number] = _settle(seats[number], fullest, counts)
    return settled, counts


def _settle(seat: _Seat, here: int, counts: list[int]) -> int:
    """Counts the job in the emptiest slot within its bounds, if that makes the day more even, and returns its slot."""
    _add(counts, here, seat.rhythm, sign=-1)
    there = slots.emptiest(counts, nearest_to=here, first=seat.first, last=seat.last, stride=seat.rhythm.stride)
    if _crowding(counts, there, seat.rhythm) >= _crowding(counts, here, seat.rhythm):
        there = here
    _add(counts, there, seat.rhythm, sign=1)
    return there


def _add(counts: list[int], index: int, rhythm: SlotRhythm, *, sign: int) -> None:
    for slot in range(index, slots.SLOT_COUNT, rhythm.stride):
        counts[slot] += sign * rhythm.starts


def _crowding(counts: list[int], index: int, rhythm: SlotRhythm) -> int:
    """By how much the sum of all slots' squares grows if a job starts here; the more even, the smaller that sum."""
    return sum((2 * count + rhythm.starts) * rhythm.starts for count in counts[index :: rhythm.stride])
