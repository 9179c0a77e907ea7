"""Is a page about the listing on it, or about one thing with a listing beside it?"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from lamplighter.extract.html_page import HtmlPage
from lamplighter.extract.listing.choice import Choice, nearness, size_of
from lamplighter.extract.listing.regions import Region
from lamplighter.extract.listing.rows import HEADINGS, text_of
from lamplighter.extract.listing.tree import Box
from lamplighter.extract.listing.words import JOB_WORDS, NEWS_WORDS, RELATED, SHOP_WORDS
from lamplighter.extract.words.field_words import bare

#: a text this long is prose, and so much of it may be a story
_PROSE = 90
_SOME_PROSE = 350
_SHORT_STORY = 150
#: characters of a row that count
_ROW_MASS = 400
#: words of a heading that names a listing, not a story
_SHORT_HEADING = 5
_TELLING_VALUE = 1.2
#: prose for one character of rows that a listing may have; and when a heading announces it
_BEARABLE, _BEARABLE_IF_ANNOUNCED = 3, 12
#: a page whose data describes one thing may still list many others
_MANY_ROWS = 8

_ITEM_TYPE = re.compile(
    r'"@type"\s*:\s*\[?\s*"(JobPosting|Product|NewsArticle|Article|BlogPosting|Event|Recipe|Report)"'
)


def dominates(page: HtmlPage, choice: Choice, boxes: Sequence[Box], *, h1: Box | None) -> bool:
    """Is the page about the rows of this region?"""
    region = choice.region
    mass = sum(min(size_of(row), _ROW_MASS) for row in region.rows)
    paragraphs = list(_prose_outside(region, boxes))
    prose = sum(length for _, length in paragraphs)
    headings = _headings_above(region, boxes)
    nearest = bare(text_of(headings[-1])) if headings else ""
    if RELATED.search(nearest) and (prose > _SOME_PROSE or _has_own_heading(headings)):
        return False
    if _is_item_page(page) and (prose > 0.3 * mass or len(region.rows) < _MANY_ROWS):
        return False
    if h1 is not None and not _announces(bare(text_of(h1))):
        level = nearness(h1, region.rows[0].box)
        story = sum(length for box, length in paragraphs if nearness(h1, box) > level)
        if story > max(_SHORT_STORY, 0.4 * mass):
            return False
    if prose < _SOME_PROSE or prose <= 1.5 * mass:
        return True
    announced = _announces(nearest) and choice.value >= _TELLING_VALUE
    return prose <= (_BEARABLE_IF_ANNOUNCED if announced else _BEARABLE) * mass


def _announces(heading: str) -> bool:
    """Is the heading short, and is it about jobs, news or products?"""
    is_short = heading.count(" ") < _SHORT_HEADING
    return is_short and any(words.search(heading) for words in (JOB_WORDS, NEWS_WORDS, SHOP_WORDS))


def _has_own_heading(headings: Sequence[Box]) -> bool:
    """Does the page name what it is about before the heading of the region?"""
    return headings[0].tag == "h1" and len(headings) > 1


def _is_item_page(page: HtmlPage) -> bool:
    """Does the page's own data describe a single thing?"""
    types: list[str] = []
    for block in page.data_blocks[:20]:
        text = block.text[:200_000]
        if "ItemList" in text or "CollectionPage" in text:
            return False
        types += _ITEM_TYPE.findall(text)
    return len(types) == 1


def _prose_outside(region: Region, boxes: Sequence[Box]) -> Iterator[tuple[Box, int]]:
    """The elements with running text outside all rows, and the length of that text."""
    spans = sorted((part.place, part.last) for row in region.rows for part in row.parts if not isinstance(part, str))
    starts = [start for start, _ in spans]
    for box in boxes:
        if box.worth < 1 or box.size < _PROSE:
            continue
        length = sum(len(part) for part in box.parts if isinstance(part, str))
        at = bisect_right(starts, box.place) - 1
        if length >= _PROSE and (at < 0 or box.place > spans[at][1]):
            yield box, length


def _headings_above(region: Region, boxes: Sequence[Box]) -> list[Box]:
    first = region.rows[0].box.place
    return [box for box in boxes[: max(first - 1, 0)] if box.tag in HEADINGS and box.worth == 1]
