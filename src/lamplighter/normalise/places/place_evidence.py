"""Which place do the parts of one address name together: a country, a state, a code, a city?"""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from lamplighter.normalise.cldr import fold, tokens
from lamplighter.normalise.places.cities import (
    KNOWN_ALONE,
    OUTSHINES,
    Town,
    countries_with_state,
    country_of_city,
    country_of_state,
    towns_named,
)
from lamplighter.normalise.places.countries import country_coded, country_named, is_called_so, is_english_name
from lamplighter.normalise.places.place_words import NEVER_IN_A_CITY, NO_CITY

_LONGEST_CITY, _MOST_WORDS_OF_A_CITY = 40, 5
_CODE = re.compile(r"[A-Z]{2,3}")
_US = "US"
#: states with the name of their largest city
_CITY_AND_STATE = frozenset({"new york"})
#: a country, and a state of the US; texts rarely say which
_GEORGIA, _GEORGIAS_CODE = "georgia", "GA"
#: a city of this many people is the one that is meant even beside an unknown part of the address
_BEYOND_DOUBT = 1_000_000
#: territories with a code of their own that are named together with the state they belong to
_BELONGS_TO = {
    part: whole
    for whole, parts in {
        "CN": "HK MO TW",
        "US": "PR GU VI AS MP",
        "FR": "RE GP MQ GF YT NC PF PM BL MF WF",
        "GB": "GI BM KY JE GG IM VG TC FK MS AI",
        "NL": "AW CW SX BQ",
        "DK": "GL FO",
        "FI": "AX",
        "NO": "SJ",
    }.items()
    for part in parts.split()
}


class NamedPlace(NamedTuple):
    """One of the places that a text names."""

    country_iso: str | None = None
    #: as written, where it is recognised or evident
    city: str | None = None
    #: what may be a city
    guess: str | None = None
    is_several: bool = False


def spot_of(parts: list[str], language: str | None) -> NamedPlace:
    """The place that the parts of one address name."""
    countries = {part: country for part in parts if (country := country_part(part, language))}
    others = [part for part in parts if part not in countries]
    # Hong Kong, China is one place.
    distinct = set(countries.values()).difference(map(_BELONGS_TO.get, countries.values()))
    if len(distinct) > 1:
        return _in_one_of(countries, parts) or NamedPlace(is_several=True)
    if len(parts) == 1 and distinct:
        return lone_spot(parts[0], distinct.pop(), language)
    if len(parts) == 2 and parts[0] in countries and others and (spot := _in_state(parts[0], parts[1], language)):
        return spot
    if distinct:
        # Tunis, Tunisia: in some language the city's name is the country's, too.
        is_named_twice = len(parts) > 1 and countries.get(parts[0]) == countries.get(parts[1])
        return NamedPlace(distinct.pop(), _city(others) or (parts[0] if is_named_twice else None))
    return _without_country(parts, language)


def country_part(part: str, language: str | None) -> str | None:
    """The country that one part of an address names, or its three-letter code; two-letter codes may be states."""
    if fold(part).strip() == _GEORGIA:
        return None
    named = country_named(part, language=language)
    return named or (country_coded(part) if len(part) == 3 and part.isupper() and part.isascii() else None)


def lone_spot(name: str, country: str, language: str | None) -> NamedPlace:
    """The place of a country's name alone, unless a large town abroad has the same name: Salvador, Granada."""
    abroad = {town.country_iso for town in towns_named(name) if town.country_iso != country and _is_large(town)}
    if not abroad or is_english_name(name):
        return NamedPlace(country)
    is_near = any(_speaks(home, language) for home in abroad)
    if is_called_so(country, name, language=language):
        # In Arabic, Oman and Amman are written alike.
        return NamedPlace(guess=name) if is_near else NamedPlace(country)
    return _by_city([name], language) if is_near or language in (None, "en") else NamedPlace(guess=name)


def _in_one_of(countries: Mapping[str, str], parts: list[str]) -> NamedPlace | None:
    """The one place of Granada, Spain, where the town's name is that of a country in some language."""
    for place in (-1, 0):
        home = countries.get(parts[place])
        namesakes = [part for part, country in countries.items() if country != home]
        if home and all(_could_be_town_in(home, part, parts) for part in namesakes):
            return NamedPlace(home, namesakes[0])
    return None


def _could_be_town_in(home: str, name: str, parts: list[str]) -> bool:
    """Whether a country's name is a town's here: Jamaica, New York, USA; but Benin, Nigeria are two countries."""
    if any(country_of_state(part) == home for part in parts):
        return True
    towns = [town for town in towns_named(name) if town.country_iso == home]
    return not is_english_name(name) and any(map(_is_large, towns))


def is_in(country: str, name: str) -> bool:
    """Whether the country has a state or a town of this name."""
    return country_of_state(name) == country or any(town.country_iso == country for town in towns_named(name))


def _is_large(town: Town) -> bool:
    return town.is_capital or town.population >= KNOWN_ALONE


def _in_state(city: str, part: str, language: str | None) -> NamedPlace | None:
    """Cities that are named like countries: Lebanon, PA; Jamaica, New York."""
    if country := country_of_state(part):
        return NamedPlace(country, city)
    if not countries_with_state(part) or country_coded(part) == country_named(city, language=language):
        return None
    country = _by_code(part, city, language)
    return NamedPlace(country, city if country else None)


def _without_country(parts: list[str], language: str | None) -> NamedPlace:
    """The place by a state, a code or the city alone."""
    for part in reversed(parts):
        others = [other for other in parts if other is not part]
        city = _city(others)
        if country := country_of_state(part):
            is_among_cities = len(parts) > 2 and fold(part) in _CITY_AND_STATE
            if not is_among_cities and _could_all_be_in(country, others) and (others or not country_of_city(part)):
                return NamedPlace(country, city)
        elif _CODE.fullmatch(part) or fold(part) == _GEORGIA:
            is_known = city is not None and bool(towns_named(city))
            country = _by_code(part, city, language)
            return NamedPlace(country, city) if is_known or country else NamedPlace(guess=city)
    return _by_city(parts, language)


def _could_all_be_in(country: str, names: Iterable[str]) -> bool:
    """Whether no name belongs only to cities elsewhere: Geneva, Nairobi, New York."""
    return all(not towns or any(town.country_iso == country for town in towns) for towns in map(towns_named, names))


def _by_code(part: str, city: str | None, language: str | None) -> str | None:
    """The country of a code such as CA, which is Canada's and California's: the one that has such a city."""
    code, country = (_GEORGIAS_CODE, "GE") if fold(part) == _GEORGIA else (part, country_coded(part))
    states = countries_with_state(code)
    towns = towns_named(city) if city else ()
    fitting = [
        town
        for town in towns
        if town.region == code
        or town.country_iso == country
        or (town.country_iso in states and town.country_iso != _US)
    ]
    if fitting:
        return _largest_by_far(fitting)
    if towns and city:
        # An unknown code, such as that of an Italian province: then the page's language has to confirm it.
        home = country_of_city(city)
        return home if home and _speaks(home, language) else None
    candidates = [each for each in {*states, country} if each]
    is_foreign = language not in (None, "en") and not any(_speaks(each, language) for each in candidates)
    return candidates[0] if len(candidates) == 1 and not is_foreign else None


def _largest_by_far(towns: list[Town]) -> str | None:
    largest = towns[0]
    rivals = [town for town in towns if town.country_iso != largest.country_iso]
    is_clear = all(largest.population >= OUTSHINES * town.population for town in rivals)
    return largest.country_iso if is_clear else None


def _by_city(parts: list[str], language: str | None) -> NamedPlace:
    known = [part for part in parts if looks_like_a_city(part) and towns_named(part)]
    if not known:
        return NamedPlace(guess=_city(parts))
    homes = {home for part in known if (home := country_of_city(part))}
    if len(homes) != 1:
        return NamedPlace(None, None if homes else known[0], is_several=bool(homes))
    home = homes.pop()
    largest = max((town for part in known for town in towns_named(part)), key=lambda town: town.population)
    stands_out = largest.is_capital or largest.population >= _BEYOND_DOUBT or _speaks(home, language)
    return NamedPlace(home if stands_out or len(known) == len(parts) else None, known[0])


def _speaks(country: str, language: str | None) -> bool:
    """Whether a page's language shows that it is from there; English shows nothing."""
    if language is None or language == "en":
        return False
    from babel.languages import get_official_languages  # only a place without its country needs it

    return language in get_official_languages(country)


def _city(parts: Iterable[str]) -> str | None:
    """The first part that may be a city's name."""
    return next((part for part in parts if looks_like_a_city(part)), None)


def looks_like_a_city(name: str) -> bool:
    """Whether a part of an address may be a city's name, by its form."""
    folded = tokens(fold(name))
    return (
        (2 if name.isascii() else 1) < len(name) <= _LONGEST_CITY
        and len(name.split()) <= _MOST_WORDS_OF_A_CITY
        and name[0].isalpha()
        and not name[0].islower()
        and not any(char.isdecimal() for char in name)
        and not _CODE.fullmatch(name)
        and (not country_of_state(name) or fold(name) in _CITY_AND_STATE)
        and not NEVER_IN_A_CITY.intersection(folded)
        and not NO_CITY.issuperset(folded)
    )
