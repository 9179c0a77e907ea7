"""Pages of many families, read without a recipe. What is wrong: python -m benchmarks.extraction --verbose"""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from functools import cache
from statistics import fmean
from typing import Any

import pytest

from benchmarks.corpus import Case, Outcome, cases, read_case
from benchmarks.measuring.scoring import Score, Tally, score, total
from lamplighter.model.reading import Reading
from lamplighter.model.record import Record, RecordKind

CASES = cases()
NEGATIVE = [case for case in CASES if case.page_class == "negative"]


@cache
def outcome_of(name: str) -> Outcome:
    """Each page is read once for all tests."""
    return read_case(next(case for case in CASES if case.name == name))


@pytest.fixture(scope="module")
def scores() -> list[Score]:
    return [score(outcome_of(case.name)) for case in CASES]


def of(scores: list[Score], *page_classes: str) -> list[Score]:
    return [one for one in scores if one.case.page_class in page_classes]


def poorest(scores: list[Score], figure: Callable[[Score], float]) -> str:
    """The cases to look at first, for the failure's message."""
    worst = sorted(scores, key=figure)[:12]
    return ", ".join(f"{one.case.name} {figure(one):.2f}" for one in worst if figure(one) < 1)


def as_record(expected: Mapping[str, Any], case: Case) -> Record:
    """The record that a perfect reading makes."""
    said = {name: value[0] if isinstance(value, list) else value for name, value in expected.items()}
    published_at, deadline = said.get("published_at"), said.get("deadline")
    return Record(
        kind=case.kind or RecordKind.OTHER,
        url=said["url"],
        canonical_hash="",
        content_hash="",
        title=said["title"],
        organisation=said.get("organisation"),
        location_raw=said.get("location_raw"),
        country_iso=said.get("country_iso"),
        deadline=date.fromisoformat(deadline) if deadline else None,
        published_at=datetime.fromisoformat(published_at).replace(tzinfo=UTC) if published_at else None,
        fields=said | {"text": case.text},
    )


def test_there_are_pages_of_many_families() -> None:
    assert len(CASES) >= 45


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES])
def test_a_page_is_read_without_raising(case: Case) -> None:
    outcome = outcome_of(case.name)

    assert len(outcome.records) <= len(outcome.reading.records)


def test_titles_and_links_of_listings_are_found(scores: list[Score]) -> None:
    listings = of(scores, "listing")

    together = total(one.listed for one in listings)

    assert together.f1 >= 0.95, poorest(listings, lambda one: one.listed.f1)


def test_nine_listings_in_ten_are_read_well_each_by_itself(scores: list[Score]) -> None:
    listings = of(scores, "listing")

    well = [one for one in listings if one.listed.f1 >= 0.9]

    assert len(well) >= 0.9 * len(listings), poorest(listings, lambda one: one.listed.f1)


def test_dates_are_found(scores: list[Score]) -> None:
    together = total(one.dates for one in scores)

    assert together.f1 >= 0.9, poorest(scores, lambda one: one.dates.f1)


def test_detail_pages_are_about_one_thing(scores: list[Score]) -> None:
    details = of(scores, "detail", "article")

    together = total(one.listed for one in details)

    assert together.f1 >= 0.9, poorest(details, lambda one: one.listed.f1)


def test_running_text_is_found_without_what_surrounds_it(scores: list[Score]) -> None:
    articles = of(scores, "article")

    mean = fmean(one.text_f1 or 0.0 for one in articles)

    assert mean >= 0.9, poorest(articles, lambda one: one.text_f1 or 0.0)


def test_feeds_and_answers_are_read_whole(scores: list[Score]) -> None:
    feeds = of(scores, "feed", "api")

    together = total(one.listed for one in feeds)

    assert together.f1 >= 0.95, poorest(feeds, lambda one: one.listed.f1)


def test_the_page_tells_what_kind_its_records_are(scores: list[Score]) -> None:
    judged = [one for one in scores if one.kind_right is not None]

    wrong = [one.case.name for one in judged if not one.kind_right]

    assert len(wrong) <= 0.1 * len(judged), wrong


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in NEGATIVE])
def test_a_page_without_records_gives_none(case: Case) -> None:
    outcome = outcome_of(case.name)

    assert [record.title for record in outcome.records] == []


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES])
def test_what_a_person_takes_from_a_page_scores_one(case: Case) -> None:
    records = tuple(as_record(expected, case) for expected in case.records)

    perfect = score(Outcome(case=case, reading=Reading(), records=records, cpu=timedelta()))

    assert (perfect.listed.f1, perfect.dates.f1, perfect.text_f1 or 1.0, perfect.faults) == (1.0, 1.0, 1.0, ())


def test_nothing_wanted_and_nothing_found_is_perfect() -> None:
    assert (Tally().f1, Tally(0, 1, 0).f1, Tally(1, 1, 3).f1) == (1.0, 0.0, 0.5)
