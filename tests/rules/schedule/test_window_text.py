"""Windows as people and programs write them, and why some cannot be read."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.errors import BadInput
from lamplighter.model.schedule import Window, WindowKind
from lamplighter.model.window_json import MOST_WINDOWS, from_json, known_zone, loaded, to_json, zone_names
from lamplighter.rules.schedule.window_text import describe, from_hours, parse

EVERY_DAY = frozenset(range(7))
WEEKDAYS = frozenset(range(5))
WEEKEND = frozenset({5, 6})
NIGHT = {"kind": "allow", "days": ["fri", "sat"], "start": "22:00", "end": "05:00", "zone": "Europe/Berlin"}


def allow(days: frozenset[int], start: int, end: int, zone: str = "UTC") -> Window:
    return Window(kind=WindowKind.ALLOW, days=days, start=start, end=end, zone=zone)


def deny(days: frozenset[int], start: int, end: int, zone: str = "UTC") -> Window:
    return Window(kind=WindowKind.DENY, days=days, start=start, end=end, zone=zone)


WINDOWS = st.lists(
    st.builds(
        lambda kind, days, times, zone: Window(kind=kind, days=days, start=times[0], end=times[1], zone=zone),
        st.sampled_from(WindowKind),
        st.frozensets(st.integers(0, 6), min_size=1),
        st.tuples(st.integers(0, 1439), st.integers(0, 1440)).filter(lambda pair: pair[0] != pair[1]),
        st.sampled_from(sorted(zone_names())),
    ),
    min_size=1,
    max_size=5,
).map(tuple)


@pytest.mark.parametrize(
    ("text", "windows"),
    [
        pytest.param("22:00-05:00", [allow(EVERY_DAY, 1320, 300)], id="times alone: every day"),
        pytest.param("9:05-17:30", [allow(EVERY_DAY, 545, 1050)], id="an hour of one digit"),
        pytest.param("00:00-24:00", [allow(EVERY_DAY, 0, 1440)], id="the whole day"),
        pytest.param("22:00-00:00", [allow(EVERY_DAY, 1320, 0)], id="until midnight"),
        pytest.param("22:00 - 05:00", [allow(EVERY_DAY, 1320, 300)], id="spaces around the dash"),
        pytest.param("22:00–05:00", [allow(EVERY_DAY, 1320, 300)], id="a typographic dash"),
        pytest.param("sat", [allow(frozenset({5}), 0, 1440)], id="a day alone: all of it"),
        pytest.param("deny sat,sun", [deny(WEEKEND, 0, 1440)], id="days denied"),
        pytest.param("deny sat, sun", [deny(WEEKEND, 0, 1440)], id="a space after the comma"),
        pytest.param("DENY Saturday,SUN", [deny(WEEKEND, 0, 1440)], id="full names, any case"),
        pytest.param("mon-wed,fri 01:00-02:00", [allow(frozenset({0, 1, 2, 4}), 60, 120)], id="a range and a day"),
        pytest.param("fri-mon 01:00-02:00", [allow(frozenset({4, 5, 6, 0}), 60, 120)], id="a range over Sunday"),
        pytest.param("tue-tue", [allow(frozenset({1}), 0, 1440)], id="a range of one day"),
        pytest.param(
            "mon-fri 09:00-17:30 Europe/Berlin", [allow(WEEKDAYS, 540, 1050, "Europe/Berlin")], id="with its zone"
        ),
        pytest.param(
            "America/Port-au-Prince 09:00-17:30 allow mon-fri",
            [allow(WEEKDAYS, 540, 1050, "America/Port-au-Prince")],
            id="in any order",
        ),
        pytest.param("22:00-05:00 Etc/GMT-5", [allow(EVERY_DAY, 1320, 300, "Etc/GMT-5")], id="a zone with a number"),
        pytest.param(
            "deny 02:00-04:00 UTC; allow mon-fri 06:00-22:00;",
            [deny(EVERY_DAY, 120, 240), allow(WEEKDAYS, 360, 1320)],
            id="two, and a last semicolon",
        ),
    ],
)
def test_windows_as_people_write_them(text: str, windows: list[Window]) -> None:
    assert parse(text) == tuple(windows)


def test_the_zone_of_the_source_is_for_windows_that_name_none() -> None:
    first, second = parse("22:00-05:00; deny 02:00-04:00 UTC", zone="Asia/Tokyo")

    assert (first.zone, second.zone) == ("Asia/Tokyo", "UTC")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "'' holds no window; write for example", id="empty"),
        pytest.param(" ; ;", "' ; ;' holds no window", id="only separators"),
        pytest.param("allow", "'allow' does not say when", id="a kind alone"),
        pytest.param("deny Europe/Berlin", "'deny Europe/Berlin' does not say when", id="a zone alone"),
        pytest.param("22:00-22:00", "from 22:00 to 22:00 has no length; 00:00-24:00 is a whole day", id="no length"),
        pytest.param("24:00-05:00", "cannot begin at 24:00; write 00:00", id="begins at the end of the day"),
        pytest.param("25:00-05:00", "'25:00' is not a time of day; write HH:MM, from 00:00 to 24:00", id="hour 25"),
        pytest.param("22:00-24:01", "'24:01' is not a time of day", id="a minute too late"),
        pytest.param("22:60-23:00", "'22:60' is not a time of day", id="minute 60"),
        pytest.param("22-5", "'22' is not a time of day", id="hours alone"),
        pytest.param("10pm-5am", "'10pm' is not a time of day", id="in the American way"),
        pytest.param("22:00-23:00-24:00", "'23:00-24:00' is not a time of day", id="three times"),
        pytest.param("٢٢:00-23:00", "'٢٢:00' is not a time of day", id="digits of another script"),
        pytest.param("22:00", "'22:00' has no end; write for example 22:00-05:00", id="no end"),
        pytest.param("22:00-", "'' is not a time of day", id="an end left out"),
        pytest.param("01:00-02:00 03:00-04:00", "has two times, .* separate windows by ';'", id="two times"),
        pytest.param("mon 01:00-02:00 tue", "has two days, 'mon' and 'tue'", id="two days"),
        pytest.param("mon,tus", "'tus' is not a day; write mon, tue", id="a day that does not exist"),
        pytest.param("mon,", "'' is not a day", id="a comma too many"),
        pytest.param("mon-tue-wed", "'mon-tue-wed' is not a range of days", id="a range with three ends"),
        pytest.param("tusday", "'tusday' is neither a day .*; did you mean tuesday[?]", id="a day misspelt"),
        pytest.param("mo-fr", r"'mo-fr' is neither a day \(mon to sun\) nor", id="days in German"),
        pytest.param("mon Europe/Berln", "'Europe/Berln' is not .*; did you mean Europe/Berlin or", id="zone misspelt"),
        pytest.param("mon Berlin", "did you mean Europe/Berlin[?]", id="a zone without its area"),
        pytest.param("mon europe/berlin", "did you mean Europe/Berlin[?]", id="a zone in lower case"),
        pytest.param("mon utc", "did you mean UTC[?]", id="UTC in lower case"),
        pytest.param("mon America/New", "did you mean America/", id="half of a zone"),
        pytest.param("mon Mars/Olympus_Mons", "write one such as Europe/Berlin", id="a zone of another planet"),
        pytest.param("mon ../etc/passwd", "'../etc/passwd' is not a known IANA time zone", id="a path"),
        pytest.param("mon /etc/passwd", "'/etc/passwd' is not a known IANA time zone", id="a path from the root"),
        pytest.param("mon Europe/../Europe/Berlin", "is not a known IANA time zone", id="a detour"),
        pytest.param("mon Europe", "'Europe' is neither a day .* nor a known IANA time zone", id="a folder of zones"),
        pytest.param("mon localtime", "'localtime' is neither a day", id="whatever the machine has"),
    ],
)
def test_a_refusal_names_the_value_and_the_remedy(text: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        parse(text)


def test_a_wrong_zone_of_the_source_is_refused_even_if_no_window_needs_it() -> None:
    with pytest.raises(BadInput, match="'Europe/Nowhere' is not a known IANA time zone"):
        parse("22:00-05:00 UTC", zone="Europe/Nowhere")


def test_a_message_does_not_repeat_all_of_a_long_text() -> None:
    with pytest.raises(BadInput) as refusal:
        parse("mon " + "x" * 100_000)

    assert len(str(refusal.value)) < 250


def test_more_windows_than_anybody_means_are_refused() -> None:
    with pytest.raises(BadInput, match=f"101 windows are too many; {MOST_WINDOWS} are the most"):
        parse("mon;" * 101)
    with pytest.raises(BadInput, match="101 windows are too many"):
        from_json([NIGHT] * 101)


@given(st.text(max_size=60) | st.text(alphabet="monfri satdeny:;,-0125 /UTC", max_size=40))
@settings(deadline=None, max_examples=400)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        windows = parse(text)
    except BadInput:
        return

    assert from_json(to_json(windows)) == windows


@given(WINDOWS)
@settings(deadline=None, max_examples=200)
def test_a_description_can_be_read_again(windows: tuple[Window, ...]) -> None:
    assert parse(describe(windows)) == windows


@pytest.mark.parametrize(
    ("text", "description"),
    [
        pytest.param("22:00-5:00", "allow 22:00-05:00 UTC", id="every day"),
        pytest.param("deny saturday,sunday", "deny sat,sun UTC", id="whole days"),
        pytest.param("mon-sun", "allow 00:00-24:00 UTC", id="every whole day"),
        pytest.param("tue,wed,mon,fri 1:00-2:00", "allow mon-wed,fri 01:00-02:00 UTC", id="days in a row"),
        pytest.param("mon; deny 2:00-4:00 Asia/Tokyo", "allow mon UTC; deny 02:00-04:00 Asia/Tokyo", id="two"),
    ],
)
def test_descriptions(text: str, description: str) -> None:
    assert describe(parse(text)) == description


def test_no_windows_are_described_too() -> None:
    assert describe(()) == "at any time"


@pytest.mark.parametrize(
    ("start", "end", "days", "window"),
    [
        pytest.param(9, 17, None, allow(EVERY_DAY, 540, 1020), id="by day"),
        pytest.param(22, 5, None, allow(EVERY_DAY, 1320, 300), id="overnight"),
        pytest.param(22, 0, [4], allow(frozenset({4}), 1320, 0), id="until midnight"),
        pytest.param(0, 23, [0, 6, 0], allow(frozenset({0, 6}), 0, 1380), id="Monday and Sunday"),
    ],
)
def test_whole_hours_are_in_utc(start: int, end: int, days: list[int] | None, window: Window) -> None:
    assert from_hours(start, end, days) == (window,)


@pytest.mark.parametrize(
    ("start", "end", "days", "message"),
    [
        pytest.param(24, 5, None, "24 is not an hour; give 0 to 23", id="hour 24"),
        pytest.param(5, -1, None, "-1 is not an hour; give 0 to 23", id="before midnight"),
        pytest.param(5, 5, None, "from 05:00 to 05:00 has no length", id="no length"),
        pytest.param(5, 6, [7], r"\[7\] are not days of the week; give 0 \(Monday\) to 6", id="an eighth day"),
        pytest.param(5, 6, [], r"\[\] are not days of the week; .* or nothing for every day", id="no days"),
    ],
)
def test_hours_that_are_none_are_refused(start: int, end: int, days: list[int] | None, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        from_hours(start, end, days)


def test_windows_as_json() -> None:
    windows = (allow(frozenset({5, 4}), 1320, 300, "Europe/Berlin"),)

    assert to_json(windows) == [NIGHT]
    assert from_json([NIGHT]) == windows
    assert from_json([]) == ()


@given(WINDOWS)
@settings(deadline=None, max_examples=100)
def test_json_keeps_every_window(windows: tuple[Window, ...]) -> None:
    assert from_json(to_json(windows)) == windows
    assert loaded(to_json(windows)) == (windows, ())


BROKEN: list[Any] = [
    pytest.param("22:00-05:00", "'22:00-05:00' is not a window; give an object with kind, days", id="text"),
    pytest.param({"kind": "allow"}, "is not a window; give an object with kind, days, start, end, zone", id="a part"),
    pytest.param(NIGHT | {"colour": "red"}, "and nothing else", id="more than there is"),
    pytest.param(NIGHT | {"kind": "maybe"}, "'maybe' is not a kind of window; give 'allow' or 'deny'", id="a kind"),
    pytest.param(NIGHT | {"kind": ["allow"]}, "is not a kind of window", id="a list for a kind"),
    pytest.param(NIGHT | {"days": []}, r"\[\] is not a list of days", id="no days"),
    pytest.param(NIGHT | {"days": "mon"}, "'mon' is not a list of days", id="a word for days"),
    pytest.param(NIGHT | {"days": [0]}, "0 is not a day; write mon, tue", id="a number for a day"),
    pytest.param(NIGHT | {"start": 1320}, "1320 is not a time of day", id="a number for a time"),
    pytest.param(NIGHT | {"end": "22:00"}, "has no length", id="no length"),
    pytest.param(NIGHT | {"start": None}, "None is not a time of day", id="no start"),
    pytest.param(NIGHT | {"zone": None}, "None is not a known IANA time zone; write one such as", id="no zone"),
    pytest.param(NIGHT | {"zone": "Europe/Atlantis"}, "'Europe/Atlantis' is not a known", id="a zone that is gone"),
]


@pytest.mark.parametrize(("item", "message"), BROKEN)
def test_json_that_is_no_window_is_refused(item: object, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        from_json([NIGHT, item])


@pytest.mark.parametrize(("item", "message"), BROKEN)
def test_a_stored_window_that_is_broken_leaves_the_others_in_force(item: object, message: str) -> None:
    windows, (complaint,) = loaded([NIGHT, item, NIGHT])

    assert windows == from_json([NIGHT, NIGHT])
    assert complaint.startswith("window 2 of 3 is not in effect: ")


@pytest.mark.parametrize("items", [None, {}, "mon", 7])
def test_what_is_no_list_is_refused_when_given_and_told_of_when_stored(items: object) -> None:
    with pytest.raises(BadInput, match="is not a list of windows; give a list of objects"):
        from_json(items)

    assert loaded(items) == ((), (f"{items!r} is not a list of windows; none is in effect",))


@pytest.mark.parametrize("name", ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5"])
def test_a_known_zone_is_itself(name: str) -> None:
    assert known_zone(name) == name


@pytest.mark.parametrize("name", ["", " ", "\x00", "Europe/", "localtime", "Factory", "UTC\n", "posix/UTC"])
def test_what_is_no_zone_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match="is not a known IANA time zone; "):
        known_zone(name)
