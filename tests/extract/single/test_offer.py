"""Prices, stock and buttons to buy by."""

import pytest

from lamplighter.extract.html_page import parse_page
from lamplighter.extract.single.offer import amount_of, availability_of, has_buy_button, maker_of, price_of
from lamplighter.extract.single.text_lines import lines_of

URL = "https://a.example/p/1"


@pytest.mark.parametrize(
    ("html", "price"),
    [
        ("<p>$19.99</p>", "$19.99"),
        ("<p>19,99 €</p>", "19,99 €"),
        ("<p>USD 1,299.00</p>", "USD 1,299.00"),
        ("<p><del>€ 49</del> <b>€ 39</b></p>", "€ 39"),
        ("<p><span class='price old'>€ 49</span></p><p>€ 39</p>", "€ 39"),
        ("<p>Shipping: € 4</p><p>€ 39</p>", "€ 39"),
        ("<p>Was £50</p><p>Now £40</p>", "£40"),
        ("<p><span class=was>Was £64.00</span> <span class=now>£49.95</span></p>", "£49.95"),
        ("<div><span class=cena-stara>189,00 zł</span> <span class=cena>159,99 zł</span></div>", "159,99 zł"),
        ("<p>statt 49 €</p><p>39 €</p>", "39 €"),
        ("<p>12<sup>99</sup> €</p>", "12.99 €"),
        ("<p>12,<sup>-</sup> €</p>", "12,- €"),
        ("<p>12 €<sup>90</sup></p>", "12.90 €"),
        ("<p>$12<small>95</small></p>", "$12.95"),
        ("<p><span>12</span><span class=price__decimal>,50</span> <span>€</span></p>", "12,50 €"),
        ("<p>KSh 2,499</p>", "KSh 2,499"),
        (
            "<p>They paid $5 million for a pier that nobody had wanted in all the years since it was built there.</p>",
            None,
        ),
        ("<p>Call us</p>", None),
    ],
)
def test_the_price_is_what_is_asked_now(html: str, price: str | None) -> None:
    assert price_of(lines_of(parse_page(html, URL))) == price


@pytest.mark.parametrize(
    ("html", "word"),
    [
        ("<p>In stock</p>", "InStock"),
        ("<p>Sofort lieferbar!</p>", "InStock"),
        ("<p>Rupture de stock</p>", "OutOfStock"),
        ("<p>売り切れ</p>", "OutOfStock"),
        ("<p>Pre-order</p>", "PreOrder"),
        ("<p>In stock: dispatched within 24 hours</p>", "InStock"),
        ("<p>12 in stock</p>", "InStock"),
        ("<p>Nothing is in stock of what you would like to have.</p>", None),
    ],
)
def test_stock_is_told_in_one_word(html: str, word: str | None) -> None:
    assert availability_of(lines_of(parse_page(html, URL))) == word


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<button>Add to cart</button>", True),
        ("<input type=submit value='In den Warenkorb'>", True),
        ("<a class=btn href=/c>Comprar</a>", True),
        ("<button>Add to cart</button>" * 12, False),
        ("<button>Search</button>", False),
    ],
)
def test_a_button_to_buy_by_is_known(html: str, expected: bool) -> None:
    assert has_buy_button(parse_page(html, URL)) is expected


@pytest.mark.parametrize(
    ("html", "brand"),
    [
        ("<div>by <a href='/b/fellmark'>Fellmark</a></div>", "Fellmark"),
        ("<p>von <a href='/b/fellmark'>Fellmark</a></p>", "Fellmark"),
        ("<p>by Fellmark</p>", None),
        ("<p>by <a href='/d'>Friday</a> it will be with you</p>", None),
        ("<p>1</p><p>2</p><p>3</p><p>by <a href='/r'>A reader</a></p>", None),
    ],
)
def test_a_maker_is_who_a_link_under_the_name_names(html: str, brand: str | None) -> None:
    assert maker_of(lines_of(parse_page(html, URL))) == brand


@pytest.mark.parametrize(
    ("price", "amount", "currency"),
    [
        ("4386,00 \u20ac", "4386", "\u20ac"),
        ("1.299,50 \u20ac", "1299.50", "\u20ac"),
        ("$3.499", "3499", "$"),
        ("USD 1,299.95", "1299.95", "USD"),
        ("12\u20ac90", "12\u20ac90", None),
        ("$5 - $10", "$5 - $10", None),
        ("on request", "on request", None),
    ],
)
def test_an_amount_is_a_plain_number_where_it_is_clear(price: str, amount: str, currency: str | None) -> None:
    assert amount_of(price) == (amount, currency)


def test_several_makers_are_named_together() -> None:
    html = "<h1>Piers</h1><p>By: <a href=/a>Jane Doe</a>, <a href=/b>Tom Roe</a></p>"

    assert maker_of(lines_of(parse_page(html, URL))[1:]) == "Jane Doe, Tom Roe"
