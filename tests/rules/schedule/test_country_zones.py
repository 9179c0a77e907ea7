"""One zone for each country."""

import pytest
from babel.core import get_global

from lamplighter.model.window_json import zone_names
from lamplighter.rules.schedule.country_zones import ZONES, zone_of

UNINHABITED = {"BV", "HM"}
#: CLDR's names for the whole world and for nowhere
NO_COUNTRIES = {"001", "ZZ"}
ZONES_OF = {country: zones for country, zones in get_global("territory_zones").items() if country not in NO_COUNTRIES}


def test_every_assigned_country_code_has_a_zone() -> None:
    assert ZONES.keys() == ZONES_OF.keys() | UNINHABITED
    assert len(ZONES) == 249


@pytest.mark.parametrize("country", sorted(ZONES_OF))
def test_the_zone_lies_in_the_country(country: str) -> None:
    assert zone_of(country) in ZONES_OF[country]


def test_every_zone_is_one_that_windows_may_name() -> None:
    assert set(ZONES.values()) <= zone_names()


@pytest.mark.parametrize(
    ("country", "zone"),
    [
        pytest.param("US", "America/New_York", id="United States: Washington"),
        pytest.param("CA", "America/Toronto", id="Canada: Ottawa"),
        pytest.param("RU", "Europe/Moscow", id="Russia"),
        pytest.param("BR", "America/Sao_Paulo", id="Brazil: Brasília"),
        pytest.param("AU", "Australia/Sydney", id="Australia: Canberra"),
        pytest.param("ES", "Europe/Madrid", id="Spain: not the Canaries"),
        pytest.param("PT", "Europe/Lisbon", id="Portugal: not the Azores"),
        pytest.param("EC", "America/Guayaquil", id="Ecuador: not the Galápagos"),
        pytest.param("CD", "Africa/Kinshasa", id="Congo: not the east"),
        pytest.param("CN", "Asia/Shanghai", id="China: not Ürümqi"),
        pytest.param("BV", "Europe/Oslo", id="Bouvet Island: administered from Norway"),
        pytest.param("HM", "Australia/Hobart", id="Heard Island: administered from Tasmania"),
        pytest.param("de", "Europe/Berlin", id="lower case"),
    ],
)
def test_a_country_with_several_zones_has_its_capital_s(country: str, zone: str) -> None:
    assert zone_of(country) == zone


@pytest.mark.parametrize("country", ["", "XX", "UK", "DEU", "ZZ", "001", "ß"])
def test_what_is_no_country_code_has_no_zone(country: str) -> None:
    assert zone_of(country) is None
