"""Which records a rule watches, and what it tells of them."""

from typing import Any

import pytest

from lamplighter.model.notification import NoticeKind, RecordWatch
from lamplighter.rules.alerts import record_watch
from lamplighter.rules.alerts.record_watch import RecordFieldChange, WatchedItem


def an_item(title: str = "Field nurse", *changes: tuple[str, Any, Any], text: str = "") -> WatchedItem:
    made = tuple(RecordFieldChange(*each) for each in changes)
    return WatchedItem(source_id=1, title=title, url="https://a.example/1", text=text, changes=made)


@pytest.mark.parametrize(
    ("words", "is_wanted"),
    [
        pytest.param("nurse", True, id="a word of the title"),
        pytest.param("NUR", True, id="the beginning of a word, in any case"),
        pytest.param("urse", False, id="the middle of a word"),
        pytest.param("baker, field  nurse", True, id="one of several, a phrase with any spaces"),
        pytest.param("harbour", True, id="a word of the text"),
        pytest.param("C++ (senior)", False, id="signs are no pattern"),
    ],
)
def test_words_are_found_where_they_begin_a_word(words: str, is_wanted: bool) -> None:
    item = an_item(text="At the harbour.")

    assert bool(record_watch.wanted(NoticeKind.RECORDS_NEW, RecordWatch(words=words), [item])) is is_wanted


@pytest.mark.parametrize(
    ("before", "after", "is_told"),
    [
        pytest.param(120.0, 99.0, True, id="from above to below"),
        pytest.param(100, 99, True, id="from the value itself"),
        pytest.param(99.0, 90.0, False, id="below before, so told before"),
        pytest.param(120.0, 100.0, False, id="to the value itself"),
        pytest.param(90.0, 120.0, False, id="it rose"),
        pytest.param(None, 90.0, False, id="unknown before"),
        pytest.param("120", 90.0, False, id="a text before"),
    ],
)
def test_a_price_has_fallen_when_it_passes_the_value(before: Any, after: Any, is_told: bool) -> None:
    item = an_item("Lamp", ("fields.price", before, after))

    found = record_watch.wanted(NoticeKind.PRICE_FELL, RecordWatch(price_below=100), [item])

    assert bool(found) is is_told


def test_only_the_changes_of_the_watched_field_are_told() -> None:
    changes = [("deadline", "2026-03-01", "2026-04-01"), ("fields.salary", None, "2,000")]
    items = [an_item("Nurse", *changes), an_item("Clerk", changes[0])]

    found = record_watch.wanted(NoticeKind.RECORDS_CHANGED, RecordWatch(record_field="salary"), items)

    assert record_watch.told(found)["records"] == [
        {"title": "Nurse", "url": "https://a.example/1", "changes": [{"field": "salary", "from": "", "to": "2,000"}]}
    ]
    assert record_watch.lines_of(found[0].shown()).endswith("  salary: (empty) → 2,000")
