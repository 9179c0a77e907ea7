"""Finds the labelled values of a page: a label and its value on the same line of text or on the next."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from turbohtml import Element

from lamplighter.extract.elements import spaced_text
from lamplighter.extract.html_page import HtmlPage, folded
from lamplighter.extract.single.text_lines import ShownElement, TextLine, TextPosition, self_and_around
from lamplighter.extract.words.field_vocabulary import VOCABULARY
from lamplighter.extract.words.field_words import LONGEST_LABEL, bare, field_for

#: characters of a value; a longer text is not a value of this field but running text
_LONGEST_VALUES = {"location": 200, "organisation": 200, "salary": 200, "tags": 300, "title": 250, "availability": 100}
_LONGEST_VALUE = 120
#: fields whose value must contain a digit
_WITH_DIGITS = frozenset({"published_at", "updated_at", "price", "date"})
#: labels of a date that do not say which; a posting has but one
_SOME_DATE = frozenset("date datum fecha data dato datę paivamaara tarih дата 日期 日付 날짜 التاريخ".split())
#: fields that come from elsewhere, or whose labels are headings of whole sections
_NOT_FROM_LABELS = frozenset({"description", "text", "url", "apply_url", "image", "language"})
_MOST_LINES = 3_000
_LONGEST_ROW = 500
#: a longer text that begins in lower case is the rest of a sentence
_LONGEST_LOWER = 40
_DASH = re.compile(r"\s[-\u2013\u2014]\s")
_BARS = re.compile(r"\s*[|\u2022\u00b7]\s*|\s{2,}")
#: label and value have a common ancestor at most this far above them
_FARTHEST_UP = 3

_MARKS = " \t-\u2013\u2014\u2022\u00b7*|>:\uff1a"
_NOTHING = frozenset({"", "n/a", "na", "none", "tbd", "tba", "not specified", "k. a.", "s/o"})
#: more words than this before a colon are a sentence
_MOST_WORDS = 5
#: the rows of a table are separate things: the value of a header is not in the next row
_ROWS = frozenset({"table", "tbody", "thead", "tfoot"})
#: elements and class names that mark a label or a value
_LABEL_TAGS = frozenset({"dt", "th", "b", "strong", "label", "em"})
_LABEL_CLASS = re.compile(
    r"label|key|term|caption|heading|legend|(?:^|[\s_-])(?:field|name|title)s?(?:$|[\s_-])", re.IGNORECASE
)
#: labels that need no such mark
_WHOLE_LABELS = frozenset(bare(phrase) for text in VOCABULARY.values() for phrase in re.split("[,\n]", text))
#: values that are written in lower case; any other that begins so is the rest of a sentence
_LOWER_CASE = frozenset({"career_type", "work_modality", "availability"})
_WITH_ATTRIBUTES = "[data-label], [data-th], [data-title], :is(dd, div, p, span)[aria-label]"
_MOST_ATTRIBUTES = 100


class Labelled(NamedTuple):
    """A value and the label it was found by."""

    field: str
    label: str
    value: str
    #: indexes of the first and the last of its lines; (-1, -1) when an attribute is its label
    first: int = -1
    last: int = -1


def labelled_values(lines: Sequence[TextLine]) -> list[Labelled]:
    """Every labelled value of these lines, in document order."""
    found: list[Labelled] = []
    lines = lines[:_MOST_LINES]
    taken = -1
    for place, line in enumerate(lines):
        if place <= taken:
            continue
        following = lines[place + 1] if place + 1 < len(lines) else None
        for labelled in _on_line(line, place, following):
            found.append(labelled)
            taken = labelled.last
    return found


def attribute_labelled(page: HtmlPage) -> list[Labelled]:
    """The values whose elements have their label as an attribute."""
    found = []
    for node in page.tree.select(_WITH_ATTRIBUTES)[:_MOST_ATTRIBUTES]:
        label = _label_of(node)
        field = field_for(label) if label else None
        value = folded(spaced_text(node))
        if field is not None and _is_value(field, value) and value != label:
            found.append(Labelled(field, label, value))
    return found


def _label_of(node: Element) -> str:
    names = ("data-label", "data-th", "data-title", "aria-label")
    return next((folded(text) for name in names if (text := node.attr(name))), "")


def _on_line(line: TextLine, place: int, following: TextLine | None) -> Iterator[Labelled]:
    """The labels on one line with their values; the value of a label that fills its line is on the next."""
    if line.spot.node.tag == "h1":
        return
    several = _several(line)
    splits = several or ([split] if (split := _split(line)) is not None else [])
    splits = [split for split in splits if _is_value(split.field, split.value)]
    if splits:
        yield from (split._replace(first=place, last=place) for split in splits)
    elif following is not None and (field := _filling(line)) is not None:
        value = following.text.strip(_MARKS)
        # "Contact: Jane" has a label of its own, and so needs none from the line above.
        is_free = _filling(following) is None and _split(following) is None
        if is_free and _is_value(field, value) and _are_neighbours(line.spot, following.spot):
            yield Labelled(field, line.text.strip(_MARKS), value, place, place + 1)


def _split(line: TextLine) -> Labelled | None:
    """A line that begins with a label, split in two."""
    head, colon, _ = line.text[: LONGEST_LABEL + 1].replace("\uff1a", ":").partition(":")
    if not colon and (dash := _DASH.search(line.text, 0, LONGEST_LABEL)):
        # Dashes are everywhere, so here only a whole label counts.
        before = line.text[: dash.start()]
        head, colon = (before, dash[0]) if bare(before) in _WHOLE_LABELS else (head, "")
    if colon and len(head.split()) <= _MOST_WORDS and (field := _field(head)) is not None:
        return Labelled(field, head.strip(_MARKS), line.text[len(head) + 1 :].strip(_MARKS))
    if colon or len(line.parts) < 2 or not _looks_like_label(line.parts[0], line):
        return None
    # No colon, but an element of its own: <b>Location</b> Nairobi.
    field, value = _field(line.parts[0]), line.text[len(line.parts[0]) :].strip(_MARKS)
    if field is None or (value[:1].islower() and field not in _LOWER_CASE):
        return None
    return Labelled(field, line.parts[0].strip(_MARKS), value)


def _several(line: TextLine) -> list[Labelled]:
    """Label, value, label, value … on one line: separated by bars or dots, or each in an element of its own."""
    colons = line.text.count(":") + line.text.count("\uff1a")
    if colons < 2 or len(line.text) > _LONGEST_ROW:
        return []
    for segments in (_BARS.split(line.text), line.parts):
        cut = [segment.replace("\uff1a", ":").partition(":") for segment in segments]
        split = [(_field(head), head.strip(_MARKS), value.strip(_MARKS)) for head, colon, value in cut if colon]
        if len(found := [Labelled(field, head, value) for field, head, value in split if field and value]) > 1:
            return found
    pairs = [pair for pair in pairwise(line.parts) if pair[0].endswith((":", "\uff1a"))]
    split = [(_field(label), label.strip(_MARKS), value.strip(_MARKS)) for label, value in pairs if len(pairs) > 1]
    return [Labelled(field, label, value) for field, label, value in split if field is not None]


def _filling(line: TextLine) -> str | None:
    """The field of a line that is nothing but a label."""
    if line.linked or len(line.text) > LONGEST_LABEL:
        return None
    ends = line.text.endswith((":", "\uff1a"))
    return _field(line.text) if ends or _looks_like_label(line.text, line) else None


def _looks_like_label(text: str, line: TextLine) -> bool:
    """Is it a label by more than its words? "Salary Specialist" is not, unless the page marks it as one."""
    if line.spot.in_link:
        return False
    node = line.spot.node
    if node.tag in _LABEL_TAGS or bare(text) in _WHOLE_LABELS:
        return True
    return _LABEL_CLASS.search((node.attr("class") or "")[:200]) is not None


def _field(text: str) -> str | None:
    text = text.strip(_MARKS)
    if not text or len(text) > LONGEST_LABEL or text[-1] in ".!?":
        return None
    field = field_for(text) or ("date" if bare(text) in _SOME_DATE else None)
    return None if field in _NOT_FROM_LABELS else field


def _is_value(field: str, value: str) -> bool:
    if value.casefold() in _NOTHING or len(value) > _LONGEST_VALUES.get(field, _LONGEST_VALUE):
        return False
    if value[:1].islower() and len(value) > _LONGEST_LOWER:
        return False
    return field not in _WITH_DIGITS or any(c.isdigit() for c in value)


def _are_neighbours(label: ShownElement, value: ShownElement) -> bool:
    """Are two elements close enough for one to be the other's label?"""
    if value.place is TextPosition.UNSEEN:
        return False
    around = list(islice(self_and_around(value), _FARTHEST_UP + 1))
    for above in islice(self_and_around(label), _FARTHEST_UP + 1):
        if above.depth == 0:
            return False
        if any(above is inner for inner in around):
            return above.node.tag not in _ROWS
    return False
