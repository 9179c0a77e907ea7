"""Rows whose name is a heading without a link: sections of text that have facts, such as a closing date or price."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from lamplighter.extract.listing.flat import FlatRow, RowLink
from lamplighter.extract.listing.labels import constant_texts, labelled
from lamplighter.extract.listing.regions import MAX_ROWS, Region, rows_of
from lamplighter.extract.listing.rows import HEADINGS, RowText, is_action, is_apply, links_in, segments, text_of
from lamplighter.extract.listing.tree import Box, self_and_above
from lamplighter.extract.listing.words import JOB_WORDS, NEWS_WORDS, SHOP_WORDS
from lamplighter.extract.words.value_types import ValueType, date_in, value_type

KEY = "sections"
_HEAD_TAGS = HEADINGS | {"summary", "dt"}
_LEAST = 2
_MOST_GROUPS = 20
_LONGEST_NAME = 200
#: share of the sections that must have facts
_ENOUGH = 0.5
#: labels that only listed things have; places and offices occur on any page about an organisation
_TELLING = frozenset({"deadline", "published_at", "salary", "level", "career_type", "price", "sku", "work_modality"})
_DATED = frozenset({"deadline", "published_at"})
_SPANS = frozenset({ValueType.AGO, ValueType.LEFT})
_FACTS = frozenset({ValueType.DATE, ValueType.LEFT, ValueType.PRICE, ValueType.GRADE, ValueType.EMPLOYMENT})


def sections(boxes: Sequence[Box], links: Mapping[int, RowLink]) -> Iterator[Region]:
    """The sections of the page that have facts, each with the first of its links."""
    groups: dict[int, list[RowLink]] = defaultdict(list)
    for box in boxes:
        if box.worth == 1 and _is_head(box) and 1 < box.size <= _LONGEST_NAME * 2 and not _is_linked(box, links):
            groups[box.path].append(
                RowLink(box=box, url=f"#{box.place}", text=text_of(box), pattern="", in_heading=True)
            )
    for heads in islice((group for group in groups.values() if len(group) >= _LEAST), _MOST_GROUPS):
        rows = [_with_link(row, links) for row in rows_of(heads[:MAX_ROWS])]
        telling = _telling(rows)
        if len(telling) >= max(_LEAST, _ENOUGH * len(rows)):
            yield Region(key=KEY, rows=telling)


def _is_head(box: Box) -> bool:
    is_in_heading = box.parent is not None and (box.parent.tag in HEADINGS or box.parent.tag == "summary")
    return box.tag in _HEAD_TAGS or (box.unfolds and not is_in_heading)


def _is_linked(head: Box, links: Mapping[int, RowLink]) -> bool:
    """Does the heading link somewhere else?"""
    return any(box.place in links for box in (*links_in([head]), *islice(self_and_above(head.parent), 6)))


def _with_link(row: FlatRow, links: Mapping[int, RowLink]) -> FlatRow:
    inside = [links[box.place] for box in links_in(row.parts) if box.place in links]
    asking = sorted((link for link in inside if is_action(link.text)), key=lambda link: is_apply(link.text))
    return FlatRow(parts=row.parts, box=row.box, link=next(iter(asking or inside), None))


def _telling(rows: Sequence[FlatRow]) -> list[FlatRow]:
    texts = [segments(row.parts) for row in rows]
    constants = constant_texts(texts)
    return [row for row, parts in zip(rows, texts, strict=True) if _tells(parts, constants) or _leads_on(row)]


def _tells(texts: Sequence[RowText], constants: frozenset[str]) -> bool:
    fields = {
        field
        for field, value in labelled(texts, constants).values()
        if field in _TELLING and (field not in _DATED or date_in(value) or value_type(value) in _SPANS)
    }
    return bool(fields) or any(not part.heading and value_type(part.text) in _FACTS for part in texts)


def _leads_on(row: FlatRow) -> bool:
    """Is the only link of the section a "Read more" to a job, an article or a product?"""
    if row.link is None or not is_action(row.link.text):
        return False
    path = row.link.url.split("/", 3)[-1].lower()
    return any(words.search(path) for words in (JOB_WORDS, NEWS_WORDS, SHOP_WORDS))
