"""Which country is a state or a province in? For states that people name instead of the country."""

from collections.abc import Mapping
from functools import lru_cache

from lamplighter.normalise.cldr import fold, tokens

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
