"""Normalises the fields that only some kinds of records have, and keeps the site's text beside them."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from lamplighter.normalise.article import read_author, word_count
from lamplighter.normalise.encounter import PageContext
from lamplighter.normalise.fields import clean_text, code_of, json_ready
from lamplighter.normalise.identity import address_of
from lamplighter.normalise.jobs.career_type import read_career_type
from lamplighter.normalise.jobs.salary import read_salary
from lamplighter.normalise.jobs.work_modality import read_modality
from lamplighter.normalise.products.availability import read_availability
from lamplighter.normalise.products.product import price_fields
from lamplighter.normalise.products.rating import read_rating, read_review_count

_LONGEST, _MOST = 300, 20
#: few different texts, which recur
_REMEMBERED = 1_024
_PRICE = frozenset({"price", "currency"})
#: values that follow from another field when the page does not give them
_FOLLOWS_FROM = {"currency": "price", "price_max": "price", "word_count": "text"}

Fields = dict[str, Any]


def kind_fields(given: Mapping[str, Any], seen: PageContext) -> Fields:
    """The fields by name; an unknown field only has to fit into JSON."""
    found: Fields = {}
    for name, value in given.items():
        if reader := _READERS.get(name):
            found.update(reader(value, seen))
        elif name not in _PRICE and (ready := json_ready(value)) is not None:
            found.setdefault(name, ready)
    return found | price_fields(given, seen) if not _PRICE.isdisjoint(given) else found


def followed_from(given: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, str]:
    """The fields that the page did not give but that follow from one it gave, each with that one."""
    return {
        name: source
        for name, source in _FOLLOWS_FROM.items()
        if source in given and name in fields and name not in given
    }


def _career_type(value: Any, _: PageContext) -> Fields:
    text = _text(value)
    return _career_type_in(text) if text else {}


@lru_cache(_REMEMBERED)
def _career_type_in(text: str) -> Fields:
    code = read_career_type(text)
    spelt = code_of(text.split(", ")) or ""
    is_code = code is not None and set(spelt.split(", ")) == set(code.split(", "))
    return _with_text("career_type", code, None if is_code else text)


def _work_modality(value: Any, _: PageContext) -> Fields:
    text = _text(value)
    code = read_modality(text) if text else None
    return _with_text("work_modality", code, None if code == code_of(value) else text)


def _salary(value: Any, seen: PageContext) -> Fields:
    return _with_text("salary", read_salary(value, seen), None if isinstance(value, Mapping) else _text(value))


def _author(value: Any, _: PageContext) -> Fields:
    text = _text(value)
    return _author_in(text) if text else {}


@lru_cache(_REMEMBERED)
def _author_in(text: str) -> Fields:
    author = read_author(text)
    return _with_text("author", author, None if author == text else text)


def _article_text(value: Any, _: PageContext) -> Fields:
    text = json_ready(value)
    return {"text": text, "word_count": word_count(str(text))} if text else {}


def _availability(value: Any, _: PageContext) -> Fields:
    text = _text(value)
    return _availability_in(text) if text else {}


@lru_cache(_REMEMBERED)
def _availability_in(text: str) -> Fields:
    code = read_availability(text)
    return _with_text("availability", code, None if code_of(text) == code else text)


def _rating(value: Any, _: PageContext) -> Fields:
    return _with_text("rating", read_rating(value), None)


def _review_count(value: Any, _: PageContext) -> Fields:
    return _with_text("review_count", read_review_count(value), None)


def _images(value: Any, _: PageContext) -> Fields:
    """Distinct addresses in their order; a single one becomes the image."""
    given = value if isinstance(value, (list, tuple)) else [value]
    addresses = list(dict.fromkeys(address for item in given if (address := address_of(item))))[:_MOST]
    return {"images": addresses} if len(addresses) > 1 else {}


def _address(name: str) -> Callable[[Any, PageContext], Fields]:
    def read(value: Any, _: PageContext) -> Fields:
        address = address_of(value)
        return {name: address} if address else {}

    return read


_READERS: Mapping[str, Callable[[Any, PageContext], Fields]] = {
    "career_type": _career_type,
    "work_modality": _work_modality,
    "salary": _salary,
    "availability": _availability,
    "rating": _rating,
    "review_count": _review_count,
    "images": _images,
    "author": _author,
    "text": _article_text,
    "apply_url": _address("apply_url"),
    "image": _address("image"),
}


def _text(value: Any) -> str | None:
    """The text as the page wrote it; of several, all."""
    if isinstance(value, str):
        return clean_text(value, longest=_LONGEST)
    given = value[:_MOST] if isinstance(value, (list, tuple)) else [value]
    return ", ".join(text for item in given if (text := clean_text(item, longest=_LONGEST))) or None


def _with_text(name: str, value: Any, text: str | None) -> Fields:
    fields = {name: value, f"{name}_raw": text}
    return {name: part for name, part in fields.items() if part is not None}
