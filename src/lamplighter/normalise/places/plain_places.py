"""Reads addresses as machines write them ("Hobart, AU"), without loading the names of all countries and towns."""

import re

from lamplighter.normalise.places import place_words as words
from lamplighter.normalise.places.countries import is_well_known_name
from lamplighter.normalise.places.place_evidence import looks_like_a_city
from lamplighter.normalise.places.places import ParsedPlace

_TOWN_AND_CODE = re.compile(r"([^\W\d_](?:[^\W\d_]|[ '’.-](?=[^\W\d_])){2,39}), ([A-Z]{2})")


def plain_place(text: str, *, country_iso: str) -> ParsedPlace | None:
    """The town of an address in a known country; None when the text says more, or something else."""
    found = _TOWN_AND_CODE.fullmatch(text)
    if found is None or found[2] != country_iso:
        return None
    town = found[1]
    if any(pattern.search(town) for pattern in _SAYS_MORE) or is_well_known_name(town) or not looks_like_a_city(town):
        return None
    return ParsedPlace(country_iso=country_iso, city=town, is_remote=False, is_multiple=False)


_SAYS_MORE = (words.REMOTE, words.MULTIPLE, words.ALTERNATIVES, words.AND, words.PARTS)
