"""The place of a record: the country by its own field, else by the location.

The town, and whether there are several.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from lamplighter.normalise.encounter import PageContext
from lamplighter.normalise.fields import clean_text
from lamplighter.normalise.places.countries import country_of
from lamplighter.normalise.places.places import ParsedPlace, read_place
from lamplighter.normalise.places.plain_places import plain_place

_LONGEST = 300
#: the records of a source, and of its next page, are at the same places
_REMEMBERED = 4_096


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
    location = clean_text(given.get("location"), longest=_LONGEST)
    said = clean_text(given.get("country"), longest=_LONGEST)
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
