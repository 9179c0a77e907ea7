"""Which schema.org items of a page are its records, and which only furniture."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.extract.html_page import parse_page
from lamplighter.extract.structured.schema_items import records_of
from lamplighter.model.record import Method, RawRecord, RecordKind

PAGE = parse_page("", "https://a.example/list")
LAMP = {"@type": "ListItem", "name": "Lamp", "url": "/p/lamp"}
JOB = {"@type": "JobPosting", "title": "Nurse"}


def records(*nodes: Any, wanted: RecordKind | None = None) -> list[RawRecord]:
    return records_of(list(nodes), page=PAGE, wanted=wanted, method=Method.JSONLD)


def titles(*nodes: Any, wanted: RecordKind | None = None) -> list[Any]:
    return [record.fields["title"].value for record in records(*nodes, wanted=wanted)]


@pytest.mark.parametrize("wanted", [*RecordKind, None])
def test_a_list_entry_of_no_type_is_what_the_source_is_about(wanted: RecordKind | None) -> None:
    (record,) = records({"@type": "ItemList", "itemListElement": [LAMP]}, wanted=wanted)

    assert record.kind is (wanted or RecordKind.OTHER)
    assert record.fields["url"].value == "https://a.example/p/lamp"


@pytest.mark.parametrize(
    "node",
    [
        pytest.param({"@type": "BreadcrumbList", "itemListElement": [LAMP]}, id="breadcrumbs"),
        pytest.param({"@type": "WebPage", "breadcrumb": {"itemListElement": [LAMP]}}, id="breadcrumbs of a page"),
        pytest.param({"itemListElement": [{"name": "Home", "item": "https://a.example/"}, LAMP]}, id="unnamed trail"),
        pytest.param({"itemListElement": [LAMP | {"@type": "SiteNavigationElement"}]}, id="menu"),
        pytest.param({"@type": "ItemList", "itemListElement": [{"@type": "ListItem", "url": "/x"}]}, id="no name"),
        pytest.param(
            {"@type": "ItemList", "itemListElement": [{"@type": "Product", "url": "/x"}]}, id="typed, no name"
        ),
        pytest.param({"@type": "ItemList", "itemListElement": [{"@type": "ListItem", "name": "x"}]}, id="no address"),
        pytest.param({"@type": "ItemList", "itemListElement": ["https://a.example/x"]}, id="bare addresses"),
        pytest.param({"@type": "FAQPage", "mainEntity": [{"@type": "Question", "name": "Why?"}]}, id="questions"),
        pytest.param({"@type": "Restaurant", "name": "Harbour inn", "url": "/"}, id="the site's owner"),
        pytest.param({"@type": "VideoObject", "name": "A tour", "url": "/v"}, id="a video in a text"),
    ],
)
def test_furniture_is_no_record(node: dict[str, Any]) -> None:
    assert records(node) == []


@pytest.mark.parametrize(
    "node",
    [
        pytest.param({"@type": "CollectionPage", "hasPart": [JOB]}, id="hasPart"),
        pytest.param({"@type": "Organization", "@reverse": {"hiringOrganization": JOB}}, id="@reverse"),
        pytest.param({"@type": "SearchResultsPage", "mainEntity": {"itemListElement": {"item": JOB}}}, id="deep"),
        pytest.param({"@type": "DataFeed", "dataFeedElement": {"@type": "DataFeedItem", "item": JOB}}, id="data feed"),
        pytest.param(
            {"@graph": [{"itemListElement": {"item": {"@id": "#j"}}}, JOB | {"@id": "#j"}]}, id="by reference"
        ),
    ],
)
def test_a_record_is_found_once_wherever_it_stands(node: dict[str, Any]) -> None:
    assert titles(node) == ["Nurse"]


def test_who_is_pointed_to_is_the_employer() -> None:
    (record,) = records({"@type": "Organization", "name": "Acme", "@reverse": {"hiringOrganization": [JOB]}})

    assert record.fields["organisation"].value == "Acme"


def test_an_event_is_a_record_of_a_source_of_other_things() -> None:
    assert titles({"@type": "MusicEvent", "name": "Concert", "url": "/c"}, wanted=RecordKind.OTHER) == ["Concert"]


def test_a_book_is_a_product_where_products_are_wanted_and_it_is_sold() -> None:
    book = {"@type": "Book", "name": "Ulysses", "offers": {"price": 9}}

    assert titles(book, wanted=RecordKind.PRODUCT) == ["Ulysses"]
    (record,) = records(book)
    assert record.kind is RecordKind.OTHER


@pytest.mark.parametrize("wanted", [None, RecordKind.OTHER])
@pytest.mark.parametrize("type_", ["MusicEvent", "Recipe", "Course"])
def test_what_has_a_page_of_its_own_is_a_record_of_any_source(type_: str, wanted: RecordKind | None) -> None:
    (record,) = records({"@type": type_, "name": "Concert", "url": "/c"}, wanted=wanted)

    assert record.kind is RecordKind.OTHER


@pytest.mark.parametrize(
    ("node", "kind"),
    [
        ({"title": "Nurse", "hiringOrganization": {"name": "Acme"}, "datePosted": "2026-03-04"}, RecordKind.JOB),
        ({"name": "Soup", "recipeIngredient": ["water"], "recipeInstructions": "Boil."}, RecordKind.OTHER),
    ],
)
def test_an_item_that_forgets_its_type_is_known_by_its_properties(node: dict[str, Any], kind: RecordKind) -> None:
    (record,) = records(node)

    assert record.kind is kind


def test_a_recipe_without_an_address_is_at_its_page() -> None:
    (record,) = records({"@type": "Recipe", "name": "Soup", "author": [{"name": "Jane Doe"}, {"name": "Tom Roe"}]})

    assert record.fields["url"].value.startswith("https://a.example/")
    assert record.fields["author"].value == "Jane Doe, Tom Roe"


def test_an_offer_is_about_what_it_offers() -> None:
    (record,) = records({"@type": "Offer", "price": 5, "itemOffered": {"@type": "Product", "name": "Lamp"}})

    assert (record.fields["title"].value, record.fields["price"].value) == ("Lamp", "5")


VARIANT = {"@type": "Product", "offers": {"price": 5, "priceCurrency": "EUR"}}


@pytest.mark.parametrize(
    "nodes",
    [
        pytest.param(
            [{"@type": "ProductGroup", "name": "Shirt", "hasVariant": [VARIANT | {"name": "Red"}, VARIANT]}],
            id="inside",
        ),
        pytest.param(
            [
                {"@type": "ProductGroup", "@id": "#g", "name": "Shirt", "offers": {"price": 5}},
                *(VARIANT | {"name": f"Size {size}", "isVariantOf": {"@id": "#g"}} for size in range(9)),
            ],
            id="beside",
        ),
        pytest.param(
            [VARIANT | {"name": "Shirt", "inProductGroupWithID": "g"} for _ in range(9)], id="without their group"
        ),
    ],
)
def test_the_variants_of_a_product_are_one_record(nodes: list[Any]) -> None:
    (record,) = records(*nodes)

    assert (record.fields["title"].value, record.fields["price"].value) == ("Shirt", "5")


def test_what_two_blocks_say_about_one_thing_is_put_together() -> None:
    (record,) = records(
        {"@type": "Product", "@id": "/p", "name": "Lamp"}, {"@type": "Product", "@id": "/p", "offers": {"price": 5}}
    )

    assert (record.fields["title"].value, record.fields["price"].value) == ("Lamp", "5")


def test_an_id_that_different_things_share_means_none_of_them() -> None:
    assert titles(*({"@type": "Product", "@id": "#product", "name": name} for name in "ABC")) == ["A", "B", "C"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.just("Product"),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                "@type @id @graph item itemListElement itemOffered offers name url hasVariant isVariantOf @reverse "
                "author jobLocation address priceSpecification baseSalary value image".split()
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)


@settings(deadline=None, max_examples=200)
@given(st.lists(JSON, max_size=3), st.sampled_from([None, *RecordKind]))
def test_no_item_raises(nodes: list[Any], wanted: RecordKind | None) -> None:
    assert all(record.fields for record in records(*nodes, wanted=wanted))


def test_the_number_of_items_is_bounded() -> None:
    nested: Any = {"@type": "Product", "name": "x"}
    for _ in range(5_000):
        nested = {"mainEntity": nested}

    assert records(nested) == []
    assert len(records([JOB] * 20_000)) == 5_000
