"""Prices in their normal form, with the shop's own text beside them."""

from datetime import UTC, datetime
from typing import Any

import pytest

from lamplighter.normalise.fields import PageContext
from lamplighter.normalise.products.product import price_fields

SEEN = PageContext("https://shop.example/", None, datetime(2026, 3, 2, tzinfo=UTC))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param({"price": "19.90", "currency": "EUR"}, {"price": 19.9, "currency": "EUR"}, id="normal already"),
        pytest.param(
            {"price": "€ 1.299,00"}, {"price": 1299.0, "currency": "EUR", "price_raw": "€ 1.299,00"}, id="as written"
        ),
        pytest.param(
            {"price": "$5", "currency": "CAD"},
            {"price": 5.0, "currency": "CAD", "price_raw": "$5"},
            id="said elsewhere",
        ),
        pytest.param({"price": "$5"}, {"price": 5.0, "price_raw": "$5"}, id="a bare dollar"),
        pytest.param(
            {"price": "$45 - $60 USD"},
            {"price": 45.0, "price_max": 60.0, "currency": "USD", "price_raw": "$45 - $60 USD"},
            id="a range with a code at its end",
        ),
        pytest.param(
            {"price": "€5-€9"}, {"price": 5.0, "price_max": 9.0, "currency": "EUR", "price_raw": "€5-€9"}, id="a range"
        ),
        pytest.param({"price": "on request"}, {"price_raw": "on request"}, id="not understood"),
        pytest.param(
            {"price": 5, "currency": "€"}, {"price": 5.0, "currency": "EUR", "currency_raw": "€"}, id="a sign"
        ),
    ],
)
def test_prices(given: dict[str, Any], expected: dict[str, Any]) -> None:
    assert price_fields(given, SEEN) == expected
