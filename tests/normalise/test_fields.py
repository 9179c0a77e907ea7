"""One spelling for each value."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.normalise import fields


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param(" a\n\t b\u00a0c ", "a b c", id="white space"),
        pytest.param("a\x00\u200b\ud800b", "ab", id="what nobody sees"),
        pytest.param(7, "7", id="a number"),
        pytest.param("  ", None, id="nothing"),
        pytest.param(["a"], None, id="a list"),
        pytest.param("x" * 20, "x" * 10, id="too long"),
    ],
)
def test_text_is_cleaned(value: Any, expected: str | None) -> None:
    assert fields.clean_text(value, longest=10) == expected


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=40))
def test_clean_text_stays_clean(value: str) -> None:
    once = fields.clean_text(value, longest=20)

    assert fields.clean_text(once, longest=20) == once
    assert once is None or once.encode()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param(["b", "A", " b "], ("b", "A"), id="a list"),
        pytest.param("x, Y,, x", ("x", "Y"), id="a text with commas"),
        pytest.param([None, {}, 3], ("3",), id="odd items"),
        pytest.param(None, (), id="nothing"),
    ],
)
def test_tags(value: Any, expected: tuple[str, ...]) -> None:
    assert fields.tags_of(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"), [("de", "de"), ("pt_BR", "pt-BR"), ("zh-Hans-CN", "zh-Hans-CN"), ("deutsch", None)]
)
def test_languages(value: str, expected: str | None) -> None:
    assert fields.language_of(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("https://schema.org/InStock", "in_stock"),
        ("FULL_TIME", "full_time"),
        ("In stock / ships today", "in_stock_/_ships_today"),
        (["FULL_TIME", "Part time"], "full_time, part_time"),
        ([], None),
    ],
)
def test_codes(value: Any, expected: str | None) -> None:
    assert fields.code_of(value) == expected


def test_any_value_becomes_json_that_a_database_takes() -> None:
    deep: Any = [1]
    for _ in range(20):
        deep = [deep]

    ready = fields.json_ready({"a\x00": float("nan"), "b": ("x\ud800", True, 2), "c": deep})

    assert ready["a"] is None
    assert ready["b"] == ["x", True, 2]
    assert str(ready["c"]).count("[") < 10
