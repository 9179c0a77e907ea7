"""What a record said at each time."""

from datetime import timedelta
from typing import Any

from lamplighter.rules.records.value_history import numbers, versions
from tests.moments import NOON


def _line(hours: int, field: str, before: Any, after: Any) -> dict[str, Any]:
    return {"at": (NOON + timedelta(hours=hours)).isoformat(), "field": field, "before": before, "after": after}


#: the latest first, as a history is
HISTORY = [
    _line(3, "fields.price", 15.0, 18.0),
    _line(3, "title", "Kettle", "Copper kettle"),
    _line(2, "state", "present", "gone"),
    _line(1, "fields.price", 20.0, 15.0),
]


def test_each_time_of_a_change_is_a_version_with_the_values_from_then_on() -> None:
    found = versions(HISTORY, first_seen_at=NOON)

    assert [version.values["fields.price"] for version in found] == [20.0, 15.0, 18.0]
    assert [version.values["title"] for version in found] == ["Kettle", "Kettle", "Copper kettle"]
    assert [version.at for version in found] == [NOON + timedelta(hours=hours) for hours in (0, 1, 3)]
    assert [set(version.changed) for version in found] == [set(), {"fields.price"}, {"title", "fields.price"}]


def test_a_record_that_only_went_and_came_has_one_version() -> None:
    assert len(versions(HISTORY[2:3], first_seen_at=NOON)) == 1


def test_numbers_and_dates_are_measured_and_words_are_not() -> None:
    found = versions([*HISTORY, _line(1, "deadline", "2026-11-01", "2026-11-15")], first_seen_at=NOON)

    assert numbers(found, "fields.price") == [20.0, 15.0, 18.0]
    measured = numbers(found, "deadline")
    assert measured is not None
    assert measured[1] is not None
    assert measured[0] is not None
    assert measured[1] - measured[0] == 14
    assert numbers(found, "title") is None
