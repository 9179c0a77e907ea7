"""What a page's meta elements say about it."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.extract.html_page import HtmlPage, parse_page
from lamplighter.extract.structured.page_meta import meta_records, meta_values
from lamplighter.model.record import Method, RecordKind

URL = "https://a.example/news/storm"
ARTICLE = {"og:type": "article", "og:title": "Storm", "article:published_time": "2026-03-01T10:00:00Z"}


def page(metas: dict[str, Any], rest: str = "") -> HtmlPage:
    pairs = [
        (name, value) for name, given in metas.items() for value in (given if isinstance(given, list) else [given])
    ]
    return parse_page("".join(f'<meta property="{name}" content="{value}">' for name, value in pairs) + rest, URL)


def values(metas: dict[str, Any], rest: str = "") -> dict[str, Any]:
    return {name: found.value for name, found in meta_values(page(metas, rest)).items()}


def test_an_article_is_read() -> None:
    metas = ARTICLE | {
        "og:url": "https://a.example/news/storm",
        "og:description": "It blew",
        "og:locale": "en_GB",
        "og:site_name": "The Paper",
        "og:image": "/storm.jpg",
        "article:modified_time": "2026-03-02",
        "article:author": ["Ann", "https://social.example/ann", "Bo"],
        "article:section": "World",
        "article:tag": ["wind", "sea"],
    }

    (record,) = meta_records(page(metas))

    assert record.kind is RecordKind.ARTICLE
    assert {name: found.value for name, found in record.fields.items()} == {
        "title": "Storm",
        "url": URL,
        "description": "It blew",
        "language": "en_GB",
        "organisation": "The Paper",
        "image": "https://a.example/storm.jpg",
        "published_at": "2026-03-01T10:00:00Z",
        "updated_at": "2026-03-02",
        "author": "Ann, Bo",
        "section": "World",
        "tags": ["wind", "sea"],
    }


def test_a_product_is_read() -> None:
    metas = {
        "og:type": "product",
        "og:title": "Lamp",
        "product:price:amount": "19.90",
        "product:price:currency": "EUR",
        "product:availability": "in stock",
        "product:brand": "Lux",
    }

    (record,) = meta_records(page(metas))

    assert record.kind is RecordKind.PRODUCT
    assert {name: found.value for name, found in record.fields.items()} == {
        "title": "Lamp",
        "price": "19.90",
        "currency": "EUR",
        "availability": "in stock",
        "brand": "Lux",
    }


@pytest.mark.parametrize(
    "metas",
    [
        pytest.param({"og:type": "website", "og:title": "Home"}, id="a website"),
        pytest.param({"og:type": "article", "og:title": "Careers"}, id="called an article, as plugins call every page"),
        pytest.param({"og:title": "Jobs", "description": "All jobs"}, id="no type"),
        pytest.param({"og:type": "article", "article:published_time": "2026-03-01"}, id="no title"),
        pytest.param({"og:type": "profile", "og:title": "Ann", "article:tag": "x"}, id="a person"),
    ],
)
def test_a_page_that_does_not_say_it_is_one_thing_gives_no_record(metas: dict[str, Any]) -> None:
    assert meta_records(page(metas)) == []


@pytest.mark.parametrize(
    ("wanted", "kinds"),
    [
        (None, [RecordKind.ARTICLE]),
        (RecordKind.ARTICLE, [RecordKind.ARTICLE]),
        (RecordKind.OTHER, [RecordKind.OTHER]),
        (RecordKind.JOB, []),
        (RecordKind.PRODUCT, []),
    ],
)
def test_an_article_is_not_taken_for_what_is_wanted(wanted: RecordKind | None, kinds: list[RecordKind]) -> None:
    assert [record.kind for record in meta_records(page(ARTICLE), wanted)] == kinds


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Storm | The Paper", "Storm"),
        ("Storm - the paper", "Storm"),
        ("Storm \u2014 The Paper", "Storm"),
        ("The Paper: Storm", "Storm"),
        ("The Paper", "The Paper"),
        ("Sold: The Paper", "Sold"),
        ("The Paper wins a prize", "The Paper wins a prize"),
        ("All about The Papermill", "All about The Papermill"),
    ],
)
def test_the_name_of_the_site_is_no_part_of_the_title(title: str, expected: str) -> None:
    assert values({"og:title": title, "og:site_name": "The Paper"})["title"] == expected


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("DC.title", "title"),
        ("DC.date", "published_at"),
        ("dcterms.modified", "updated_at"),
        ("citation_author", "author"),
        ("citation_publication_date", "published_at"),
        ("parsely-pub-date", "published_at"),
        ("sailthru.author", "author"),
        ("twitter:description", "description"),
        ("pubdate", "published_at"),
        ("author", "author"),
    ],
)
def test_each_dialect_is_understood(name: str, field: str) -> None:
    assert values({name: "x"}) == {field: "x"}


def test_the_surer_name_wins_and_generic_ones_are_trusted_less() -> None:
    found = meta_values(page({"description": "generic", "og:description": "sure", "keywords": "a, b"}))

    assert found["description"] == ("sure", Method.META, 0.80)
    assert found["tags"] == (["a", "b"], Method.META, 0.65)


@pytest.mark.parametrize(
    ("metas", "rest", "author"),
    [
        pytest.param(
            {"twitter:label1": "Verfasst von", "twitter:data1": "Ann"}, "", "Ann", id="a Twitter card's label"
        ),
        pytest.param({}, "<a rel='author nofollow' href=/ann>Ann</a>", "Ann", id="rel=author"),
        pytest.param({"article:author": "https://social.example/ann"}, "", None, id="an address is no name"),
        pytest.param({"twitter:label1": "Est. reading time", "twitter:data1": "3 min"}, "", None, id="another label"),
    ],
)
def test_the_author_of_an_article_is_a_name(metas: dict[str, Any], rest: str, author: str | None) -> None:
    assert values(ARTICLE | metas, rest).get("author") == author


@pytest.mark.parametrize("url", ["https://b.example/news/storm", "https://a.example/", "ftp://a.example/x"])
def test_an_address_that_cannot_be_the_pages_own_is_left_out(url: str) -> None:
    assert "url" not in values({"og:url": url})


NAMES = st.sampled_from(
    "og:title og:type og:url og:site_name article:author article:tag keywords twitter:label1".split()
)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(NAMES, st.text(max_size=30).filter(lambda text: '"' not in text)), max_size=12))
def test_no_meta_elements_raise(metas: list[tuple[str, str]]) -> None:
    html = "".join(f'<meta name="{name}" content="{value}">' for name, value in metas)
    read = parse_page(html.encode("utf-8", "replace").decode(), URL)

    assert all(found.value for found in meta_values(read).values())
    assert len(meta_records(read)) <= 1
