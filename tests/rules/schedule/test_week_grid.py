"""When in a week windows stand open."""

from datetime import date
from zoneinfo import ZoneInfo

import pytest

from lamplighter.rules.schedule import window, window_text
from tests.moments import NOON

MONDAY = date(2026, 3, 9)
UTC, BERLIN = ZoneInfo("UTC"), ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("text", "stretches"),
    [
        pytest.param("mon 09:00-10:30", [(9, 10.5)], id="part of a day"),
        pytest.param("mon 22:00-05:00", [(22, 29)], id="over midnight"),
        pytest.param("sun 22:00-05:00", [(0, 5), (166, 168)], id="over the week's end, on both sides of it"),
        pytest.param("mon-sun 00:00-24:00", [(0, 168)], id="always"),
        pytest.param("mon 09:00-12:00; deny mon 10:00-11:00", [(9, 10), (11, 12)], id="cut in two"),
        pytest.param("tue 09:00-10:00 Asia/Tokyo", [(24, 25)], id="on other clocks"),
    ],
)
def test_what_is_open(text: str, stretches: list[tuple[float, float]]) -> None:
    windows = window_text.parse(text)

    assert list(window.open_stretches(windows, monday=MONDAY, zone=UTC)) == stretches


def test_the_week_in_which_clocks_are_put_forward_ends_where_its_clocks_say() -> None:
    windows = window_text.parse("sun 12:00-14:00 Europe/Berlin")

    found = list(window.open_stretches(windows, monday=date(2026, 3, 23), zone=BERLIN))

    assert found == [(156, 158)]


def test_the_monday_is_that_of_the_place() -> None:
    late_on_sunday = NOON.replace(day=15, hour=23)

    assert window.monday_of(late_on_sunday, UTC) == date(2026, 3, 9)
    assert window.monday_of(late_on_sunday, BERLIN) == date(2026, 3, 16)
