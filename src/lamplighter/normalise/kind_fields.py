"""Normalises the fields that only some kinds of records have, and keeps the site's text beside them."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from lamplighter.normalise.fields import PageContext, clean_text, code_of, json_ready
from lamplighter.normalise.identity import address_of
from lamplighter.normalise.jobs.career_type import read_career_type, read_modality
from lamplighter.normalise.jobs.salary import read_salary
from lamplighter.normalise.products.product import price_fields, read_availability, read_rating, read_review_count

_LONGEST, _MOST = 300, 20
#: few different texts, which recur
_REMEMBERED = 1_024
_PRICE = frozenset({"price", "currency"})
#: values that follow from another field when the page does not give them
_FOLLOWS_FROM = {"currency": "price", "price_max": "price", "word_count": "text"}

Fields = dict[str, Any]
FieldReader = Callable[[Any, PageContext], Fields]

_LONGEST_BYLINE, _LONGEST_NAME, _MOST_NAMES = 500, 80, 20
_MOST_WORDS = 6

_MAIL_AND_NAME = re.compile(r"\S+@\S+\s*\(([^()]+)\)")
_BYLINE = re.compile(
    r"(?:(?:written|posted|reported|published|words|story|text|foto|photo|article) by|by|par|por|door|av|af)\s+"
    r"|(?:author|authors|autor|autorin|autoren|auteur|auteure|autore|autrice|redacción|redaktion|text|автор|текст|作者|記者|记者|文|撰文|"
    r"저자|글)\s*[:：]\s*"
    # A name may begin so: "Von Neumann" stays, "Von Anna Meier" loses its "by".
    r"|(?:von|da|di|de)\s+(?=[A-ZÀ-Þ][\w.-]+\s+[A-ZÀ-Þ])",
    re.IGNORECASE,
)
_NAME_LIKE = re.compile(r"(?i:von|da|di|de)\s+[a-z]")
_BETWEEN = re.compile(
    r"\s*[,;|·•/&、，]\s*|\s+(?:and|und|et|y|e|en|och|og|ja|и|та|ve|with|mit|avec|con)\s+|\s+[-–—]\s+"
)
_FROM_A_DATE_ON = re.compile(r"\s*(?:\b(?:on|am|le|el|den|at|um|il|em|op|d)\b\.?\s*)?\d.*")
_DATE_WORDS = frozenset(
    "on am le at published updated posted veröffentlicht publié publicado aktualisiert mis jan january feb february "
    "mar march apr april may jun june jul july aug august sep sept september oct october nov november dec december "
    "monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun".split()
)
_ROLES = frozenset(
    "staff senior chief deputy associate assistant contributing freelance special guest political foreign science "
    "health business sports technology economics diplomatic investigative national international web digital news "
    "writer reporter correspondent editor columnist contributor journalist author producer analyst redakteur "
    "redakteurin korrespondent korrespondentin reporterin volontär volontärin journaliste rédacteur rédactrice "
    "correspondant correspondante periodista redactor redactora corresponsal jornalista repórter giornalista "
    "redattore verslaggever redacteur dziennikarz redaktor journalistin корреспондент журналист редактор".split()
)
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_WORD = re.compile(r"[^\W_][\w'’-]*")


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


def _from_text(read: Callable[[str], Fields]) -> FieldReader:
    """The reader of a field by its text, cached."""
    cached = lru_cache(_REMEMBERED)(read)

    def read_value(value: Any, _: PageContext) -> Fields:
        text = _text(value)
        return cached(text) if text else {}

    return read_value


@_from_text
def _career_type(text: str) -> Fields:
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


@_from_text
def _author(text: str) -> Fields:
    author = read_author(text)
    return _with_text("author", author, None if author == text else text)


def _article_text(value: Any, _: PageContext) -> Fields:
    text = json_ready(value)
    return {"text": text, "word_count": word_count(str(text))} if text else {}


@_from_text
def _availability(text: str) -> Fields:
    code = read_availability(text)
    return _with_text("availability", code, None if code_of(text) == code else text)


def _images(value: Any, _: PageContext) -> Fields:
    """Distinct addresses in their order; a single one becomes the image."""
    given = value if isinstance(value, (list, tuple)) else [value]
    addresses = list(dict.fromkeys(address for item in given if (address := address_of(item))))[:_MOST]
    return {"images": addresses} if len(addresses) > 1 else {}


_READERS: Mapping[str, FieldReader] = {
    "career_type": _career_type,
    "work_modality": _work_modality,
    "salary": _salary,
    "availability": _availability,
    "rating": lambda value, _: _with_text("rating", read_rating(value), None),
    "review_count": lambda value, _: _with_text("review_count", read_review_count(value), None),
    "images": _images,
    "author": _author,
    "text": _article_text,
    "apply_url": lambda value, _: _with_text("apply_url", address_of(value), None),
    "image": lambda value, _: _with_text("image", address_of(value), None),
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


def read_author(text: str) -> str | None:
    """The names, separated by commas, without what surrounds them: by-words, dates, roles, addresses."""
    texts = [text[:_LONGEST_BYLINE]]
    # Removing one may expose another: "by, by Ann".
    for _ in range(_MOST_NAMES):
        names = list(dict.fromkeys(name for text in texts for name in _names(text)))[:_MOST_NAMES]
        if names == texts:
            break
        texts = names
    return ", ".join(texts) or None


def word_count(text: str) -> int:
    """How many words a text has; in Chinese and Japanese, two characters count as one."""
    if text.isascii():
        return len(text.split())
    characters = len(_UNSPACED.findall(text))
    return len(_WORD.findall(_UNSPACED.sub(" ", text))) + (characters + 1) // 2


def _names(text: str) -> Iterator[str]:
    if mail := _MAIL_AND_NAME.fullmatch(text):
        text = mail[1]
    if "://" in text or "www." in text:
        return
    for part in _BETWEEN.split(_without_byline(text)):
        name = _without_date(_without_byline(part))
        if name and _is_name(name):
            yield name


def _without_byline(text: str) -> str:
    text = text.strip(" \t-–—:")
    while (found := _BYLINE.match(text)) and not _NAME_LIKE.match(text):
        text = text[found.end() :].strip(" \t-–—:")
    return text


def _without_date(text: str) -> str:
    words = _FROM_A_DATE_ON.sub("", text).split()
    while words and words[-1].lower().strip(".,:") in _DATE_WORDS and len(words) > 2:
        words.pop()
    return " ".join(words)


def _is_name(text: str) -> bool:
    words = text.split()
    if len(text) > _LONGEST_NAME or len(words) > _MOST_WORDS or "@" in text:
        return False
    return any(word.lower().strip(".,") not in _ROLES and word.lower() not in _DATE_WORDS for word in words)
