"""Which fields of a record changed?"""

from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.rules.change.differences import LONGEST, as_text, between


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        pytest.param({"title": "a"}, {"title": "a"}, [], id="nothing"),
        pytest.param({"title": "a"}, {"title": "b"}, [("title", "a", "b")], id="a text"),
        pytest.param({"title": "a"}, {"title": None}, [("title", "a", None)], id="a value is gone"),
        pytest.param(
            {"deadline": None}, {"deadline": date(2026, 3, 1)}, [("deadline", None, "2026-03-01")], id="a date"
        ),
        pytest.param(
            {"published_at": datetime(2026, 3, 1, tzinfo=UTC)},
            {"published_at": datetime(2026, 3, 1, tzinfo=UTC)},
            [],
            id="the same time",
        ),
        pytest.param({"tags": ["a"]}, {"tags": ("a", "b")}, [("tags", ["a"], ["a", "b"])], id="a list"),
        pytest.param(
            {"fields": {"price": 1, "sku": "x"}},
            {"fields": {"price": 2, "brand": "y"}},
            [("fields.price", 1, 2), ("fields.sku", "x", None), ("fields.brand", None, "y")],
            id="fields of its kind",
        ),
        pytest.param(
            {"quality": 0.1, "provenance": {}, "content_hash": "a"},
            {"quality": 0.9, "provenance": {"title": ["meta", 0.8]}, "content_hash": "b"},
            [],
            id="how it was read",
        ),
    ],
)
def test_a_change_names_its_field_and_both_values(
    before: dict[str, Any], after: dict[str, Any], changes: list[tuple[str, Any, Any]]
) -> None:
    assert between(before, after) == changes


@pytest.mark.parametrize("value", ["x" * 5000, ["x" * 3000, "y" * 3000]], ids=["a text", "a list"])
def test_a_long_value_is_cut_and_marked(value: Any) -> None:
    (change,) = between({"description": None}, {"description": value})

    assert len(change.after) == LONGEST
    assert change.after.endswith("…")


@settings(deadline=None, max_examples=100)
@given(st.dictionaries(st.sampled_from(["title", "url", "language"]), st.none() | st.text(max_size=5)))
def test_nothing_differs_from_itself(content: dict[str, Any]) -> None:
    assert between(content, dict(content)) == []


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param(None, "", id="nothing"),
        pytest.param("a", "a", id="a text"),
        pytest.param(True, "yes", id="a yes"),
        pytest.param(1.5, "1.5", id="a number"),
        pytest.param(["a", "b"], "a\nb", id="a list, line by line"),
        pytest.param({"min": 1}, '{\n  "min": 1\n}', id="an object"),
    ],
)
def test_a_value_is_a_text_that_people_read(value: Any, text: str) -> None:
    assert as_text(value) == text
