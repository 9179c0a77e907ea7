"""When windows are open, judged against wall clocks minute by minute, and by hand where clocks jump."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.errors import BadInput
from lamplighter.model.schedule import Window, WindowKind
from lamplighter.rules.schedule.window import all_open, check, closes_at, is_open, next_opening, next_opening_of
from lamplighter.rules.schedule.window_text import parse

ZONES = (
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "America/St_Johns",
    "America/Santiago",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "Asia/Tehran",
    "Africa/Casablanca",
    "Pacific/Apia",
)
FIRST = datetime(2026, 1, 1, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
MINUTES = (datetime(2028, 1, 1, tzinfo=UTC) - FIRST) // MINUTE
TWO_WEEKS = timedelta(days=14)
#: what the clocks of the ten zones do in these years happens on quarters of an hour
STEP = 15

Flags = npt.NDArray[np.bool_]


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


# The oracle: what every wall clock shows in every minute of two years.


@cache
def wall_minutes(zone: str) -> npt.NDArray[np.int64]:
    """Minutes since 1970 on the clocks of the zone, for every minute since FIRST."""
    first = int(FIRST.timestamp()) // 60
    there = ZoneInfo(zone)
    offsets = [
        datetime.fromtimestamp((first + minute) * 60, there).utcoffset() or timedelta(0)
        for minute in range(0, MINUTES, STEP)
    ]
    ahead = np.array([offset // MINUTE for offset in offsets], dtype=np.int64)
    return np.arange(first, first + MINUTES, dtype=np.int64) + np.repeat(ahead, STEP)


@cache
def wall_clock(zone: str) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int16]]:
    """The day of the week and the minute of the day, for every minute since FIRST."""
    day, minute = np.divmod(wall_minutes(zone), 1440)
    # 1 January 1970 was a Thursday.
    return ((day + 3) % 7).astype(np.int8), minute.astype(np.int16)


def inside(window: Window) -> Flags:
    """Whether the wall clock stands in a window that began on its day or on the day before."""
    day, minute = wall_clock(window.zone)
    begins_today = np.array([today in window.days for today in range(7)])[day]
    began_yesterday = np.array([(today - 1) % 7 in window.days for today in range(7)])[day]
    if window.start < window.end:
        return begins_today & (window.start <= minute) & (minute < window.end)
    return (begins_today & (minute >= window.start)) | (began_yesterday & (minute < window.end))


def open_minutes(windows: Sequence[Window]) -> Flags:
    is_shut_by_default = any(window.kind is WindowKind.ALLOW for window in windows)
    allowed = np.full(MINUTES, not is_shut_by_default)
    denied = np.full(MINUTES, False)
    for window in windows:
        flags = allowed if window.kind is WindowKind.ALLOW else denied
        flags |= inside(window)
    opened: Flags = allowed & ~denied
    return opened


def openings_walked(windows: Sequence[Window]) -> Flags:
    """The same, by going from each opening to its end and from there to the next."""
    found = np.zeros(MINUTES, dtype=np.bool_)
    for start, end in openings(windows):
        found[(start - FIRST) // MINUTE : (end - FIRST) // MINUTE] = True
    return found


def openings(windows: Sequence[Window]) -> Iterator[tuple[datetime, datetime]]:
    start = next_opening(windows, FIRST)
    while start is not None and start < FIRST + MINUTES * MINUTE:
        end = closes_at(windows, start) or start + TWO_WEEKS
        yield start, end
        start = next_opening(windows, end)


def windows_in(zones: st.SearchStrategy[str]) -> st.SearchStrategy[list[Window]]:
    edges = st.tuples(st.integers(0, 1439), st.integers(0, 1440)).filter(lambda pair: pair[0] != pair[1])
    near_the_jumps = st.permutations(range(0, 241, 15)).map(lambda minutes: (minutes[0], minutes[1]))
    window = st.builds(
        lambda kind, days, times, zone: Window(kind=kind, days=days, start=times[0], end=times[1], zone=zone),
        st.sampled_from(WindowKind),
        st.frozensets(st.integers(0, 6), min_size=1),
        edges | near_the_jumps,
        zones,
    )
    return st.lists(window, min_size=1, max_size=3)


ANYWHERE = windows_in(st.sampled_from(ZONES))
IN_ONE_ZONE = st.sampled_from(ZONES).flatmap(lambda zone: windows_in(st.just(zone)))


@given(IN_ONE_ZONE | ANYWHERE)
@settings(deadline=None, max_examples=50)
def test_openings_are_those_that_wall_clocks_show_minute_by_minute(windows: list[Window]) -> None:
    assert np.array_equal(openings_walked(windows), open_minutes(windows))


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize(
    "text", ["01:30-02:30", "02:30-01:15", "sun 02:00-03:00", "sat 23:30-03:15; deny sun 02:15-02:45", "deny sat,sun"]
)
def test_two_years_in_each_zone(zone: str, text: str) -> None:
    windows = parse(text, zone=zone)

    assert np.array_equal(openings_walked(windows), open_minutes(windows))


@given(ANYWHERE, st.lists(st.integers(0, MINUTES - 1), min_size=30, max_size=30))
@settings(deadline=None, max_examples=30)
def test_a_minute_is_open_and_the_next_opening_is_the_first_open_minute(windows: list[Window], at: list[int]) -> None:
    is_open_at = open_minutes(windows)
    (opened,) = np.nonzero(is_open_at)

    for minute in at:
        later = opened[np.searchsorted(opened, minute) :]
        found = next_opening(windows, FIRST + minute * MINUTE)

        assert is_open(windows, FIRST + minute * MINUTE) == is_open_at[minute]
        if later.size:
            assert found == FIRST + int(later[0]) * MINUTE
        else:
            assert found is None or found >= FIRST + MINUTES * MINUTE


@pytest.mark.parametrize("zone", ZONES)
def test_every_minute_around_every_change_of_the_clocks(zone: str) -> None:
    windows = parse("01:10-02:20; sun 02:50-03:40; deny 02:00-02:10", zone=zone)
    is_open_at = open_minutes(windows)
    (changes,) = np.nonzero(np.diff(wall_minutes(zone)) != 1)

    for change in changes:
        for minute in range(int(change) - 300, int(change) + 300):
            assert is_open(windows, FIRST + minute * MINUTE) == is_open_at[minute]


@given(ANYWHERE, ANYWHERE, st.integers(0, MINUTES - 1))
@settings(deadline=None, max_examples=30)
def test_two_lists_are_open_when_both_are(source: list[Window], host: list[Window], minute: int) -> None:
    at = FIRST + minute * MINUTE
    (opened,) = np.nonzero(open_minutes(source) & open_minutes(host))

    later = opened[np.searchsorted(opened, minute) :]
    found = next_opening_of((source, host), at)

    assert all_open((source, host), at) == (found == at)
    if later.size:
        assert found == FIRST + int(later[0]) * MINUTE
    else:
        assert found is None or found >= FIRST + MINUTES * MINUTE


# By hand.


@pytest.mark.parametrize(
    ("text", "at", "expected"),
    [
        pytest.param("22:00-05:00", "2026-03-14 21:59:59.999999", False, id="a moment before it begins"),
        pytest.param("22:00-05:00", "2026-03-14 22:00", True, id="as it begins"),
        pytest.param("22:00-05:00", "2026-03-15 04:59:59.999999", True, id="overnight, on its last moment"),
        pytest.param("22:00-05:00", "2026-03-15 05:00", False, id="as it ends"),
        pytest.param("fri 22:00-05:00", "2026-03-14 04:00", True, id="Friday's reaches into Saturday"),
        pytest.param("fri 22:00-05:00", "2026-03-13 04:00", False, id="but not back into Friday"),
        pytest.param("sun 22:00-05:00", "2026-03-16 04:00", True, id="Sunday's reaches into Monday"),
        pytest.param("22:00-00:00", "2026-03-14 23:59", True, id="until midnight"),
        pytest.param("22:00-00:00", "2026-03-14 00:00", False, id="not a minute longer"),
        pytest.param("sat", "2026-03-14 00:00", True, id="a whole day: its first minute"),
        pytest.param("sat", "2026-03-15 00:00", False, id="a whole day: not the next"),
        pytest.param("00:00-24:00", "2026-03-14 12:00", True, id="every whole day"),
        pytest.param("09:00-17:00 Asia/Kathmandu", "2026-03-14 03:15", True, id="on the clocks of its zone"),
        pytest.param("mon 00:00-02:00 Asia/Tokyo", "2026-03-15 15:30", True, id="its day is that of its zone"),
        pytest.param("deny 02:00-04:00", "2026-03-14 01:00", True, id="deny alone leaves the rest open"),
        pytest.param("deny 02:00-04:00", "2026-03-14 02:00", False, id="deny closes"),
        pytest.param("sat; deny 02:00-04:00", "2026-03-14 03:00", False, id="deny beats allow"),
        pytest.param("sat; sun", "2026-03-15 03:00", True, id="one of the allow windows suffices"),
    ],
)
def test_is_open(text: str, at: str, expected: bool) -> None:
    assert is_open(parse(text), utc(at)) is expected


def test_without_windows_it_is_always_open() -> None:
    at = utc("2026-03-14 12:00:30")

    assert is_open((), at)
    assert next_opening((), at) == at
    assert closes_at((), at) is None
    assert next_opening_of((), at) == at
    check(())


@pytest.mark.parametrize(
    ("text", "opens", "closes"),
    [
        # In Berlin 02:00 CET becomes 03:00 CEST at 01:00 UTC on 29 March 2026.
        pytest.param("02:30-04:00", "2026-03-29 01:00", "2026-03-29 02:00", id="gap: a start that does not exist"),
        pytest.param("01:30-02:30", "2026-03-29 00:30", "2026-03-29 01:00", id="gap: an end that does not exist"),
        pytest.param("01:30-03:30", "2026-03-29 00:30", "2026-03-29 01:30", id="gap: an hour shorter across it"),
        pytest.param("02:10-02:50", "2026-03-30 00:10", "2026-03-30 00:50", id="gap: wholly in it, so the next day"),
        pytest.param("03:00-04:00", "2026-03-29 01:00", "2026-03-29 02:00", id="gap: begins where it ends"),
        pytest.param("22:00-05:00", "2026-03-28 21:00", "2026-03-29 03:00", id="gap: a night of six hours"),
    ],
)
def test_when_the_clocks_go_forward(text: str, opens: str, closes: str) -> None:
    windows = parse(text, zone="Europe/Berlin")

    opening = next_opening(windows, utc("2026-03-28 20:00"))

    assert opening == utc(opens)
    assert closes_at(windows, opening) == utc(closes)


@pytest.mark.parametrize(
    ("text", "stretches"),
    [
        # In Berlin 03:00 CEST becomes 02:00 CET at 01:00 UTC on 25 October 2026.
        pytest.param("02:00-03:00", [("00:00", "02:00")], id="overlap: the whole hour, both times"),
        pytest.param("02:15-02:45", [("00:15", "00:45"), ("01:15", "01:45")], id="overlap: twice"),
        pytest.param("01:30-02:30", [("23:30", "00:30"), ("01:00", "01:30")], id="overlap: its end comes twice"),
        pytest.param("02:30-03:30", [("00:30", "01:00"), ("01:30", "02:30")], id="overlap: its start comes twice"),
        pytest.param("01:00-04:00", [("23:00", "03:00")], id="overlap: an hour longer across it"),
    ],
)
def test_when_the_clocks_go_back(text: str, stretches: list[tuple[str, str]]) -> None:
    windows = parse(text, zone="Europe/Berlin")
    at = utc("2026-10-24 22:00")

    for opens, closes in stretches:
        start = next_opening(windows, at)

        assert start is not None
        assert f"{start:%H:%M}" == opens
        at = closes_at(windows, start) or start
        assert f"{at:%H:%M}" == closes


def test_what_is_open_opens_now_and_what_is_shut_closed_now() -> None:
    windows = parse("22:00-05:00")
    by_night = datetime(2026, 3, 14, 23, 30, 7, 42, tzinfo=UTC)
    by_day = by_night + timedelta(hours=12)

    assert next_opening(windows, by_night) is by_night
    assert closes_at(windows, by_day) is by_day


def test_an_edge_is_exact_and_in_utc_whatever_was_asked() -> None:
    windows = parse("22:00-05:00 Europe/Berlin")
    at = datetime(2026, 3, 14, 12, 0, 7, 42, tzinfo=timezone(timedelta(hours=-3)))

    opening = next_opening(windows, at)

    assert opening == utc("2026-03-14 21:00")
    assert opening.tzinfo is UTC


def test_a_time_in_a_zone_that_changes_its_clocks_is_the_same_moment() -> None:
    windows = parse("08:00-09:00 Europe/Berlin")
    at = datetime(2026, 3, 28, 20, 0, tzinfo=ZoneInfo("Europe/Berlin"))

    assert next_opening(windows, at) == utc("2026-03-29 06:00")


@pytest.mark.parametrize(
    ("text", "closes"),
    [
        pytest.param("00:00-24:00", None, id="every whole day: never"),
        pytest.param("mon-fri; sat,sun", None, id="windows that meet all round the week: never"),
        pytest.param("mon,tue 00:00-24:00", "2026-03-18 00:00", id="days that touch are one opening"),
        pytest.param("20:00-08:00; 08:00-10:00", "2026-03-16 10:00", id="windows that touch are one opening"),
        pytest.param("deny wed 12:00-13:00", "2026-03-18 12:00", id="until the next deny window"),
        pytest.param("sun 12:00-11:00", "2026-03-16 11:00", id="Sunday's, on Monday"),
    ],
)
def test_when_an_opening_ends(text: str, closes: str | None) -> None:
    assert closes_at(parse(text), utc("2026-03-16 01:00")) == (closes and utc(closes))


def test_an_opening_that_a_change_of_the_clocks_will_end_is_foreseen_for_two_weeks() -> None:
    # In winter Berlin's window begins where the other ends; from 29 March on it is over an hour before midnight UTC.
    windows = parse("00:00-12:00 UTC; 13:00-01:00 Europe/Berlin")

    assert closes_at(windows, utc("2026-03-18 01:00")) == utc("2026-03-29 23:00")
    assert closes_at(windows, utc("2026-03-14 01:00")) is None


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("deny 00:00-24:00", id="every day denied"),
        pytest.param("deny mon-fri; deny sat,sun", id="denied piece by piece"),
        pytest.param("deny 06:00-05:00; deny 05:00-06:00", id="denied overnight"),
        pytest.param("02:00-04:00; deny 01:00-05:00", id="all that is allowed is denied"),
        pytest.param("09:00-10:00 Asia/Tokyo; deny 00:00-01:00 UTC", id="the same hour by two clocks"),
    ],
)
def test_windows_that_never_open_are_refused(text: str) -> None:
    windows = parse(text)

    assert next_opening(windows, FIRST) is None
    with pytest.raises(BadInput, match="never open; shorten a deny window or widen an allow window"):
        check(windows)


def test_windows_that_open_only_while_two_zones_disagree_about_summer_open_then() -> None:
    # New York puts its clocks forward three weeks before Berlin, so for three weeks 03:00 there is 08:00 in Berlin.
    windows = parse("09:00-10:00 Europe/Berlin; deny 03:00-04:00 America/New_York")

    check(windows)

    assert next_opening(windows, utc("2026-01-01 00:00")) == utc("2026-03-08 08:00")
    assert next_opening(windows, utc("2026-11-02 00:00")) == utc("2027-03-14 08:00")


def test_lists_that_exclude_each_other_have_no_opening() -> None:
    source, host = parse("02:00-04:00"), parse("deny 01:00-05:00")

    assert next_opening_of((source, host), FIRST) is None


def test_allow_windows_of_a_host_narrow_those_of_a_source() -> None:
    source, host = parse("02:00-04:00"), parse("03:00-05:00")

    assert next_opening_of((source, host), FIRST) == utc("2026-01-01 03:00")
    assert not all_open((source, host), utc("2026-01-01 02:30"))
    assert is_open((*source, *host), utc("2026-01-01 02:30"))


@pytest.mark.parametrize("zone", ["Mars/Olympus_Mons", "../etc/passwd", "Europe", "", "\x00", "localtime"])
def test_a_window_whose_zone_is_gone_leaves_the_others_in_force(zone: str) -> None:
    gone = Window(kind=WindowKind.DENY, days=frozenset(range(7)), start=0, end=1440, zone=zone)
    windows = (gone, *parse("22:00-05:00"))

    assert next_opening(windows, utc("2026-03-14 12:00")) == utc("2026-03-14 22:00")
    assert is_open((gone,), utc("2026-03-14 12:00"))
