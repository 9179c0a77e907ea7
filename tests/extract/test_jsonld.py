"""E7: JSON-LD in all its shapes, sound or not."""

import json
from typing import Any

import pytest

from lamplighter.extract.html_page import parse_page
from lamplighter.extract.jsonld import jsonld_records
from lamplighter.model.record import RawRecord, RecordKind

URL = "https://a.example/jobs/7"
JOB = {"@type": "JobPosting", "title": "Nurse"}


def records(*blocks: object) -> list[RawRecord]:
    texts = (block if isinstance(block, str) else json.dumps(block) for block in blocks)
    html = "".join(f'<script type="application/ld+json">{text}</script>' for text in texts)
    return jsonld_records(parse_page(html, URL))


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


def test_wrong_types_are_left_out() -> None:
    odd = {
        "title": "Nurse",
        "url": {},
        "hiringOrganization": [[]],
        "jobLocation": 7,
        "baseSalary": [],
        "employmentType": True,
    }

    assert values(JOB | odd) == {"title": "Nurse", "location": "7", "country": "7"}


def test_other_types_are_no_records() -> None:
    assert records({"@type": "Organization", "name": "x"}, {"name": "typeless"}, {"@type": None}) == []
