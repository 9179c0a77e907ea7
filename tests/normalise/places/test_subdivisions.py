"""States and provinces tell their country."""

import pytest

from lamplighter.normalise.places.cities import countries_with_state, country_of_state


@pytest.mark.parametrize(
    ("name", "country"),
    [
        ("Texas", "US"),
        ("new jersey", "US"),
        ("Québec", "CA"),
        ("New South Wales", "AU"),
        ("Georgia", None),
        ("Kent", None),
    ],
)
def test_the_country_of_a_state(name: str, country: str | None) -> None:
    assert country_of_state(name) == country


@pytest.mark.parametrize(("code", "countries"), [("TX", ["US"]), ("WA", ["US", "AU"]), ("ON", ["CA"]), ("XX", [])])
def test_a_code_may_be_that_of_several_states(code: str, countries: list[str]) -> None:
    assert countries_with_state(code) == countries
