"""Numbers agree with their nouns."""

import pytest

from lamplighter.rules.formats.plural import counted


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [
        pytest.param(1, "page", "1 page", id="one"),
        pytest.param(0, "page", "0 pages", id="none"),
        pytest.param(2000, "failed run", "2,000 failed runs", id="thousands"),
        pytest.param(3, "entry", "3 entries", id="a consonant before y"),
        pytest.param(3, "day", "3 days", id="a vowel before y"),
        pytest.param(2, "address", "2 addresses", id="a hissing end"),
    ],
)
def test_a_number_agrees_with_its_noun(number: int, noun: str, text: str) -> None:
    assert counted(number, noun) == text
