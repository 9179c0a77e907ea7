"""How a search reads in Meilisearch's words."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamplighter.adapters.search import meilisearch_query
from lamplighter.model.record_search import RecordFilter, RecordOrder, SortKey
from lamplighter.model.search_index import IndexQuery
from lamplighter.ports import NotExpressible
from lamplighter.rules.records import search_query
from tests.servers.meilisearch_filter import filter_of


def _body(typed: str = "", **wanted: object) -> dict[str, object]:
    query = IndexQuery(RecordFilter(text=search_query.parse(typed), **wanted))  # type: ignore[arg-type]
    order = RecordOrder(by=SortKey.RELEVANCE)
    return meilisearch_query.search(query, order, meilisearch_query.window_of(order))


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("water", '"water"'),
        ("Water wells", '"water" "wells"'),
        ('"water wells"', '"water wells"'),
        ("full-time", '"full time"'),
        ("wat* wells", '"wells" wat'),
        ("water -writer", '-"writer" "water"'),
        ('-"old lamps"', '-"old lamps"'),
    ],
)
def test_every_term_is_a_phrase_but_the_one_that_may_go_on(typed: str, said: str) -> None:
    assert _body(typed)["q"] == said


@pytest.mark.parametrize("typed", ["a* b*", "-a*", '"a b"*', "a b c d e f g h i j k"])
def test_what_it_has_no_words_for_is_not_asked(typed: str) -> None:
    with pytest.raises(NotExpressible):
        _body(typed)


def test_since_when_a_record_is_as_it_is_no_server_knows() -> None:
    with pytest.raises(NotExpressible):
        _body(changed_after=datetime(2026, 1, 1, tzinfo=UTC))


@given(limit=st.integers(1, 60), offset=st.integers(0, 500))
def test_the_window_holds_the_wanted_part(limit: int, offset: int) -> None:
    everything = list(range(1000))

    window = meilisearch_query.window_of(RecordOrder(limit=limit, offset=offset))

    start = (window.number - 1) * window.size
    page = everything[start : start + window.size]
    assert page[window.skipped : window.skipped + limit] == everything[offset : offset + limit]


@given(value=st.text(min_size=1, max_size=30))
def test_no_value_gets_out_of_its_quotes(value: str) -> None:
    try:
        (*_, condition) = _body(organisation=value)["filter"]  # type: ignore[misc]
    except NotExpressible:
        assert "\\" in value
        return

    is_wanted = filter_of(condition, ["organisation_key"])

    assert is_wanted({"organisation_key": value.lower()})
    assert not is_wanted({"organisation_key": value.lower() + "x"})


def test_a_deleted_sources_records_are_left_out_unless_it_is_asked_for() -> None:
    everybody = _body()["filter"]
    order = RecordOrder()
    asked = meilisearch_query.search(IndexQuery(RecordFilter(), (3, 4)), order, meilisearch_query.window_of(order))

    assert everybody == ['is_gone = "false"', 'is_hidden = "false"']
    assert asked["filter"] == ['is_gone = "false"', 'source_id IN ["3", "4"]']
    assert asked["sort"] == ["record_id:desc"]
