"""Is a record still there?"""

import pytest

from lamplighter.model.record import RecordKind
from lamplighter.rules.records.presence import is_missing, saw_everything

COMPLETE = {
    "is_full": True,
    "pages_had": 3,
    "pages_unknown": 0,
    "page_count": 3,
    "page_budget": 100,
    "overdue": False,
}


@pytest.mark.parametrize("kind", [RecordKind.JOB, RecordKind.PRODUCT, RecordKind.OTHER])
@pytest.mark.parametrize(
    ("was_listed", "is_listed_now", "own_page_is_dead", "missing"),
    [
        pytest.param(True, False, False, True, id="every list dropped it"),
        pytest.param(True, True, False, False, id="a list still shows it"),
        pytest.param(False, False, False, False, id="no list ever showed it"),
        pytest.param(False, False, True, True, id="its own page is dead"),
        pytest.param(True, True, True, True, id="a list shows it, but its own page is dead"),
    ],
)
def test_an_offer_is_missing_when_lists_drop_it_or_its_page_is_dead(
    kind: RecordKind, was_listed: bool, is_listed_now: bool, own_page_is_dead: bool, missing: bool
) -> None:
    found = is_missing(kind, was_listed=was_listed, is_listed_now=is_listed_now, own_page_is_dead=own_page_is_dead)

    assert found is missing


@pytest.mark.parametrize("is_dead", [False, True])
def test_an_article_is_missing_only_when_its_own_page_is_dead(is_dead: bool) -> None:
    missing = is_missing(RecordKind.ARTICLE, was_listed=True, is_listed_now=False, own_page_is_dead=is_dead)

    assert missing is is_dead


@pytest.mark.parametrize(
    ("change", "complete"),
    [
        pytest.param({}, True, id="all was had"),
        pytest.param({"pages_had": 0}, False, id="nothing was had"),
        pytest.param({"pages_unknown": 1}, False, id="a page failed"),
        pytest.param({"page_count": 100}, False, id="the budget was used up"),
        pytest.param({"is_full": False}, False, id="an API was asked for changes only"),
        pytest.param({"overdue": True}, False, id="the deadline came first"),
    ],
)
def test_a_run_saw_everything_only_if_nothing_was_left_out(change: dict[str, int], complete: bool) -> None:
    assert saw_everything(**(COMPLETE | change)) is complete  # type: ignore[arg-type]
