"""What all regions of one page share: headings, running text, what the page is about, how many rows it says it has."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, islice

from lamplighter.extract.html_page import HtmlPage, host_of
from lamplighter.extract.listing.flat import FlatRow
from lamplighter.extract.listing.rows import HEADINGS, text_of
from lamplighter.extract.listing.tree import Box, self_and_above
from lamplighter.extract.listing.words import JOB_WORDS, NEWS_WORDS, OTHER_WORDS, SHOP_WORDS
from lamplighter.extract.words.field_words import bare

#: a text this long is running text
_PROSE = 90
#: levels of a page that are climbed
DEEPEST = 64
#: letters of a word that says what a page is about
_SHORTEST_WORD = 4
_LONGEST_COUNT = 200
#: words of a heading that names a listing, not a story
_SHORT_HEADING = 5

#: "1-24 of 310" in several languages
_RANGE = re.compile(
    # In lower case. What begins with a kind of character is found many times as fast as what begins by looking back.
    r"(\d(?<!\d\d)\d{0,4})\s?(?:-|\u2013|\u2014|to|bis|\u00e0|a|\u0434\u043e|\uff5e|~)\s?(\d{1,5})(?:\s+\S+){0,2}?\s*"
    r"(?:of|von|de|sur|di|van|av|af|z|ze|\u0438\u0437|\u0437|od|/)(?:\s\S+)?\s+\d"
)
#: "24 products"
_TOTAL = re.compile(
    r"(\d(?<![\d.,]\d)\d{0,3})\s+(?:\w+\s)?(?:results?|items?|products?|jobs?|matches|entries|records|positions"
    r"|vacancies|ergebnisse|treffer|artikel|produkte|stellen|resultados|r\u00e9sultats|produits|offres|risultati|prodotti"
    r"|resultaten|producten|wynik\u00f3w|ofert|produkt\u00f3w)\b"
)


_DIGIT = re.compile(r"\d")
_KINDS = (JOB_WORDS, NEWS_WORDS, SHOP_WORDS, OTHER_WORDS)


class Ground:
    """The page around its regions. Computed once, the costly parts when they are needed."""

    def __init__(self, page: HtmlPage, boxes: Sequence[Box]) -> None:
        self.page = page
        self.boxes = boxes
        #: the first visible main heading
        self.h1 = next((box for box in boxes if box.tag == "h1" and box.worth == 1), None)
        self._main = next((box for box in boxes if box.tag == "main" or box.role == "main"), None)
        lineage = reversed(list(islice(self_and_above(self.h1), DEEPEST)))
        self._around = {above.place: depth for depth, above in enumerate(lineage)}
        self._headings = [box for box in boxes if box.tag in HEADINGS and box.worth == 1]
        self._heading_places = [box.place for box in self._headings]
        prose = [
            (box, length)
            for box in boxes
            if box.size >= _PROSE and box.worth == 1 and (length := _prose(box)) >= _PROSE
        ]
        self._prose_boxes = prose
        self._prose_places = [box.place for box, _ in prose]
        self._prose_sums = [0, *accumulate(length for _, length in prose)]
        #: characters of text
        self.size = max(sum(box.size for box in boxes if box.parent is None or box.parent.place == 0), 1)

    def is_in_main(self, box: Box) -> bool:
        """Is a box in the main element, if the page has one?"""
        return self._main is None or self._main.place <= box.place <= self._main.last

    @cached_property
    def is_announced(self) -> bool:
        """Do the page's name, heading or address say that it lists jobs, news, products or events?"""
        names = (bare(self.page.title or ""), self.heading, self.page.url.split("/", 3)[-1].lower())
        return any(words.search(name) for words in _KINDS for name in names)

    def nearness(self, box: Box) -> int:
        """The depth of the element that contains both the main heading and a box: a listing is near the heading."""
        around = self._around
        return next((around[above.place] for above in islice(self_and_above(box), DEEPEST) if above.place in around), 0)

    def prose_outside(self, rows: Sequence[FlatRow]) -> int:
        """Characters of running text outside some rows."""
        return max(self._prose_sums[-1] - sum(map(self._prose_in, rows)), 0)

    def _prose_in(self, row: FlatRow) -> int:
        places, sums = self._prose_places, self._prose_sums
        found = 0
        for part in row.parts:
            if not isinstance(part, str) and part.size >= _PROSE:
                found += sums[bisect_right(places, part.last)] - sums[bisect_left(places, part.place)]
        return found

    def story_nearer_than(self, box: Box) -> int:
        """Characters of running text nearer to the main heading than a box; 0 where the heading announces a list."""
        if self.h1 is None or announces(self.heading):
            return 0
        level = self.nearness(box)
        return sum(length for depth, length in self._prose_by_depth if depth > level)

    @cached_property
    def _prose_by_depth(self) -> list[tuple[int, int]]:
        return [(self.nearness(box), length) for box, length in self._prose_boxes]

    def heading_above(self, box: Box) -> str:
        """The words of the nearest heading before a box."""
        above = self.box_of_heading_above(box)
        return bare(text_of(above)) if above is not None else ""

    def box_of_heading_above(self, box: Box) -> Box | None:
        """The nearest heading before a box."""
        at = bisect_left(self._heading_places, box.place)
        return self._headings[at - 1] if at else None

    @cached_property
    def heading(self) -> str:
        """The words of the main heading."""
        return bare(text_of(self.h1)) if self.h1 is not None else ""

    @cached_property
    def subject(self) -> frozenset[str]:
        """Words of the page's name, its heading and its query that are not the site's."""
        asked = self.page.url.partition("?")[2].replace("%20", " ").replace("+", " ")
        words = bare(f"{self.page.title or ''} {asked}").split() + self.heading.split()
        site = host_of(self.page.url).lower()
        return frozenset(word for word in words if len(word) >= _SHORTEST_WORD and word not in site)

    @cached_property
    def counts(self) -> frozenset[int]:
        """How many rows the page says that it shows: "1-24 of 310", "24 products"."""
        found: set[int] = set()
        for box in self.boxes:
            if not 0 < box.size < _LONGEST_COUNT:
                continue
            for part in box.parts:
                if isinstance(part, str) and _DIGIT.search(part):
                    text = text_of(box).lower()
                    found.update(int(last) - int(first) + 1 for first, last in _RANGE.findall(text))
                    found.update(map(int, _TOTAL.findall(text)))
                    break
        return frozenset(found - {0, 1})


def announces(heading: str) -> bool:
    """Is a heading short, and is it about jobs, news or products?"""
    is_short = heading.count(" ") < _SHORT_HEADING
    return is_short and any(words.search(heading) for words in (JOB_WORDS, NEWS_WORDS, SHOP_WORDS))


def _prose(box: Box) -> int:
    return sum([len(part) for part in box.parts if part.__class__ is str])
