"""One thing written in JSON-LD, in microdata and in RDFa is one and the same record."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.extract.html_page import HtmlPage, parse_page
from lamplighter.extract.structured.jsonld import read_jsonld
from lamplighter.extract.structured.microdata import microdata_records
from lamplighter.extract.structured.rdfa import rdfa_records
from lamplighter.model.record import Method, RawRecord, RecordKind
from tests.extract.fields import values

URL = "https://a.example/things/7"
Rung = Callable[[HtmlPage, RecordKind | None], list[RawRecord]]

JOB_FIELDS = {
    "title": "Nurse",
    "url": "https://a.example/jobs/7",
    "organisation": "Acme",
    "location": "Berlin, BE, DE",
    "country": "DE",
    "work_modality": "remote",
    "published_at": "2026-03-01",
    "deadline": "2026-05-01",
    "career_type": ["FULL_TIME", "TEMPORARY"],
    "salary": {"min": "50000", "max": "60000", "currency": "EUR", "period": "YEAR"},
    "tags": ["Health"],
    "image": "https://a.example/logo.png",
    "description": "Care & more for all",
}
JOB = {
    "json": {
        "@context": "https://schema.org",
        "@type": "JobPosting",
        "title": "Nurse",
        "url": "/jobs/7",
        "hiringOrganization": {"@type": "Organization", "name": "Acme"},
        "jobLocation": {
            "@type": "Place",
            "address": {
                "@type": "PostalAddress",
                "addressLocality": "Berlin",
                "addressRegion": "BE",
                "addressCountry": "DE",
            },
        },
        "jobLocationType": "TELECOMMUTE",
        "datePosted": "2026-03-01",
        "validThrough": "2026-05-01",
        "employmentType": ["FULL_TIME", "TEMPORARY"],
        "baseSalary": {
            "@type": "MonetaryAmount",
            "currency": "EUR",
            "value": {"@type": "QuantitativeValue", "minValue": 50000, "maxValue": 60000, "unitText": "YEAR"},
        },
        "industry": "Health",
        "image": "/logo.png",
        "description": "<p>Care &amp; more</p><p>for all</p>",
    },
    "html": """
        <article ITEM(JobPosting)><h1 PROP(title)>Nurse</h1><a PROP(url) href="/jobs/7">more</a>
        <div PROP(hiringOrganization) ITEM(Organization)><b PROP(name)>Acme</b></div>
        <div PROP(jobLocation) ITEM(Place)><p PROP(address) ITEM(PostalAddress)>
          <span PROP(addressLocality)>Berlin</span> <span PROP(addressRegion)>BE</span>
          <meta PROP(addressCountry) content="DE"></p></div>
        <meta PROP(jobLocationType) content="TELECOMMUTE">
        <time PROP(datePosted) datetime="2026-03-01">1 March</time>
        <time PROP(validThrough) datetime="2026-05-01">1 May</time>
        <span PROP(employmentType) content="FULL_TIME">all day</span><span PROP(employmentType)>TEMPORARY</span>
        <div PROP(baseSalary) ITEM(MonetaryAmount)><meta PROP(currency) content=EUR>
          <p PROP(value) ITEM(QuantitativeValue)><data PROP(minValue) value=50000>50k</data>
          <data PROP(maxValue) value=60000>60k</data><meta PROP(unitText) content=YEAR></p></div>
        <i PROP(industry)>Health</i><img PROP(image) src="/logo.png">
        <div PROP(description)><p>Care &amp; more</p><p>for all</p></div></article>""",
}
ARTICLE_FIELDS = {
    "title": "Storm",
    "url": "https://a.example/news/storm",
    "author": "Ann Lee, Bo",
    "organisation": "The Paper",
    "section": "World",
    "published_at": "2026-03-01T10:00:00Z",
    "updated_at": "2026-03-02",
    "text": "It blew.",
    "word_count": 2,
    "tags": ["wind", "sea"],
}
ARTICLE = {
    "json": {
        "@type": "NewsArticle",
        "headline": "Storm",
        "mainEntityOfPage": "https://a.example/news/storm",
        "author": [{"@type": "Person", "name": "Ann Lee"}, "Bo", {"@type": "Person", "url": "https://a.example/c"}],
        "publisher": {"@type": "Organization", "name": "The Paper"},
        "articleSection": "World",
        "datePublished": "2026-03-01T10:00:00Z",
        "dateModified": "2026-03-02",
        "articleBody": "It blew.",
        "wordCount": 2,
        "keywords": "wind, sea",
    },
    "html": """
        <article ITEM(NewsArticle)><h1 PROP(headline)>Storm</h1>
        <link PROP(mainEntityOfPage) href="https://a.example/news/storm">
        <span PROP(author) ITEM(Person)><a PROP(name) href="/ann">Ann Lee</a></span> <a PROP(author) href="/bo">Bo</a>
        <span PROP(author) ITEM(Person)><link PROP(url) href="https://a.example/c"></span>
        <div PROP(publisher) ITEM(Organization)><meta PROP(name) content="The Paper"></div>
        <b PROP(articleSection)>World</b><time PROP(datePublished) datetime="2026-03-01T10:00:00Z">1 March</time>
        <time PROP(dateModified)>2026-03-02</time><div PROP(articleBody)>It <em>blew.</em></div>
        <meta PROP(wordCount) content=2><meta PROP(keywords) content="wind, sea"></article>""",
}
PRODUCT_FIELDS = {
    "title": "Lamp",
    "url": "https://a.example/lamp",
    "sku": "L-1",
    "brand": "Lux",
    "organisation": "Shop",
    "price": "19.90",
    "currency": "EUR",
    "availability": "https://schema.org/InStock",
    "tags": ["Light"],
    "category": "Light",
}
PRODUCT = {
    "json": {
        "@type": "Product",
        "name": "Lamp",
        "url": "https://a.example/lamp",
        "sku": "L-1",
        "category": "Light",
        "brand": {"@type": "Brand", "name": "Lux"},
        "offers": {
            "@type": "Offer",
            "price": "19.90",
            "priceCurrency": "EUR",
            "availability": "https://schema.org/InStock",
            "seller": {"@type": "Organization", "name": "Shop"},
        },
        "isRelatedTo": {"@type": "Product", "name": "Bulb"},
    },
    "html": """
        <div ITEM(Product)><h1><a PROP(name) href="/lamp">Lamp</a></h1><a PROP(url) href="/lamp">see</a>
        <i PROP(sku)>L-1</i><i PROP(category)>Light</i><p PROP(brand) ITEM(Brand)><b PROP(name)>Lux</b></p>
        <div PROP(offers) ITEM(Offer)><b PROP(price) content="19.90">19,90</b><meta PROP(priceCurrency) content=EUR>
        <link PROP(availability) href="https://schema.org/InStock">
        <span PROP(seller) ITEM(Organization)><span PROP(name)>Shop</span></span></div>
        <div PROP(isRelatedTo) ITEM(Product)><b PROP(name)>Bulb</b></div></div>""",
}
LIST_FIELDS = [
    {"title": "Lamp", "url": "https://a.example/lamp"},
    {"title": "Bulb", "url": "https://a.example/bulb", "price": "2", "currency": "EUR"},
]
LIST = {
    "json": {
        "@type": "ItemList",
        "itemListElement": [
            {"@type": "ListItem", "position": 1, "name": "Lamp", "url": "/lamp"},
            {
                "@type": "ListItem",
                "position": 2,
                "item": {
                    "@type": "Product",
                    "name": "Bulb",
                    "url": "/bulb",
                    "offers": {"@type": "Offer", "price": 2, "priceCurrency": "EUR"},
                },
            },
            {"@type": "ListItem", "position": 3, "url": "/nameless"},
        ],
    },
    "html": """
        <ul ITEM(ItemList)>
        <li PROP(itemListElement) ITEM(ListItem)><meta PROP(position) content=1><a PROP(url) href="/lamp">
          <span PROP(name)>Lamp</span></a></li>
        <li PROP(itemListElement) ITEM(ListItem)><div PROP(item) ITEM(Product)><a PROP(url) href="/bulb">
          <span PROP(name)>Bulb</span></a><p PROP(offers) ITEM(Offer)><b PROP(price)>2</b>
          <meta PROP(priceCurrency) content=EUR></p></div></li>
        <li PROP(itemListElement) ITEM(ListItem)><a PROP(url) href="/nameless">more</a></li></ul>""",
}


def as_jsonld(thing: dict[str, Any]) -> str:
    return f'<script type="application/ld+json">{json.dumps(thing["json"])}</script>'


def as_microdata(thing: dict[str, Any]) -> str:
    html: str = thing["html"].replace("ITEM(", 'itemscope itemtype="https://schema.org/').replace("PROP(", 'itemprop="')
    return html.replace(")", '"')


def as_rdfa(thing: dict[str, Any]) -> str:
    html: str = thing["html"].replace("ITEM(", 'typeof="').replace("PROP(", 'property="')
    return f'<body vocab="https://schema.org/">{html.replace(")", chr(34))}'


def as_prefixed_rdfa(thing: dict[str, Any]) -> str:
    return thing["html"].replace("ITEM(", 'typeof="schema:').replace("PROP(", 'property="schema:').replace(")", '"')  # type: ignore[no-any-return]


def jsonld_records(page: HtmlPage, wanted: RecordKind | None = None) -> list[RawRecord]:
    return read_jsonld(page, wanted).records


SYNTAXES = [
    pytest.param(as_jsonld, jsonld_records, Method.JSONLD, id="JSON-LD"),
    pytest.param(as_microdata, microdata_records, Method.MICRODATA, id="microdata"),
    pytest.param(as_rdfa, rdfa_records, Method.RDFA, id="RDFa"),
    pytest.param(as_prefixed_rdfa, rdfa_records, Method.RDFA, id="RDFa with a prefix"),
]


@pytest.mark.parametrize(("write", "rung", "method"), SYNTAXES)
@pytest.mark.parametrize(
    ("thing", "kind", "expected"),
    [
        pytest.param(JOB, RecordKind.JOB, JOB_FIELDS, id="job"),
        pytest.param(ARTICLE, RecordKind.ARTICLE, ARTICLE_FIELDS, id="article"),
        pytest.param(PRODUCT, RecordKind.PRODUCT, PRODUCT_FIELDS, id="product"),
    ],
)
def test_a_thing_is_the_same_record_in_every_syntax(
    thing: dict[str, Any],
    kind: RecordKind,
    expected: dict[str, Any],
    write: Callable[[dict[str, Any]], str],
    rung: Rung,
    method: Method,
) -> None:
    (record,) = rung(parse_page(write(thing), URL), None)

    assert (record.kind, values(record)) == (kind, expected)
    assert {(found.method, found.confidence) for found in record.fields.values()} == {(method, 0.90)}


@pytest.mark.parametrize(("write", "rung", "method"), SYNTAXES)
def test_a_list_is_the_same_records_in_every_syntax(
    write: Callable[[dict[str, Any]], str], rung: Rung, method: Method
) -> None:
    records = rung(parse_page(write(LIST), URL), RecordKind.PRODUCT)

    assert [values(record) for record in records] == LIST_FIELDS
    assert {record.kind for record in records} == {RecordKind.PRODUCT}


SOUP = st.lists(
    st.sampled_from(
        "<div itemscope itemtype=https://schema.org/Product itemprop=item|<div itemscope itemref='a b'|"
        "<p itemprop=name|"
        "<div typeof=Product vocab=https://schema.org/|<a property=url href=/x|<div id=a|<div id=b itemprop=offers|"
        "<script type=application/ld+json|<meta itemprop=price content=1|<div resource=#x|>text|</div>|</p>|</a>|"
        '{"@type":"Product","name":"x"}|</script>|>|<time property=x datetime'.split("|")
    ),
    max_size=40,
)


@settings(deadline=None, max_examples=150)
@given(SOUP, st.sampled_from([None, *RecordKind]))
def test_no_markup_makes_a_reader_raise(parts: list[str], wanted: RecordKind | None) -> None:
    page = parse_page("".join(parts), URL)

    for rung in (jsonld_records, microdata_records, rdfa_records):
        assert all(record.fields for record in rung(page, wanted))
