"""What a run came to, said shortly."""

import pytest

from lamplighter.crawl.runs.run_finish import PresenceCheck, judge
from lamplighter.model.crawl import RunTally
from lamplighter.web.words import beyond_counts, without_noughts

COUNTS = "61 pages (0 unchanged, 1 refused, 0 failed), 120 records: 48 new, 0 changed, 72 as before, 0 skipped"


@pytest.mark.parametrize(
    ("message", "short"),
    [
        pytest.param(COUNTS, "61 pages (1 refused), 120 records: 48 new, 72 as before", id="some of them nought"),
        pytest.param(
            "3 pages (0 unchanged, 0 refused, 0 failed), 0 records: 0 new, 0 changed, 0 as before, 0 skipped",
            "3 pages, 0 records",
            id="all of them nought",
        ),
        pytest.param(f"stopped at its deadline; {COUNTS}", None, id="with a reason before"),
        pytest.param("not_found: HTTP 404 (http://x.example/0 failed)", None, id="no counts at all"),
    ],
)
def test_counts_that_are_nought_are_left_out(message: str, short: str | None) -> None:
    expected = short or message.replace(COUNTS, "61 pages (1 refused), 120 records: 48 new, 72 as before")

    assert without_noughts(message) == expected


@pytest.mark.parametrize(
    ("message", "rest"),
    [
        pytest.param(COUNTS, "", id="nothing but counts"),
        pytest.param(f"{COUNTS}, 3 could not be stored", "3 could not be stored", id="what could not be stored"),
        pytest.param(f"stopped at its deadline; {COUNTS}", "stopped at its deadline", id="a reason before"),
        pytest.param(f"{COUNTS}; first gone: HTTP 410", "first gone: HTTP 410", id="a reason after"),
        pytest.param("no page could be fetched", "no page could be fetched", id="no counts at all"),
    ],
)
def test_what_a_message_says_besides_its_counts_is_kept(message: str, rest: str) -> None:
    assert beyond_counts(message) == rest


def test_a_run_that_went_well_says_nothing_besides_its_counts() -> None:
    standing = PresenceCheck(saw_everything=True, shown=12, has_shown_before=False, drift=None, is_news=False)

    verdict = judge(RunTally(pages_fetched=3, records_found=12), None, standing, note=None, overdue=False)

    assert beyond_counts(verdict.message) == ""
