"""Which country does a name or a code mean, in any language?"""

from collections.abc import Mapping
from functools import lru_cache

from lamplighter.normalise.cldr import LANGUAGES, base_language, fold, names_of, tokens, undisputed
from lamplighter.normalise.places.country_words import ALIASES, ENGLISH_NAMES, OWN_NAMES

_LONGEST = 100
#: codes in CLDR that are not in ISO 3166
NO_COUNTRIES = frozenset("AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ".split())
_UNOFFICIAL_CODES = {"UK": "GB", "EL": "GR", "ENG": "GB", "SCT": "GB", "SCO": "GB", "WLS": "GB", "NIR": "GB"}
_SAID_OTHERWISE = {"saint": "st", "isl": "islands", "rep": "republic", "dem": "democratic", "fed": "federal"}
_UNSAID = frozenset("the and of y et und e en des la sar".split())
#: words that the full names of states have before or after the common name
_FORMAL = frozenset(
    "republic republique republica republik repubblica federal federative federation federated democratic people s"
    " peoples islamic arab kingdom commonwealth state plurinational bolivarian socialist united sultanate grand duchy"
    " principality hashemite independent cooperative co operative union".split()
)
#: names that mean one of two countries and are ambiguous alone
_EITHER = frozenset(
    {"congo", "kongo", "korea", "coree", "corea", "virgin islands", "republic china", "micronesian region"}
)


def country_of(text: str) -> str | None:
    """The ISO 3166 alpha-2 code of a country's name or code; None when it is none, or one of two."""
    return _by_code(text.strip()) or country_named(text, language=None)


def country_named(text: str, *, language: str | None) -> str | None:
    """The country of this name; codes are not names."""
    if len(text) > _LONGEST:
        return None
    words = _words(text)
    key = " ".join(words)
    if not key or key in _EITHER:
        return None
    names = _names()
    if found := names.get(key) or _own_names(base_language(language)).get(key):
        return found
    short = " ".join([word for word in words if word not in _FORMAL])
    return names.get(short) if short != key and short not in _EITHER else None


def is_english_name(text: str) -> bool:
    """Whether it is a country's name in English or colloquially; Granada is Grenada's name in Spanish only."""
    key = " ".join(_words(text))
    return key in _english_names() or key in _aliases()


def is_well_known_name(text: str) -> bool:
    """Whether it is a country's name in English or in the country itself; other languages are not looked up."""
    return " ".join(_words(text)) in _best_known()


def is_called_so(country: str, text: str, *, language: str | None) -> bool:
    """Whether a page in this language uses this name for the country."""
    return _own_names(base_language(language)).get(" ".join(_words(text))) == country


def country_coded(code: str) -> str | None:
    """The country of an alpha-2 or alpha-3 code in upper case."""
    if len(code) == 2:
        return code if code in ENGLISH_NAMES else _UNOFFICIAL_CODES.get(code)
    return _long_codes().get(code) or _UNOFFICIAL_CODES.get(code) if len(code) == 3 else None


def _by_code(text: str) -> str | None:
    # In a field for a country two letters are a code in any case; three may be a word.
    if not text.isascii() or not text.isalpha():
        return None
    return country_coded(text.upper() if len(text) == 2 else text)


def _words(text: str) -> list[str]:
    words = tokens(fold(text))
    return [_SAID_OTHERWISE.get(word, word) for word in words if word not in _UNSAID] or words


@lru_cache(maxsize=1)
def _names() -> Mapping[str, str]:
    """Every name that means one country in all languages, and the aliases."""
    known = undisputed(_own_names(language) for language in LANGUAGES)
    return {**known, **_aliases()}


@lru_cache(maxsize=1)
def _aliases() -> Mapping[str, str]:
    return {" ".join(_words(name)): code for code, names in ALIASES.items() for name in names.split("|")}


@lru_cache(maxsize=1)
def _english_names() -> frozenset[str]:
    return frozenset(" ".join(_words(name)) for name in ENGLISH_NAMES.values())


@lru_cache(maxsize=1)
def _best_known() -> frozenset[str]:
    return frozenset(" ".join(_words(name)) for name in OWN_NAMES).union(_english_names(), _aliases())


@lru_cache(maxsize=64)
def _own_names(language: str | None) -> Mapping[str, str]:
    if language is None:
        return {}
    names = names_of(language).territories
    return {" ".join(_words(name)): code for name, code in names.items() if code not in NO_COUNTRIES}


@lru_cache(maxsize=1)
def _long_codes() -> Mapping[str, str]:
    from babel.core import get_global  # which most callers never need

    aliases: Mapping[str, list[str]] = get_global("territory_aliases")
    return {
        code: meant[0]
        for code, meant in aliases.items()
        if len(code) == 3 and code.isalpha() and len(meant) == 1 and meant[0] in ENGLISH_NAMES
    }
