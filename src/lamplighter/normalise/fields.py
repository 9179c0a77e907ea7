"""Cleans single values (text, tags, codes, JSON), and the page context on which the meaning of texts depends."""

import re
from datetime import datetime
from functools import lru_cache
from math import isfinite
from typing import Any, NamedTuple

_LONGEST_TAG, _MOST_TAGS = 100, 100
_LONGEST_LANGUAGE = 35
_LONGEST_VALUE, _DEEPEST_VALUE = 50_000, 6

#: invisible control and format characters, and lone surrogates, which no database stores
_UNSEEN = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u200b\u2060\ufeff\ud800-\udfff]")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z]{4})?(?:-(?:[A-Za-z]{2}|[0-9]{3}))?")
_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\s-]+")


def clean_text(value: Any, *, longest: int) -> str | None:
    """The text without invisible characters and with single spaces; None when nothing is left."""
    if not isinstance(value, str):
        if value is None or isinstance(value, (bool, dict, list, tuple)):
            return None
        value = str(value)
    if not (value.isascii() and value.isprintable()):
        value = " ".join(_UNSEEN.sub("", value).split())
    elif "  " in value:
        # The only white space in printable ASCII is the space, and most texts have no two of them in a row.
        value = " ".join(value.split())
    return value.strip(" ")[:longest].rstrip() or None


def tags_of(value: Any) -> tuple[str, ...]:
    """Distinct tags in their order, from a list or from a text with commas."""
    given = value.split(",") if isinstance(value, str) else value if isinstance(value, (list, tuple)) else ()
    cleaned = (clean_text(item, longest=_LONGEST_TAG) for item in given)
    distinct: dict[str, str] = {}
    for tag in cleaned:
        if tag:
            distinct.setdefault(tag.casefold(), tag)
    return tuple(distinct.values())[:_MOST_TAGS]


def language_of(value: Any) -> str | None:
    """A BCP 47 tag such as de or pt-BR; None for anything else."""
    return _language_in(value) if isinstance(value, str) else None


@lru_cache(maxsize=256)
def _language_in(text: str) -> str | None:
    tag = (clean_text(text, longest=_LONGEST_LANGUAGE) or "").replace("_", "-")
    return tag if _LANGUAGE.fullmatch(tag) else None


def code_of(value: Any) -> str | None:
    """An enumeration's value as one code: https://schema.org/InStock is in_stock, FULL_TIME is full_time."""
    given = value if isinstance(value, (list, tuple)) else [value]
    words = (clean_text(item, longest=200) for item in given)
    names = (word.rpartition("/")[2] if "://" in word else word for word in words if word)
    codes = (_WORD_START.sub("_", name).lower() for name in names)
    return ", ".join(dict.fromkeys(code for code in codes if code)) or None


def json_ready(value: Any, depth: int = _DEEPEST_VALUE) -> Any:
    """A value that any JSON column stores: clean texts, finite numbers, limited depth."""
    if isinstance(value, str):
        return clean_text(value, longest=_LONGEST_VALUE)
    if isinstance(value, dict) and depth:
        return {str(clean_text(name, longest=100)): json_ready(item, depth - 1) for name, item in value.items()}
    if isinstance(value, (list, tuple)) and depth:
        return [json_ready(item, depth - 1) for item in value]
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else None
    return clean_text(value, longest=_LONGEST_VALUE)


class PageContext(NamedTuple):
    """The context of one page visit."""

    page_url: str
    #: BCP 47 tag of the page; None when unknown
    language: str | None
    #: when the body was fetched, aware
    seen_at: datetime
    #: whether the page's dates show that it writes 12/31, not 31/12; None when they do not show it
    month_first: bool | None = None

    @property
    def main_language(self) -> str:
        """The language without script and region, in lower case; empty when unknown."""
        return (self.language or "").partition("-")[0].lower()

    @property
    def regions(self) -> tuple[str, ...]:
        """The countries that the page seems made for, in lower case: its language's region, its host's country."""
        region = (self.language or "").rpartition("-")[2] if "-" in (self.language or "") else ""
        host = self.page_url.partition("://")[2].partition("/")[0].partition(":")[0]
        country = host.rpartition(".")[2]
        return tuple(code.lower() for code in (region, country) if len(code) == 2)
