"""Dotted paths reach into JSON and never fail."""

from typing import Any

import pytest

from lamplighter.extract.json_path import at, texts_at


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


def test_texts_are_texts_and_numbers_only() -> None:
    assert texts_at([1, "a", True, None, {}, 2.5], "") == ["1", "a", "2.5"]
