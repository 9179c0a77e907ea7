"""A city's name tells its country where everybody means the same city; without the extra `geo` no name does."""

import pytest

from lamplighter.normalise.places.cities import country_of_city, towns_named


@pytest.mark.parametrize(
    ("name", "country"),
    [
        pytest.param("Nairobi", "KE", id="a capital"),
        pytest.param("Suva", "FJ", id="a small capital"),
        pytest.param("Geneva", "CH", id="larger than its namesakes"),
        pytest.param("London", "GB", id="larger than London, Ontario"),
        pytest.param("NEW YORK", "US", id="capitals"),
        pytest.param("Zurich", "CH", id="without its accent"),
        pytest.param("Genf", "CH", id="German"),
        pytest.param("Женева", "CH", id="Russian"),
        pytest.param("日内瓦", "CH", id="Chinese"),
        pytest.param("Cox's Bazar", "BD", id="with an apostrophe"),
        pytest.param("Port-au-Prince", "HT", id="with hyphens"),
        pytest.param("Springfield", "US", id="one of many, all in one country"),
        pytest.param("Birmingham", None, id="in England or in Alabama"),
        pytest.param("San José", None, id="in Costa Rica or in California"),
        pytest.param("Dover", None, id="small"),
        pytest.param("Victoria", None, id="an old name of Hong Kong"),
        pytest.param("Jerusalem", None, id="about which people differ"),
        pytest.param("Atlantis", None, id="nowhere"),
        pytest.param("", None, id="nothing"),
    ],
)
def test_the_country_of_a_city(name: str, country: str | None) -> None:
    assert country_of_city(name) == country


def test_namesakes_are_known_by_their_state_the_largest_first() -> None:
    towns = towns_named("Portland")

    assert towns[0].region == "OR"
    assert {("US", "ME")} <= {(town.country_iso, town.region) for town in towns}
    assert [town.population for town in towns] == sorted([town.population for town in towns], reverse=True)


@pytest.mark.usefixtures("without_geo")
def test_without_the_extra_no_city_is_known() -> None:
    assert towns_named("Nairobi") == ()
    assert country_of_city("Nairobi") is None
