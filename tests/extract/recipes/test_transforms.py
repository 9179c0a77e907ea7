"""Values are changed in steps of a closed list."""

import re
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.extract.recipes.transforms import parse_step, step_to_json, transformed
from lamplighter.model.recipe import ValueStep

BASE = "https://a.example/jobs/"


def after(value: Any, *forms: object) -> Any:
    return transformed(value, tuple(parse_step(form) for form in forms), base=BASE)


@pytest.mark.parametrize(
    ("value", "form", "expected"),
    [
        (" a ", "trim", "a"),
        ("aB", "lower", "ab"),
        ("aB", "upper", "AB"),
        ("ab cd", "title", "Ab Cd"),
        ("<p>a &amp; <b>b</b></p>", "strip_tags", "a & b"),
        ("7?x=1", "absolute_url", "https://a.example/jobs/7?x=1"),
        ("mailto:x", "absolute_url", None),
        ("02/03/2026", "date:%d/%m/%Y", "2026-03-02"),
        ("02.03.2026 14:05", "date:%d.%m.%Y %H:%M", "2026-03-02T14:05:00"),
        ("soon", "date:%d/%m/%Y", None),
        ("a-b-c", "replace:-:+", "a+b+c"),
        ("a-b", "replace:-:", "ab"),
        ("a:b", {"replace": [":", " "]}, "a b"),
        ("a, b,,c", "split:,", ["a", "b", "c"]),
        (["a", "b"], "first", "a"),
        (["a", "b"], "last", "b"),
        ([], "first", None),
        ("a", "first", "a"),
        (["a", 2], "join:, ", "a, 2"),
        ("a", "prefix:x:", "x:a"),
        ("a", "suffix:x", "ax"),
        (None, "default:x", "x"),
        ([], "default:x", "x"),
        ("a", "default:x", "a"),
        ("FT", {"map": {"FT": "full time"}}, "full time"),
        ("PT", {"map": {"FT": "full time"}}, "PT"),
        (["A", "B"], "lower", ["a", "b"]),
        (None, "lower", None),
        (7, "suffix:%", "7%"),
    ],
)
def test_what_a_step_does(value: Any, form: object, expected: Any) -> None:
    assert after(value, form) == expected


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1,234.50 USD", 1234.5),
        ("1.234,50 EUR", 1234.5),
        ("12 500 kr", 12500),
        ("1'000.5 CHF", 1000.5),
        ("3,5", 3.5),
        ("1,234", 1234),
        ("1.234.567", 1234567),
        ("-7 °C", -7),
        ("no number", None),
        ("from 30 to 40", 30),
    ],
)
def test_a_number_is_read_however_it_is_written(text: str, number: float | None) -> None:
    assert after(text, "number") == number


def test_steps_follow_each_other() -> None:
    assert after("A | B", "lower", "split:|", "last", "prefix:#") == "#b"


@pytest.mark.parametrize(
    ("form", "reason"),
    [
        pytest.param("shout", 'there is no step "shout"; known are trim', id="unknown"),
        pytest.param("eval:1", 'there is no step "eval"', id="code"),
        pytest.param("lower:x", 'write "lower"', id="a text too many"),
        pytest.param("replace:x", 'needs 2 texts after it: write "replace:a:b"', id="a text too few"),
        pytest.param("split", 'needs 1 text after it: write "split:a"', id="no text"),
        pytest.param("split:", "needs a text to search for", id="an empty text"),
        pytest.param("date:tomorrow", "not a date format", id="no format"),
        pytest.param("date:%Q", "not a date format", id="an unknown directive"),
        pytest.param("prefix:" + "x" * 201, "longer than 200", id="too long"),
        pytest.param({"map": {}}, "map", id="an empty table"),
        pytest.param({"map": {"a": 1}}, "texts", id="a table with numbers"),
        pytest.param({"lower": 1, "upper": 2}, "give a text", id="two at once"),
        pytest.param({"replace": [1, 2]}, "in a list", id="numbers"),
        pytest.param(7, "give a text", id="a number"),
    ],
)
def test_a_step_that_is_none_is_refused_with_what_would_work(form: object, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        parse_step(form)


texts = st.text(max_size=6)
steps = st.one_of(
    st.sampled_from(["trim", "lower", "number", "first", "last", "strip_tags", "absolute_url"]).map(
        lambda name: ValueStep(name=name)
    ),
    st.builds(
        lambda name, a: ValueStep(name=name, arguments=(a,)), st.sampled_from(["prefix", "join", "default"]), texts
    ),
    st.builds(lambda a, b: ValueStep(name="replace", arguments=("x" + a, b)), texts, texts),
    st.builds(lambda table: ValueStep(name="map", table=table), st.dictionaries(texts, texts, min_size=1, max_size=3)),
)
values = st.none() | st.text(max_size=20) | st.integers() | st.lists(st.text(max_size=5) | st.integers(), max_size=4)


@settings(deadline=None, max_examples=200)
@given(steps)
def test_a_step_survives_the_round_trip(step: ValueStep) -> None:
    assert parse_step(step_to_json(step)) == step


@settings(deadline=None, max_examples=200)
@given(values, st.lists(steps, max_size=5))
def test_no_value_makes_steps_raise(value: Any, given_steps: list[ValueStep]) -> None:
    transformed(value, tuple(given_steps), base=BASE)


def test_j7_steps_cannot_blow_a_value_up() -> None:
    bomb = [f"replace:a:{'a' * 190}"] * 20
    started = time.process_time()

    assert len(after("a" * 1_000, *bomb)) == 50_000
    assert time.process_time() - started < 20
