"""Ratings out of five, and how many gave one."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamplighter.normalise.products.product import read_rating, read_review_count


@pytest.mark.parametrize(
    ("value", "rating"),
    [
        pytest.param("4.5", 4.5, id="out of five, as most are"),
        pytest.param("4,5", 4.5, id="with a comma"),
        pytest.param(4, 4.0, id="a number"),
        pytest.param({"value": "8.4", "best": "10"}, 4.2, id="out of ten"),
        pytest.param({"value": 92, "best": 100}, 4.6, id="in per cent"),
        pytest.param({"value": "4.5"}, 4.5, id="the best is not said"),
        pytest.param("8.4", 4.2, id="more than five is out of ten"),
        pytest.param("4.5 out of 5 stars", 4.5, id="in words"),
        pytest.param("4,5 von 5", 4.5, id="in German"),
        pytest.param("9/10", 4.5, id="as a fraction"),
        pytest.param({"value": "6", "best": "5"}, None, id="better than the best"),
        pytest.param("good", None, id="no number"),
        pytest.param("-1", None, id="below zero"),
        pytest.param(None, None, id="nothing"),
        pytest.param(True, None, id="a claim"),
        pytest.param([4], None, id="a list"),
    ],
)
def test_rating(value: Any, rating: float | None) -> None:
    assert read_rating(value) == rating


@pytest.mark.parametrize(
    ("value", "count"),
    [
        pytest.param("127", 127, id="digits"),
        pytest.param(127, 127, id="a number"),
        pytest.param("1,270 reviews", 1270, id="thousands"),
        pytest.param("(1.270)", 1270, id="with a dot"),
        pytest.param("none", None, id="no number"),
        pytest.param(-3, None, id="below zero"),
        pytest.param(10**30, None, id="beyond counting"),
    ],
)
def test_review_count(value: Any, count: int | None) -> None:
    assert read_review_count(value) == count


@given(st.text() | st.floats() | st.integers() | st.dictionaries(st.sampled_from(["value", "best"]), st.text()))
def test_a_rating_is_out_of_five_or_none(value: Any) -> None:
    rating = read_rating(value)

    assert rating is None or 0 <= rating <= 5
