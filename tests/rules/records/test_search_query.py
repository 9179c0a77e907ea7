"""What somebody looks for who types this."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamplighter.model.record_search import Term, TextQuery
from lamplighter.rules.records import search_query


def _said(query: TextQuery) -> list[str]:
    def spelt(term: Term, sign: str) -> str:
        return sign + " ".join(term.words) + "*" * term.is_prefix

    return [spelt(term, "") for term in query.wanted] + [spelt(term, "-") for term in query.unwanted]


@pytest.mark.parametrize(
    ("typed", "terms"),
    [
        pytest.param("water engineer", ["water", "engineer"], id="words"),
        pytest.param('"water engineer" kenya', ["water engineer", "kenya"], id="a phrase and a word"),
        pytest.param('"water engineer', ["water engineer"], id="a phrase without an end"),
        pytest.param("water -senior", ["water", "-senior"], id="without a word"),
        pytest.param('-"night shift"', ["-night shift"], id="without a phrase"),
        pytest.param("engin*", ["engin*"], id="a prefix"),
        pytest.param('"water engin"*', ["water engin*"], id="a phrase that goes on"),
        pytest.param("full-time", ["full time"], id="a word with a hyphen is a phrase"),
        pytest.param("C++ node.js a/b", ["c", "node js", "a b"], id="signs are not looked for"),
        pytest.param("Zürich CAFÉ", ["zurich", "cafe"], id="neither case nor marks on Latin letters matter"),
        pytest.param("Мой", ["мой"], id="marks that make another letter do"),
        pytest.param("  ", [], id="nothing"),
        pytest.param('- * "" "*" --', [], id="nothing but signs"),
        pytest.param("a OR b AND NOT c NEAR(d)", ["a", "or", "b", "and", "not", "c", "near d"], id="no operators"),
        pytest.param("title:x'); DROP TABLE records;", ["title x", "drop", "table", "records"], id="no SQL"),
    ],
)
def test_what_is_typed_becomes_terms(typed: str, terms: list[str]) -> None:
    assert _said(search_query.parse(typed)) == terms


def test_no_more_terms_are_looked_for_than_anyone_means() -> None:
    query = search_query.parse(" ".join(f"w{number}" for number in range(100)) + " -x")

    assert len(query.wanted) + len(query.unwanted) == 20


@given(st.text())
def test_every_word_is_free_of_signs_that_mean_something_to_a_database(typed: str) -> None:
    query = search_query.parse(typed)

    words = [word for term in (*query.wanted, *query.unwanted) for word in term.words]
    assert all(word and all(search_query.is_of_a_word(character) for character in word) for word in words)


@given(st.text())
def test_folding_again_changes_nothing(text: str) -> None:
    assert search_query.fold(search_query.fold(text)) == search_query.fold(text)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        pytest.param("harb", "harb*", id="one word"),
        pytest.param("night harb", "night harb*", id="the last of two"),
        pytest.param("harb ", "harb ", id="a space ends it"),
        pytest.param('"harb', '"harb', id="within quotes"),
        pytest.param('"night harb"', '"night harb"', id="a phrase"),
        pytest.param("night -harb", "night -harb", id="what is not wanted"),
        pytest.param("full-ti", "full-ti", id="a part of a phrase"),
        pytest.param("harb*", "harb*", id="said already"),
        pytest.param(" ", " ", id="nothing"),
    ],
)
def test_the_word_that_is_being_typed_may_go_on(typed: str, meant: str) -> None:
    assert search_query.still_typed(typed) == meant
