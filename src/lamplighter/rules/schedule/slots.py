"""In which quarter of an hour should a job start, so that runs are spread over the day?

Time is cut into slots of 15 minutes of UTC, with a horizon of 24 hours: 96 slots. A job counts in every slot in which
it will start within that horizon. Beyond the horizon nothing is moved: too few of the runs there are planned yet, so
every slot looks empty, and jobs sent to the emptiest would all start there.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, Self

from lamplighter.errors import BadInput

SLOT = timedelta(minutes=15)
HORIZON = timedelta(hours=24)
SLOT_COUNT = HORIZON // SLOT
#: a job with a shorter pace than this is not moved for load: it starts in most slots anyway
LEAST_MOVED_PACE = timedelta(minutes=30)
#: share of its pace by which a planned time may be moved; visits at even intervals keep a copy freshest
MOVABLE_SHARE = 0.1
#: a slow job is not moved from day to night
LONGEST_MOVE = timedelta(hours=6)

#: so many starts in a slot are no crowd, nor are a few more than in others
FEW = 10
CROWDED_SHARE = 1.25

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotGroup:
    """Jobs that start next in the same slot and have the same pace."""

    #: any moment within the slot
    first_slot: datetime
    #: between two runs of each of them. It may be rounded to whole slots (half a slot counts as one) unless it is
    #: shorter than a slot, and counted as a day if it is longer: neither changes the load
    pace: timedelta
    count: int


class SlotRhythm(NamedTuple):
    """A pace in slots; jobs of one group and the same jobs one by one have equal rhythms."""

    #: slots from one start to the next
    stride: int
    #: starts in each used slot; more than one if the pace is shorter than a slot
    starts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadMap:
    """How many runs will start in each slot of the 24 hours after `now`.

    It is immutable: a change gives a new map, and its owner (the scheduler) keeps the latest. It does not advance with
    the clock; its owner rebuilds it every few minutes.
    """

    now: datetime
    #: by slot, the one that contains `now` first
    starts: tuple[int, ...]
    #: first starts beyond the horizon by slot, counted from the current one: only `spread` looks so far
    later: Mapping[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, groups: Iterable[SlotGroup], now: datetime) -> Self:
        """The load of all jobs. Overdue ones start now; those that start beyond the horizon do not count."""
        empty = cls(now=now, starts=(0,) * SLOT_COUNT)
        starts, later = list(empty.starts), Counter[int]()
        for group in groups:
            stride, each = rhythm_of(group.pace)
            first = empty.index_of(group.first_slot)
            for index in range(first, SLOT_COUNT, stride):
                starts[index] += group.count * each
            if first >= SLOT_COUNT:
                later[first] += group.count
        return replace(empty, starts=tuple(starts), later=later)

    def with_job(self, next_run_at: datetime, pace: timedelta) -> Self:
        """The load with one job more."""
        stride, each = rhythm_of(pace)
        first = self.index_of(next_run_at)
        if first >= SLOT_COUNT:
            return replace(self, later={**self.later, first: self.later.get(first, 0) + 1})
        starts = list(self.starts)
        for index in range(first, SLOT_COUNT, stride):
            starts[index] += each
        return replace(self, starts=tuple(starts))

    def at(self, index: int) -> int:
        """How many runs start in a slot, counted from the current one; beyond the horizon only first ones count."""
        return self.starts[index] if index < SLOT_COUNT else self.later.get(index, 0)

    def index_of(self, moment: datetime) -> int:
        """The index of the moment's slot, counted from the current one; an overdue moment is in the current slot."""
        return max(0, _slot(moment) - _slot(self.now))

    @property
    def ends_at(self) -> datetime:
        """The end of the horizon: the first moment that is not covered."""
        return _EPOCH + (_slot(self.now) + SLOT_COUNT) * SLOT


def place(load: LoadMap, *, at: datetime, pace: timedelta, earliest: datetime, latest: datetime) -> datetime:
    """The moment from `earliest` to `latest` whose slot, and those that follow at this pace, start the fewest runs.

    `load` is without the job itself. Of equally loaded slots the nearest is taken, so `at` stays as it is if it can.
    The place within the slot is kept as far as the bounds allow: moved jobs stay as scattered as they were. With no
    room between the bounds, or none after now, the lower one wins.
    """
    floor = max(earliest, load.now)
    at = max(floor, min(at, latest))
    last = min(latest, load.ends_at - timedelta.resolution)
    if at > last:
        return at
    here = load.index_of(at)
    there = emptiest(
        load.starts,
        nearest_to=here,
        first=load.index_of(floor),
        last=load.index_of(last),
        stride=rhythm_of(pace).stride,
    )
    return max(floor, min(at + (there - here) * SLOT, latest))


def spread(load: LoadMap, *, at: datetime, pace: timedelta) -> datetime:
    """When a new job starts for the second time: as planned, or later within one interval if that slot is crowded.

    Sources that are added together run together for the first time; without this they would do so for ever.
    """
    here = load.index_of(at)
    room = range(here, here + max(1, min(pace, HORIZON) // SLOT))
    counts = [load.at(index) for index in room]
    most = max(FEW, CROWDED_SHARE * sum(counts) / len(counts))
    ahead = next((ahead for ahead, count in enumerate(counts) if count < most), 0)
    return at + ahead * SLOT


def emptiest(starts: Sequence[int], *, nearest_to: int, first: int, last: int, stride: int) -> int:
    """The slot from first to last from which a job meets the fewest starts in all slots that it uses in a day.

    Of two that are as good and as near, it is the later, which asks less of the site. The series wraps around the end
    of the horizon, where the next day is assumed to be like this one: from every start it has as many slots.
    """
    around = [*starts, *starts]
    loads = [sum(around[index : index + SLOT_COUNT : stride]) for index in range(first, last + 1)]
    least = min(loads)
    best = (first + shift for shift, total in enumerate(loads) if total == least)
    return min(best, key=lambda index: (abs(index - nearest_to), -index))


def tolerance(pace: timedelta) -> timedelta:
    """How far a planned time may be moved for load, sooner or later: a tenth of the pace, at most six hours.

    Less than jitter moves it, so that the interval that a policy chose is kept. Up to a pace of two and a half hours
    that is less than a slot, and only jobs near a slot's edge change slots.
    """
    if pace < LEAST_MOVED_PACE:
        return timedelta(0)
    return min(pace * MOVABLE_SHARE, LONGEST_MOVE)


def keep_phase(previous: datetime, interval: timedelta, now: datetime) -> datetime:
    """The first time after now that lies whole intervals from `previous`.

    Missed runs are not made up for, and a run that takes long does not delay those after it.
    """
    _check(interval, "An interval")
    return previous + ((now - previous) // interval + 1) * interval


def score(load: LoadMap) -> float:
    """How well the starts are spread: 1 is as even as their number allows, 0 is all in one slot.

    It is the share of starts that need not be moved to make the spread even, of those that would in the worst case.
    """
    total = sum(load.starts)
    level, left_over = divmod(total, SLOT_COUNT)
    worst = total - level - bool(left_over)
    if not worst:
        return 1.0
    fullest_first = sorted(load.starts, reverse=True)
    too_many = sum(max(0, count - level - (rank < left_over)) for rank, count in enumerate(fullest_first))
    return 1 - too_many / worst


def rhythm_of(pace: timedelta) -> SlotRhythm:
    """The pace to the nearest slot (half a slot counts as one), and never less than one."""
    _check(pace, "A pace")
    return SlotRhythm(max(1, (pace + SLOT / 2) // SLOT), max(1, (SLOT + pace / 2) // pace))


def _slot(moment: datetime) -> int:
    """The number of a moment's slot, counted from 1970."""
    return (moment - _EPOCH) // SLOT


def _check(duration: timedelta, what: str) -> None:
    if duration <= timedelta(0):
        raise BadInput(f"{what} of {duration} is out of range; give one longer than zero, such as 0:15:00.")
