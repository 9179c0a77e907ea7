"""Sources in flat words: what is said of one can be said again, as text as well as in JSON."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamplighter.errors import BadInput
from lamplighter.operations.sources.source_fields import altered, input_from, row_from
from lamplighter.operations.sources.source_input import NewSource
from lamplighter.operations.sources.source_words import delay_of, rate_of, selectors_from

URL = "https://a.example/"


@given(st.integers(min_value=1, max_value=86_400_000))
def test_a_rate_that_was_shown_means_the_same_delay_when_it_comes_back(milliseconds: int) -> None:
    delay = timedelta(milliseconds=milliseconds)
    shown = rate_of(delay)

    assert shown is not None
    assert delay_of(shown) == delay


@given(st.floats(min_value=0.0001, max_value=1000))
def test_never_more_requests_are_made_than_the_rate_allows(rate: float) -> None:
    assert timedelta(seconds=1) / delay_of(rate) <= rate * (1 + 1e-8)


def test_a_row_makes_the_source_that_it_was_made_of() -> None:
    submitted = NewSource(
        url=URL,
        name="Quay",
        kind="job",
        recipe={"items": "li", "fields": {"title": "b"}},
        max_depth=2,
        interval=timedelta(minutes=90),
        windows_text="22:00-05:00",
        priority=60,
        enabled=False,
        min_delay=timedelta(milliseconds=334),
        tags=("a", "b"),
    )
    row = row_from(submitted)

    assert row_from(input_from(row)) == row
    assert row_from(input_from({key: _written(value) for key, value in row.items() if value is not None})) == row


def _written(value: Any) -> str:
    """As a cell of a CSV file has it."""
    if isinstance(value, list):
        return ";".join(value)
    return str(value).replace("'", '"') if isinstance(value, dict) else str(value)


def test_selectors_are_put_into_the_recipe_and_leave_its_other_parts() -> None:
    submitted = NewSource(url=URL, recipe={"exclude": ["/x"], "fields": {"title": "h1"}})

    changed = altered(submitted, {"selectors": {"container": ".item", "title": "h2", "body": ".text", "image": ""}})

    assert changed.recipe == {"exclude": ["/x"], "items": ".item", "fields": {"title": "h2", "text": ".text"}}


@pytest.mark.parametrize(
    ("selectors", "recipe"),
    [
        pytest.param(
            {"title": "h1", "body": ".text"}, {"details": {"title": "h1", "text": ".text"}}, id="an article's"
        ),
        pytest.param(
            {"list": {"container": "li", "title": "h2"}, "article": {"title": "h1"}},
            {"items": "li", "fields": {"title": "h2"}, "details": {"title": "h1"}},
            id="of lists and of articles",
        ),
        pytest.param({"article": {"title": "h1"}}, {"details": {"title": "h1"}}, id="a map in a map"),
    ],
)
def test_selectors_without_a_container_are_those_of_the_linked_pages(
    selectors: dict[str, Any], recipe: dict[str, Any]
) -> None:
    submitted = altered(NewSource(url=URL), {"selectors": selectors})

    assert submitted.recipe == recipe
    assert altered(NewSource(url=URL), {"selectors": selectors_from(recipe)}).recipe == recipe


@pytest.mark.parametrize(
    ("row", "field"),
    [
        pytest.param({"max_depth": "deep"}, "max_depth", id="words for a number"),
        pytest.param({"max_depth": 2.5}, "max_depth", id="half a link"),
        pytest.param({"max_pages": float("inf")}, "max_pages", id="no end"),
        pytest.param({"interval_minutes": "1e400"}, "interval_minutes", id="beyond all numbers"),
        pytest.param({"interval_minutes": 1e300}, "interval_minutes", id="beyond all time"),
        pytest.param({"max_pages": 10**400}, "max_pages", id="a whole number beyond all others"),
        pytest.param({"priority": "9" * 5000}, "priority", id="more digits than are read"),
        pytest.param({"rate_limit": True}, "rate_limit", id="a yes for a number"),
        pytest.param({"enabled": "perhaps"}, "enabled", id="neither yes nor no"),
        pytest.param({"priority": []}, "priority", id="a list for a priority"),
        pytest.param({"tags": [1]}, "tags", id="numbers for tags"),
        pytest.param({"recipe": "[]"}, "recipe", id="a list for a recipe"),
        pytest.param({"recipe": "{"}, "recipe", id="half a recipe"),
        pytest.param({"windows": 7}, "windows", id="a number for windows"),
        pytest.param({"crawl_window_start": 1, "crawl_window_end": 2, "windows": "09:00-10:00"}, "windows", id="twice"),
        pytest.param({"crawl_window_start": 1, "crawl_window_end": 25}, None, id="no such hour"),
        pytest.param({"prioritty": 1}, "prioritty", id="a misspelt word"),
        pytest.param({"name": 7}, "name", id="a number for a name"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused_by_its_name(row: dict[str, Any], field: str | None) -> None:
    with pytest.raises(BadInput) as refused:
        input_from({"url": URL, **row})

    assert refused.value.field == field
