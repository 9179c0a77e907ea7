"""Where is a job? The country only if the text is unambiguous, the city as written, and whether it is a place at all.

A name counts only as a whole part of the address, between commas or dashes: "turkey for dinner" is in no country.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from lamplighter.normalise.cldr import base_language
from lamplighter.normalise.fields import PageContext, clean_text
from lamplighter.normalise.places import place_words as words
from lamplighter.normalise.places.cities import countries_with_state, country_of_city
from lamplighter.normalise.places.countries import country_named, country_of, is_well_known_name
from lamplighter.normalise.places.place_evidence import (
    NamedPlace,
    country_part,
    is_in,
    lone_spot,
    looks_like_a_city,
    spot_of,
)

_LONGEST, _MOST_PLACES, _MOST_PARTS = 400, 20, 8

_TOWN_AND_CODE = re.compile(r"([^\W\d_](?:[^\W\d_]|[ '’.-](?=[^\W\d_])){2,39}), ([A-Z]{2})")


_SAYS_MORE = (words.REMOTE, words.MULTIPLE, words.ALTERNATIVES, words.AND, words.PARTS)

_LONGEST_FIELD = 300
#: the records of a source, and of its next page, are at the same places
_REMEMBERED = 4_096


class ParsedPlace(NamedTuple):
    """The place that a text names."""

    #: ISO 3166 alpha-2
    country_iso: str | None
    #: as written
    city: str | None
    #: the work is done at home, or anywhere
    is_remote: bool
    #: it is, or may be, in several places
    is_multiple: bool


def read_place(text: str, *, language: str | None) -> ParsedPlace:
    """The place in a text, each part unknown when it does not say. `language` is the page's (BCP 47)."""
    text = words.NOT_REMOTE.sub(" ", " ".join(text[:_LONGEST].split()))
    on_site = words.REMOTE.sub(" , ", text)
    named = words.MULTIPLE.sub(" , ", on_site)
    spots = list(_spots(named, base_language(language)))
    return _together(spots, is_remote=on_site != text, is_multiple=named != on_site)


def _together(spots: list[NamedPlace], *, is_remote: bool, is_multiple: bool) -> ParsedPlace:
    """Merges alternatives into one place: what they have in common."""
    if len(spots) == 2 and (pair := _pair(*spots) or _pair(*reversed(spots))):
        spots = [pair]
    countries = {spot.country_iso for spot in spots}
    cities = {spot.city for spot in spots}
    names = {(spot.country_iso, spot.city or spot.guess) for spot in spots}
    return ParsedPlace(
        country_iso=countries.pop() if len(countries) == 1 else None,
        city=cities.pop() if len(cities) == 1 else None,
        is_remote=is_remote,
        is_multiple=is_multiple or len(names) > 1 or any(spot.is_several for spot in spots),
    )


def _pair(country: NamedPlace, city: NamedPlace) -> NamedPlace | None:
    """The one place that "Kenya / Nairobi" is."""
    if country.city or country.guess or country.country_iso is None or country.is_several:
        return None
    name = city.city or city.guess
    return NamedPlace(country.country_iso, name) if name and city.country_iso in (None, country.country_iso) else None


def _spots(text: str, language: str | None) -> Iterator[NamedPlace]:
    """The places that a text names as alternatives; unknown ones are left out."""
    if country := country_part(text, language):
        yield lone_spot(text, country, language)
        return
    for alternative in words.ALTERNATIVES.split(text)[:_MOST_PLACES]:
        spot = spot_of(_parts(alternative, language), language)
        if spot != NamedPlace():
            yield spot


def _parts(text: str, language: str | None) -> list[str]:
    """The parts of one address; a country's name stays one part even with commas in it."""
    text = words.CODES_FIRST.sub(
        lambda found: ", ".join([code for code in found.groups() if code]) + ", ", text.strip()
    )
    cut = (words.POSTCODE.sub("", part.strip(" .-*\"'")) for part in words.PARTS.split(text))
    bare = (words.LEADING.sub("", part).strip() for part in cut)
    parts = [part for part in bare if any(char.isalpha() for char in part)][:_MOST_PARTS]
    for count in (3, 2):
        if len(parts) >= count and country_named(joined := ", ".join(parts[-count:]), language=language):
            return [*parts[:-count], joined]
    return [piece for part in parts for piece in _pieces(part, language)]


def _pieces(part: str, language: str | None) -> list[str]:
    """Kenya and Uganda; Austin TX; United States-Ohio-Dayton."""
    if country_part(part, language):
        return [part]
    country_first, *rest = part.split("-")
    if rest and (country := country_part(country_first, language)) and any(is_in(country, name) for name in rest):
        return [country_first, *reversed(rest)]
    pieces = words.AND.split(part)
    if len(pieces) > 1 and all(country_part(piece, language) or country_of_city(piece) for piece in pieces):
        return pieces
    city, _, code = part.rpartition(" ")
    return [city, code] if city and countries_with_state(code) else [part]


def plain_place(text: str, *, country_iso: str) -> ParsedPlace | None:
    """The town of an address in a known country; None when the text says more, or something else."""
    found = _TOWN_AND_CODE.fullmatch(text)
    if found is None or found[2] != country_iso:
        return None
    town = found[1]
    if any(pattern.search(town) for pattern in _SAYS_MORE) or is_well_known_name(town) or not looks_like_a_city(town):
        return None
    return ParsedPlace(country_iso=country_iso, city=town, is_remote=False, is_multiple=False)


class Whereabouts(NamedTuple):
    """The place of a record."""

    location_raw: str | None
    country_iso: str | None
    is_remote: bool
    #: city, multiple_locations, country_raw
    fields: dict[str, Any]
    #: names of the values that follow from the location
    concluded: tuple[str, ...]


def read_whereabouts(given: Mapping[str, Any], seen: PageContext) -> Whereabouts:
    """The meaning of the raw location and country."""
    location = clean_text(given.get("location"), longest=_LONGEST_FIELD)
    said = clean_text(given.get("country"), longest=_LONGEST_FIELD)
    country = country_of(said) if said else None
    fields: dict[str, Any] = {}
    if said and said.upper() != country:
        fields["country_raw"] = said
    if location is None:
        return Whereabouts(None, country, False, fields, ())
    place = _place_of(location, country, seen.language)
    concluded = []
    if country is None and place.country_iso is not None:
        country = place.country_iso
        concluded.append("country_iso")
    if place.city is not None:
        fields["city"] = place.city
        concluded.append("city")
    if place.is_multiple:
        fields["multiple_locations"] = True
        concluded.append("multiple_locations")
    return Whereabouts(location, country, place.is_remote, fields, tuple(concluded))


@lru_cache(_REMEMBERED)
def _place_of(location: str, country: str | None, language: str | None) -> ParsedPlace:
    plain = plain_place(location, country_iso=country) if country else None
    return plain or read_place(location, language=language)
