"""What a product costs."""

from typing import Any

import pytest

from lamplighter.extract.structured.schema_values import offer_of


def offer(**offers: Any) -> dict[str, Any]:
    return {name: value for name, value in offer_of(offers, {}).items() if value}


@pytest.mark.parametrize(
    ("price", "expected"),
    [
        (19.9, ("19.9", None)),
        ("19,90", ("19,90", None)),
        ("€ 19,90", ("19,90", "€")),
        ("19.90 EUR", ("19.90", "EUR")),
        ("US$1,299.00", ("1,299.00", "US$")),
        ("1 299 Kč", ("1 299", "Kč")),
        ("CHF 12'500", ("12'500", "CHF")),
        ("49,- €", ("49", "€")),
        ("on request", ("on request", None)),
    ],
)
def test_a_currency_beside_the_amount_is_told_apart(price: Any, expected: tuple[str, str | None]) -> None:
    found = offer(offers={"price": price})

    assert (found["price"], found.get("currency")) == expected


def test_the_stated_currency_counts_more_than_the_symbol() -> None:
    assert offer(offers={"price": "$5", "priceCurrency": "CAD"}) == {"price": "5", "currency": "CAD"}


def test_the_cheapest_of_several_offers_counts_whatever_their_order() -> None:
    offers = [{"price": 7, "availability": "OutOfStock"}, {"price": "5.50", "availability": "InStock"}, {"price": 0}]

    assert offer(offers=offers) == offer(offers=offers[::-1]) == {"price": "5.50", "availability": "InStock"}


def test_offers_in_another_currency_are_not_compared() -> None:
    offers = [{"price": 7, "priceCurrency": "EUR"}, {"price": 6, "priceCurrency": "GBP"}]

    assert offer(offers=offers)["price"] == "7"


@pytest.mark.parametrize(
    "offers",
    [
        pytest.param({"lowPrice": 5, "highPrice": 9, "priceCurrency": "EUR"}, id="a range"),
        pytest.param({"offers": [{"price": 5, "priceCurrency": "EUR"}]}, id="a range that lists its offers"),
        pytest.param({"priceSpecification": {"price": 5, "priceCurrency": "EUR"}}, id="a specification"),
        pytest.param({"priceSpecification": [{"minPrice": 5, "priceCurrency": "EUR"}]}, id="a range specified"),
    ],
)
def test_a_price_is_found_in_every_shape_of_offer(offers: Any) -> None:
    assert offer(offers=offers) == {"price": "5", "currency": "EUR"}


def test_a_product_without_offers_has_no_price() -> None:
    assert offer_of({}, {}) == {}
    assert offer_of({"offers": ["cheap", 5, None]}, {}) == {}
