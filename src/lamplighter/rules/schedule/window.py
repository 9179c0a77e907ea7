"""Is crawling allowed now, and if not, when? Weekly windows, read in the local time of their zones.

As long as no clock is put forward or back, every week in UTC is like the one before. So that week is computed once,
queries are looked up in it, and at a change of the clocks it is computed again. Daylight saving needs no rule of
its own: a wall clock that jumps over a start is inside the window, and one that is put back passes it twice.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from lamplighter.errors import BadInput
from lamplighter.model.schedule import Window, WindowKind
from lamplighter.model.window_json import zone_names
from lamplighter.rules.schedule.window_text import describe

SECOND = timedelta(seconds=1)
DAY_SECONDS = 24 * 60 * 60
WEEK_SECONDS = 7 * DAY_SECONDS
WEEK = timedelta(days=7)
#: a little more than a year: what stays closed through every change of the clocks never opens
FARTHEST_OPENING = 54 * WEEK
#: an opening that lasts longer counts as one without an end
LONGEST_OPENING = 2 * WEEK
_SOME_MONDAY = datetime(2026, 1, 5, tzinfo=UTC)
#: hours of a week
HOURS = 7 * 24
_HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Timetable:
    """Lists of windows that must all be open. Compared by identity, which makes it a cheap key."""

    lists: tuple[tuple[Window, ...], ...]
    #: kept here because zoneinfo itself caches only the last few, and loads the others again
    zones: tuple[ZoneInfo, ...]

    def offsets(self, at: datetime) -> tuple[timedelta, ...]:
        """How far the clocks of each zone are ahead of UTC."""
        return tuple(at.astimezone(zone).utcoffset() or timedelta(0) for zone in self.zones)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Week:
    """A week as it is while no clock is changed, in seconds since Monday 00:00 UTC."""

    #: when it opens and closes in turn, cyclic
    turns: tuple[int, ...]
    is_open_before_first_turn: bool

    def is_open(self, second: int) -> bool:
        has_turned = bisect_right(self.turns, second) % 2 == 1
        return self.is_open_before_first_turn != has_turned

    def next_turn(self, second: int) -> int | None:
        """The first turn after this second, perhaps next week; None when it stays as it is."""
        if not self.turns:
            return None
        index = bisect_right(self.turns, second)
        return self.turns[index] if index < len(self.turns) else self.turns[0] + WEEK_SECONDS


def is_open(windows: Sequence[Window], at: datetime) -> bool:
    """Whether the time lies in an allow window, if there are any, and in no deny window."""
    return all_open((windows,), at)


def all_open(lists: Iterable[Sequence[Window]], at: datetime) -> bool:
    """Whether every list is open, say a source's and its host's: the deny of either wins."""
    timetable = _timetable(tuple(map(tuple, lists)))
    return _week(timetable, timetable.offsets(at)).is_open(_second_of_week(at))


def next_opening(windows: Sequence[Window], at: datetime) -> datetime | None:
    """The first moment from `at` on that is open: `at` itself, or an exact edge in UTC; None when it never opens."""
    return next_opening_of((windows,), at)


def next_opening_of(lists: Iterable[Sequence[Window]], at: datetime) -> datetime | None:
    """The first moment at which every list is open; None also when each opens, but never together."""
    return _first_moment(_timetable(tuple(map(tuple, lists))), at, wanted=True, within=FARTHEST_OPENING)


def closes_at(windows: Sequence[Window], at: datetime) -> datetime | None:
    """The first closed moment from `at` on: `at` itself, or an exact edge in UTC; None: not within two weeks."""
    return _first_moment(_timetable((tuple(windows),)), at, wanted=False, within=LONGEST_OPENING)


def check(windows: Sequence[Window]) -> None:
    """Refuse windows that would keep their owner from ever being crawled."""
    # Windows do not depend on the year, so any moment will do to start from.
    if next_opening(windows, _SOME_MONDAY) is None:
        raise BadInput(
            f"The windows {describe(windows)!r} never open; shorten a deny window or widen an allow window. "
            "To stop crawling altogether, pause the source."
        )


def _first_moment(timetable: _Timetable, at: datetime, *, wanted: bool, within: timedelta) -> datetime | None:
    """The first moment from `at` on that is open (wanted: True) or closed (wanted: False)."""
    moment = at.astimezone(UTC)
    until = moment + within
    while moment < until:
        offsets = timetable.offsets(moment)
        week = _week(timetable, offsets)
        second = _second_of_week(moment)
        if week.is_open(second) == wanted:
            return moment
        turn = week.next_turn(second)
        ahead = moment + WEEK if turn is None else moment.replace(microsecond=0) + (turn - second) * SECOND
        # No zone changes its clocks twice within a week, so a change shows at the end of the stretch.
        moment = ahead if timetable.offsets(ahead) == offsets else _clock_change(timetable, moment, ahead)
    return None


def _clock_change(timetable: _Timetable, before: datetime, after: datetime) -> datetime:
    """The second at which the offsets of `before` cease to hold, which they do by `after`."""
    offsets = timetable.offsets(before)
    start = before.replace(microsecond=0)
    seconds = range((after - start) // SECOND)
    return start + SECOND * bisect_left(seconds, True, key=lambda s: timetable.offsets(start + s * SECOND) != offsets)


def _second_of_week(at: datetime) -> int:
    return (at - _SOME_MONDAY) // SECOND % WEEK_SECONDS


@lru_cache(maxsize=4096)
def _timetable(lists: tuple[tuple[Window, ...], ...]) -> _Timetable:
    # A zone can vanish from the time zone data after its window was stored; the other windows must still work.
    usable = tuple(tuple(window for window in windows if window.zone in zone_names()) for windows in lists)
    names = sorted({window.zone for windows in usable for window in windows})
    return _Timetable(lists=usable, zones=tuple(map(ZoneInfo, names)))


@lru_cache(maxsize=8192)
def _week(timetable: _Timetable, offsets: tuple[timedelta, ...]) -> _Week:
    """The week in UTC while the clocks of the timetable's zones are ahead of it by these offsets."""
    ahead = {zone.key: offset // SECOND for zone, offset in zip(timetable.zones, offsets, strict=True)}
    bounds = [
        (kind, _merged(span for window in chosen for span in _spans(window, ahead[window.zone])))
        for windows in timetable.lists
        for kind in WindowKind
        if (chosen := [window for window in windows if window.kind is kind])
    ]
    edges = sorted({edge % WEEK_SECONDS for _, turns in bounds for edge in turns}) or [0]
    states = [all(_is_inside(turns, edge) == (kind is WindowKind.ALLOW) for kind, turns in bounds) for edge in edges]
    # The week is cyclic: before its first edge it is as after its last.
    earlier = [states[-1], *states[:-1]]
    turns = tuple(edge for edge, now, before in zip(edges, states, earlier, strict=True) if now != before)
    return _Week(turns=turns, is_open_before_first_turn=states[-1])


def _spans(window: Window, offset: int) -> Iterator[tuple[int, int]]:
    """The stretches of the week in UTC that a window covers; one that reaches into the next week wraps around."""
    length = (window.end - window.start) * 60 + (DAY_SECONDS if window.end < window.start else 0)
    for day in window.days:
        begin = (day * DAY_SECONDS + window.start * 60 - offset) % WEEK_SECONDS
        yield begin, min(begin + length, WEEK_SECONDS)
        if begin + length > WEEK_SECONDS:
            yield 0, begin + length - WEEK_SECONDS


def _merged(spans: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    """Where the union of the spans begins and ends, in turn."""
    merged: list[int] = []
    for begin, end in sorted(spans):
        if merged and begin <= merged[-1]:
            merged[-1] = max(merged[-1], end)
        else:
            merged += (begin, end)
    return tuple(merged)


def _is_inside(turns: tuple[int, ...], second: int) -> bool:
    return bisect_right(turns, second) % 2 == 1


def monday_of(now: datetime, zone: ZoneInfo) -> date:
    """The Monday of the current week in the zone."""
    there = now.astimezone(zone).date()
    return there - timedelta(days=there.weekday())


def hour_of(moment: datetime, *, monday: date, zone: ZoneInfo) -> float:
    """Hours from that Monday's midnight to the moment, on the zone's clocks."""
    shown = moment.astimezone(zone).replace(tzinfo=None)
    return (shown - datetime.combine(monday, time())) / _HOUR


def open_stretches(windows: Sequence[Window], *, monday: date, zone: ZoneInfo) -> Iterator[tuple[float, float]]:
    """The open stretches of that week, in hours from its midnight; where a clock is put back, they overlap."""
    moment, end = _midnight(monday, zone), _midnight(monday + timedelta(days=7), zone)
    while moment < end:
        opens = next_opening(windows, moment)
        if opens is None or opens >= end:
            return
        shuts = min(closes_at(windows, opens) or end, end)
        last = HOURS if shuts == end else hour_of(shuts, monday=monday, zone=zone)
        yield hour_of(opens, monday=monday, zone=zone), last
        moment = shuts


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(), zone).astimezone(UTC)
