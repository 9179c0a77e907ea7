"""Which similar links of a page are in rows? A row is the largest element around a link with no other of its group."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from lamplighter.extract.html_page import host_of
from lamplighter.extract.listing.flat import MIN_ROWS, FlatRow, RowLink, with_followers
from lamplighter.extract.listing.rows import is_action, is_apply, text_of
from lamplighter.extract.listing.tree import IN_FRAME, Box, self_and_above

MAX_ROWS = 1_000
#: the pattern of addresses on other hosts
ELSEWHERE = ""
_LONGEST_TITLE = 300

#: levels between a link and the element that is its row
_HIGHEST_ROW = 64

#: links that make a group by more than their path
_LEAST_ALIKE = 3

#: a front page has this many headlines, of this many words or characters, and no layout has more than this share
_LEAST_HEADLINES, _HEADLINE_SPACES, _HEADLINE, _MOST_OF_ONE_BUILD = 10, 3, 10, 0.65

#: levels between a row and the block that contains it, blocks of one region, and rows of a block
_HIGHEST_BLOCK, _MOST_BLOCKS, _LEAST_OF_BLOCK = 6, 6, 4

_NUMBER = re.compile(r"\d+")
_DOCUMENTS = (".pdf", ".doc", ".docx", ".odt", ".xls", ".xlsx", ".zip")


#: regions whose rows need no links of their own, and those whose rows may look different
UNLINKED = frozenset({"table", "sections"})
UNEQUAL = frozenset({"heading", "headline"})


@dataclass(slots=True, kw_only=True)
class Region:
    """Similar rows."""

    rows: list[FlatRow]
    #: why these rows were grouped, for the choice between regions
    key: str


def pattern_of(url: str, host: str) -> str:
    """The address without what distinguishes items; all addresses on other hosts have the same pattern."""
    if host_of(url) != host:
        return ELSEWHERE
    path, _, query = url.partition("?")
    head, _, last = path.rstrip("/").rpartition("/")
    if query:
        names = "&".join(sorted(part.partition("=")[0] for part in query.split("&")))
        is_name = "." not in last and ("-" in last or "_" in last or _NUMBER.search(head.rpartition("/")[2]))
        own = f"{head}/item" if is_name else path
        return f"{_NUMBER.sub('0', own)}?{names}"
    if head.count("/") < 3:
        # Directly below the host there are menu entries and items: long names are items.
        return f"{head}/{'item' if last.count('-') >= 2 or any(c.isdigit() for c in last) else 'page'}"
    return f"{_NUMBER.sub('0', head)}/"


def regions(links: Sequence[RowLink], main: Box | None = None) -> list[Region]:
    """All ways to group similar links into rows; links outside the main element count if it has none."""
    groups: dict[tuple[object, ...], list[RowLink]] = defaultdict(list)
    for link in links:
        is_named = link.text and not is_action(link.text)
        if link.text and (not is_named or link.url.endswith(_DOCUMENTS)):
            # Cards with two buttons, or with two documents (PDF, 90 KB): those of one name make the rows.
            groups[("one name", link.box.path, _NUMBER.sub("", link.text))].append(link)
        if not is_named:
            groups[("action", link.box.path)].append(link)
            continue
        groups[("path", link.box.path)].append(link)
        groups[("path and pattern", link.box.path, link.pattern)].append(link)
        if link.pattern != ELSEWHERE:
            groups[("pattern", link.pattern)].append(link)
        if link.in_heading:
            groups[("heading",)].append(link)
        if names := link.box.names:
            groups[("class", link.box.path, names)].append(link)
    if headlines := _headlines(links):
        groups[("headline",)] = headlines
    found: dict[tuple[int, ...], Region] = {}
    known: set[tuple[int, ...]] = set()
    for key, group in groups.items():
        least = MIN_ROWS if key[0] == "path" else _LEAST_ALIKE
        group = _within(main, group, least)
        if len(group) < least or len({link.url for link in group}) < least:
            continue
        members = tuple([link.box.place for link in group])
        if members in known:
            continue
        known.add(members)
        region = Region(rows=rows_of(group)[:MAX_ROWS], key=str(key[0]))
        places = tuple([row.box.place for row in region.rows])
        if places not in found or _names(region) > _names(found[places]):
            found[places] = region
    for region in list(found.values()):
        for block in _blocks(region):
            found.setdefault(tuple([row.box.place for row in block.rows]), block)
    return list(found.values())


def _blocks(region: Region) -> Iterator[Region]:
    """The large blocks of a region that stand in different parts of the page."""
    levels = [row.box.parent for row in region.rows]
    for _ in range(_HIGHEST_BLOCK):
        places = Counter(box.place if box is not None else 0 for box in levels)
        if len(places) <= _MOST_BLOCKS:
            break
        levels = [box.parent if box is not None else None for box in levels]
    else:
        return
    if len(places) < 2:
        return
    for place, count in places.most_common(2):
        if count >= max(_LEAST_OF_BLOCK, 0.2 * len(region.rows)):
            rows = [row for row, box in zip(region.rows, levels, strict=True) if (box.place if box else 0) == place]
            yield Region(key="block", rows=rows)


def _within(main: Box | None, group: list[RowLink], least: int) -> list[RowLink]:
    """The links outside the page's frame, and inside its main element if they suffice: cards around it look alike."""
    if any(link.box.worth == 1 for link in group):
        group = [link for link in group if link.box.worth > IN_FRAME]
    if main is None:
        return group
    first, last = main.place, main.last
    inside = [link for link in group if first <= link.box.place <= last]
    return inside if len(inside) >= max(least, _LEAST_ALIKE) else group


def _headlines(links: Sequence[RowLink]) -> list[RowLink]:
    """The links of a front page that are named like articles, when they are in blocks of many layouts."""
    found = [
        link
        for link in links
        if link.box.worth == 1
        and link.pattern != ELSEWHERE
        and (link.text.count(" ") >= _HEADLINE_SPACES or (len(link.text) >= _HEADLINE and not link.text.isascii()))
        and is_item(link.url)
    ]
    builds = Counter(link.box.path for link in found)
    if len(found) < _LEAST_HEADLINES or len(builds) < _LEAST_ALIKE:
        return []
    return found if builds.most_common(1)[0][1] <= _MOST_OF_ONE_BUILD * len(found) else []


def is_item(url: str) -> bool:
    """Does the address name one of many items: by a number, or by a long name?"""
    path, _, query = url.partition("?")
    last = path.rstrip("/").rpartition("/")[2]
    return last.count("-") + last.count("_") + last.count("%20") >= 2 or any(c.isdigit() for c in last + query)


def _names(region: Region) -> tuple[int, int, int]:
    """How well the links name their rows: logos of one organisation have one name, and forms have none."""
    links = [row.link for row in region.rows if row.link]
    forms = sum(1 for link in links if is_apply(link.text))
    return sum(1 for link in links if link.in_heading), -forms, len({link.text for link in links})


def rows_of(group: Sequence[RowLink]) -> list[FlatRow]:
    """The row of each link, in document order; links to one address share their row."""
    owner = _owners(group)
    starts: dict[int, tuple[Box, RowLink]] = {}
    tops = [(link, _top(link, owner)) for link in group]
    usual = Counter(top.path for _, top in tops).most_common(1)[0][0]
    for link, top in tops:
        start = _at_level(link.box, top, usual)
        known = starts.get(start.place)
        if known is None or len(known[1].text) < len(link.text):
            starts[start.place] = (start, link)
    return with_followers([starts[place] for place in sorted(starts)])


def _owners(group: Sequence[RowLink]) -> dict[int, str | None]:
    """For each element around a link of the group: the one address inside it, or None when there are several."""
    owner: dict[int, str | None] = {}
    for link in group:
        box: Box | None = link.box
        while box is not None:
            if box.place not in owner:
                owner[box.place] = link.url
            elif owner[box.place] in (None, link.url):
                # An earlier link was here and has handled everything above.
                break
            else:
                owner[box.place] = None
            box = box.parent
    return owner


def _top(link: RowLink, owner: dict[int, str | None]) -> Box:
    box = link.box
    for _ in range(_HIGHEST_ROW):
        if box.parent is None or owner[box.parent.place] is None:
            break
        box = box.parent
    return box


def _at_level(box: Box, top: Box, usual: int) -> Box:
    """The element on the usual level: if it is alone in its list, the whole list is not its row."""
    if top.path == usual:
        # Bold text has the path of the element that contains it.
        return top
    inner = takewhile(lambda level: level is not top, self_and_above(box))
    return next((level for level in inner if level.path == usual), top)


def link_text(box: Box) -> str:
    """The name of a link: its text, or the alternative text of its picture."""
    text = text_of(box)
    if len(text) > _LONGEST_TITLE * 4:
        text = text[: _LONGEST_TITLE * 4]
    return text or _picture_text(box) or text_of(box, spoken=True)


def _picture_text(box: Box) -> str:
    stack = list(box.kids)
    for _ in range(20):
        if not stack:
            break
        kid = stack.pop(0)
        if kid.tag == "img" and (alt := kid.attribute("alt").strip()):
            return " ".join(alt.split())
        stack.extend(kid.kids)
    return " ".join((box.attribute("aria-label") or box.attribute("title")).split())
