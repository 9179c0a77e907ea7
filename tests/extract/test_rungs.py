"""Which evidence leads: is the page about one thing, or does it list many?"""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from lamplighter.extract import rungs
from lamplighter.extract.html_page import parse_page
from lamplighter.extract.listing.records import PageListing
from lamplighter.extract.recipes.recipe import parse_recipe
from lamplighter.extract.rungs import PageEvidence, records_of
from lamplighter.extract.structured import loose_json
from lamplighter.model.recipe import EMPTY, Recipe
from lamplighter.model.record import Method, RawRecord, RecordKind
from tests.extract.single.article_pages import COMMENTS, FOOTER, MENU, document, p, paragraphs

URL = "https://a.example/jobs/7"
LIST_URL = "https://a.example/jobs"
CITIES = ("Bern", "Chur", "Genf", "Biel", "Thun", "Zug", "Basel", "Olten", "Sion", "Uster")
POSTS = ("Nurse", "Cook", "Pilot", "Diver", "Clerk", "Guard", "Welder", "Porter", "Editor", "Gardener")
TITLES = [f"{post} for the harbour" for post in POSTS]
ROWS = "".join(
    f"<li><h3><a href='/jobs/{n}'>{title}</a></h3><p>{city}</p><p>Closing date: {n + 1} May 2026</p></li>"
    for n, (title, city) in enumerate(zip(TITLES, CITIES, strict=True))
)
LISTING = f"<h1>Open positions</h1><ul>{ROWS}</ul>"
FACTS = (
    "<dl><dt>Location</dt><dd>Bern</dd><dt>Closing date</dt><dd>5 May 2026</dd><dt>Salary</dt><dd>90,000 CHF</dd>"
    "<dt>Contract type</dt><dd>Permanent</dd></dl>"
)
PUBLISHED = (
    "<meta property=og:type content=article><meta property=og:title content='The pier'>"
    "<meta property=article:published_time content=2026-03-04T08:00:00Z><meta name=author content='Jane Doe'>"
)


def job(n: int, **more: Any) -> dict[str, Any]:
    return {"@type": "JobPosting", "title": TITLES[n], "url": f"/jobs/{n}", **more}


def jsonld(*things: dict[str, Any]) -> str:
    return f'<script type="application/ld+json">{json.dumps(list(things))}</script>'


def evidence(
    main: str,
    *,
    url: str = LIST_URL,
    title: str = "Acme",
    head: str = "",
    wanted: RecordKind | None = None,
    recipe: Recipe = EMPTY,
) -> PageEvidence:
    html = document(f"<header><a href='/'>Acme</a>{MENU}</header><main>{main}</main>{FOOTER}", title=title, head=head)
    return records_of(parse_page(html, url), html, recipe, wanted)


def titles(found: PageEvidence) -> list[object]:
    return [record.fields["title"].value for record in found.records]


def methods(record: RawRecord) -> set[Method]:
    return {found.method for found in record.fields.values()}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the costly rungs that were asked."""
    names: list[str] = []

    def note(name: str) -> None:
        inner = getattr(rungs, name)

        def noted(*given: Any) -> Any:
            names.append(name)
            return inner(*given)

        monkeypatch.setattr(rungs, name, noted)

    for name in ("detail_records", "read_article", "is_story"):
        note(name)

    def listing(*_: Any, **__: Any) -> PageListing:
        names.append("listing")
        return PageListing([])

    monkeypatch.setattr(rungs, "find_listing", listing)
    return names


def test_a_page_that_describes_its_one_thing_in_full_is_not_looked_at(asked: list[str]) -> None:
    facts = {"hiringOrganization": "Acme", "jobLocation": "Bern", "datePosted": "2026-03-04"}
    whole = jsonld(job(0, description="All of it.", **facts))

    found = evidence(LISTING, url="https://a.example/jobs/0", head=whole)

    assert titles(found) == [TITLES[0]]
    assert asked == []


def test_an_article_with_its_whole_text_is_not_looked_at(asked: list[str]) -> None:
    article = {"@type": "NewsArticle", "headline": "The pier", "articleBody": " ".join(paragraphs()), "url": "/n/1"}

    found = evidence(f"<h1>The pier</h1>{p(paragraphs())}", url="https://a.example/n/1", head=jsonld(article))

    assert titles(found) == ["The pier"]
    assert asked == []


def test_every_block_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    mend = loose_json.mend

    def noted(text: str) -> Any:
        parsed.append(text)
        return mend(text)

    monkeypatch.setattr(loose_json, "mend", noted)

    found = evidence("<h1>x</h1>", head=jsonld(job(0)) + "<script type='application/ld+json'>{{{</script>")

    assert len(parsed) == 2
    assert found.warnings == ("1 of its JSON-LD blocks could not be parsed",)


def test_what_the_description_lacks_the_page_tells() -> None:
    found = evidence(f"<h1>{TITLES[0]}</h1>{FACTS}{p(paragraphs())}", url=URL, head=jsonld({**job(0), "url": URL}))

    (record,) = found.records
    assert record.fields["title"].method is Method.JSONLD
    assert (record.fields["location"].value, record.fields["location"].method) == ("Bern", Method.LABELS)


def test_a_listing_is_read_where_nothing_describes_it() -> None:
    found = evidence(LISTING)

    assert titles(found) == TITLES
    assert found.records[0].kind is RecordKind.JOB


def test_a_lone_description_of_something_else_does_not_hide_the_listing() -> None:
    featured = job(3, description="Our job of the week.")

    found = evidence(LISTING, head=jsonld(featured))

    assert titles(found) == TITLES
    assert found.records[3].fields["description"].value == "Our job of the week."


def test_a_described_thing_that_the_listing_lacks_is_added_once() -> None:
    hidden = {"@type": "JobPosting", "title": "Harbour master", "url": "/jobs/99"}

    found = evidence(LISTING, head=jsonld(job(0), job(1), hidden) + jsonld(hidden))

    assert titles(found) == [*TITLES, "Harbour master"]


def test_descriptions_of_some_rows_do_not_hide_the_others() -> None:
    found = evidence(LISTING, head=jsonld(*(job(n, hiringOrganization={"name": "Acme"}) for n in range(6))))

    assert titles(found) == TITLES
    assert methods(found.records[0]) >= {Method.JSONLD, Method.LISTING}


def test_descriptions_of_all_rows_lead() -> None:
    found = evidence(LISTING, head=jsonld(*(job(n) for n in range(10))))

    assert titles(found) == TITLES
    assert found.records[0].fields["title"].method is Method.JSONLD
    assert found.records[0].fields["deadline"].value == "1 May 2026"


def test_of_several_described_things_the_one_that_lives_here_is_what_the_page_is_about() -> None:
    found = evidence("<h1>x</h1>", url="https://a.example/jobs/0", head=jsonld(job(0), job(1), job(2)))

    assert titles(found) == [TITLES[0]]


def test_comments_are_no_listing_where_the_head_tells_of_an_article() -> None:
    replies = "".join(
        f"<li><a href='/profile/{n}'>reader{n}</a> <time datetime='2026-03-0{n}'></time><p>I agree, mostly.</p></li>"
        for n in range(1, 9)
    )

    found = evidence(
        f"<article><h1>The pier</h1>{p(paragraphs())}</article><section><ul>{replies}</ul></section>",
        url="https://a.example/n/1",
        title="The pier",
        head=PUBLISHED,
    )

    assert titles(found) == ["The pier"]
    assert found.records[0].kind is RecordKind.ARTICLE


def test_a_listing_whose_system_calls_every_page_an_article_is_a_listing() -> None:
    head = PUBLISHED.replace("The pier", "Open positions")

    assert titles(evidence(LISTING, head=head)) == TITLES


def test_facts_of_one_thing_outweigh_bare_rows_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    bare = [RawRecord(kind=RecordKind.JOB, fields={}) for _ in range(4)]
    monkeypatch.setattr(rungs, "find_listing", lambda *_, **__: PageListing(bare))

    found = evidence(f"<h1>Nurse</h1>{FACTS}{p(paragraphs())}", url=URL, title="Nurse | Acme")

    assert titles(found) == ["Nurse"]


def test_other_products_with_their_prices_are_no_listing_where_one_can_be_bought() -> None:
    others = "".join(
        f"<li><a href='/p/{n}'><h3>Mug no. {n}</h3></a><span class=price>£{n}.50</span></li>" for n in range(3, 9)
    )

    found = evidence(
        f"<h1>Ember stove</h1><p>£49.95</p><button>Add to cart</button><ul>{others}</ul>",
        url="https://a.example/p/ember",
        title="Ember stove | Acme",
    )

    assert titles(found) == ["Ember stove"]


def test_a_posting_is_a_posting_even_if_its_head_calls_it_an_article() -> None:
    found = evidence(f"<h1>Nurse</h1>{FACTS}{p(paragraphs())}", url=URL, title="Nurse", head=PUBLISHED)

    (record,) = found.records
    assert record.kind is RecordKind.JOB
    assert record.fields["published_at"].method is Method.META
    assert "author" not in record.fields


def test_the_readers_text_is_better_than_that_of_an_element_in_one_piece() -> None:
    text = f"<h1>The pier</h1><div itemprop=articleBody>{p(paragraphs())}</div>"
    marked = f"<div itemscope itemtype='https://schema.org/Article'>{text}</div>"

    found = evidence(marked, url="https://a.example/n/1", title="The pier")

    (record,) = found.records
    assert record.fields["text"].method is Method.ARTICLE
    assert str(record.fields["text"].value).count("\n") > 3


@pytest.mark.parametrize(
    ("heading", "url", "body_class"),
    [
        ("About us", "https://a.example/about", ""),
        ("Our services", "https://a.example/s", ""),
        ("Frequently asked questions", "https://a.example/x", ""),
        ("Meet the team", "https://a.example/x", ""),
        ("Privacy notice for applicants", "https://a.example/x", ""),
        ("How we heat your home", "https://a.example/x", "page page-id-17"),
        ("Spring fair", "https://a.example/events/spring-fair", ""),
        ("Join the crew", "https://a.example/careers", ""),
    ],
)
@pytest.mark.parametrize("head", ["", PUBLISHED], ids=["silent head", "head of an article"])
def test_pages_about_a_site_are_no_articles(heading: str, url: str, body_class: str, head: str) -> None:
    head = head.replace("The pier", heading)
    html = document(f"{MENU}<main><h1>{heading}</h1>{p(paragraphs())}</main>{FOOTER}", title=heading, head=head)
    html = html.replace("<body", f"<body class='{body_class}'", 1)

    assert records_of(parse_page(html, url), html, EMPTY, None).records == []


def test_documentation_is_an_article_by_its_section() -> None:
    found = evidence(f"<h1>Retries</h1>{p(paragraphs())}", url="https://a.example/docs/retries", title="Retries")

    assert titles(found) == ["Retries"]


@pytest.mark.parametrize("wanted", [RecordKind.JOB, None])
def test_a_listing_is_a_listing_whether_or_not_its_kind_is_known(wanted: RecordKind | None) -> None:
    assert titles(evidence(LISTING, wanted=wanted)) == TITLES


def test_a_story_is_no_job_even_if_jobs_are_wanted() -> None:
    found = evidence(
        f"<h1>The pier</h1>{p(paragraphs())}{COMMENTS}",
        url="https://a.example/n/1",
        title="The pier",
        head=PUBLISHED,
        wanted=RecordKind.JOB,
    )

    assert found.records == []


def test_any_page_with_prose_is_an_article_where_articles_are_wanted() -> None:
    found = evidence(
        f"<h1>The pier</h1>{p(paragraphs())}", url="https://a.example/x", title="The pier", wanted=RecordKind.ARTICLE
    )

    assert titles(found) == ["The pier"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"fields": {"title": "h1"}}, ["Open positions"]),
        ({"items": "li:has(h3)", "fields": {"title": "h3"}}, TITLES),
    ],
    ids=["a recipe for one thing", "a recipe for many"],
)
def test_a_recipe_decides(given: dict[str, Any], expected: Sequence[str]) -> None:
    found = evidence(LISTING, recipe=parse_recipe(given))

    assert titles(found) == expected
    assert found.records[0].fields["title"].method is Method.RECIPE


def test_an_empty_page_holds_nothing() -> None:
    assert evidence("").records == []


ARTICLE = {"@type": "NewsArticle", "headline": "The pier", "url": "/n/1"}
STORY_URL = "https://a.example/n/1"


def only(found: PageEvidence) -> dict[str, Any]:
    (record,) = found.records
    return {name: value.value for name, value in record.fields.items()}


def test_an_article_that_two_plugins_describe_is_one_article_with_its_text() -> None:
    twice = jsonld(ARTICLE, ARTICLE | {"author": {"name": "Jane Doe"}})

    said = only(evidence(f"<h1>The pier</h1>{p(paragraphs())}", url=STORY_URL, head=twice))

    assert said["author"] == "Jane Doe"
    assert said["text"] == "\n".join(paragraphs())


@pytest.mark.parametrize("body", [paragraphs()[0], f"{paragraphs()[0][:60]}\u2026"])
def test_a_shortened_text_gives_way_to_the_one_on_the_page(body: str) -> None:
    head = jsonld(ARTICLE | {"articleBody": body})

    said = only(evidence(f"<h1>The pier</h1>{p(paragraphs())}", url=STORY_URL, head=head))

    assert said["text"] == "\n".join(paragraphs())


def test_a_whole_text_is_kept_beside_many_comments() -> None:
    whole = " ".join(paragraphs())
    head = jsonld(ARTICLE | {"articleBody": whole})

    said = only(evidence(f"<h1>The pier</h1>{p(paragraphs())}{COMMENTS * 20}", url=STORY_URL, head=head))

    assert said["text"] == whole


def test_a_page_that_tells_a_recipe_is_that_recipe_with_the_text_around_it() -> None:
    recipe = {"@type": "Recipe", "name": "Pier soup", "author": {"name": "Tom Roe"}, "image": "/crop.jpg"}
    head = jsonld(ARTICLE, recipe) + "<meta property=og:image content=/whole.jpg>" + PUBLISHED

    said = only(evidence(f"<h1>The pier</h1>{p(paragraphs())}", url=STORY_URL, head=head))

    assert (said["title"], said["author"]) == ("Pier soup", "Tom Roe")
    assert said["image"] == "https://a.example/whole.jpg"
    assert said["text"] == "\n".join(paragraphs())


def test_a_recipe_is_not_the_rows_below_it() -> None:
    recipe = jsonld({"@type": "Recipe", "name": "Pier soup", "recipeIngredient": ["water"]})

    found = evidence(f"<h1>Soup of the pier</h1><ul>{ROWS}</ul>", url=STORY_URL, head=recipe)

    assert titles(found) == ["Pier soup"]


def test_rows_that_all_have_the_address_of_their_list_are_many() -> None:
    rows = jsonld(*(job(n) | {"url": "/jobs"} for n in range(5)))

    assert len(evidence(LISTING, head=rows).records) >= 5


def test_of_things_without_a_name_the_first_is_the_page() -> None:
    teasers = "".join("<article itemscope itemtype=http://schema.org/Article><p>x</p></article>" for _ in range(4))
    own = (
        "<article itemscope itemtype=http://schema.org/Article><h1>The pier</h1>"
        f"<time itemprop=datePublished datetime=2026-03-04>4 March</time>{p(paragraphs())}</article>"
    )

    assert titles(evidence(own + teasers, url=STORY_URL)) == ["The pier"]


LAMP = {"@type": "Product", "name": "Lamp L-17", "offers": {"price": 5, "url": "/other/lamp"}}


def test_a_product_that_the_head_declares_is_not_the_menu_around_it() -> None:
    head = jsonld(LAMP) + "<meta property=og:type content=product><meta property=og:title content=Leuchte>"

    assert titles(evidence(LISTING, url="https://a.example/p/1", head=head)) == ["Lamp L-17"]


def test_of_several_products_the_one_in_the_title_is_the_pages() -> None:
    head = jsonld(LAMP, *({"@type": "Product", "name": f"Bulb B-{n}", "url": f"/p/b{n}"} for n in range(5)))

    assert titles(evidence("", url="https://a.example/p/1", title="Buy Lamp L-17 | Acme", head=head)) == ["Lamp L-17"]


def test_what_structured_data_leave_out_is_looked_up_on_the_page() -> None:
    head = jsonld({"@type": "Product", "name": "Lamp", "description": "It shines.", "url": "/p/1"})
    main = "<h1>Lamp</h1><p>\u20ac 39,90</p><p>Brand: Lumen</p><button>Add to cart</button>"

    said = only(evidence(main, url="https://a.example/p/1", head=head))

    assert (said["price"], said["brand"]) == ("39.90", "Lumen")
