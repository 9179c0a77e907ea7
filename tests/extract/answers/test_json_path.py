"""Dotted paths reach into JSON and never fail."""

from typing import Any

import pytest

from lamplighter.extract.answers.json_path import at, texts_at, where_it_ends


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        pytest.param("", {"a": [{"b": 1}], "0": "zero"}, id="the value itself"),
        pytest.param("a.0.b", 1, id="keys and places"),
        pytest.param("0", "zero", id="a digit may be a key"),
        pytest.param("a.1", None, id="beyond the end"),
        pytest.param("a.x", None, id="a key of a list"),
        pytest.param("0.x", None, id="a key of a text"),
        pytest.param("a.99999999999999999999", None, id="an absurd place"),
    ],
)
def test_a_path_reaches_a_value_or_nothing(path: str, expected: Any) -> None:
    assert at({"a": [{"b": 1}], "0": "zero"}, path) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        pytest.param("t.*.n", ["a", "b"], id="in each"),
        pytest.param("t.*.l.*", [1, 2], id="in each of each, in one list"),
        pytest.param("t.*", [{"n": "a", "l": [1]}, {"n": "b", "l": [2]}, 3], id="each itself"),
        pytest.param("*.n", None, id="not of an object"),
        pytest.param("t.*.x", [], id="nowhere"),
    ],
)
def test_a_star_reaches_into_each_of_a_list(path: str, expected: Any) -> None:
    assert at({"t": [{"n": "a", "l": [1]}, {"n": "b", "l": [2]}, 3]}, path) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        pytest.param("x.y", "the answer has the keys a, b", id="at the first step"),
        pytest.param("a.x", "'a' has the keys c", id="further on"),
        pytest.param("a.c.x", "'a.c' is a text", id="at a text"),
        pytest.param("b.9", "'b' is a list", id="at a list"),
    ],
)
def test_where_a_path_ends_is_told_with_what_is_there(path: str, expected: str) -> None:
    assert where_it_ends({"a": {"c": "d"}, "b": []}, path) == expected


def test_texts_are_texts_and_numbers_only() -> None:
    assert texts_at([1, "a", True, None, {}, 2.5], "") == ["1", "a", "2.5"]
