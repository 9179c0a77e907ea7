"""One spelling for each value."""

from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.normalise import fields

MOMENT = datetime(2026, 3, 2, 10, 0, tzinfo=UTC)


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
    ("text", "expected"),
    [
        pytest.param("2026-03-02T10:00:00Z", MOMENT, id="ISO"),
        pytest.param("2026-03-02T12:00+02:00", MOMENT, id="ISO with a zone"),
        pytest.param("2026-03-02 10:00", MOMENT, id="ISO without a zone is UTC"),
        pytest.param("2026-03-02", MOMENT.replace(hour=0), id="a day"),
        pytest.param("Mon, 02 Mar 2026 12:00:00 +0200", MOMENT, id="RFC 2822"),
        pytest.param("Mon, 02 Mar 2026 10:00:00 GMT", MOMENT, id="RFC 2822, named zone"),
        pytest.param("1970-01-01T00:00:00Z", None, id="d5: epoch 0"),
        pytest.param("2141-01-01", None, id="d5: too far ahead"),
        pytest.param("0001-01-01T00:00:00+14:00", None, id="d5: before all calendars"),
        pytest.param("next Monday", None, id="words"),
        pytest.param("Mar", None, id="half a date"),
        pytest.param("2" * 1_000, None, id="too long"),
    ],
)
def test_moments(text: str, expected: datetime | None) -> None:
    assert fields.parse_datetime(text) == expected


def test_a_day_is_the_sites_own_day() -> None:
    assert fields.parse_date("2026-05-01T00:00:00+02:00") == date(2026, 5, 1)
    assert fields.parse_date("soon") is None


@settings(deadline=None, max_examples=200)
@given(
    st.text(max_size=40)
    | st.from_regex(r"[0-9]{1,5}-[0-9]{1,2}-[0-9]{1,2}(T[0-9]{2}:[0-9]{2}Z)?|[A-Z][a-z]{2}, [0-9 A-Za-z:+-]{1,30}")
)
def test_no_text_is_too_odd_for_a_date(text: str) -> None:
    moment = fields.parse_datetime(text)

    assert moment is None or moment.tzinfo is UTC


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


@pytest.mark.parametrize(("value", "expected"), [("de", "DE"), ("Germany", None), (None, None)])
def test_countries(value: str | None, expected: str | None) -> None:
    assert fields.country_of(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"), [("19.90", 19.9), (19.9, 19.9), ("1.299,00 €", "1.299,00 €"), (None, None)]
)
def test_prices_are_numbers_where_they_plainly_are(value: Any, expected: Any) -> None:
    assert fields.number_or_text(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("https://schema.org/InStock", "in_stock"),
        ("FULL_TIME", "full_time"),
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
