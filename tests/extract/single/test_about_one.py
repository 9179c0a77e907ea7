"""Pages about one thing that lead to a few others, and pages that list a few."""

import pytest

from lamplighter.extract.html_page import parse_page
from lamplighter.extract.single.about_one import is_about_one
from lamplighter.model.record import Finding, Method, RawRecord, RecordKind
from tests.extract.single.article_pages import MENU, document, p, paragraphs

FACTS = (
    "<p><b>Location:</b> Bern<br><b>Grade:</b> P-3<br><b>Deadline:</b> 5 May 2026<br><b>Salary:</b> 90,000 CHF</p>"
    "<a href='/apply'>Apply now</a>"
)
STORY = f"<p>4 March 2026</p>{p(paragraphs())}"
CARDS = "".join(f"<div><h3><a href='/n/{n}'>Card {n}</a></h3>{p([text])}</div>" for n, text in enumerate(paragraphs()))


def rows(count: int, **more: str) -> list[RawRecord]:
    given = [{"title": f"Cook {n}", "url": f"https://a.example/v/{n}", **more} for n in range(count)]
    said = [{name: Finding(value, Method.LISTING, 0.7) for name, value in fields.items()} for fields in given]
    return [RawRecord(kind=RecordKind.JOB, fields=fields) for fields in said]


def is_one(main: str, shown: list[RawRecord], *, heading: str = "Nurse", url: str = "https://a.example/v/17") -> bool:
    html = document(f"<header>{MENU}</header><main><h1>{heading}</h1>{main}</main>", title=heading)
    return is_about_one([shown], parse_page(html, url), None)


@pytest.mark.parametrize(
    ("main", "heading"),
    [pytest.param(FACTS, "Nurse", id="facts"), pytest.param(STORY, "The pier is gone", id="a story")],
)
def test_a_few_rows_with_dates_stand_beside_the_one_thing(main: str, heading: str) -> None:
    assert is_one(main, rows(3, deadline="28 May 2026"), heading=heading)


@pytest.mark.parametrize("main", [FACTS, STORY])
def test_many_rows_with_dates_are_a_listing(main: str) -> None:
    assert not is_one(main, rows(7, deadline="28 May 2026"))


def test_facts_that_are_those_of_the_rows_are_not_the_pages_own() -> None:
    shown = rows(2, location="Bern", level="P-3", deadline="5 May 2026", salary="90,000 CHF")

    assert not is_one(FACTS, shown)


def test_teasers_are_no_story() -> None:
    assert not is_one(f"<p>4 March 2026</p>{CARDS}", rows(3, published_at="5 May 2026"), heading="The week by the sea")


def test_rows_that_say_more_than_the_story_are_a_listing() -> None:
    shown = rows(4, description="\n".join(paragraphs()))

    assert not is_one(STORY, [*shown, *rows(1, description="x" * 3_000)], heading="The pier is gone")


@pytest.mark.parametrize("heading", ["Open positions", "News", "Contact"])
def test_a_page_whose_heading_stands_over_many_things_is_about_none_of_them(heading: str) -> None:
    assert not is_one(FACTS + STORY, rows(3, deadline="28 May 2026"), heading=heading)


def test_a_dated_story_is_no_listing_however_many_other_stories_stand_beside_it() -> None:
    assert is_one(STORY, rows(12, published_at="5 May 2026"), heading="The pier is gone")


def test_a_dated_list_in_the_text_itself_is_a_listing() -> None:
    shown = rows(7, description="A fortnight by the sea")
    told = p([f"{row.fields['title'].value}: {text}" for row, text in zip(shown, paragraphs() * 2, strict=False)])

    assert not is_one(f"<p>4 March 2026</p>{told}", shown, heading="The week by the sea")


def test_rows_one_of_which_is_the_pages_own_thing_stand_beside_it() -> None:
    assert is_one(FACTS, rows(12, deadline="28 May 2026"), heading="Cook 3")


def test_homes_of_which_one_shows_its_price_are_a_listing_though_the_page_sells_something() -> None:
    homes = [*rows(1, price="de 26.000 € a 28.000 €"), *rows(20, location="Ulm")]
    offer = "<p>Price: 35.000 €</p><button>Buy</button>"

    assert not is_one(offer, homes, heading="21 homes in Ulm", url="https://a.example/homes?in=ulm")
