"""dateparser answers only what it can know."""

from datetime import UTC, datetime, timedelta

import pytest

from lamplighter.normalise.dates.dates import calendar_date, distance


def test_a_distance_in_words_does_not_depend_on_when_it_is_asked() -> None:
    assert distance("před dvěma týdny", "cs") == timedelta(weeks=-2)


def test_a_date_with_a_full_year_is_read() -> None:
    assert calendar_date("11 Desemba 2025", "sw") == datetime(2025, 12, 11, tzinfo=UTC)


@pytest.mark.parametrize("text", ["P-3", "12", "may", "Sat", "11 Dec", "Dec 2025", "2025", "Programme 2025", "x" * 100])
def test_it_is_not_asked_to_guess(text: str) -> None:
    assert calendar_date(text, "en") is None


@pytest.mark.parametrize(
    "text", ["last week", "next month", "letzte Woche", "now", "Monday", "some words about nothing"]
)
def test_a_vague_distance_is_none(text: str) -> None:
    assert distance(text, "en") is None


def test_an_unknown_language_is_no_error() -> None:
    assert distance("two weeks ago", "xx") is None
