"""Numbers as people write them."""

import pytest

from lamplighter.rules.formats.numbers import number_of


@pytest.mark.parametrize(
    ("digits", "value"),
    [
        ("5", 5.0),
        ("3,56", 3.56),
        ("1.299", 1299.0),
        ("0.500", 0.5),
        ("1.299,50", 1299.5),
        ("1,299.50", 1299.5),
        ("1\u00a0299,50", 1299.5),
        ("1'299", 1299.0),
    ],
)
def test_the_last_mark_is_the_decimal_one_unless_three_digits_follow(digits: str, value: float) -> None:
    assert number_of(digits) == value
