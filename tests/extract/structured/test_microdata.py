"""Microdata as pages write it."""

import time
from typing import Any

import pytest

from lamplighter.extract.html_page import parse_page
from lamplighter.extract.structured.microdata import microdata_nodes, microdata_records

URL = "https://a.example/jobs/7"


def nodes(html: str) -> list[dict[str, Any]]:
    return microdata_nodes(parse_page(html, URL))


@pytest.mark.parametrize(
    ("element", "value"),
    [
        ("<meta itemprop=x content=v>", "v"),
        ("<b itemprop=x content=v>words</b>", "v"),
        ("<link itemprop=x href=/v>", "/v"),
        ("<a itemprop=name href=/v>words</a>", "words"),
        ("<a itemprop=url href=/v>words</a>", "/v"),
        ("<a itemprop=logo href=/v><img></a>", "/v"),
        ("<img itemprop=image src=/v.png>", "/v.png"),
        ("<img itemprop=brand src=/v.png alt=Lux>", "Lux"),
        ("<object itemprop=contentUrl data=/v></object>", "/v"),
        ("<time itemprop=x datetime=2026-01-01>today</time>", "2026-01-01"),
        ("<time itemprop=x>2026-01-01</time>", "2026-01-01"),
        ("<data itemprop=x value=5>five</data>", "5"),
        ("<meter itemprop=x value=5>five</meter>", "5"),
        ("<p itemprop=x> some <b>bold</b>\n words</p>", "some bold words"),
    ],
)
def test_the_value_depends_on_the_element(element: str, value: str) -> None:
    (item,) = nodes(f"<div itemscope>{element}</div>")

    assert list(item.values()) == [value]


def test_scripts_in_a_long_text_are_not_part_of_it() -> None:
    (item,) = nodes(f"<div itemscope><div itemprop=text>{'word ' * 100}<script>var a</script><p>end</div></div>")

    assert item["text"].endswith("word end")


def test_several_types_names_and_values_are_all_kept() -> None:
    (item,) = nodes("<div itemscope itemtype='s/A s/B'><b itemprop='x y'>1</b><b itemprop=x>2</b></div>")

    assert item == {"@type": ["s/A", "s/B"], "x": ["1", "2"], "y": "1"}


def test_a_property_belongs_to_the_nearest_item() -> None:
    (item,) = nodes(
        "<div itemscope><div itemprop=a itemscope><p><b itemprop=b>1</b></p></div><b itemprop=c>2</b></div>"
    )

    assert item == {"a": {"b": "1"}, "c": "2"}


def test_an_item_inside_another_that_is_no_property_stands_alone() -> None:
    assert nodes("<div itemscope><b itemprop=a>1</b><div itemscope><b itemprop=b>2</b></div></div>") == [
        {"a": "1"},
        {"b": "2"},
    ]


def test_itemref_brings_properties_from_elsewhere() -> None:
    (item,) = nodes(
        "<div itemscope itemref='x y'><b itemprop=a>1</b></div>"
        "<div id=x><b itemprop=b>2</b></div><div id=y itemprop=c itemscope><b itemprop=d>3</b></div>"
    )

    assert item == {"a": "1", "b": "2", "c": {"d": "3"}}


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<div id=a itemscope itemref=a itemprop=x><b itemprop=n>1</b></div>", id="itself"),
        pytest.param(
            "<div itemscope itemref=b><b itemprop=n>1</b></div>"
            "<div id=b itemprop=x itemscope itemref=c></div><div id=c itemprop=y itemscope itemref=b></div>",
            id="in a circle",
        ),
        pytest.param(
            f"<div id=p>{'<i itemprop=x itemscope itemref=p></i>' * 400}</div><div itemscope itemref=p></div>",
            id="each to all",
        ),
        pytest.param("<div itemscope><p itemprop=x>" * 1_500 + "a" * 100_000, id="nested texts"),
        pytest.param("<div itemscope itemprop=x>" * 3_000, id="nested items"),
    ],
)
def test_hostile_markup_ends_soon(html: str) -> None:
    began = time.process_time()

    microdata_records(parse_page(html, URL))

    assert time.process_time() - began < 50


def test_a_thing_that_is_named_in_a_link_has_its_page_there() -> None:
    (item,) = nodes(
        "<div itemscope itemtype=http://schema.org/Event><h3 itemprop=name><a href=/e/1>Fair</a></h3></div>"
    )

    assert item["url"] == "/e/1"
