"""What speaks for a region being the listing of its page? Numbers from 0 to about 2; `weights` says how each counts."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import log, log2
from typing import NamedTuple

from lamplighter.extract.listing.flat import FlatRow, RowLink
from lamplighter.extract.listing.ground import Ground, announces
from lamplighter.extract.listing.regions import ELSEWHERE, UNLINKED, Region, is_item
from lamplighter.extract.listing.rows import RowText, links_in, segments
from lamplighter.extract.listing.titles import ReadRow, give_titles
from lamplighter.extract.listing.tree import Box, Part
from lamplighter.extract.listing.words import JOB_WORDS, NEWS_WORDS, RELATED, SHOP_WORDS
from lamplighter.extract.words.field_words import bare
from lamplighter.extract.words.value_types import ValueType, date_in, value_type

Evidence = dict[str, float]

#: rows by which a region is judged
_SAMPLE = 10
_DATES = frozenset({ValueType.DATE, ValueType.AGO, ValueType.LEFT})
#: values that tell an item from a menu entry
_FACTS = _DATES | {ValueType.PRICE, ValueType.GRADE}
_LONGEST_FACT = 100
#: characters of a row that count
_ROW_MASS = 400
#: characters of a number or a bullet before a link
_BULLET = 4
#: letters of a menu entry, and of a short name
_MENU_ENTRY = 25
_FEW = 4
_SHORT_NAME = 10
#: characters of a story
_SHORT_STORY = 150
#: letters, years and months lead to lists, and name nothing
_INDEX = re.compile(r"[\W\d_]*|\w{1,2}|\D{3,12} (?:19|20)\d\d(?: ?\(\d+\))?")
#: the name of somebody, and what he writes
_PERSON, _POST = 14, 100
#: characters around a link that are a sentence
_SENTENCE = 60
#: shares of rows that are no coincidence
_SOME, _MOST = 0.3, 0.6
_KINDS = (JOB_WORDS, NEWS_WORDS, SHOP_WORDS)
#: class names of the elements that hold one of many things
_ITEM_CLASS = re.compile(
    r"(?:^|[\s_-])(?:results?|items?|products?|listings?|posts?|article|jobs?|card|entry|teaser|story|vacanc(?:y|ies)"
    r"|offer|topic|thread|hit|record|row|tile)(?:$|[\s_-])"
)


class _Sample(NamedTuple):
    """Some rows of a region, read."""

    rows: Sequence[FlatRow]
    texts: Sequence[list[RowText]]
    reads: Sequence[ReadRow]
    titles: Sequence[str]
    #: characters of each row
    sizes: Sequence[int]


def evidence_of(region: Region, ground: Ground) -> Evidence:
    """All that is measured on one region alone."""
    chosen = region.rows[:: max(1, len(region.rows) // _SAMPLE)][:_SAMPLE]
    texts = [segments(row.parts) for row in chosen]
    reads = [ReadRow(row=row, texts=parts, known={}) for row, parts in zip(chosen, texts, strict=True)]
    give_titles(reads)
    sample = _Sample(chosen, texts, reads, [read.title for read in reads], [size_of(row) for row in chosen])
    found = _form(region, ground) | _names(sample, ground) | _content(sample) | _place(region, ground)
    # A menu has no dates, prices or numbers, is not about the words of the page, and is called neither jobs nor news.
    told = found["dated"] + found["priced"] + found["items"] + found["titles are about the page"]
    is_called = are_of_a_kind(chosen)
    is_few = len(region.rows) <= _FEW and not is_called and not ground.is_announced
    return found | {
        "like a menu": float(told < _SOME and not is_called),
        "few, not announced": float(is_few),
        "many short and bare": found["rows"] * found["short and bare"],
        "addresses of a kind": float(is_called),
    }


def _form(region: Region, ground: Ground) -> Evidence:
    rows, key = region.rows, region.key
    count = len(rows)
    links = [row.link for row in rows if row.link]
    patterns = Counter(link.pattern for link in links)
    return {
        "rows": log2(min(count, 256)) / 4,
        "two rows": float(count == 2),
        "worth": mean(row.box.worth for row in rows),
        "in a frame": share(row.box.worth < 0.5 for row in rows),
        "one pattern": max(patterns.values()) / count if patterns else 1.0,
        "alike": max(Counter(row.box.path for row in rows).values()) / count,
        "uneven": min(_spread([log(1 + size_of(row)) for row in rows[:100]]), 1.5),
        "shared addresses": 1 - len({link.url for link in links}) / len(links)
        if links and key not in UNLINKED
        else 0.0,
        "outside the main element": share(not ground.is_in_main(row.box) for row in rows),
        "entries of a sub-menu": share(map(_is_in_submenu, rows)),
        "entries with a sub-menu": share(map(_has_submenu, rows)),
        "items": share(is_item(link.url) for link in links),
        "by pattern": float(key == "pattern"),
        "by path and pattern": float(key == "path and pattern"),
        "one block of several": float(key == "block"),
        "table with known heads": float(key == "table"),
        "table rows": share(row.box.tag == "tr" for row in rows),
        "articles": share(row.box.tag == "article" for row in rows),
        "named as items": share(_is_named_as_item(row.box.names[:200]) for row in rows[:_SAMPLE]),
    }


def _names(sample: _Sample, ground: Ground) -> Evidence:
    weights = [_weight(title) for title in sample.titles]
    named = list(zip(sample.titles, weights, strict=True))
    return {
        "title length": mean(min(weight, 80) for weight in weights) / 40,
        "short titles": share(0 < weight < _SHORT_NAME for weight in weights),
        "repeated titles": 1 - len(set(sample.titles)) / len(sample.titles),
        "titles of words": share(title.count(" ") >= 2 or weight > len(title) for title, weight in named),
        "titles are an index": share(_INDEX.fullmatch(title) is not None for title in sample.titles if title),
        "titles are headings": share(any(read.texts[at].heading for at in read.used) for read in sample.reads),
        "titles are links": share(read.link is not None for read in sample.reads),
        "titles are about the page": share(
            not ground.subject.isdisjoint(bare(title).split()) for title in sample.titles
        ),
        "short and bare": share(
            _is_bare(row, size) and weight < _MENU_ENTRY
            for row, size, weight in zip(sample.rows, sample.sizes, weights, strict=True)
        ),
    }


def _content(sample: _Sample) -> Evidence:
    further = [max(size - len(title), 0) for size, title in zip(sample.sizes, sample.titles, strict=True)]
    links = [sum(1 for _ in links_in(row.parts)) for row in sample.rows]
    return {
        "posts of people": share(
            " " not in title
            and _weight(title) < _PERSON
            and length >= _POST
            and not any(read.texts[at].heading for at in read.used)
            for title, length, read in zip(sample.titles, further, sample.reads, strict=True)
        ),
        "links amid prose": share(map(_is_amid_prose, sample.rows)),
        "further text": mean(log(1 + length) for length in further) / 4,
        "nothing but a link": share(_is_bare(row, size) for row, size in zip(sample.rows, sample.sizes, strict=True)),
        "rows say the same": 1
        - len({tuple([part.text for part in parts]) for parts in sample.texts}) / len(sample.texts),
        "texts": mean(min(len(parts), 12) for parts in sample.texts) / 6,
        "dated": share(any(map(_is_date, parts)) for parts in sample.texts),
        "priced": share(any(value_type(part.text) is ValueType.PRICE for part in parts) for parts in sample.texts),
        "links in a row": mean(log2(1 + count) for count in links) / 2,
    }


def _place(region: Region, ground: Ground) -> Evidence:
    rows, first = region.rows, region.rows[0].box
    sizes = [size_of(row) for row in rows]
    mass = sum(min(size, _ROW_MASS) for size in sizes)
    prose = ground.prose_outside(rows)
    heading = ground.heading_above(first)
    is_related = RELATED.search(heading) is not None
    h1 = ground.h1
    return {
        "share of text": min(sum(sizes) / ground.size, 1.0),
        "prose around": min(max(log((prose + 200) / (mass + 200)), -2), 3) / 2,
        "a story is nearer": float(ground.story_nearer_than(first) > max(_SHORT_STORY, 0.4 * mass)),
        "behind the heading": float(h1 is not None and first.place > h1.place),
        "below an announcement": float(announces(heading) and not is_related),
        "right below the main heading": float(h1 is not None and ground.box_of_heading_above(first) is h1),
        "below related": float(is_related),
        "count is shown": float(len(rows) in ground.counts),
    }


@lru_cache(maxsize=1024)
def _is_named_as_item(names: str) -> bool:
    return _ITEM_CLASS.search(names.lower()) is not None


def are_of_a_kind(rows: Sequence[FlatRow]) -> bool:
    """Do most addresses on this host say that they are jobs, articles or products?"""
    links = [row.link for row in rows if row.link and row.link.pattern != ELSEWHERE]
    paths = [link.url.split("/", 3)[-1].lower() for link in links]
    return any(share(words.search(path) is not None for path in paths) > _MOST for words in _KINDS)


def _is_amid_prose(row: FlatRow) -> bool:
    """Is the link a part of a sentence, with words before and behind it?"""
    if row.link is None or not row.link.box.before:
        return False
    around = row.link.box.parent
    return around is not None and sum(len(part) for part in around.parts if isinstance(part, str)) >= _SENTENCE


def _is_in_submenu(row: FlatRow) -> bool:
    """Is the row an entry of a list inside an entry of another list that is a link itself?"""
    if row.box.tag != "li":
        return False
    around = row.box.parent.parent if row.box.parent is not None else None
    if around is None or around.tag != "li":
        return False
    return any(not isinstance(part, str) and part.tag == "a" and part.place < row.box.place for part in around.parts)


def _has_submenu(row: FlatRow) -> bool:
    """Is the row an entry of a list with another list of links in it?"""
    if row.box.tag != "li":
        return False
    return any(True for kid in row.box.kids if kid.tag in ("ul", "ol") for _ in links_in([kid]))


def relations(regions: Sequence[Region]) -> list[Evidence]:
    """What the regions of a page are to each other: the lists in the rows of another, or a part of it."""
    places = [{row.box.place for row in region.rows} for region in regions]
    targets = [{row.link.url: row.link for row in region.rows if row.link} for region in regions]
    spans = [_spans(region) for region in regions]
    found: list[Evidence] = [
        {"in rows of another": 0.0, "holds another": 0.0, "part of a larger one": 0.0, "one column of several": 0.0}
        for _ in regions
    ]
    for at, mine in enumerate(places):
        for other, theirs in enumerate(places):
            if other == at:
                continue
            inside, holders = _inside(regions[at], spans[other])
            if inside > 0.8 * len(mine) and inside >= 2 * holders:
                found[other]["holds another"] = 1.0
                if len(theirs) > 2:
                    found[at]["in rows of another"] = 1.0
            if mine < theirs:
                part = 1 - len(mine) / len(theirs)
                found[at]["part of a larger one"] = max(found[at]["part of a larger one"], part)
            between = _left_out_between(targets[at], targets[other])
            found[at]["one column of several"] = max(found[at]["one column of several"], between)
    return found


def _left_out_between(mine: Mapping[str, RowLink], theirs: Mapping[str, RowLink]) -> float:
    """The share of a larger region's links that are like mine and stand between mine: the other columns of a grid."""
    patterns = {link.pattern for link in mine.values()}
    if len(mine) < 2 or len(patterns) > 1 or not mine.keys() < theirs.keys():
        return 0.0
    places = [link.box.place for link in mine.values()]
    others = [link for url, link in theirs.items() if url not in mine and link.pattern in patterns]
    return sum(places[0] < link.box.place < places[-1] for link in others) / len(theirs)


def _spans(region: Region) -> list[tuple[int, int]]:
    return sorted((part.place, part.last) for row in region.rows for part in row.parts if isinstance(part, Box))


def _inside(region: Region, spans: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """How many rows are inside the spans, and how many spans have any."""
    starts = [start for start, _ in spans]
    at = [bisect_right(starts, row.box.place) - 1 for row in region.rows]
    holders = [span for row, span in zip(region.rows, at, strict=True) if span >= 0 and row.box.place <= spans[span][1]]
    return len(holders), len(set(holders))


def _is_date(part: RowText) -> bool:
    return (
        part.box.tag == "time"
        or value_type(part.text) in _DATES
        or (len(part.text) < _LONGEST_FACT and date_in(part.text) is not None)
    )


def _is_bare(row: FlatRow, size: int) -> bool:
    """Has the row nothing but its link, and at most a bullet or a number?"""
    return row.link is not None and size <= len(row.link.text) + _BULLET


def has_facts(texts: Sequence[RowText]) -> bool:
    """Do the texts of a row hold a date, a price or a grade?"""
    return any(_is_date(part) or value_type(part.text) in _FACTS for part in texts)


def size_of(row: FlatRow) -> int:
    """Characters of text in a row."""
    if len(row.parts) == 1:
        return row.box.size if row.parts[0] is row.box else _length(row.parts[0])
    return sum(map(_length, row.parts))


def _length(part: Part) -> int:
    return len(part) if isinstance(part, str) else part.size


def _weight(text: str) -> int:
    """The length of a text in Latin letters: a Chinese character says as much as two or three."""
    return len(text) if text.isascii() else sum(3 if character > "\u2e80" else 1 for character in text[:200])


def mean(values: Iterable[float]) -> float:
    """The mean; 0 of nothing."""
    found = list(values)
    return sum(found) / len(found) if found else 0.0


def share(claims: Iterable[bool]) -> float:
    """The share that is true."""
    found = list(claims)
    return sum(found) / len(found) if found else 0.0


def _spread(values: Sequence[float]) -> float:
    middle = mean(values)
    return float(mean((value - middle) ** 2 for value in values) ** 0.5)
