"""Dates are read as seen from when the page was read; what the site wrote stays beside them."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from lamplighter.normalise.dates.timing import read_timing, unnoticed
from lamplighter.normalise.fields import PageContext

SEEN_AT = datetime(2026, 3, 2, 10, tzinfo=UTC)


def read(language: str | None = "en", **given: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    values, fields = read_timing(given, PageContext("https://a.example/", language, SEEN_AT))
    return {name: value for name, value in values.items() if value is not None}, fields


@pytest.mark.parametrize("text", ["2026-05-01", "2026-05-01T00:00:00+02:00", "2026-05-01T23:59:59Z"])
def test_a_deadline_is_the_sites_own_day_and_iso_needs_no_twin(text: str) -> None:
    assert read(deadline=text) == ({"deadline": date(2026, 5, 1)}, {})


def test_what_the_site_wrote_is_kept() -> None:
    assert read(deadline="11 December 2025") == ({"deadline": date(2025, 12, 11)}, {"deadline_raw": "11 December 2025"})


def test_a_moment_is_in_utc() -> None:
    assert read(published_at="2026-03-01T12:00:00+02:00")[0] == {"published_at": datetime(2026, 3, 1, 10, tzinfo=UTC)}


@pytest.mark.parametrize("name", ["published_at", "updated_at"])
def test_d5_what_is_published_in_the_future_has_no_date_yet(name: str) -> None:
    tomorrow, later = ((SEEN_AT + timedelta(hours=hours)).isoformat() for hours in (23, 25))

    assert read(**{name: tomorrow})[0] != {}
    assert read(**{name: later}) == ({}, {f"{name}_raw": later})


@pytest.mark.parametrize("text", ["1970-01-01T00:00:00Z", "0", "2141-01-01", "soon", "Frühling"])
def test_d5_slips_are_unknown_but_kept(text: str) -> None:
    assert read(deadline=text) == ({}, {"deadline_raw": text})


def test_relative_dates_are_marked_as_approximate() -> None:
    values, fields = read(published_at="3 days ago")

    assert values["published_at"].date() == date(2026, 2, 27)
    assert fields == {"published_at_raw": "3 days ago", "approximate_dates": ["published_at"]}


@pytest.mark.parametrize("value", [None, "published_at", 3, [{}], ["title"]])
def test_odd_marks_are_ignored(value: Any) -> None:
    assert read(published_at="2026-03-01", approximate_dates=value)[1] == {}


def test_nobody_notices_how_an_understood_date_is_written_or_that_time_passes() -> None:
    said = {"deadline": date(2026, 5, 1), "published_at": None, "approximate_dates": ["updated_at"]}

    assert unnoticed(said) == {"deadline_raw", "approximate_dates", "updated_at", "updated_at_raw"}
