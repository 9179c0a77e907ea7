"""Which of the repeated regions of a page is its listing?"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from operator import itemgetter
from typing import NamedTuple

from lamplighter.extract.listing.flat import FlatRow
from lamplighter.extract.listing.regions import ELSEWHERE, Region, is_item
from lamplighter.extract.listing.rows import RowText, is_action, segments
from lamplighter.extract.listing.tree import Box, Part, self_and_above
from lamplighter.extract.listing.words import JOB_WORDS, NEWS_WORDS, SHOP_WORDS
from lamplighter.extract.words.value_types import ValueType, date_in, value_type
from lamplighter.model.record import RecordKind

#: rows by which a region is judged
_SAMPLE = 10
#: regions that are judged closely, the most promising first
_SHORTLIST = 10
#: a region below this share of the best promise is not judged
_HOPELESS = 0.04
#: a table with known headers is judged even when it is short
_HEADED = 5
_SHORT_NAMES = 10
#: levels of a page that are climbed, and elements of a row that are searched for a picture
_DEEPEST = 64
#: below this a row says too little to be an item: menus, tag clouds, site maps
_LEAST_VALUE = 1.0
#: where rows are worth less than this they must say twice as much
_LEAST_WORTH = 0.5

#: shares of rows that are not a coincidence
_SOME, _MOST = 0.3, 0.6
#: values that tell an item from a menu entry
_FACTS = frozenset({ValueType.DATE, ValueType.AGO, ValueType.LEFT, ValueType.PRICE, ValueType.GRADE})
_LONGEST_FACT = 100
_KINDS = {RecordKind.JOB: JOB_WORDS, RecordKind.ARTICLE: NEWS_WORDS, RecordKind.PRODUCT: SHOP_WORDS}
#: factor for a region that is further from the heading of the page than another
_ASIDE = 0.45
#: factors for a region whose addresses are of another kind than the wanted one, or of that one
_UNWANTED, _WANTED = 0.5, 2.0
_SHORT_INDEX = re.compile(r"[\W\d_]*|\w{1,2}|\D{3,12} (?:19|20)\d\d(?: ?\(\d+\))?")


#: regions whose rows need no links of their own, and those whose rows may look different
UNLINKED = frozenset({"table", "sections"})
UNEQUAL = frozenset({"heading", "headline"})


class Choice(NamedTuple):
    """The listing of a page."""

    region: Region
    #: how much one of its rows says
    value: float


def choose(found: Sequence[Region], *, h1: Box | None, wanted: RecordKind | None) -> Choice | None:
    """The best region; None when none is worth reading."""
    ranked = sorted(((_promise(region), region) for region in found), key=itemgetter(0), reverse=True)[:_SHORTLIST]
    promising = [region for promise, region in ranked if promise >= ranked[0][0] * _HOPELESS]
    judged = [(*_judge(region), region) for region in promising]
    judged = [(score * _fit(region, wanted), value, region) for score, value, region in judged if value >= _LEAST_VALUE]
    if not judged:
        return None
    levels = [nearness(h1, region.rows[0].box) for _, _, region in judged]
    nearest = max(levels)
    placed = [
        (score * (1 if level == nearest else _ASIDE), value, region)
        for (score, value, region), level in zip(judged, levels, strict=True)
    ]
    _, value, region = max(placed, key=itemgetter(0))
    return Choice(region, value)


def nearness(h1: Box | None, box: Box) -> int:
    """The depth of the element that contains both: a listing is near the heading of its page."""
    lineage = reversed(list(islice(self_and_above(h1), _DEEPEST)))
    around = {above.place: depth for depth, above in enumerate(lineage)}
    return next((around[above.place] for above in islice(self_and_above(box), _DEEPEST) if above.place in around), 0)


def _fit(region: Region, wanted: RecordKind | None) -> float:
    """Are the addresses of the rows of the wanted kind, or of another?"""
    words = _KINDS.get(wanted) if wanted else None
    if words is None:
        return 1.0
    rows = region.rows[:: max(1, len(region.rows) // _SAMPLE)]
    share = _share_of(rows, words)
    if share > _MOST:
        return _WANTED
    if share > 0:
        # Some are wanted, some are not: the region with only wanted ones is better.
        return share
    return _UNWANTED if any(_share_of(rows, other) > _MOST for other in _KINDS.values()) else 1.0


def _promise(region: Region) -> float:
    """A cheap first guess of `_judge`."""
    rows = region.rows
    mass = sum(min(size_of(row), 250) for row in islice(rows, 50)) / min(len(rows), 50)
    return float(len(rows) ** 0.8) * (mass + 10) * _worth(rows) * (_HEADED if region.key == "table" else 1)


def _worth(rows: Sequence[FlatRow]) -> float:
    return _mean(row.box.worth for row in rows)


def _judge(region: Region) -> tuple[float, float]:
    """Score of a region, and value of one of its rows."""
    rows = region.rows
    sample = rows[:: max(1, len(rows) // _SAMPLE)][:_SAMPLE]
    read = [segments(row.parts) for row in sample]
    value = _row_value(sample, read, region.key)
    distinct = 1.0 if region.key in UNLINKED else len({row.link.url for row in rows if row.link}) / len(rows)
    patterns = Counter(row.link.pattern for row in rows if row.link).most_common(1)
    common = patterns[0][1] / len(rows) if patterns else 1.0
    worth = _worth(rows)
    # The headlines of a front page are in blocks of many layouts.
    alike = 1.0 if region.key in UNEQUAL else Counter(row.box.path for row in rows).most_common(1)[0][1] / len(rows)
    score = float(len(rows) ** 0.8) * value * distinct * (0.75 + 0.25 * common) * (0.5 + 0.5 * alike) * worth
    return score, value if worth >= _LEAST_WORTH else value * (0.4 + worth)


def _row_value(rows: Sequence[FlatRow], read: Sequence[Sequence[RowText]], key: str) -> float:
    """How much one row says: a clear title, more texts, dates or prices, an address of its own."""
    names = [_name(row, texts) for row, texts in zip(rows, read, strict=True)]
    different = len(set(names))
    if different == 1 and len(names) > 2 and len({" ".join(part.text for part in texts) for texts in read}) == 1:
        return 0.0
    if _mean(_SHORT_INDEX.fullmatch(name) is not None for name in names) > 0.4:
        return 0.0
    length = _mean(min(_weight(name), 60) for name in names)
    extra = _mean(min(max(size_of(row) - len(name), 0), 160) for row, name in zip(rows, names, strict=True))
    headings = _mean(any(part.heading for part in texts) for texts in read)
    facts = _mean(has_facts(texts) for texts in read)
    items = _mean(row.link is not None and is_item(row.link.url) for row in rows)
    if extra >= 100 and length < 14 and not headings:
        # Short names with long texts: posts in a discussion.
        return 0.0
    value = length / 40 + extra / 80 + 0.8 * headings + facts + 0.7 * items + 0.4 * _mean(map(_has_picture, rows))
    if key == "table":
        return value + 2.0
    if length < _SHORT_NAMES:
        value *= 0.6
    # Rows without date, price or number must at least be called a job, an article or a product.
    if value < _LEAST_VALUE or not (
        facts >= _SOME or items >= _SOME or any(_share_of(rows, words) > _MOST for words in _KINDS.values())
    ):
        return 0.0
    return value


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found) if found else 0.0


def _weight(text: str) -> int:
    """The length of a text in Latin letters: a Chinese character says as much as two or three."""
    return len(text) if text.isascii() else sum(3 if character > "\u2e80" else 1 for character in text[:200])


def _name(row: FlatRow, texts: Sequence[RowText]) -> str:
    """The likely title of a row: the text of its link, its heading, or its first text."""
    if row.link and row.link.text and not is_action(row.link.text):
        return row.link.text
    named = [
        part
        for part in texts
        if not part.spoken and not is_action(part.text) and value_type(part.text) is not ValueType.DATE
    ]
    return next((part.text for part in named if part.heading), named[0].text if named else "")


def _share_of(rows: Sequence[FlatRow], words: re.Pattern[str]) -> float:
    """The share of the addresses on this host that contain words of one kind."""
    links = [row.link for row in rows if row.link and row.link.pattern != ELSEWHERE]
    return _mean(words.search(link.url.split("/", 3)[-1].lower()) is not None for link in links)


def _has_picture(row: FlatRow) -> bool:
    stack: list[Part] = list(row.parts)
    for _ in range(_DEEPEST):
        if not stack:
            break
        part = stack.pop()
        if not isinstance(part, str):
            if part.tag == "img":
                return True
            stack.extend(part.parts)
    return False


def has_facts(texts: Sequence[RowText]) -> bool:
    """Do the texts of a row hold a date, a price or a grade?"""
    return any(
        part.box.tag == "time"
        or value_type(part.text) in _FACTS
        or (len(part.text) < _LONGEST_FACT and date_in(part.text) is not None)
        for part in texts
    )


def size_of(row: FlatRow) -> int:
    """Characters of text in a row."""
    return sum(len(part) if isinstance(part, str) else part.size for part in row.parts)
