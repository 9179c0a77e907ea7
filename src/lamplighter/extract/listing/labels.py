"""Which texts of a row are labels, and which values belong to them?"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from lamplighter.extract.listing.rows import RowText
from lamplighter.extract.listing.tree import Box
from lamplighter.extract.single.page_words import availability_in
from lamplighter.extract.words.date_phrases import UNTIL, name_before
from lamplighter.extract.words.field_words import LONGEST_LABEL, field_for, is_field_name
from lamplighter.extract.words.value_types import RECENT, ValueType, date_in, value_type

#: field and value of each text that has a label; "" marks the label itself
Labelled = dict[int, tuple[str, str]]

#: between a label and its value
_COLON = re.compile(r"\s*[:\uff1a]\s*")
#: the colon of 17:30 does not end a label
_LABEL_END = re.compile(r"(?<!\d):|:(?!\d)|\uff1a")
#: share of a link's text that is all of it but white space
_WHOLE = 0.8
#: share of rows with the same text from which it is a label even without a colon
_CONSTANT = 0.6
_DATE_NAMES = frozenset("date datum fecha data dato time datetime calendar kalender".split())
_DATES = frozenset({ValueType.DATE, ValueType.AGO})
#: attributes that name a field, for the page's own scripts or by an icon
_NAMING = (
    "itemprop data-field data-name data-testid data-test data-automation-id data-automation data-qa icon data-icon"
    " fs-cmsfilter-field fs-list-field"
).split()
_NAMING_SET = frozenset(_NAMING)
_CLASS_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
#: common class names of fields; other names are ambiguous
_NAMED_BY_CLASS = {
    word: field
    for field, words in {
        "location": "location locations city place locality venue ort standort lieu ville ubicacion locatie plaats"
        " marker mapmarker geo pin mappin joblocation addresslocality"
        " jobaddress vacancyaddress",
        "organisation": "company employer organisation organization organizer agency arbeitgeber entreprise empresa"
        " firma unternehmen societe azienda bedrijf building hiringorganization",
        "deadline": "deadline closing closes close expires expiry expiration due closingdate enddate frist"
        " validthrough",
        "published_at": "posted published publish pubdate postdate posteddate listdate publication dateposted"
        " datepublished",
        "updated_at": "updated modified datemodified",
        "salary": "salary wage compensation",
        "country": "country",
        "brand": "brand manufacturer brandname",
        "level": "grade",
        "author": "author byline writer",
        "career_type": "contract employment commitment worktype jobtype",
        "work_modality": "modality workplacetype remote",
    }.items()
    for word in words.split()
}


def constant_texts(rows: Sequence[Sequence[RowText]]) -> frozenset[str]:
    """Texts that most rows share and that name a field: they are labels."""
    if len(rows) < 2:
        return frozenset()
    times = Counter(text for row in rows for text in {part.text for part in row if len(part.text) <= LONGEST_LABEL})
    return frozenset(text for text, count in times.items() if count >= _CONSTANT * len(rows) and _names_a_field(text))


def _names_a_field(text: str) -> bool:
    """ "In stock" may be the header of a column; in a row it is a value."""
    return _split(text)[1] == "" and (is_field_name(text) or _names_a_date(text)) and not availability_in(text)


def _names_a_date(text: str) -> bool:
    """Do the words announce a date without containing it, as "Posted today" does?"""
    is_told = value_type(text) is not None or text.rpartition(" ")[2].lower() in RECENT or date_in(text) is not None
    return not is_told and name_before(text) != ""


def labelled(row: Sequence[RowText], constants: frozenset[str]) -> Labelled:
    """The labelled values of a row: "Location: Geneva", in one text or in two consecutive ones."""
    found: Labelled = {}
    at = 0
    while at < len(row):
        text = row[at].text
        label, value = _split(text)
        if label and value and _is_headline(row[at], label):
            label = None
        if label and value:
            found[at] = (label, value)
        elif (
            label
            or (text in constants and row[at].box is not row[at].link)
            or _is_named(row[at])
            or _announces_date(row, at)
        ):
            field = label or field_for(text) or name_before(text)
            if field == UNTIL and not _announces_date(row, at):
                field = ""
            if not label and field != "title" and not _is_named(row[at]) and _names_row(row, at + 1):
                # "Local" above a headline is the name of a section.
                found[at] = ("", "")
            elif at + 1 < len(row) and not _is_label(row[at + 1], constants):
                found[at] = ("", "")
                at += 1
                found[at] = (
                    field,
                    _COLON.sub("", row[at].text, count=1) if row[at].text[0] in ":\uff1a" else row[at].text,
                )
        at += 1
    return found


def _names_row(row: Sequence[RowText], at: int) -> bool:
    """Is the text a heading, or the only link of a row without headings?"""
    if at >= len(row) or row[at].heading or not row[at].link:
        return at < len(row) and row[at].heading is not None
    return not any(part.heading or part.link for place, part in enumerate(row) if place != at)


def _is_headline(part: RowText, field: str) -> bool:
    """Is the text a headline that only contains a field's name: "Region in uproar: thousands march"?

    So is "Internship: Communications", which names the kind of job and not the field.
    """
    label = _LABEL_END.split(part.text, maxsplit=1)[0]
    if field == "title" and value_type(label) is ValueType.EMPLOYMENT:
        return True
    is_whole_link = part.link is not None and len(part.text) >= _WHOLE * part.link.size
    return (part.heading is not None or part.box is part.link or is_whole_link) and not is_field_name(label)


def _announces_date(row: Sequence[RowText], at: int) -> bool:
    """Is the text the label of a date, and does the date follow in an element of its own?"""
    if at + 1 >= len(row) or len(row[at].text) > LONGEST_LABEL or value_type(row[at + 1].text) not in _DATES:
        return False
    return _names_a_date(row[at].text) and not row[at].heading


def _is_named(part: RowText) -> bool:
    """Is the text a label by its position, or because only screen readers read it before the visible text?"""
    return (part.box.tag in ("dt", "th") and field_for(part.text) is not None) or (
        part.spoken and is_field_name(part.text)
    )


def _is_label(part: RowText, constants: frozenset[str]) -> bool:
    text = part.text
    return text in constants or _is_named(part) or (text.endswith((":", "\uff1a")) and field_for(text) is not None)


@lru_cache(maxsize=8192)
def _split(text: str) -> tuple[str | None, str]:
    """Field and value of a text that begins with a label."""
    if ":" not in text and "\uff1a" not in text:
        return None, ""
    label, *after = _LABEL_END.split(text, maxsplit=1)
    if not after:
        return None, ""
    field = field_for(label) if len(label) <= LONGEST_LABEL else None
    value = after[0].strip()
    # "(deadline: 3 May)": the bracket was opened before the label.
    is_closing = value.endswith((")", "\uff09")) and "(" not in value and "\uff08" not in value
    return field, value[:-1].rstrip() if is_closing else value


def classes_near(part: RowText) -> str:
    """The class names of a text's element, of the icon before it, or of the elements that contain only it."""
    named = (_name_for_scripts(part.dress) if part.dress is not None else None) or _name_for_scripts(part.box)
    classes = named or part.box.attribute("itemprop") or part.icon or part.box.names
    if classes or part.box.parent is None or len(part.box.parent.parts) > 2:
        return classes
    return part.box.parent.names


def _name_for_scripts(box: Box) -> str | None:
    if box.bare or _NAMING_SET.isdisjoint(box.node.attrs):
        return None
    return next((name for key in _NAMING if (name := box.attribute(key)) and field_of_class(name)), None)


def says_date(names: str) -> bool:
    """Do the class names name a date without saying which?"""
    return any(word.lower() in _DATE_NAMES for word in _CLASS_WORD.findall(names[:200]))


@lru_cache(maxsize=4096)
def field_of_class(names: str) -> str | None:
    """The field that the class names of an element name: "job-location", "closingDate"."""
    for name in names[:200].split():
        words = [word.lower() for word in _CLASS_WORD.findall(name)]
        for word in [*reversed(words), "".join(words[-2:])]:
            if field := _NAMED_BY_CLASS.get(word):
                return field
    return None
