"""A time of day is found beside its date."""

from datetime import UTC, date, time

import pytest

from lamplighter.normalise.dates.clock_times import ClockTime, at_time, read_clock


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("at 23:59", time(23, 59)),
        ("T10:00:05.123Z", time(10, 0, 5)),
        ("11:59 pm", time(23, 59)),
        ("11.59pm", time(23, 59)),
        ("5 p.m.", time(17)),
        ("12 am", time(0)),
        ("12pm", time(12)),
        ("17 Uhr", time(17)),
        ("17.00 Uhr", time(17)),
        ("kl. 14.30", time(14, 30)),
        ("23h59", time(23, 59)),
        ("14時30分", time(14, 30)),
        ("noon", time(12)),
        ("midnight", time(23, 59)),
        ("12:00 midnight", time(23, 59)),
        ("24:00", time(23, 59)),
        ("25:00", None),
        ("13 pm", None),
        ("14.30", None),
        ("5 days left", None),
        ("", None),
    ],
)
def test_a_time_of_day_is_read(text: str, expected: time | None) -> None:
    assert read_clock(text).at == expected


def test_a_day_without_a_time_starts_at_midnight_in_utc() -> None:
    assert at_time(date(2025, 12, 11), ClockTime(None, None)).isoformat() == "2025-12-11T00:00:00+00:00"
    assert at_time(date(2025, 12, 11), ClockTime(time(9), None)).tzinfo is UTC
