"""Which earlier version of a page was the last that the recipe could read, and what of it still stands on the page?"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from lamplighter.crawl.reading.reader_messages import LastGood
from lamplighter.errors import BadInput
from lamplighter.extract.teaching.lesson import TAUGHT_FIELDS, TITLE, URL, Example, ReadMark
from lamplighter.extract.teaching.marks import marks_of
from lamplighter.extract.teaching.places import NumberedPage
from lamplighter.extract.teaching.rows import way_up
from lamplighter.model.reading import Reading
from lamplighter.model.recipe import Recipe
from lamplighter.model.record import Method, RawRecord
from lamplighter.rules.change.drift import LEAST_SHARE

#: titles from which is learned again
_MOST_TITLES = 12


def last_good(
    page: NumberedPage,
    earlier: Iterable[Reading],
    *,
    now: Reading,
    recipe: Recipe,
    url: str,
    numbered: Callable[[int], NumberedPage],
) -> LastGood | None:
    """The version after which the recipe read far less, by what it reads from earlier ones, the newest first.

    `now` is what it reads from the page. A list that grew short little by little has no such version.
    """
    later = present = len(_by_recipe(now, recipe))
    for number, reading in enumerate(earlier):
        records = _by_recipe(reading, recipe)
        if max(later, present) < LEAST_SHARE * len(records):
            try:
                marks = marks_of(numbered(number), records, url=url)
            except BadInput:  # read, but not as HTML
                marks = []
            was = [mark for mark in marks_of(page, records, url=url) if mark.meaning in TAUGHT_FIELDS]
            return LastGood(number=number, records=len(records), was=tuple(was), marks=tuple(marks))
        later = len(records)
    return None


def _by_recipe(reading: Reading, recipe: Recipe) -> Sequence[RawRecord]:
    """What the recipe read; where it finds nothing, the ladder reads what it can, which may be anything."""
    if not recipe.fields:
        return reading.records
    return [each for each in reading.records if any(found.method is Method.RECIPE for found in each.fields.values())]


def titles_to_learn(page: NumberedPage, was: Sequence[ReadMark]) -> list[Example]:
    """The titles that stand in places alike: a title that is also news of the day teaches nothing about the list."""
    ways = {
        mark.place: tuple(node.tag for node in way_up(page.at(mark.place))) for mark in was if mark.meaning == TITLE
    }
    if not ways:
        return []
    usual, _ = Counter(ways.values()).most_common(1)[0]
    return [Example(TITLE, place) for place, way in ways.items() if way == usual][:_MOST_TITLES]


def fields_to_learn(page: NumberedPage, marks: Sequence[ReadMark], *, rows: Sequence[int]) -> Iterator[Example]:
    """An example of each further field that was read inside these rows."""
    inside = {inner for row in rows for inner in page.at(row).iter_elements()}
    named: set[str] = {TITLE, URL}
    for mark in marks:
        if mark.meaning in TAUGHT_FIELDS and mark.meaning not in named and page.at(mark.place) in inside:
            named.add(mark.meaning)
            yield Example(mark.meaning, mark.place)
