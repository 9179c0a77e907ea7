"""Broken JSON is mended where it can be; what comes out is always plain JSON."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.extract.structured.loose_json import literal, loads, mend


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
        pytest.param('\ufeff{"a": 1}', {"a": 1}, id="byte order mark"),
        pytest.param(
            "{a: null, b: undefined, c: 'null and void'}", {"a": None, "b": None, "c": "null and void"}, id="null"
        ),
        pytest.param("{'a': 'b'}", {"a": "b"}, id="single quotes"),
        pytest.param('{"a": "x\ty",}', {"a": "x\ty"}, id="a tab in a text"),
        pytest.param('{"a": 1}{"b": 2}', [{"a": 1}, {"b": 2}], id="one after the other"),
        pytest.param('{"a": 1},\n{"b": 2}', [{"a": 1}, {"b": 2}], id="with a comma between"),
        pytest.param('{"a": [1, {"b": 2}, {"c": "cut', {"a": [1, {"b": 2}]}, id="cut off: what is complete"),
        pytest.param('{"a": 1, "b": 12', {"a": 1}, id="cut off: half a number is none"),
        pytest.param('{"a": {"b": 1}', {"a": {"b": 1}}, id="cut off: only a bracket missing"),
        pytest.param('{"a": "\\ud800",}', {"a": "?"}, id="half a character"),
    ],
)
def test_e7_broken_json_is_mended(text: str, expected: Any) -> None:
    assert mend(text) == expected


@pytest.mark.parametrize("text", ["", "words", "[" * 100_000, '{"a": ' * 100_000, "[" * 5_000 + "]" * 5_000])
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


@pytest.mark.parametrize("text", ['{"a": [1, {"b": "x", "c":', "{a: 1, /* cut", "[1, 2, 33", "{'a': 'b"])
def test_a_text_that_was_cut_off_never_brings_along_what_stood_behind_it_in_memory(text: str) -> None:
    for read in (mend, literal):
        for _ in range(200):
            litter = [bytes([number]) * number for number in range(1, 128)]
            with suppress(ValueError):
                assert str(read(text)).isascii()
            del litter
