"""How far a number or a date moved."""

from typing import Any

import pytest

from lamplighter.rules.change.field_shifts import Shift, shift_of, shown


@pytest.mark.parametrize(
    ("field", "before", "after", "expected"),
    [
        pytest.param("fields.price", 20, 15.0, Shift(False, "−25.0\u202f%"), id="a lower price"),
        pytest.param("fields.price", 0, 15.0, Shift(True, "+15.00"), id="a price after none"),
        pytest.param("deadline", "2026-11-01", "2026-11-15", Shift(True, "14 days later"), id="a later deadline"),
        pytest.param("published_at", "2026-11-02T10:00:00Z", "2026-11-01", Shift(False, "1 day earlier"), id="times"),
        pytest.param("title", "2026", "2027", None, id="digits in a text are no date"),
        pytest.param("title", "Harbour pilot", "Harbour master", None, id="words"),
        pytest.param("fields.remote", False, True, None, id="yes and no are no numbers"),
        pytest.param("deadline", None, "2026-11-15", None, id="a deadline where was none"),
    ],
)
def test_a_move_is_told_in_words(field: str, before: Any, after: Any, expected: Shift | None) -> None:
    assert shift_of(field, before, after) == expected


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [("fields.price", 15, "15.00"), ("word_count", 15, "15"), ("deadline", "2026-11-01T00:00:00Z", "2026-11-01")],
)
def test_values_are_written_as_people_write_them(field: str, value: Any, expected: str) -> None:
    assert shown(field, value) == expected
