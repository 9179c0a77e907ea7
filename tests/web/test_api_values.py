"""Which values may a request carry?"""

from datetime import UTC, datetime

import pytest
from pydantic import TypeAdapter, ValidationError

from lamplighter.web.values import Line, Moment, Text


@pytest.mark.parametrize("value", ["a", "", "two\nlines\tand a tab", "Ærøskøbing 🏮"])
def test_text_is_what_people_write(value: str) -> None:
    assert TypeAdapter(Text).validate_python(value) == value


@pytest.mark.parametrize("value", ["\x00", "a\x1bb", "\x85", "\ud800", "\r"])
def test_what_no_text_holds_is_refused_by_its_number(value: str) -> None:
    with pytest.raises(ValidationError, match=r"U\+[0-9A-F]{4}"):
        TypeAdapter(Text).validate_python(value)


@pytest.mark.parametrize("value", ["a\nb", "a\tb", "a\u2028b"])
def test_a_line_is_one(value: str) -> None:
    with pytest.raises(ValidationError, match="one line"):
        TypeAdapter(Line).validate_python(value)


def test_a_moment_is_taken_to_utc() -> None:
    moment = TypeAdapter(Moment).validate_python("2026-03-01T02:00:00+02:00")

    assert (moment, moment.tzinfo) == (datetime(2026, 3, 1, tzinfo=UTC), UTC)


@pytest.mark.parametrize("value", ["2026-03-01T00:00:00", "0001-01-01T00:00:00+02:00", "9999-12-31T23:59:59-02:00"])
def test_a_moment_without_a_zone_or_beyond_the_calendar_is_refused(value: str) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(Moment).validate_python(value)
