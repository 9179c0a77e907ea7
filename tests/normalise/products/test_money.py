"""Amounts are read as the world writes them; a sign that could mean several currencies means none."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.normalise.fields import PageContext
from lamplighter.normalise.products.money import Price, currency_of, number_of, read_price

SHOP = "https://shop.example/"


def seen(language: str | None = None, url: str = SHOP) -> PageContext:
    return PageContext(url, language, datetime(2026, 3, 2, tzinfo=UTC))


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("1.299,00 €", 1299),
        ("$1,299.00", 1299),
        ("CHF 1'299.–", 1299),
        ("1 299 kr", 1299),
        ("1\u202f299,50 €", 1299.5),
        ("US$ 12", 12),
        ("12€90", 12.9),
        ("¥1,200", 1200),
        ("12,50", 12.5),
        ("0,99 €", 0.99),
        ("12.345,67", 12345.67),
        ("1,234,567.89", 1234567.89),
        ("₹1,29,999.00", 129999),
        ("1299.-", 1299),
        ("1.299 €", 1299),
        ("ab 19,90 €", 19.9),
        ("12 345 руб.", 12345),
        ("٣٥٠", 350),
        ("3 for £10", 10),
        ("19.90", 19.9),
        (19.9, 19.9),
        (7, 7),
    ],
)
def test_amounts(text: Any, amount: float) -> None:
    price = read_price(text, seen())

    assert price is not None
    assert (price.lowest, price.highest) == (amount, None)


@pytest.mark.parametrize("value", ["free", "", "20% off", "99¢", None, True, [], float("nan"), -1, "on request"])
def test_what_is_no_price(value: Any) -> None:
    assert read_price(value, seen()) is None


@pytest.mark.parametrize(
    ("text", "price"),
    [
        pytest.param("€10 – €20", Price(10, 20, "€"), id="a range"),
        pytest.param("10-20 €", Price(10, 20, "€"), id="the sign said once"),
        pytest.param("von 10 bis 20 EUR", Price(10, 20, "EUR"), id="in words"),
        pytest.param("Was €50.00 Now €40.00", Price(40, None, "€"), id="the lower one is the price now"),
        pytest.param("€12.99 (€3.25 / 100 g)", Price(12.99, None, "€"), id="the price of 100 g is another"),
        pytest.param("€12.99 €3.25/100 g", Price(12.99, None, "€"), id="also without brackets"),
    ],
)
def test_several_amounts(text: str, price: Price) -> None:
    assert read_price(text, seen()) == price


def test_it_must_be_plain_which_amount_is_the_price() -> None:
    assert read_price("€100.00 €2.00", seen()) is None


def test_three_digits_behind_a_dot_are_thousands_where_people_write_so() -> None:
    assert read_price("1.299", seen("de")) == Price(1299, None, None)
    assert read_price("1.299", seen("en")) == Price(1.299, None, None)


@settings(deadline=None, max_examples=200)
@given(st.integers(0, 10**9), st.integers(0, 99), st.sampled_from([(",", "."), (".", ","), (" ", ","), ("'", ".")]))
def test_any_amount_is_read_back(whole: int, cents: int, marks: tuple[str, str]) -> None:
    group, decimal = marks
    written = f"{whole:,}".replace(",", group) + f"{decimal}{cents:02}"

    price = read_price(f"{written} €", seen())

    assert price is not None
    assert price.lowest == pytest.approx(whole + cents / 100)
    assert number_of(written) == pytest.approx(whole + cents / 100)


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=80) | st.from_regex(r"[0-9.,' €$-]{1,40}", fullmatch=True))
def test_no_text_is_too_odd(text: str) -> None:
    price = read_price(text, seen())

    assert price is None or price.lowest >= 0


@pytest.mark.parametrize(
    ("sign", "language", "url", "currency"),
    [
        ("€", None, SHOP, "EUR"),
        ("US$", None, SHOP, "USD"),
        ("zł", None, SHOP, "PLN"),
        ("KSh", None, SHOP, "KES"),
        ("Rp", None, SHOP, "IDR"),
        ("ر.س", None, SHOP, "SAR"),
        ("S/", None, SHOP, "PEN"),
        ("Kč", None, SHOP, "CZK"),
        ("CHF", None, SHOP, "CHF"),
        ("usd", None, SHOP, "USD"),
        ("Euro", None, SHOP, "EUR"),
        ("sek", None, SHOP, "SEK"),
        ("$", None, SHOP, None),
        ("$", "en-US", SHOP, "USD"),
        ("$", "en", "https://shop.com.au/", "AUD"),
        ("kr", None, SHOP, None),
        ("kr", "sv", SHOP, "SEK"),
        ("kr.", None, "https://shop.dk/", "DKK"),
        ("¥", None, SHOP, None),
        ("¥", "ja", SHOP, "JPY"),
        ("Rs.", "en-IN", SHOP, "INR"),
        ("XYZ", None, SHOP, None),
        (None, "de", SHOP, None),
    ],
)
def test_currencies(sign: str | None, language: str | None, url: str, currency: str | None) -> None:
    assert currency_of(sign, seen(language, url)) == currency


@pytest.mark.parametrize(
    ("text", "language", "currency"),
    [
        pytest.param("$145.00 USD", "en", "USD", id="a code behind"),
        pytest.param("$145.00CAD", "en", "CAD", id="close behind"),
        pytest.param("USD $145.00", "en", "USD", id="a code ahead"),
        pytest.param("US $145.00", "en", "USD", id="its country ahead"),
        pytest.param("AUD $1,145.00", "en-US", "AUD", id="a code is more than the page's country"),
        pytest.param("145 kr SEK", "da", "DKK", id="a word behind is left alone"),
        pytest.param("￥1,299", "ja", "JPY", id="wide yen"),
        pytest.param("￥1299", "zh-CN", "CNY", id="wide yuan"),
        pytest.param("￥1299", "en", None, id="one of the two"),
    ],
)
def test_a_code_beside_a_sign_says_what_the_sign_leaves_open(text: str, language: str, currency: str | None) -> None:
    price = read_price(text, seen(language))

    assert price is not None
    assert currency_of(price.sign, seen(language)) == currency


def test_a_code_before_the_next_amount_is_not_this_ones() -> None:
    price = read_price("$45 EUR 60", seen("en-US"))

    assert price is not None
    assert (price.lowest, currency_of(price.sign, seen("en-US"))) == (45, "USD")
