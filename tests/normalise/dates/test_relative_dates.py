"""Distances from now, as CLDR writes them in each language."""

from datetime import UTC, datetime, timedelta

import pytest
from babel.dates import format_timedelta

from lamplighter.normalise.cldr import LANGUAGES
from lamplighter.normalise.dates.relative_dates import read_relative

SEEN_AT = datetime(2025, 12, 1, 10, 30, tzinfo=UTC)
#: they have a word for two days, or write none between words
OTHERWISE = {"ar", "he", "th"}


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language not in OTHERWISE])
@pytest.mark.parametrize("days", [-5, -2, 3])
def test_days_are_counted_in_each_language(language: str, days: int) -> None:
    text = format_timedelta(timedelta(days=days), "day", threshold=100, add_direction=True, locale=language)

    found = read_relative(text, language=language, seen_at=SEEN_AT, prefers=None)

    assert found is not None
    assert found.moment == datetime(2025, 12, 1, tzinfo=UTC) + timedelta(days=days)


def test_days_forget_the_time_at_which_the_page_was_seen_hours_do_not() -> None:
    days = read_relative("2 days ago", language="en", seen_at=SEEN_AT, prefers=None)
    hours = read_relative("2 hours ago", language="en", seen_at=SEEN_AT, prefers=None)

    assert days == (datetime(2025, 11, 29, tzinfo=UTC), False)
    assert hours == (datetime(2025, 12, 1, 8, 30, tzinfo=UTC), True)


@pytest.mark.parametrize("text", ["9999 years ago", "2 more positions", "in the field", "12 days of leave a year", ""])
def test_what_is_no_distance_is_none(text: str) -> None:
    assert read_relative(text, language="en", seen_at=SEEN_AT, prefers=None) is None
