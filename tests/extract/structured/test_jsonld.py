"""E7: JSON-LD in all its shapes, sound or not."""

import json
from typing import Any

import pytest

from lamplighter.extract.html_page import HtmlPage, parse_page
from lamplighter.extract.structured.jsonld import read_jsonld
from lamplighter.model.record import RawRecord, RecordKind

URL = "https://a.example/jobs/7"
JOB = {"@type": "JobPosting", "title": "Nurse"}


def page(*blocks: object) -> HtmlPage:
    texts = (block if isinstance(block, str) else json.dumps(block) for block in blocks)
    return parse_page("".join(f'<script type="application/ld+json">{text}</script>' for text in texts), URL)


def records(*blocks: object) -> list[RawRecord]:
    return read_jsonld(page(*blocks)).records


def values(block: object) -> dict[str, Any]:
    (record,) = records(block)
    return {name: found.value for name, found in record.fields.items()}


def test_a_job_posting_is_read() -> None:
    job = JOB | {
        "url": "?id=7",
        "identifier": {"@type": "PropertyValue", "value": 7},
        "hiringOrganization": {"name": "Acme"},
        "jobLocation": [
            {"address": {"addressLocality": "Berlin", "addressCountry": {"name": "DE"}}},
            {"address": {"addressLocality": "Bonn", "addressCountry": "DE"}},
        ],
        "jobLocationType": "TELECOMMUTE",
        "datePosted": "2026-03-01",
        "validThrough": "2026-05-01",
        "employmentType": ["FULL_TIME"],
        "baseSalary": {"currency": "EUR", "value": {"minValue": 50000, "maxValue": 60000, "unitText": "YEAR"}},
        "description": "<p>Care &amp; more</p>",
        "inLanguage": "de",
    }

    assert values(job) == {
        "title": "Nurse",
        "url": "https://a.example/jobs/7?id=7",
        "guid": "7",
        "organisation": "Acme",
        "location": "Berlin, DE; Bonn, DE",
        "country": "DE",
        "work_modality": "remote",
        "published_at": "2026-03-01",
        "deadline": "2026-05-01",
        "career_type": ["FULL_TIME"],
        "salary": {"min": "50000", "max": "60000", "currency": "EUR", "period": "YEAR"},
        "description": "Care & more",
        "language": "de",
    }


def test_an_article_is_read() -> None:
    article = {
        "@type": ["NewsArticle", "Thing"],
        "headline": "News",
        "mainEntityOfPage": {"@id": "https://a.example/n"},
        "author": [{"name": "A"}, "B"],
        "publisher": {"name": "Paper"},
        "articleSection": "World",
        "datePublished": "2026-03-01T10:00:00Z",
        "keywords": "x, y",
    }

    assert values(article) == {
        "title": "News",
        "url": "https://a.example/n",
        "author": "A, B",
        "organisation": "Paper",
        "section": "World",
        "published_at": "2026-03-01T10:00:00Z",
        "tags": ["x", "y"],
    }


OFFER = {"priceCurrency": "EUR", "availability": "InStock"}


@pytest.mark.parametrize(
    "offers",
    [
        pytest.param(OFFER | {"price": 19.9}, id="an offer"),
        pytest.param([OFFER | {"price": "19.9"}, {"price": 1}], id="the first of several"),
        pytest.param(OFFER | {"@type": "AggregateOffer", "lowPrice": "19.9"}, id="a range"),
        pytest.param(OFFER | {"priceSpecification": [{"price": 19.9}]}, id="a specification"),
    ],
)
def test_a_product_is_read(offers: object) -> None:
    found = values({"@type": "http://schema.org/Product", "name": "Lamp", "brand": "B", "sku": 1, "offers": offers})

    assert found == {
        "title": "Lamp",
        "brand": "B",
        "sku": "1",
        "price": "19.9",
        "currency": "EUR",
        "availability": "InStock",
    }


def test_what_buyers_say_of_a_product_its_category_and_its_pictures_are_read() -> None:
    product = {
        "@type": "Product",
        "name": "Lamp",
        "category": "Lamps",
        "aggregateRating": {"ratingValue": "8.4", "bestRating": 10, "reviewCount": 127},
        "image": ["/a.jpg", {"@type": "ImageObject", "contentUrl": "/b.jpg"}],
    }

    assert values(product) == {
        "title": "Lamp",
        "category": "Lamps",
        "tags": ["Lamps"],
        "rating": {"value": "8.4", "best": "10"},
        "review_count": "127",
        "image": "https://a.example/a.jpg",
        "images": ["https://a.example/a.jpg", "https://a.example/b.jpg"],
    }


@pytest.mark.parametrize(
    "block",
    [
        pytest.param([JOB], id="a list"),
        pytest.param({"@graph": [{"@type": "WebSite"}, JOB]}, id="@graph"),
        pytest.param({"@type": "WebPage", "mainEntity": JOB}, id="mainEntity"),
        pytest.param({"@type": "ItemList", "itemListElement": [{"@type": "ListItem", "item": JOB}]}, id="ItemList"),
        pytest.param({"@type": "ItemList", "itemListElement": [JOB]}, id="ItemList without ListItem"),
        pytest.param('<!-- {"@type": "JobPosting", "title": "Nurse",} // end\n -->', id="broken"),
    ],
)
def test_e7_a_record_is_found_wherever_it_stands(block: object) -> None:
    (record,) = records(block)

    assert (record.kind, record.fields["title"].value) == (RecordKind.JOB, "Nurse")


def test_an_author_is_found_by_reference() -> None:
    article = {"@type": "Article", "headline": "News", "author": {"@id": "#a"}}

    assert values({"@graph": [article, {"@id": "#a", "@type": "Person", "name": "Ann"}]})["author"] == "Ann"


def test_e7_a_hopeless_block_does_not_hide_the_others() -> None:
    assert len(records("{{{", JOB, "", '"text"', JOB | {"title": "Cook"})) == 2


def test_e7_blocks_that_cannot_be_read_are_counted() -> None:
    assert read_jsonld(page("{{{", JOB, " ", '{"@type": "JobPosting",}', "words")).unreadable == 2
    assert read_jsonld(page()).unreadable == 0


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        pytest.param({"applicantLocationRequirements": {"@type": "Country", "name": "FR"}}, ("FR", "FR"), id="from"),
        pytest.param(
            {"applicantLocationRequirements": [{"@type": "Country", "name": "FR"}, {"@type": "Country", "name": "BE"}]},
            ("FR; BE", None),
            id="from several countries",
        ),
        pytest.param({"jobLocation": {"@type": "Place", "name": "Head office"}}, ("Head office", None), id="a name"),
        pytest.param({"jobLocation": {"address": "Rue X, Paris"}}, ("Rue X, Paris", None), id="an address in words"),
        pytest.param(
            {"jobLocation": [{"address": {"addressCountry": "FR"}}, {"address": {"addressCountry": "BE"}}]},
            ("FR; BE", None),
            id="two countries are no country",
        ),
    ],
)
def test_where_a_job_is(extra: dict[str, Any], expected: tuple[str, str | None]) -> None:
    found = values(JOB | extra)

    assert (found["location"], found.get("country")) == expected


@pytest.mark.parametrize(
    ("salary", "expected"),
    [
        ("50,000 a year", "50,000 a year"),
        (50000, "50000"),
        ({"currency": "EUR", "value": 50000}, {"min": "50000", "max": "50000", "currency": "EUR"}),
        ({"currency": "EUR", "value": {"unitText": "YEAR"}}, None),
    ],
)
def test_a_salary_is_read_in_every_shape(salary: object, expected: object) -> None:
    assert values(JOB | {"baseSalary": salary}).get("salary") == expected


def test_a_direct_application_is_made_where_the_job_is() -> None:
    assert values(JOB | {"url": "/a", "directApply": True})["apply_url"] == "https://a.example/a"
    assert "apply_url" not in values(JOB | {"url": "/a", "directApply": False})


def test_an_address_is_not_unescaped_like_a_text() -> None:
    assert values(JOB | {"url": "/a?id=1&copy=2"})["url"] == "https://a.example/a?copy=2&id=1"


def test_a_live_blog_is_one_article() -> None:
    update = {"@type": "BlogPosting", "headline": "Update"}

    found = values({"@type": "LiveBlogPosting", "headline": "Live", "liveBlogUpdate": [update, update]})

    assert found == {"title": "Live"}


def test_wrong_types_are_left_out() -> None:
    odd = {
        "title": "Nurse",
        "url": {},
        "hiringOrganization": [[]],
        "jobLocation": 7,
        "baseSalary": [],
        "employmentType": True,
    }

    assert values(JOB | odd) == {"title": "Nurse", "location": "7"}


def test_other_types_are_no_records() -> None:
    assert records({"@type": "Organization", "name": "x"}, {"name": "typeless"}, {"@type": None}) == []
