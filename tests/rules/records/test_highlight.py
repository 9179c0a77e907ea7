"""Finds, marked for a page."""

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamplighter.rules.records import search_query
from lamplighter.rules.records.search_query import Marker


def _marker(typed: str) -> Marker:
    return Marker(search_query.parse(typed))


@pytest.mark.parametrize(
    ("typed", "text", "marked"),
    [
        pytest.param("water", "Water engineer", "<mark>Water</mark> engineer", id="whatever its case"),
        pytest.param("zurich", "In Zürich", "In <mark>Zürich</mark>", id="whatever its accents"),
        pytest.param("engin*", "engines, engine", "<mark>engines</mark>, <mark>engine</mark>", id="a prefix"),
        pytest.param("eng", "engineer", "engineer", id="not within a word"),
        pytest.param("-water", "Water", "Water", id="not what was excluded"),
        pytest.param("b", "<b>b</b> & 'b'", None, id="what the page said is escaped"),
    ],
)
def test_a_text_is_marked(typed: str, text: str, marked: str | None) -> None:
    expected = marked or (
        "&lt;<mark>b</mark>&gt;<mark>b</mark>&lt;/<mark>b</mark>&gt; &amp; &#x27;<mark>b</mark>&#x27;"
    )
    assert _marker(typed).whole(text) == expected


def test_of_a_long_text_the_part_around_the_first_find_is_shown() -> None:
    text = "lorem ipsum " * 100 + "the lamplighter comes " + "dolor sit " * 100

    part = _marker("lamplighter").part(text)

    assert "the <mark>lamplighter</mark> comes" in part
    assert part.startswith("… ")
    assert part.endswith(" …")
    assert len(part) < 300


@given(st.text(), st.text(max_size=20))
def test_nothing_of_the_text_becomes_markup_and_nothing_is_lost(text: str, typed: str) -> None:
    marked = _marker(typed).whole(text)

    bare = re.sub("</?mark>", "", marked)
    assert "<" not in bare
    assert unescape(bare) == text


@given(st.text(max_size=2000), st.text(max_size=20))
def test_a_part_holds_whole_marks(text: str, typed: str) -> None:
    part = _marker(typed).part(text)

    assert part.count("<mark>") == part.count("</mark>")
