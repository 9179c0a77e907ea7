"""Lessons: what somebody pointed at on a page, and what was learned from it."""

from enum import StrEnum
from typing import NamedTuple

from lamplighter.model.recipe import Recipe

TITLE, URL, NEXT = "title", "url", "next"
#: an element of a row that is no record
WRONG = "wrong"
#: the fields that can be pointed at, in the order of the page
TAUGHT_FIELDS = (
    *("title", "url", "organisation", "location", "deadline", "published_at", "price"),
    *("salary", "author", "description", "image"),
)
#: everything that can be pointed at
MEANINGS = (*TAUGHT_FIELDS, NEXT, WRONG)
#: examples of one lesson
MOST_EXAMPLES = 100


class Example(NamedTuple):
    """An element that somebody pointed at."""

    #: a field, `next` or `wrong`
    meaning: str
    #: the number of the element in document order
    place: int


class TextExample(NamedTuple):
    """The text of an element that somebody named."""

    meaning: str
    text: str


class Doubt(StrEnum):
    """Why a selector may not last."""

    GENERATED = "a class name that looks generated"
    POSITION = "a position among its neighbours"
    LAYOUT = "a class name about looks only"


class ReadMark(NamedTuple):
    """What was read from an element."""

    place: int
    #: a field, `row` or `next`
    meaning: str
    #: 0 to 1
    confidence: float


class OutlineLine(NamedTuple):
    """An element that shows a text of its own, for those who do not point."""

    place: int
    #: how deep it is among the lines above it
    level: int
    tag: str
    text: str


class Learned(NamedTuple):
    """What examples teach."""

    #: None as long as they teach nothing
    recipe: Recipe | None = None
    #: places of the rows and of their titles
    rows: tuple[tuple[int, int], ...] = ()
    #: for people: what looks fragile, what could not be told apart
    notes: tuple[str, ...] = ()
