"""RDFa Lite as pages write it."""

import time
from typing import Any

import pytest

from lamplighter.extract.html_page import parse_page
from lamplighter.extract.structured.rdfa import rdfa_nodes, rdfa_records

URL = "https://a.example/jobs/7"


def nodes(html: str) -> list[dict[str, Any]]:
    return rdfa_nodes(parse_page(html, URL))


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<div vocab=http://schema.org/ typeof=Product><b property=name>x</b></div>", id="vocab"),
        pytest.param("<body vocab=https://schema.org><p typeof=Product><b property=name>x</b>", id="vocab further out"),
        pytest.param("<div typeof=schema:Product><b property=schema:name>x</b></div>", id="the known prefix"),
        pytest.param(
            "<html prefix='og: http://ogp.me/ns# s: https://schema.org/'><p typeof=s:Product><b property=s:name>x</b>",
            id="a prefix of its own",
        ),
        pytest.param(
            "<p typeof=https://schema.org/Product><b property=http://schema.org/name>x</b>", id="addresses in full"
        ),
        pytest.param("<div typeof=Product><b property=name>x</b></div>", id="vocab forgotten"),
    ],
)
def test_the_words_of_schema_org_are_known_however_they_are_written(html: str) -> None:
    assert nodes(html) == [{"@type": "Product", "name": "x"}]


@pytest.mark.parametrize(
    "html",
    [
        "<div vocab=http://example.org/ typeof=Product><b property=name>x</b></div>",
        "<div typeof=foaf:Document><b property=dc:title>x</b></div>",
        "<head><meta property=og:type content=article><meta property=og:title content=x></head>",
    ],
)
def test_other_vocabularies_are_not_read(html: str) -> None:
    assert rdfa_records(parse_page(html, URL)) == []


@pytest.mark.parametrize(
    ("element", "value"),
    [
        ("<b property=x content=v>words</b>", "v"),
        ("<a property=url href=/v>words</a>", "/v"),
        ("<a property=name href=/v>words</a>", "words"),
        ("<time property=x datetime=2026-01-01>today</time>", "2026-01-01"),
        ("<a property=x resource=#v href=/v>words</a>", {"@id": "#v"}),
        ("<div property=x typeof=Y><b property=z>1</b></div>", {"@type": "Y", "z": "1"}),
    ],
)
def test_the_value_depends_on_the_element(element: str, value: Any) -> None:
    (item,) = nodes(f"<div vocab=https://schema.org/ typeof=T>{element}</div>")

    assert [value for name, value in item.items() if name != "@type"] == [value]


def test_a_resource_described_elsewhere_is_looked_up() -> None:
    html = """<div vocab="https://schema.org/"><div typeof=Article><h1 property=headline>News</h1>
        <a property=author resource="#ann">who</a></div><p resource="#ann"><b property=name>Ann</b></p></div>"""

    (record,) = rdfa_records(parse_page(html, URL))

    assert record.fields["author"].value == "Ann"


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<div typeof=Product property=x>" * 3_000, id="nested items"),
        pytest.param("<div typeof=Product><p property=name>" * 1_500 + "a" * 100_000, id="nested texts"),
    ],
)
def test_hostile_markup_ends_soon(html: str) -> None:
    began = time.process_time()

    rdfa_records(parse_page(html, URL))

    assert time.process_time() - began < 50
