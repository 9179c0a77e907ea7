"""Broken JSON is mended where it can be; what comes out is always plain JSON."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.extract.loose_json import loads, mend


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param('{"a": 1}', {"a": 1}, id="sound"),
        pytest.param('{"a": [1, 2,],}', {"a": [1, 2]}, id="trailing commas"),
        pytest.param(
            '{"a": 1, // one\n "b": "http://x"}', {"a": 1, "b": "http://x"}, id="remarks, but not in addresses"
        ),
        pytest.param('<!-- {"a": 1,} -->', {"a": 1}, id="HTML comment"),
        pytest.param('//<![CDATA[\n{"a": 1,}\n//]]>', {"a": 1}, id="CDATA"),
        pytest.param('/*<![CDATA[*/ {"a": 1,} /*]]>*/', {"a": 1}, id="CDATA in a remark"),
        pytest.param("{&quot;a&quot;: &quot;b&quot;}", {"a": "b"}, id="escaped quotes"),
        pytest.param('{"a": "x\ny"}', {"a": "x\ny"}, id="a line break in a text"),
        pytest.param('{"a": NaN}', {"a": None}, id="d9: NaN is nothing"),
        pytest.param('{"a": "\\ud800",}', {"a": "?"}, id="half a character"),
    ],
)
def test_e7_broken_json_is_mended(text: str, expected: Any) -> None:
    assert mend(text) == expected


@pytest.mark.parametrize("text", ["", "words", "[" * 100_000, '{"a": ' * 100_000, "[" * 5_000 + "]" * 5_000, "\x00{}"])
def test_hopeless_json_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        mend(text)


def test_d9_an_answer_with_nan_is_read() -> None:
    assert loads('[{"a": NaN, "b": -Infinity}]') == [{"a": None, "b": None}]


@settings(deadline=None, max_examples=200)
@given(st.text(alphabet='{}[]",:/*<!-&\\u d8\n1a\ud800', max_size=60))
def test_whatever_is_mended_is_plain_json(text: str) -> None:
    try:
        value = mend(text)
    except ValueError:
        return

    assert json.loads(json.dumps(value, allow_nan=False).encode()) == value
