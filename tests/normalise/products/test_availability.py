"""Whether a product can be had, as shops of many languages say it."""

import pytest

from lamplighter.normalise.products.product import read_availability


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("https://schema.org/InStock", "in_stock"),
        ("http://schema.org/SoldOut", "out_of_stock"),
        ("LimitedAvailability", "limited"),
        ("In stock / ships today", "in_stock"),
        ("Not in stock", "out_of_stock"),
        ("Auf Lager", "in_stock"),
        ("Nicht auf Lager", "out_of_stock"),
        ("En stock", "in_stock"),
        ("Rupture de stock", "out_of_stock"),
        ("Non disponible", "out_of_stock"),
        ("Vorbestellbar", "pre_order"),
        ("Niet meer leverbaar", "discontinued"),
        ("Нет в наличии", "out_of_stock"),
        ("现货", "in_stock"),
        ("在庫切れ", "out_of_stock"),
        ("On request", None),
    ],
)
def test_availability(text: str, code: str | None) -> None:
    assert read_availability(text) == code


@pytest.mark.parametrize(
    "code",
    "in_stock out_of_stock pre_order back_order discontinued limited online_only in_store_only".split(),
)
def test_reading_a_code_again_gives_the_same(code: str) -> None:
    assert read_availability(code) == code
