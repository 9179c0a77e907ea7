"""Which elements between the rows of a region are rows too, though their links are nested differently?"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence

from lamplighter.extract.listing.flat import FlatRow, RowLink
from lamplighter.extract.listing.regions import ELSEWHERE, UNEQUAL, UNLINKED, Region
from lamplighter.extract.listing.rows import is_action
from lamplighter.extract.listing.tree import Box

#: rows that make a rule, and the share of them that is below one element
_FEWEST, _MOST = 4, 0.6


def with_missed(region: Region, links: Sequence[RowLink]) -> Region:
    """The region with the siblings of its rows that have the same tag and classes and lead to the same kind of page."""
    rows = region.rows
    if len(rows) < _FEWEST or region.key in UNLINKED | UNEQUAL:
        return region
    around, times = Counter(row.box.parent.place for row in rows if row.box.parent).most_common(1)[0]
    usual = [row for row in rows if row.box.parent and row.box.parent.place == around]
    patterns = {row.link.pattern for row in rows if row.link}
    if times < _MOST * len(rows) or any(len(row.parts) != 1 for row in usual) or len(patterns) != 1:
        return region
    tag, pattern = usual[0].box.tag, next(iter(patterns))
    classes = set.intersection(*(_classes(row.box) for row in usual))
    if any(row.box.tag != tag for row in usual) or (pattern == ELSEWHERE and not classes):
        return region
    first, last = usual[0].box.place, usual[-1].box.place
    known = sorted(row.box.place for row in rows)
    found = []
    for box in usual[0].box.parent.kids if usual[0].box.parent else ():
        is_alike = (
            box.tag == tag
            and classes <= _classes(box)
            and bisect_left(known, box.place) == bisect_right(known, box.last)
        )
        if is_alike and (classes or first < box.place < last) and (link := _link_in(box, links, pattern)):
            found.append(FlatRow(parts=[box], box=box, link=link))
    if not found or len(found) > len(rows):
        return region
    return Region(rows=sorted([*rows, *found], key=lambda row: row.box.place), key=region.key)


def _classes(box: Box) -> set[str]:
    return set(box.names.split())


def _link_in(box: Box, links: Sequence[RowLink], pattern: str) -> RowLink | None:
    """The link that names a row: one in a heading first, then the longest."""
    start = bisect_left(links, box.place, key=lambda link: link.box.place)
    end = bisect_right(links, box.last, key=lambda link: link.box.place)
    named = [link for link in links[start:end] if link.pattern == pattern and link.text and not is_action(link.text)]
    return max(named, key=lambda link: (link.in_heading, len(link.text)), default=None)
