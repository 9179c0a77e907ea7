"""Names of months, countries and spans of time, in one language or in most, from Unicode's CLDR."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")

#: the languages tried when a text is not in its page's own
LANGUAGES = tuple(
    "en fr es de ru ar pt it nl pl sv nb da fi cs uk tr zh ja ko ro hu el bg hr sr sk sl lt lv et he fa hi id ms vi th"
    " sw ca gl is ka hy az kk uz mk sq bs be ur bn ne am so zh_Hant".split()
)
#: countries whose words are known beside those of most speakers of a language, where they differ
_VARIANTS = {"ar": ("ar_LB", "ar_DZ"), "de": ("de_AT",), "en": ("en_GB",), "pt": ("pt_PT",)}
#: spellings that CLDR leaves out
_MORE_MONTHS = {"en": {"sept": 9}, "de": {"mrz": 3}, "es": {"setiembre": 9}, "nl": {"mrt": 3}}
_READ = ("months", "territories", "date_fields")
_UNITS = ("minute", "hour", "day", "week", "month", "year")

_CODE = re.compile(r"[a-z]{2,3}(?:_[A-Z][A-Za-z]{1,3})?")
#: scripts without spaces are read by the character, others by the word; in those of India the vowels are marks
_TOKEN = re.compile(
    r"[0-9]+|[\u0e00-\u0e7f\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]|(?:[^\W\d_]|(?!\d)[\u0900-\u0963\u0970-\u0dff])+"
)
#: a date in Catalan has "de gener" for January
_JOINED = re.compile(r"(?:de |d['’])")


class TimeDistance(NamedTuple):
    """A kind of distance in time: "{0} days ago" is (day, -1)."""

    unit: str
    sign: int


class LanguageNames(NamedTuple):
    """One language's words, folded."""

    months: Mapping[str, int]
    #: a territory's name -> its ISO 3166 alpha-2 code
    territories: Mapping[str, str]
    #: "vor # tagen" -> the kind of span
    spans: Mapping[str, TimeDistance]


def fold(text: str) -> str:
    """The text without what people omit or type differently: case, accents, the dot of an abbreviation."""
    if text.isascii():
        return text.lower().replace(".", "")
    text = text.casefold().replace("ı", "i").replace(".", "")
    bare = "".join([char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char)])
    return unicodedata.normalize("NFC", bare)


def tokens(folded: str) -> list[str]:
    """The words and numbers of a folded text."""
    return _TOKEN.findall(folded)


@lru_cache(maxsize=256)
def base_language(language: str | None) -> str | None:
    """de for de-AT; None when there is none."""
    return (re.split(r"[-_]", language.strip().lower(), maxsplit=1)[0] or None) if language else None


@lru_cache(maxsize=128)
def names_of(language: str) -> LanguageNames:
    """The words of a language such as de or zh_Hant; none when CLDR does not know it."""
    from babel import localedata  # which callers that read only machine-written dates and places never need

    if not _CODE.fullmatch(language) or language not in localedata.locale_identifiers():
        return LanguageNames({}, {}, {})
    data = _load(language)
    variants = [_load(variant) for variant in _VARIANTS.get(language, ())]
    months = {name: month for each in (*variants, data) for name, month in _months(each)}
    return LanguageNames(
        months | _MORE_MONTHS.get(language, {}),
        {name: code for each in (*variants, data) for name, code in _territories(each)},
        undisputed([dict(_spans(data, "past", -1)), dict(_spans(data, "future", 1))]),
    )


def undisputed(tables: Iterable[Mapping[str, T]]) -> dict[str, T]:
    """The entries on which no two tables disagree."""
    merged: dict[str, T] = {}
    disputed: set[str] = set()
    for table in tables:
        disputed.update([name for name, value in table.items() if merged.setdefault(name, value) != value])
    return {name: value for name, value in merged.items() if name not in disputed}


def _load(locale: str) -> Mapping[str, Any]:
    from babel import localedata

    loaded = localedata.load(locale)
    # A copy, because what loading resolves is written into parts that all languages share.
    data = localedata.LocaleDataDict(deepcopy({name: loaded[name] for name in _READ}))
    # babel would keep a megabyte for each language as long as the process lives; we have what we need.
    getattr(localedata, "_cache", {}).clear()
    return data


def _months(data: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """The names of one word; those of two or with digits are handled elsewhere."""
    forms = [data["months"][use][width] for use in ("stand-alone", "format") for width in ("abbreviated", "wide")]
    for form in forms:
        for number, name in form.items():
            word = fold(_JOINED.sub("", name))
            if len(word) > 1 and not re.search(r"[\s\d-]", word):
                yield word, number


def _territories(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for code, name in data["territories"].items():
        if len(code) == 2:
            yield " ".join(tokens(fold(name))), code


def _spans(data: Mapping[str, Any], way: str, sign: int) -> Iterator[tuple[str, TimeDistance]]:
    for unit, width in product(_UNITS, ("-narrow", "-short", "")):
        for pattern in data["date_fields"].get(unit + width, {}).get(way, {}).values():
            # Words alone would not tell "-3 d" from "+3 d".
            if "{0}" in pattern and not re.search(r"[+\u2212-]", pattern):
                words = tokens(fold(pattern.replace("{0}", " 0 ")))
                yield " ".join(words).replace("0", "#"), TimeDistance(unit, sign)
